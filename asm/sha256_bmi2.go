// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

func sha256BMI2(f *amd64.File) {
	for _, h := range []spec.Hash{spec.SHA256, spec.SHA224} {
		iterateSHA2Scalar(f, h, "IterateBMI2"+h.Suffix, `
A round is 22 instructions and two moves, and a chain of 5 cycles. 64 of them are 352 cycles on CPUs that do four in a cycle and moves
for nothing: 356 on Zen 4. Where moves and the schedule count too, as on Intel's before Ice Lake, all together is 460.`)
	}
	compressSHA2Scalar(f, spec.SHA256, "CompressBMI2")
}
