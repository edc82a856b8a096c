// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"math/bits"
	"slices"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// A sha1Word is a word of the message schedule, W[t] of FIPS 180-4 §6.1.2: the xor of the words terms and of value, rotated left by 1. The first sixteen have no
// terms: they are a word of the digest, or value if constant.
type sha1Word struct {
	constant bool
	value    uint32
	terms    []int
}

// sha1Schedule folds the constant words of the message into the schedule: most terms of W[16] to W[31] are constant, and nearly all of those zero.
func sha1Schedule() (w [80]sha1Word) {
	for t, m := range spec.SHA1.Message() {
		w[t] = sha1Word{constant: m.IsConst(), value: uint32(m.Const)}
	}
	for t := 16; t < 80; t++ {
		for _, i := range []int{t - 3, t - 8, t - 14, t - 16} {
			if w[i].constant {
				w[t].value ^= w[i].value
			} else {
				w[t].terms = append(w[t].terms, i)
			}
		}
		if len(w[t].terms) == 0 {
			w[t].constant, w[t].value = true, bits.RotateLeft32(w[t].value, 1)
		}
	}
	return w
}

// A sha1Vector is the registers of one vector of lanes.
type sha1Vector struct {
	v             *amd64.Vector
	index         int
	a, b, c, d, e VecPhysical
	recent        []VecPhysical // words of the schedule: W[t] is put into recent[t%len(recent)]
	held          []int         // which word each of them has
	slots         []Mem         // W[t] is stored in slots[t%16], but the words of the digest where u is
	t, r, w       VecPhysical   // temporary, of all streams
}

// word is where W[i] is.
func (s *sha1Vector) word(i int) Op {
	if n := len(s.recent); n > 0 && s.held[i%n] == i {
		return s.recent[i%n]
	}
	return s.inMemory(i)
}

func (s *sha1Vector) inMemory(i int) Mem {
	if i < 5 {
		return s.v.U(i, s.index)
	}
	return s.slots[i%16]
}

// put returns the register for W[i], which is the last temporary one if none is for words.
func (s *sha1Vector) put(i int) VecPhysical {
	if n := len(s.recent); n > 0 {
		s.held[i%n] = i
		return s.recent[i%n]
	}
	return s.w
}

// schedule makes W[i].
func (s *sha1Vector) schedule(i int, w sha1Word, consts map[uint32]Mem) (dst VecPhysical) {
	var inRegister, terms []Op
	for _, term := range w.terms {
		if op := s.word(term); isMem(op) {
			terms = append(terms, op)
		} else {
			inRegister = append(inRegister, op)
		}
	}
	dst = s.put(i)
	terms = append(terms, inRegister...) // those in registers last
	last := func() Op {
		op := terms[len(terms)-1]
		terms = terms[:len(terms)-1]
		return op
	}
	// The first term or two into dst: the one that is there, or else what takes the fewest instructions.
	if at := slices.Index(terms, Op(dst)); at >= 0 {
		terms = slices.Delete(terms, at, at+1)
	} else if first := last(); isMem(first) {
		s.v.Load(first.(Mem), dst)
	} else if s.v.IsAVX512() && (len(terms) != 1 || w.value != 0) {
		s.v.Move(first.(VecPhysical), dst)
	} else {
		s.v.Xor(terms[0], first.(VecPhysical), dst)
		terms = terms[1:]
	}
	constant := w.value != 0
	for len(terms) > 0 {
		x := last()
		if !s.v.IsAVX512() || len(terms) == 0 && !constant {
			s.v.Xor(x, dst, dst)
			continue
		}
		if isMem(x) {
			s.v.Load(x.(Mem), s.t)
			x = s.t
		}
		if len(terms) > 0 {
			s.v.Parity(dst, x.(VecPhysical), last(), dst)
		} else {
			s.v.ParityConst(consts[w.value], x.(VecPhysical), dst)
			constant = false
		}
	}
	if constant {
		s.v.XorConst(consts[w.value], dst, dst)
	}
	s.v.RotL(1, dst, dst, s.t)
	if n := len(s.recent); i+16 < 80 && n < 16 || i+8 < 80 && n < 8 || i+3 < 80 && n < 3 {
		s.v.Store(dst, s.inMemory(i))
	}
	return dst
}

