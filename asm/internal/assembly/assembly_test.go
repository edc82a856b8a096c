// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package assembly

import (
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	got, err := Parse(`#include "textflag.h"

DATA k<>+8(SB)/8, $0x03 // a constant
GLOBL k<>(SB), RODATA|NOPTR, $16

// func First(state *uint64, n int)
TEXT ·First(SB), NOSPLIT|NOFRAME, $24-16
	VLD1.P   (R0),  [V1.S4, V2.S4]
again:
	// A comment: nothing.
	EORW     R5@>14, R2, R3 // a rotation, and more
	CBNZ     R1, again
done:
	RET

TEXT ·Second(SB), $0-8
	RET
`)
	want := &File{
		Functions: []*Function{
			{"First", 24, []*Instruction{
				{8, "VLD1.P", []string{"(R0)", "[V1.S4, V2.S4]"}},
				{11, "EORW", []string{"R5@>14", "R2", "R3"}},
				{12, "CBNZ", []string{"R1", "again"}},
				{14, "RET", nil},
			}, map[string]int{"again": 1, "done": 3}},
			{"Second", 0, []*Instruction{{17, "RET", nil}}, map[string]int{}},
		},
		Data: []*Instruction{{3, "DATA", []string{"k<>+8(SB)/8", "$0x03"}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	i := got.Functions[0].Code[0]
	if got := i.String(); got != "VLD1.P (R0), [V1.S4, V2.S4]" {
		t.Error(got)
	}
	if got := i.With(0, "(R3)"); got != "VLD1.P (R3), [V1.S4, V2.S4]" || i.Operands[0] != "(R0)" {
		t.Error(got, i)
	}
	for _, bad := range []string{"RET\n", "again:\n", "TEXT ·F(SB), NOSPLIT, $f-16\n", "TEXT F(SB), $0-16\n"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}
