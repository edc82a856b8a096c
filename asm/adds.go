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

	independent := func(name, doc, loop, done string, sums int, add func(i int), end func()) {
		f.Text(name, "func(n int)", doc)
		f.Load(f.Param("n"), n)
		f.TESTQ(n, n)
		f.JLE(LabelRef(done))
		f.Label(loop)
		for i := range 96 { // cycles.FreePerN
			add(i % sums)
		}
		f.DECQ(n)
		f.JNZ(LabelRef(loop))
		end()
		f.Label(done)
		f.RET()
	}
	general := []GPPhysical{RAX, RBX, RDX, RSI, RDI, R8, R9, R10, R11, R12, R13, R14}
	independent("FreeAdds", `
FreeAdds does n times 96 additions of 64 bits, 12 of which wait for nothing: as many in a cycle as the CPU has units for.`, "adds", "none", len(general),
		func(i int) { f.ADDQ(n, general[i]) }, func() {})
	independent("WideAdds", `
WideAdds does n times 96 additions of 512 bits, 24 of which wait for nothing. It needs AVX-512.`, "additions", "idle", len(wideSums),
		func(i int) { f.VPADDD(Z31, wideSums[i], wideSums[i]) }, func() { f.VZEROUPPER() })
}

var wideSums = []VecPhysical{Z0, Z1, Z2, Z3, Z4, Z5, Z6, Z7, Z8, Z9, Z10, Z11, Z12, Z13, Z14, Z15, Z16, Z17, Z18, Z19, Z20, Z21, Z22, Z23}