func isMem(op Op) bool { _, ok := op.(Mem); return ok }

// addFunction adds f(b, c, d) of round i to e (FIPS 180-4 §4.1.1).
func (s *sha1Vector) addFunction(i int) {
	switch i / 20 {
	case 0:
		s.v.Choose(s.b, s.c, s.d, s.t)
	case 1, 3:
		s.v.Parity(s.b, s.c, s.d, s.t)
	case 2:
		s.v.Majority(s.b, s.c, s.d, s.t, s.r)
	}
	s.v.Add(s.t, s.e, s.e)
}

// addRotated adds a, rotated, to e.
func (s *sha1Vector) addRotated() {
	s.v.RotL(5, s.a, s.t, s.r)
	s.v.Add(s.t, s.e, s.e)
}

// rename ends a round (FIPS 180-4 §6.1.2).
func (s *sha1Vector) rename() { s.a, s.b, s.c, s.d, s.e = s.e, s.a, s.b, s.c, s.d }

// sha1Lanes writes a kernel with the last words of the schedule, recent of them, in registers as well as in memory, or, if sixteen, instead.
func sha1Lanes(v *amd64.Vector, recent int) {
	schedule := sha1Schedule()
	// The constants: of the rounds, with the word in them where that is constant too, and of the schedule.
	k := make([]uint64, 80)
	for i, w := range schedule {
		if k[i] = spec.SHA1.K[i/20]; w.constant {
			k[i] = uint64(uint32(k[i]) + w.value)
		}
	}
	table := append([]uint64(nil), spec.SHA1.K...)
	find := func(c uint64) int {
		if !slices.Contains(table, c) {
			table = append(table, c)
		}
		return slices.Index(table, c)
	}
	for i, w := range schedule {
		find(k[i])
		if !w.constant && w.value != 0 {
			find(uint64(w.value))
		}
	}
	consts := map[uint32]Mem{}
	for i, m := range v.Consts("sha1constants", table) {
		consts[uint32(table[i])] = m
	}

	free := v.Regs()
	take := func(n int) []VecPhysical {
		taken := free[:n]
		free = free[n:]
		return taken
	}
	temporary := take(2)
	var w VecPhysical
	if recent == 0 {
		w = take(1)[0]
	}
	streams := make([]*sha1Vector, v.Streams)
	for i := range streams {
		r := take(5)
		streams[i] = &sha1Vector{v: v, index: i, a: r[0], b: r[1], c: r[2], d: r[3], e: r[4],
			recent: take(recent), held: make([]int, recent), t: temporary[0], r: temporary[1], w: w}
	}
	var kept []VecPhysical // for the round constants: all four, or one for that of the round, or none
	for _, n := range []int{4, 1} {
		if len(kept) == 0 && len(free) >= n {
			kept = take(n)
		}
	}
	// Whatever of the first rounds needs no word of the message is made once: for rounds 0 to 4 what they begin e with, and then a and b of the midstate as
	// round 0 and 1 leave them.
	const derivedA, derivedB = 5, 6
	v.Derive(7, func() {
		for _, s := range streams {
			for w, r := range []VecPhysical{s.a, s.b, s.c, s.d, s.e} {
				v.Load(v.MidWord(w, s.index), r)
			}
			for i := range 5 {
				v.AddConst(consts[uint32(spec.SHA1.K[0])], s.e, s.e)
				if i < 2 {
					s.addFunction(i)
				}
				if i < 1 {
					s.addRotated()
				}
				if i < 2 {
					v.RotL(30, s.b, s.b, s.t)
					v.Store(s.b, v.DerivedWord(derivedB-i, s.index))
				}
				v.Store(s.e, v.DerivedWord(i, s.index))
				s.rename()
			}
		}
	})
	// The parts of a round, each written for one vector after another. On Zen 4 that takes 1 to 2 % less than the whole round of one after that of another.
	begin := func(s *sha1Vector, i int) {
		switch word := schedule[i]; {
		case i < 5:
			if w := s.word(i); isMem(w) {
				v.Load(v.DerivedWord(i, s.index), s.e)
				v.Add(w, s.e, s.e)
			} else {
				v.Add(v.DerivedWord(i, s.index), w.(VecPhysical), s.e)
			}
		case word.constant && word.value != 0:
			v.AddConst(consts[uint32(k[i])], s.e, s.e)
		default:
			var w Op
			if !word.constant {
				w = s.schedule(i, word, consts)
			}
			if len(kept) == 0 {
				v.AddConst(consts[uint32(k[i])], s.e, s.e)
			} else {
				v.Add(kept[i/20%len(kept)], s.e, s.e)
			}
			if w != nil {
				v.Add(w, s.e, s.e)
			}
		}
	}
	function := func(s *sha1Vector, i int) {
		if i >= 2 {
			s.addFunction(i)
		}
	}
	rotate := func(s *sha1Vector, i int) {
		if i >= 2 {
			v.RotL(30, s.b, s.b, s.t)
		}
		if i >= 1 {
			s.addRotated()
		}
		s.rename()
	}
	v.Iterate(v.Symbol(), v.Doc("SHA-1", sha1Doc(v, recent)),
		func() {
			if recent < 16 {
				slots := v.Slots(16*v.Streams, RBX, R9, R10, R11)
				for i, s := range streams {
					s.slots = slots[16*i:][:16]
				}
			}
			if len(kept) == 4 {
				for i, r := range kept {
					v.Broadcast(consts[uint32(spec.SHA1.K[i])], r)
				}
			}
			for _, s := range streams {
				for w := range min(5, recent) {
					v.Load(v.U(w, s.index), s.put(w))
				}
			}
		},
		func() {
			for _, s := range streams {
				v.Load(v.DerivedWord(derivedA, s.index), s.a)
				v.Load(v.DerivedWord(derivedB, s.index), s.b)
			}
			for i := range schedule {
				if i%20 == 0 && len(kept) == 1 {
					v.Broadcast(consts[uint32(spec.SHA1.K[i/20])], kept[0])
				}
				for _, part := range []func(s *sha1Vector, i int){begin, function, rotate} {
					for _, s := range streams {
						part(s, i)
					}
				}
			}
			for _, s := range streams {
				for w, r := range []VecPhysical{s.a, s.b, s.c, s.d, s.e} {
					sum := r
					if w < recent {
						sum = s.put(w)
					}
					v.Add(v.MidWord(w, s.index), r, sum)
					v.Store(sum, v.U(w, s.index))
				}
			}
		},
		func() {
			for _, s := range streams {
				for w := range v.Words {
					v.Load(v.T(w, s.index), s.t)
					v.Xor(v.U(w, s.index), s.t, s.t)
					v.Store(s.t, v.T(w, s.index))
				}
			}
		},
		func() {})
}

