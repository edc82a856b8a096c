// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

// TestLoops finds the two ways through a loop with a condition inside.
func TestLoops(t *testing.T) {
	code := []uint32{
		0xd503201f, // 0: NOP
		0x8b010000, // 1: ADD R1, R0, R0
		0xb4000060, // 2: CBZ R0, 5
		0x8b020000, // 3: ADD R2, R0, R0
		0x17fffffd, // 4: B 1
		0xf1000421, // 5: SUBS $1, R1, R1
		0x54ffff61, // 6: BNE 1 is five instructions back
		0xd65f03c0, // 7: RET
	}
	want := []loop{{0x8b010000, 0xb4000060, 0x8b020000, 0x17fffffd}, {0x8b010000, 0xb4000060, 0xf1000421, 0x54ffff61}}
	if got := loops(code); !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("got %x, want %x", got, want)
	}
}

// TestRows sees that each row's kernel is there and has one loop, and that the standard library's functions have the loops that this program counts with.
func TestRows(t *testing.T) {
	for _, r := range rows {
		fns, err := functions(filepath.Join("..", "..", "internal", r.pkg, r.isa+"_arm64.s"))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(loops(fns["model."+r.symbol])); n != 1 {
			t.Errorf("%s/%s has %d loops", r.pkg, r.isa, n)
		}
	}
	for name, s := range standards {
		fns, err := functions(s.path())
		if err != nil {
			t.Fatal(err)
		}
		if n := len(loops(fns[s.symbol])); n != len(s.trips) {
			t.Errorf("%s has %d loops", name, n)
		}
	}
}

// TestModel compares what a chain of eight dependent additions takes with what it must.
func TestModel(t *testing.T) {
	if _, err := exec.LookPath(llvm("llvm-mca")); err != nil {
		t.Skip(err)
	}
	l := slices.Repeat(loop{0x8b010000}, 8) // ADD R1, R0, R0
	p, err := l.model("neoverse-n1")
	if err != nil || p.cycles != 8 {
		t.Errorf("%v cycles, %v", p.cycles, err)
	}
}
