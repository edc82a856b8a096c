// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package kernelinfo tells the command what the dispatcher knows: package
// pbkdf2 sets its variables, and `pbkdf2 info` prints what they return.
//
// It imports nothing, so that a program without the command pays nothing.
package kernelinfo

// A Row describes one row of the kernel table of the CPU that runs this.
type Row struct {
	Name   string // "sha256/shani", "sha1/avx2x16"
	Lanes  int    // derivations that it advances at a time
	Cost   int    // time of one iteration of all its lanes, relative to the table's other rows
	Needs  string // CPU features: "SHA+SSSE3+SSE4.1"; empty if every CPU of this architecture can run it
	Used   bool   // whether a derivation here may run on it
	Reason string // why it is used, or why not: "the fastest single derivation", "no AVX-512F"
}

// A Feature is a CPU feature that some kernel needs.
type Feature struct {
	Name   string // "AVX2"
	Have   bool   // whether kernels may use it
	Reason string // why not, if that isn't the CPU: "off by GODEBUG=cpu.avx2=off", "AVX is off"
}

// Rows returns all rows of this architecture's table, used or not, in the
// table's order.
var Rows func() []Row

// Features returns the features that the dispatcher looked for.
var Features func() []Feature