// sha1Doc tells what the kernels consist of.
func sha1Doc(v *amd64.Vector, recent int) string {
	words := map[int]string{
		0:  "The last sixteen words of the schedule are on the stack, those of the digest in u",
		3:  "The last three words of the schedule are in registers, since storing and loading them would take longer than the rounds until they are needed; older ones are on the stack",
		16: "The last sixteen words of the schedule are in registers",
	}[recent]
	if v.IsAVX512() {
		return `
A round (FIPS 180-4 §6.1.2) adds the constant, the word, the function, one ternary operation on a copy of b, and the rotated a. A word of the schedule is made in place
of an older one by a ternary operation, one more xor at most, and a rotation; terms that are zero vanish.
` + words + `.
Bound: 320 cycles of latency where simple operations take two cycles, 240 where rotations alone do, or 717 operations a vector.`
	}
	return `
A round (FIPS 180-4 §6.1.2) adds the constant, the word, the function (3, 2 or 4 operations) and the rotated a. A rotation is two shifts and an or; that of the schedule
by 1 an addition, a shift and an or. A word of the schedule is the xor of up to four; terms that are zero vanish.
` + words + `.
Bound: 1348 operations a vector, four a cycle at best.`
}

func sha1AVX2(streams, recent int) func(*amd64.File) {
	return func(f *amd64.File) {
		sha1Lanes(f.AVX2(32, 5, streams), recent)
	}
}

func sha1AVX512(streams, recent int) func(*amd64.File) {
	return func(f *amd64.File) {
		sha1Lanes(f.AVX512(32, 5, streams), recent)
	}
}

func sha1AVX512VL(f *amd64.File) { sha1Lanes(f.AVX512VL(32, 5, 1), 16) }
