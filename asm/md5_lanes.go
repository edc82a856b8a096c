// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// An md5Vector is the registers of one vector of lanes.
type md5Vector struct {
	v          *amd64.Vector
	index      int
	a, b, c, d VecPhysical
	t          VecPhysical // temporary, of all streams
	last       VecPhysical // the word that is done last of a digest, for its first use; nil if registers are scarce
}

// addFunction adds F, G, H or I of b, c and d to a (RFC 1321 §3.4). What waits for b, which comes last, is as short as it can be.
func (s *md5Vector) addFunction(i int) {
	switch round := i / 16; {
	case round == 0:
		s.v.Choose(s.b, s.c, s.d, s.t)
	case round == 1 && s.v.IsAVX512():
		s.v.Move(s.b, s.t)
		s.v.Ternary(func(b, c, d uint8) uint8 { return b&d | c&^d }, s.c, s.d, s.t)
	case round == 1: // the two halves have no bit in common, so both can be added, and only one of them waits for b
		s.v.AndNot(s.c, s.d, s.t)
		s.v.Add(s.t, s.a, s.a)
		s.v.And(s.b, s.d, s.t)
	case round == 2:
		s.v.Parity(s.b, s.c, s.d, s.t)
	case s.v.IsAVX512():
		s.v.Move(s.b, s.t)
		s.v.Ternary(func(b, c, d uint8) uint8 { return c ^ (b | ^d) }, s.c, s.d, s.t)
	default: // c ^ (b | ^d) is -1 - (c ^ (d &^ b)), and the -1 is in the constant
		s.v.AndNot(s.d, s.b, s.t)
		s.v.Xor(s.c, s.t, s.t)
		s.v.Sub(s.t, s.a, s.a)
		return
	}
	s.v.Add(s.t, s.a, s.a)
}

// md5Constants are the steps' constants with the constant message words in them.
func md5Constants(v *amd64.Vector, m [16]spec.Word) []uint64 {
	k := make([]uint64, 64)
	for i := range k {
		k[i] = spec.MD5.K[i] + m[spec.MD5Word(i)].Const
		if i/16 == 3 && !v.IsAVX512() {
			k[i]--
		}
		k[i] &= 1<<32 - 1
	}
	return k
}

// md5Lanes writes a kernel. It has all of the state in registers, or, with memory, all but a: the value that a step makes is b, c and d of the next three steps
// and an addend only of the fourth.
func md5Lanes(v *amd64.Vector, memory bool) {
	m := spec.MD5.Message()
	consts := v.Consts("md5constants", md5Constants(v, m))
	free := v.Regs()
	take := func() VecPhysical {
		r := free[0]
		free = free[1:]
		return r
	}
	streams := make([]*md5Vector, v.Streams)
	t := take()
	for i := range streams {
		streams[i] = &md5Vector{v: v, index: i, t: t, b: take(), c: take(), d: take()}
		if !memory {
			streams[i].a = take()
		}
	}
	var spare, constant VecPhysical // for a
	frame := RBX
	if memory {
		spare, constant = take(), take()
	}
	if len(free) >= len(streams) {
		for _, s := range streams {
			s.last = take()
		}
	}
	kept := func(i, stream int) Mem { // where the value of step i is while no register has it
		return Mem{Base: frame, Disp: (i%4*v.Streams + stream) * v.Bytes()}
	}
	// The first four steps have a, d, c and b of the midstate for a: the sums of those, the constants and, in step 0, the function are made once.
	v.Derive(4, func() {
		for _, s := range streams {
			if memory {
				s.a = spare
			}
			for w, r := range []VecPhysical{s.a, s.b, s.c, s.d} {
				v.Load(v.MidWord(w, s.index), r)
			}
			v.AddConst(consts[0], s.a, s.a)
			s.addFunction(0)
			v.Store(s.a, v.DerivedWord(0, s.index))
			for i, r := range []VecPhysical{s.d, s.c, s.b} {
				v.AddConst(consts[i+1], r, r)
				v.Store(r, v.DerivedWord(i+1, s.index))
			}
		}
	})
	// begin is the part of step i that waits for nothing recent.
	begin := func(s *md5Vector, i int) {
		word := m[spec.MD5Word(i)]
		if memory {
			s.a = spare
		}
		switch {
		case i == 1 && s.last != nil:
			v.Add(v.DerivedWord(i, s.index), s.last, s.a)
		case i < 4:
			v.Load(v.DerivedWord(i, s.index), s.a)
			v.Add(v.U(word.I, s.index), s.a, s.a)
		default:
			if memory {
				v.Add(kept(i-4, s.index), constant, s.a)
			} else {
				v.AddConst(consts[i], s.a, s.a)
			}
			if !word.IsConst() {
				v.Add(v.U(word.I, s.index), s.a, s.a)
			}
		}
	}
	function := func(s *md5Vector, i int) {
		if i > 0 {
			s.addFunction(i)
		}
	}
	finish := func(s *md5Vector) {
		for w, r := range []VecPhysical{s.a, s.b, s.c, s.d} {
			sum := r
			if w == 1 && s.last != nil {
				sum = s.last
			}
			v.Add(v.MidWord(w, s.index), r, sum)
			v.Store(sum, v.U(w, s.index))
		}
	}
	rotate := func(s *md5Vector, i int) {
		v.RotL(spec.MD5Rotate(i), s.a, s.a, s.t)
		v.Add(s.b, s.a, s.a)
		if memory && i < 60 {
			v.Store(s.a, kept(i, s.index))
		}
		s.a, s.b, s.c, s.d = s.d, s.a, s.b, s.c
		spare = s.a
		if i == 63 {
			finish(s)
		}
	}
	// The parts of a step, those together that are written for one vector after another. For three vectors it is the other way round: apart they take 626 cycles on AVX-512 and
	// a Zen 4, together 610.
	order := [][]func(s *md5Vector, i int){{begin, function, rotate}}
	if v.Streams == 2 {
		order = [][]func(s *md5Vector, i int){{begin}, {function}, {rotate}}
	}
	v.Iterate(v.Symbol(), v.Doc("MD5", md5Doc(v, memory)),
		func() {
			if memory {
				v.Frame(4*v.Streams*v.Bytes(), frame)
			}
			for _, s := range streams {
				if s.last != nil {
					v.Load(v.U(1, s.index), s.last)
				}
			}
		},
		func() {
			for _, s := range streams {
				v.Load(v.MidWord(1, s.index), s.b)
				v.Load(v.MidWord(2, s.index), s.c)
			}
			for i := range 64 {
				if memory && i >= 4 {
					v.Load(consts[i], constant)
				}
				for _, parts := range order {
					for _, s := range streams {
						for _, part := range parts {
							part(s, i)
						}
					}
				}
			}
		},
		func() {
			for _, s := range streams {
				for w := range v.Words {
					v.Load(v.T(w, s.index), t)
					v.Xor(v.U(w, s.index), t, t)
					v.Store(t, v.T(w, s.index))
				}
			}
		},
		func() {})
}

