// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package amd64

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/output"
)

// A Scalar is the arithmetic of general registers on words of Bits bits (32 or 64), so that hashes that differ in the word size
// share their round code. Registers are given as the 64-bit ones. Operands are in Go's order, the destination last.
type Scalar struct {
	*File
	Bits int
	BMI2 bool // rotate with RORX, which leaves the source, instead of MOV and ROR
}

// Bytes is the size of a word.
func (s Scalar) Bytes() int { return s.Bits / 8 }

func (s Scalar) op(o operand.Op) operand.Op {
	if r, ok := o.(reg.GPPhysical); ok && s.Bits == 32 {
		return r.As32()
	}
	return o
}

func (s Scalar) do(long, quad func(a, b operand.Op), a, b operand.Op) {
	if s.Bits == 32 {
		long(s.op(a), s.op(b))
	} else {
		quad(a, b)
	}
}

// Mov sets dst to src.
func (s Scalar) Mov(src, dst operand.Op) { s.do(s.MOVL, s.MOVQ, src, dst) }

// Add adds src to dst.
func (s Scalar) Add(src, dst operand.Op) { s.do(s.ADDL, s.ADDQ, src, dst) }

// Sub subtracts src from dst.
func (s Scalar) Sub(src, dst operand.Op) { s.do(s.SUBL, s.SUBQ, src, dst) }

// Xor is dst ^= src.
func (s Scalar) Xor(src, dst operand.Op) { s.do(s.XORL, s.XORQ, src, dst) }

// And is dst &= src.
func (s Scalar) And(src, dst operand.Op) { s.do(s.ANDL, s.ANDQ, src, dst) }

// Or is dst |= src.
func (s Scalar) Or(src, dst operand.Op) { s.do(s.ORL, s.ORQ, src, dst) }

// Not inverts dst.
func (s Scalar) Not(dst operand.Op) {
	if s.Bits == 32 {
		s.NOTL(s.op(dst))
	} else {
		s.NOTQ(dst)
	}
}

// Andn is dst = x &^ y, with BMI1.
func (s Scalar) Andn(x, y, dst reg.GPPhysical) {
	if s.Bits == 32 {
		s.ANDNL(x.As32(), y.As32(), dst.As32())
	} else {
		s.ANDNQ(x, y, dst)
	}
}

// Ror rotates src right by n bits into dst.
func (s Scalar) Ror(n int, src, dst operand.Op) {
	switch {
	case s.BMI2 && s.Bits == 32:
		s.RORXL(operand.U8(n), s.op(src), s.op(dst))
	case s.BMI2:
		s.RORXQ(operand.U8(n), src, dst)
	default:
		if src != dst {
			s.Mov(src, dst)
		}
		s.do(s.RORL, s.RORQ, operand.U8(n), dst)
	}
}

// Rol rotates dst left by n bits.
func (s Scalar) Rol(n int, dst operand.Op) { s.do(s.ROLL, s.ROLQ, operand.U8(n), dst) }

// An IterateBody is what IterateInFrame runs. Half writes one compression, of the inner state (0) or the outer (1).
type IterateBody struct {
	Before func(state reg.GPPhysical)
	Half   func(half int, state reg.GPPhysical)
	After  func(state reg.GPPhysical)
}

// IterateInFrame writes an iteration kernel that keeps n in the frame and reserves no register but RDI for state.
func (f *File) IterateInFrame(name, doc string, body func() IterateBody) {
	state, n := reg.RDI, reg.RSI
	f.Text(name, output.Iterate, doc)
	f.Load(f.Param("state"), state)
	f.Load(f.Param("n"), n)
	f.TESTQ(n, n)
	f.JLE(operand.LabelRef("done"))
	b := body()
	count := f.AllocLocal(8)
	f.MOVQ(n, count)
	b.Before(state)
	f.Label("iteration")
	b.Half(0, state)
	b.Half(1, state)
	f.DECQ(count)
	f.JNZ(operand.LabelRef("iteration"))
	b.After(state)
	f.Label("done")
	f.RET()
}

// Spread writes main with the atoms of side in between, evenly.
func Spread(main, side []Atom) []Atom {
	var out []Atom
	done := 0
	for i, a := range main {
		out = append(out, a)
		for ; done < len(side)*(i+1)/len(main); done++ {
			out = append(out, side[done])
		}
	}
	return out
}

// Run writes atoms in order.
func Run(atoms []Atom) {
	for _, a := range atoms {
		a()
	}
}

// A CompressBody is a compression function but for its loop.
type CompressBody struct {
	Begin func(h reg.GPPhysical)
	Ahead func(p reg.GPPhysical) // does with the first block what Block does with the next one
	Block func(next operand.Mem) // compresses a block; next is where the address of the next one is, or of the last one again
	End   func(h reg.GPPhysical)
	Last  func()
}

// CompressInFrame writes a compression function that keeps what it must not forget in the frame. RDI is loaded anew before each part, as its argument; Block may
// use it too.
func (f *File) CompressInFrame(name, doc string, blockBytes int, newBody func() CompressBody) {
	rdi, n := reg.RDI, reg.RSI
	f.Text(name, output.Compress, doc)
	f.Load(f.Param("h"), rdi)
	f.Load(f.Param("p").Len(), n)
	f.SUBQ(operand.U32(blockBytes), n)
	f.JLT(operand.LabelRef("done"))
	body := newBody()
	h, p, left := f.AllocLocal(8), f.AllocLocal(8), f.AllocLocal(8)
	f.MOVQ(rdi, h)
	f.MOVQ(n, left)
	body.Begin(rdi)
	f.Load(f.Param("p").Base(), rdi)
	f.MOVQ(rdi, p)
	body.Ahead(rdi)
	f.Label("block")
	f.CMPQ(left, operand.U32(blockBytes))
	f.JLT(operand.LabelRef("last"))
	f.ADDQ(operand.U32(blockBytes), p)
	f.Label("last")
	body.Block(p)
	f.MOVQ(h, rdi)
	body.End(rdi)
	f.SUBQ(operand.U32(blockBytes), left)
	f.JGE(operand.LabelRef("block"))
	body.Last()
	f.Label("done")
	f.RET()
}
