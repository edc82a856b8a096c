// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

func sha512BMI2(f *amd64.File) {
	for _, h := range []spec.Hash{spec.SHA512, spec.SHA384, spec.SHA512_256, spec.SHA512_224} {
		iterateSHA2Scalar(f, h, "IterateBMI2"+h.Suffix, `
A round is 22 instructions and two moves, and a chain of 5 cycles, 400 in all. CPUs that do four in a cycle, and moves for nothing, need
440, and 454 with the schedule on Zen 4.`)
	}
	compressSHA2Scalar(f, spec.SHA512, "CompressBMI2")
}
