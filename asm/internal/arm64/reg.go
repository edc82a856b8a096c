// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package arm64

import (
	"fmt"
	"slices"
	"strings"
)

// An R is a general register. R18 (the platform's) and R27 to R30 (assembler's temporary, g, frame pointer, link) have no name here.
type R uint8

// The general registers.
const (
	R0 R = iota
	R1
	R2
	R3
	R4
	R5
	R6
	R7
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	R16
	R17
	_
	R19
	R20
	R21
	R22
	R23
	R24
	R25
	R26
	ZR  R = 31
	RSP R = 32 // as the base of a Mem only
)

func (r R) String() string {
	switch {
	case r == ZR:
		return "ZR"
	case r == RSP:
		return "RSP"
	case r == 18, r > R26:
		fail("register %d is not ours to use", uint8(r))
	}
	return fmt.Sprintf("R%d", uint8(r))
}

func (r R) op2() string { return r.checked() }

// checked is the register's name where the stack pointer may not stand.
func (r R) checked() string {
	if r == RSP {
		fail("RSP is a base only")
	}
	return r.String()
}

// A Shifted is a general register, shifted or rotated, as an instruction's first operand.
type Shifted struct {
	r    R
	kind string
	n    int
}

// LSL, LSR and ROR are r shifted left, shifted right and rotated right by n.
func (r R) LSL(n int) Shifted { return Shifted{r, "<<", n} }
func (r R) LSR(n int) Shifted { return Shifted{r, ">>", n} }
func (r R) ROR(n int) Shifted { return Shifted{r, "@>", n} }

func (s Shifted) op2() string { return fmt.Sprintf("%s%s%d", s.r.checked(), s.kind, s.n) }

// An Imm is a constant operand.
type Imm int64

func (i Imm) op2() string { return i.String() }

func (i Imm) String() string {
	if i < 0 {
		return fmt.Sprintf("$-%#x", -int64(i))
	}
	if i < 128 {
		return fmt.Sprintf("$%d", int64(i))
	}
	return fmt.Sprintf("$%#x", int64(i))
}

// An Op2 is what an arithmetic instruction takes first: an R, a Shifted or an Imm.
type Op2 interface{ op2() string }

// A Mem is an address: a register and a displacement.
type Mem struct {
	Base R
	Disp int
}

// Offset is the address n bytes on.
func (m Mem) Offset(n int) Mem { return Mem{m.Base, m.Disp + n} }

func (m Mem) String() string {
	if m.Base == ZR {
		fail("ZR is no base")
	}
	if m.Disp == 0 {
		return fmt.Sprintf("(%s)", m.Base)
	}
	return fmt.Sprintf("%d(%s)", m.Disp, m.Base)
}

// A V is a vector register, all 128 bits of it.
type V uint8

func (v V) String() string {
	if v > 31 {
		fail("there is no vector register %d", uint8(v))
	}
	return fmt.Sprintf("V%d", uint8(v))
}

// f is the register's name in the instructions that Go counts as floating point.
func (v V) f() string { return "F" + v.String()[1:] }

// An arrangement is how an instruction divides a vector register.
type arrangement string

const (
	b8  arrangement = "B8"
	b16 arrangement = "B16"
	h4  arrangement = "H4"
	h8  arrangement = "H8"
	s2  arrangement = "S2"
	s4  arrangement = "S4"
	d1  arrangement = "D1"
	d2  arrangement = "D2"
)

// elementBits is the width of the arrangement's elements.
func (a arrangement) elementBits() int {
	return map[byte]int{'B': 8, 'H': 16, 'S': 32, 'D': 64}[a[0]]
}

// bytes is how much of the register the arrangement covers.
func (a arrangement) bytes() int {
	switch a {
	case b8, h4, s2, d1:
		return 8
	}
	return 16
}

// A VA is a vector register with an arrangement.
type VA struct {
	v V
	a arrangement
}

// B8 and so on are v as that many elements of that size.
func (v V) B8() VA  { return VA{v, b8} }
func (v V) B16() VA { return VA{v, b16} }
func (v V) H4() VA  { return VA{v, h4} }
func (v V) H8() VA  { return VA{v, h8} }
func (v V) S2() VA  { return VA{v, s2} }
func (v V) S4() VA  { return VA{v, s4} }
func (v V) D1() VA  { return VA{v, d1} }
func (v V) D2() VA  { return VA{v, d2} }

func (a VA) String() string { return fmt.Sprintf("%s.%s", a.v, a.a) }

// A VE is one element of a vector register.
type VE struct {
	v    V
	size byte
	i    int
}

// S and D are v's 32 or 64 bits number i.
func (v V) S(i int) VE { return VE{v, 'S', i} }
func (v V) D(i int) VE { return VE{v, 'D', i} }

func (e VE) String() string {
	if n := map[byte]int{'S': 4, 'D': 2}[e.size]; e.i < 0 || e.i >= n {
		fail("%s has no element %c[%d]", e.v, e.size, e.i)
	}
	return fmt.Sprintf("%s.%c[%d]", e.v, e.size, e.i)
}

// A pool hands out the registers of one kind. Each has a name while it is taken.
type pool struct {
	kind  string
	names map[uint8]string // of the taken ones
	lines map[uint8]string // where they were taken
	free  []uint8          // in ascending order
	// While streams are merged, a register that one gives back may be taken by that one only: later in the generator is not later in the text.
	streams []*[]uint8 // the innermost last
}

func newPool(kind string, numbers ...uint8) *pool {
	return &pool{kind: kind, names: map[uint8]string{}, lines: map[uint8]string{}, free: numbers}
}

// take returns n registers with ascending, if n > 1 consecutive numbers.
func (p *pool) take(name string, n int) uint8 {
	if k := len(p.streams); k > 0 && n == 1 {
		if own := p.streams[k-1]; len(*own) > 0 {
			r := (*own)[0]
			*own = (*own)[1:]
			p.names[r], p.lines[r] = name, caller()
			return r
		}
	}
	for i := 0; i+n <= len(p.free); i++ {
		first := p.free[i]
		if p.free[i+n-1] != first+uint8(n-1) {
			continue
		}
		p.free = slices.Delete(p.free, i, i+n)
		for r := first; r < first+uint8(n); r++ {
			p.names[r], p.lines[r] = name, caller()
		}
		return first
	}
	fail("no %d %s registers in a row left for %s; taken are %s", n, p.kind, name, p.taken())
	return 0
}

func (p *pool) give(r uint8) {
	if _, ok := p.names[r]; !ok {
		fail("%s register %d is not taken", p.kind, r)
	}
	delete(p.names, r)
	delete(p.lines, r)
	if k := len(p.streams); k > 0 {
		*p.streams[k-1] = append(*p.streams[k-1], r)
		return
	}
	p.release(r)
}

func (p *pool) release(r uint8) {
	i, _ := slices.BinarySearch(p.free, r)
	p.free = slices.Insert(p.free, i, r)
}

func (p *pool) taken() string {
	var s []string
	for r, name := range p.names {
		s = append(s, fmt.Sprintf("%s (%d, %s)", name, r, p.lines[r]))
	}
	slices.Sort(s)
	return strings.Join(s, ", ")
}