// md5Doc tells what the kernels consist of.
func md5Doc(v *amd64.Vector, memory bool) string {
	order, cycles := "", "422 cycles instead of 417."
	if v.IsAVX512() {
		cycles = "470 cycles instead of 427."
	}
	if v.Streams == 2 {
		order = `
The three parts of a step, what it begins with, the function and the rotation, are each written for both vectors together. With the whole step of one after that of the
other, a CPU that chooses an instruction's unit early, such as Zen 4, lets those of the chains wait for others: ` + cycles
	}
	if v.IsAVX512() {
		return `
A step (RFC 1321 §3.4) adds the constant, repeated from memory, and maybe a word; F to I are one ternary operation each on a copy of b, which costs nothing where
moves are renamed; then come the addition, the rotation and the addition of b: a chain of 8 cycles where each takes two, as on Zen 5, of 5 where the rotation alone
does, as on Zen 4.
With up to six streams a register holds the word that a digest completes last, which is the second that the next compression needs.` + order + `
Bound: 506 cycles of latency on Zen 5, 316 on Zen 4, or 334 operations a vector.`
	}
	doc := `
A step (RFC 1321 §3.4) adds the constant, as wide as a register from memory, and maybe a word; then F, H or I, or G as two terms without a common bit, of which one does
not wait for b; I is -1 - (c ^ (d &^ b)), without ^d. A rotation is two shifts and an or, that by 16 one byte shuffle.`
	if memory {
		doc += `
The addend a is in memory: the value of a step is stored and comes back as a four steps later. So four vectors fit into 16 registers, which leaves the chains enough
slack to use nearly all of the throughput.`
	}
	return doc + order + `
Bound: 342 cycles of latency (684 where simple operations take two cycles), or 548 operations a vector, four a cycle at best.`
}

func md5AVX2(streams int) func(*amd64.File) {
	return func(f *amd64.File) {
		md5Lanes(f.AVX2(32, 4, streams), streams > 3)
	}
}

func md5AVX512(streams int) func(*amd64.File) {
	return func(f *amd64.File) {
		md5Lanes(f.AVX512(32, 4, streams), false)
	}
}

func md5AVX512VL(f *amd64.File) { md5Lanes(f.AVX512VL(32, 4, 1), false) }
