// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// md5Adds are the additions of F, G, H and I of b, c and d to a, by round.
var md5Adds = [4]func(s *md5Stream){(*md5Stream).addF, (*md5Stream).addG, (*md5Stream).addH, (*md5Stream).addI}

// A md5Stream is one vector of lanes.
type md5Stream struct {
	*amd64.Vector
	index      int
	a, b, c, d VecPhysical
	t          VecPhysical // temporary, of all streams
	last       VecPhysical // the word that is done last of a digest, for its first use; nil if registers are scarce
}

// addF, addG, addH and addI add the step's function. What needs b, which comes last, is as short as it can be.
func (s *md5Stream) addF() {
	s.Choose(s.b, s.c, s.d, s.t)
	s.Add(s.t, s.a, s.a)
}

func (s *md5Stream) addG() {
	if s.IsAVX512() {
		s.Move(s.b, s.t)
		s.Ternary(func(b, c, d uint8) uint8 { return b&d | c&^d }, s.c, s.d, s.t)
		s.Add(s.t, s.a, s.a)
		return
	}
	// The two halves have no bit in common, so both can be added, and only one of them waits for b.
	s.AndNot(s.c, s.d, s.t)
	s.Add(s.t, s.a, s.a)
	s.And(s.b, s.d, s.t)
	s.Add(s.t, s.a, s.a)
}

func (s *md5Stream) addH() {
	s.Parity(s.b, s.c, s.d, s.t)
	s.Add(s.t, s.a, s.a)
}

func (s *md5Stream) addI() {
	if s.IsAVX512() {
		s.Move(s.b, s.t)
		s.Ternary(func(b, c, d uint8) uint8 { return c ^ (b | ^d) }, s.c, s.d, s.t)
		s.Add(s.t, s.a, s.a)
		return
	}
	// c ^ (b | ^d) = -1 - (c ^ (d &^ b)). The -1 is in the constant.
	s.AndNot(s.d, s.b, s.t)
	s.Xor(s.c, s.t, s.t)
	s.Sub(s.t, s.a, s.a)
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
func md5Lanes(v *amd64.Vector, isa, doc string, memory bool) {
	m := spec.MD5.Message()
	consts := v.Consts("md5constants", md5Constants(v, m))
	free := v.Regs()
	take := func() VecPhysical {
		r := free[0]
		free = free[1:]
		return r
	}
	streams := make([]*md5Stream, v.Streams)
	t := take()
	for i := range streams {
		streams[i] = &md5Stream{Vector: v, index: i, t: t, b: take(), c: take(), d: take()}
		if !memory {
			streams[i].a = take()
		}
	}
	var spare, constant VecPhysical // for a
	frame := RAX
	if memory {
		spare, constant = take(), take()
	}
	if len(free) >= len(streams) {
		for _, s := range streams {
			s.last = take()
		}
	}
	// kept is where the value of step i is while no register has it.
	kept := func(i, stream int) Mem {
		if i < 0 { // a, d, c and b of the midstate
			return v.MidWord(-i%4, stream)
		}
		return Mem{Base: frame, Disp: (i%4*v.Streams + stream) * v.Bytes()}
	}
	begin := func(s *md5Stream) {
		for w, r := range []VecPhysical{s.a, s.b, s.c, s.d} {
			if w > 0 || !memory {
				v.Load(v.MidWord(w, s.index), r)
			}
		}
	}
	step := func(s *md5Stream, i int) {
		if memory {
			s.a = spare
			v.Add(kept(i-4, s.index), constant, s.a)
		} else {
			v.AddConst(consts[i], s.a, s.a)
		}
		addWord := func() {
			switch word := m[spec.MD5Word(i)]; {
			case word.IsConst():
			case i == 1 && s.last != nil:
				v.Add(s.last, s.a, s.a)
			default:
				v.Add(v.U(word.I, s.index), s.a, s.a)
			}
		}
		if i == 0 { // all but the word depends on the midstate only
			md5Adds[i/16](s)
			addWord()
		} else {
			addWord()
			md5Adds[i/16](s)
		}
		v.RotL(spec.MD5Rotate(i), s.a, s.a, s.t)
		v.Add(s.b, s.a, s.a)
		if memory && i < 60 {
			v.Store(s.a, kept(i, s.index))
		}
		s.a, s.b, s.c, s.d = s.d, s.a, s.b, s.c
		spare = s.a
	}
	finish := func(s *md5Stream) {
		for w, r := range []VecPhysical{s.a, s.b, s.c, s.d} {
			sum := r
			if w == 1 && s.last != nil {
				sum = s.last
			}
			v.Add(v.MidWord(w, s.index), r, sum)
			v.Store(sum, v.U(w, s.index))
		}
	}
	v.Iterate(fmt.Sprintf("Iterate%sx%d", isa, v.Lanes()), doc,
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
				begin(s)
			}
			for i := range 64 {
				if memory {
					v.Load(consts[i], constant)
				}
				for _, s := range streams {
					step(s, i)
					if i == 63 {
						finish(s)
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

func md5AVX2(streams int) func(*amd64.File) {
	return func(f *amd64.File) {
		md5Lanes(f.AVX2(32, 4, streams), "AVX2", "TODO", streams > 3)
	}
}

func md5AVX512(streams int) func(*amd64.File) {
	return func(f *amd64.File) {
		md5Lanes(f.AVX512(32, 4, streams), "AVX512", "TODO", false)
	}
}
