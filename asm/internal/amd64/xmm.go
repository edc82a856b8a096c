// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package amd64

import (
	"slices"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Pool has the vector registers that hold nothing at this point of the program.
type Pool struct {
	free []reg.VecPhysical
}

// NewPool returns a pool of regs.
func NewPool(regs ...reg.VecPhysical) *Pool { return &Pool{regs} }

// Take returns the register that has been free for the longest.
func (p *Pool) Take() reg.VecPhysical {
	if len(p.free) == 0 {
		panic("amd64: out of vector registers")
	}
	r := p.free[0]
	p.free = p.free[1:]
	return r
}

// Put gives r back.
func (p *Pool) Put(r reg.VecPhysical) { p.free = append(p.free, r) }

// MoveXMM moves the registers from to the registers to, all at once, where a loop's end finds its registers in other places than its beginning. The ones
// of to that hold something must be among from or in the pool.
func (f *File) MoveXMM(p *Pool, from, to []reg.VecPhysical) {
	p.free = append(p.free, from...)
	p.free = slices.DeleteFunc(p.free, func(r reg.VecPhysical) bool { return slices.Contains(to, r) })
	from = slices.Clone(from)
	for !slices.Equal(from, to) {
		moved := false
		for i, r := range to {
			if from[i] != r && !slices.Contains(from, r) {
				f.MOVOA(from[i], r)
				from[i], moved = r, true
			}
		}
		if !moved { // what is left are rings; one register of one makes room
			i := slices.IndexFunc(to, func(r reg.VecPhysical) bool { return slices.Index(to, r) != slices.Index(from, r) })
			f.MOVOA(from[i], p.free[0])
			from[i] = p.free[0]
		}
	}
}

// XMM returns the sixteen registers that legacy SSE has.
func XMM() []reg.VecPhysical {
	return []reg.VecPhysical{
		reg.X0, reg.X1, reg.X2, reg.X3, reg.X4, reg.X5, reg.X6, reg.X7,
		reg.X8, reg.X9, reg.X10, reg.X11, reg.X12, reg.X13, reg.X14, reg.X15,
	}
}

// AlignedLocal points base at size bytes of the frame that begin at a multiple of 16: a memory operand of a legacy SSE
// instruction must be there, and Go aligns a frame to 8 only. A frame has one such area.
func (f *File) AlignedLocal(size int, base reg.GPPhysical) operand.Mem {
	f.LEAQ(f.AllocLocal(size+8).Offset(16-8), base) // the frame is at a multiple of 8, so that 8 bytes are enough
	f.ANDQ(operand.I8(-16), base)
	return operand.Mem{Base: base}
}

// Gather32 loads dst with four 32-bit words, lowest first: those numbered by words in an array at base with a word every stride bytes.
func (f *File) Gather32(base operand.Mem, stride int, words [4]int, dst reg.VecPhysical) {
	f.MOVSS(base.Offset(stride*words[0]), dst)
	for i := 1; i < 4; i++ {
		f.PINSRD(operand.U8(i), base.Offset(stride*words[i]), dst)
	}
}

// Scatter32 undoes Gather32.
func (f *File) Scatter32(src reg.VecPhysical, base operand.Mem, stride int, words [4]int) {
	f.MOVSS(src, base.Offset(stride*words[0]))
	for i := 1; i < 4; i++ {
		f.PEXTRD(operand.U8(i), src, base.Offset(stride*words[i]))
	}
}
