// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// A md5Round is sixteen steps of MD5 (RFC 1321 §3.4): step i of them takes word (first + step*i) % 16 and rotates by rotate[i%4].
type md5Round struct {
	first, step int
	rotate      [4]int
	add         func(s *md5Stream, i int) // a += F, G, H or I of b, c and d
}

var md5Rounds = [4]md5Round{
	{0, 1, [4]int{7, 12, 17, 22}, (*md5Stream).addF},
	{1, 5, [4]int{5, 9, 14, 20}, (*md5Stream).addG},
	{5, 3, [4]int{4, 11, 16, 23}, (*md5Stream).addH},
	{0, 7, [4]int{6, 10, 15, 21}, (*md5Stream).addI},
}

// A md5Stream is the registers of one vector of lanes.
type md5Stream struct {
	*amd64.Vector
	index      int
	a, b, c, d VecPhysical
	x          VecPhysical // keeps b ^ c for the next step; of the last word but one when it is new; nil if there is none
	t          VecPhysical // temporary, of all streams
}

// addF, addG, addH and addI add the function of the step i that is done. b comes last.
func (s *md5Stream) addF(int) {
	s.Choose(s.b, s.c, s.d, s.t)
	s.Add(s.t, s.a, s.a)
}

func (s *md5Stream) addG(int) {
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

func (s *md5Stream) addH(i int) {
	switch {
	case s.IsAVX512():
		s.Parity(s.b, s.c, s.d, s.t)
	case i%2 == 0: // b ^ c is c ^ d of the next step
		s.Xor(s.b, s.c, s.x)
		s.Xor(s.x, s.d, s.t)
	default:
		s.Xor(s.x, s.b, s.t)
	}
	s.Add(s.t, s.a, s.a)
}

func (s *md5Stream) addI(int) {
	if s.IsAVX512() {
		s.Move(s.b, s.t)
		s.Ternary(func(b, c, d uint8) uint8 { return c ^ (b | ^d) }, s.c, s.d, s.t)
		s.Add(s.t, s.a, s.a)
		return
	}
	// c ^ (b | ^d) = -1 - (c ^ (d &^ b)); the constant has the -1.
	s.AndNot(s.d, s.b, s.t)
	s.Xor(s.c, s.t, s.t)
	s.Sub(s.t, s.a, s.a)
}

// md5Constants are the step constants with the constant message words in them.
func md5Constants(m [16]spec.Word, avx512 bool) []uint64 {
	var k []uint64
	for i, c := range spec.MD5.K {
		r := md5Rounds[i/16]
		c += m[(r.first+r.step*i)%16].Const
		if i/16 == 3 && !avx512 {
			c--
		}
		k = append(k, uint64(uint32(c)))
	}
	return k
}

// md5Lanes writes a kernel of the given number of streams.
func md5Lanes(f *amd64.File, v *amd64.Vector, isa, doc string) {
	m := spec.MD5.Message()
	consts := v.Consts("md5constants", md5Constants(m, v.IsAVX512()))
	regs := v.Regs()
	streams := make([]*md5Stream, v.Streams)
	for i := range streams {
		s := &md5Stream{Vector: v, index: i, a: regs[4*i], b: regs[4*i+1], c: regs[4*i+2], d: regs[4*i+3], t: regs[len(regs)-1]}
		if free := regs[4*len(streams) : len(regs)-1]; len(free) >= len(streams) {
			s.x = free[i]
		}
		streams[i] = s
	}
	state := func(s *md5Stream) []VecPhysical { return []VecPhysical{s.a, s.b, s.c, s.d} }
	v.Iterate(fmt.Sprintf("Iterate%sx%d", isa, v.Lanes()), doc,
		func() {
			for _, s := range streams {
				if s.x != nil {
					v.Load(v.U(1, s.index), s.x)
				}
			}
		},
		func() {
			for _, s := range streams {
				for w, r := range state(s) {
					v.Load(v.MidWord(w, s.index), r)
				}
			}
			for i, k := range consts {
				r := md5Rounds[i/16]
				word := m[(r.first+r.step*i)%16]
				for _, s := range streams {
					v.AddConst(k, s.a, s.a)
					addWord := func() {
						switch {
						case word.IsConst():
						case i == 1 && s.x != nil:
							v.Add(s.x, s.a, s.a)
						default:
							v.Add(v.U(word.I, s.index), s.a, s.a)
						}
					}
					if i > 0 {
						addWord()
					}
					r.add(s, i)
					if i == 0 { // the word comes last: the rest depends on the midstate only
						addWord()
					}
					v.RotL(r.rotate[i%4], s.a, s.a, s.t)
					v.Add(s.b, s.a, s.a)
					s.a, s.b, s.c, s.d = s.d, s.a, s.b, s.c
				}
			}
			for _, s := range streams {
				for w, r := range state(s) {
					if w == 1 && s.x != nil {
						v.Add(v.MidWord(w, s.index), r, s.x)
						r = s.x
					} else {
						v.Add(v.MidWord(w, s.index), r, r)
					}
					v.Store(r, v.U(w, s.index))
				}
			}
		},
		func() {
			for _, s := range streams {
				for w := range state(s) {
					v.Load(v.T(w, s.index), s.t)
					v.Xor(v.U(w, s.index), s.t, s.t)
					v.Store(s.t, v.T(w, s.index))
				}
			}
		},
		func() {})
}

func md5AVX2(streams int) func(*amd64.File) {
	return func(f *amd64.File) {
		md5Lanes(f, f.AVX2(32, 4, streams), "AVX2", "TODO")
	}
}

func md5AVX512(streams int) func(*amd64.File) {
	return func(f *amd64.File) {
		md5Lanes(f, f.AVX512(32, 4, streams), "AVX512", "TODO")
	}
}
