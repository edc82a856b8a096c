// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
)

// addsAMD64 writes the ruler of the cycle counts: additions of a register that hang on each other. An immediate operand will not
// do: some CPUs add those while they rename registers.
func addsAMD64(f *amd64.File) {
	const perCall = 100 // cycles.PerN
	f.Text("Adds", "func(n int)", `
Adds does n times 100 additions each of which waits for the one before it: one cycle each on any CPU.`)
	n := f.Load(f.Param("n"), RCX)
	f.TESTQ(n, n)
	f.JLE(LabelRef("done"))
	f.XORQ(RAX, RAX)
	f.Label("hundred")
	for range perCall {
		f.ADDQ(n, RAX)
	}
	f.DECQ(n)
	f.JNZ(LabelRef("hundred"))
	f.Label("done")
	f.RET()
}
