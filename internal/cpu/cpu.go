// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package cpu tells which of the instruction sets that kernels need can be used: those that the processor has, the operating system
// allows and GODEBUG does not switch off. golang.org/x/sys/cpu and klauspost/cpuid detect; this package puts them behind one set.
package cpu

import (
	"os"
	"strings"
)

// Features is a set of instruction sets.
type Features uint32

// The instruction sets that kernels use, all architectures in one set.
const (
	SSSE3      Features = 1 << iota // x86
	SSE41                           // x86: SSE4.1
	AVX                             // x86
	AVX2                            // x86
	BMI1                            // x86
	BMI2                            // x86
	SHA                             // x86: SHA-NI, that is SHA-1 and SHA-256
	AVX512F                         // x86
	AVX512VL                        // x86
	AVX512Wide                      // x86: four operations of 512 bits in a cycle, as on Zen 5; others do two, and a kernel of such takes about twice as long
	ASIMD                           // arm64: NEON
	SHA1                            // arm64: ARMv8 SHA1
	SHA2                            // arm64: ARMv8 SHA2, that is SHA-256
	SHA512                          // arm64: ARMv8.2 SHA512
)

// known has each feature's name in GODEBUG, as golang.org/x/sys/cpu and the Go runtime spell it, and what it builds on.
var known = []struct {
	name    string
	set, on Features
}{
	{"ssse3", SSSE3, 0},
	{"sse41", SSE41, SSSE3},
	{"avx", AVX, SSE41},
	{"avx2", AVX2, AVX},
	{"bmi1", BMI1, 0},
	{"bmi2", BMI2, 0},
	{"sha", SHA, SSE41},
	{"avx512f", AVX512F, AVX2},
	{"avx512vl", AVX512VL, AVX512F},
	{"avx512wide", AVX512Wide, AVX512F}, // a name of ours
	{"asimd", ASIMD, 0},
	{"sha1", SHA1, ASIMD},
	{"sha2", SHA2, ASIMD},
	{"sha512", SHA512, ASIMD},
}

// Detect returns what this process can use. GODEBUG is read as the process was started with it.
func Detect() Features { return usable(detect(), os.Getenv("GODEBUG")) }

// usable is what is left of found after the cpu.*=off settings of godebug, and after what is off or missing has taken along all
// that builds on it. A later setting wins over an earlier one; nothing can be switched on that was not found.
func usable(found Features, godebug string) Features {
	has := found
	for field := range strings.SplitSeq(godebug, ",") {
		key, value, _ := strings.Cut(field, "=")
		name, ok := strings.CutPrefix(key, "cpu.")
		if !ok || value != "off" && value != "on" {
			continue
		}
		for _, f := range known {
			if name == f.name || name == "all" {
				has &^= f.set
				if value == "on" {
					has |= found & f.set
				}
			}
		}
	}
	for _, f := range known { // in an order in which what a feature builds on comes before it
		if has&f.on != f.on {
			has &^= f.set
		}
	}
	return has
}

// String lists the features by their names in GODEBUG.
func (f Features) String() string {
	var names []string
	for _, k := range known {
		if f&k.set != 0 {
			names = append(names, k.name)
		}
	}
	return strings.Join(names, " ")
}

// flag is set where on is true, and empty elsewhere.
func flag(on bool, set Features) Features {
	if on {
		return set
	}
	return 0
}
