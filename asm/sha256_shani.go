// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/bits"
	"slices"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

func sha256SHANI(lanes int) func(f *amd64.File) {
	return func(f *amd64.File) {
		for _, h := range []spec.Hash{spec.SHA256, spec.SHA224} {
			iterateSHA256SHANI(f, h, lanes)
		}
		if lanes == 1 {
			compressSHA256SHANI(f)
		}
	}
}

// The words of the two vectors of the state as SHA256RNDS2 wants them, lowest element first.
var (
	abefWords = [4]int{5, 4, 1, 0}
	cdghWords = [4]int{7, 6, 3, 2}
)

// A sha256Stream is one lane in registers. X0 is scratch of all streams: SHA256RNDS2 reads the two words of W+K there.
//
// A quad is four words of the message schedule, lowest element first: quad q has W[4q] to W[4q+3].
type sha256Stream struct {
	f          *amd64.File
	pool       *amd64.Pool
	message    [16]spec.Word // tells the block's constant words
	abef, cdgh VecPhysical
	quads      [4]Op  // where quad q is now, at q%4: a register or memory
	slots      [4]Mem // of a stream whose quads are in memory (at multiples of 16): their places; the newest quad is in a register
	spread     bool
}

func (s *sha256Stream) inMemory() bool { return s.slots[0].Base != nil }

func words32(w []uint64, order ...int) []uint32 {
	v := make([]uint32, len(order))
	for i, o := range order {
		v[i] = uint32(w[o])
	}
	return v
}

// constant returns the words of quad q if the message has them.
func (s *sha256Stream) constant(q int) ([]uint32, bool) {
	if q >= 4 {
		return nil, false
	}
	v := make([]uint32, 4)
	for i, w := range s.message[4*q : 4*q+4] {
		if !w.IsConst() {
			return nil, false
		}
		v[i] = uint32(w.Const)
	}
	return v, true
}

// table is the address of a constant vector.
func (s *sha256Stream) table(v []uint32) Mem {
	return s.f.Table32(fmt.Sprintf("x%08x_%08x_%08x_%08x", v[3], v[2], v[1], v[0]), v...)
}

// operand returns quad q as an operand; a constant is loaded into X0.
func (s *sha256Stream) operand(q int) Op {
	if v, ok := s.constant(q); ok {
		s.f.MOVOU(s.table(v), X0)
		return X0
	}
	return s.quads[q%4]
}

// twoRounds does the rounds whose W+K are the low words of X0 (FIPS 180-4 §6.2.2 step 3): what was CDGH becomes ABEF and the other way round.
func (s *sha256Stream) twoRounds() {
	s.f.SHA256RNDS2(X0, s.abef, s.cdgh)
	s.abef, s.cdgh = s.cdgh, s.abef
}

// rounds does the four rounds of quad q.
func (s *sha256Stream) rounds(q int) []amd64.Atom {
	f := s.f
	wk := func() {
		if v, ok := s.constant(q); ok {
			k := words32(spec.SHA256.K, 4*q, 4*q+1, 4*q+2, 4*q+3)
			for i := range v {
				k[i] += v[i]
			}
			f.MOVOU(s.table(k), X0)
		} else {
			f.MOVOU(f.Table32("k256", k256()...).Offset(16*q), X0)
			f.PADDD(s.quads[q%4], X0)
		}
	}
	if !s.spread {
		return []amd64.Atom{func() {
			wk()
			s.twoRounds()
			f.PSHUFD(U8(0x0e), X0, X0)
			s.twoRounds()
		}}
	}
	var high VecPhysical
	return []amd64.Atom{
		func() {
			wk()
			high = s.pool.Take()
			f.PSHUFD(U8(0x0e), X0, high)
			s.twoRounds()
		},
		func() {
			f.MOVOA(high, X0)
			s.pool.Put(high)
			s.twoRounds()
		},
	}
}

// schedule makes quad q from the four before it (FIPS 180-4 §6.2.2 step 1). What is constant is computed here.
func (s *sha256Stream) schedule(q int) []amd64.Atom {
	if q > 15 {
		return nil
	}
	f := s.f
	var dst VecPhysical
	return []amd64.Atom{
		func() { // dst = W[t-16] + σ0(W[t-15])
			if s.inMemory() {
				dst = s.pool.Take()
			} else {
				dst = s.quads[q%4].(VecPhysical)
			}
			v4, const4 := s.constant(q - 4)
			v3, const3 := s.constant(q - 3)
			switch {
			case const4 && const3:
				w := append(slices.Clone(v4), v3...)
				for i := range v4 {
					v4[i] += sigma0(w[i+1])
				}
				f.MOVOU(s.table(v4), dst)
				return
			case const4:
				f.MOVOU(s.table(v4), dst)
			case s.inMemory():
				f.MOVOA(s.quads[q%4], dst)
			}
			f.SHA256MSG1(s.operand(q-3), dst)
		},
		func() { // dst += W[t-7]
			v2, const2 := s.constant(q - 2)
			v1, const1 := s.constant(q - 1)
			switch {
			case const2 && const1:
				f.MOVOU(s.table(append(v2[1:4:4], v1[0])), X0)
			case const2:
				tmp := s.pool.Take()
				f.MOVOU(s.table(v2), tmp)
				f.MOVOA(s.quads[(q-1)%4], X0)
				f.PALIGNR(U8(4), tmp, X0)
				s.pool.Put(tmp)
			default:
				f.MOVOA(s.quads[(q-1)%4], X0)
				f.PALIGNR(U8(4), s.quads[(q-2)%4], X0)
			}
			f.PADDD(X0, dst)
		},
		func() { // dst += σ1(W[t-2])
			f.SHA256MSG2(s.operand(q-1), dst)
			if s.inMemory() {
				if q+2 <= 15 {
					f.MOVOA(dst, s.slots[q%4])
				}
				s.retire(q - 1)
			}
			s.quads[q%4] = dst
		},
	}
}

// retire gives back the register that has quad q if it is one of the pool's.
func (s *sha256Stream) retire(q int) {
	if r, ok := s.quads[q%4].(VecPhysical); ok && s.inMemory() {
		s.pool.Put(r)
		s.quads[q%4] = s.slots[q%4]
	}
}

func k256() []uint32 {
	v := make([]uint32, 64)
	for i, k := range spec.SHA256.K {
		v[i] = uint32(k)
	}
	return v
}

func sigma0(x uint32) uint32 {
	return bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3
}

func iterateSHA256SHANI(f *amd64.File, h spec.Hash, lanes int) {
	const vector, half = 16, 3 * 16 // per lane: ABEF, CDGH, and CDGH as the first rounds want it
	cur, other, ring := R8, R9, R10
	name := "IterateSHANI"
	if lanes > 1 {
		name += fmt.Sprintf("x%d", lanes)
	}
	name += h.Suffix
	inMemory := lanes > 2
	pool := amd64.NewPool(amd64.XMM()[1:]...)
	streams := make([]*sha256Stream, lanes)
	starts := make([]VecPhysical, lanes) // W+K of the next compression's first two rounds, between compressions
	ringBytes := 0
	for i := range streams {
		s := &sha256Stream{f: f, pool: pool, message: h.Message(), abef: pool.Take(), cdgh: pool.Take(), spread: lanes == 2 || lanes == 3}
		starts[i] = pool.Take()
		if inMemory {
			for q := range s.quads {
				s.slots[q] = Mem{Base: ring}.Offset(ringBytes + vector*q)
				s.quads[q] = s.slots[q]
			}
			ringBytes += 4 * vector
		} else {
			s.quads = [4]Op{pool.Take(), pool.Take(), pool.Take(), starts[i]}
		}
		streams[i] = s
	}
	type lane struct{ abef, cdgh, start Mem }
	consts := func(base Register, i int) lane {
		m := Mem{Base: base}.Offset(half * i)
		return lane{m, m.Offset(vector), m.Offset(2 * vector)}
	}
	part := func(state GPPhysical, p, i int) Mem { return Mem{Base: state}.Offset(4 * (p*8*lanes + i)) }
	t := func(state GPPhysical, i, v int) Mem {
		return Mem{Base: state}.Offset(4*3*8*lanes + (2*i+v)*vector)
	}
	each := func(do func(i int, s *sha256Stream)) {
		for i, s := range streams {
			do(i, s)
		}
	}
	f.Iterate(name, name+` TODO`,
		func(state GPPhysical) {
			frame := f.AlignedLocal(ringBytes+2*half*lanes, ring)
			f.LEAQ(frame.Offset(ringBytes), cur)
			f.LEAQ(frame.Offset(ringBytes+half*lanes), other)
			each(func(i int, s *sha256Stream) {
				tmp := pool.Take()
				for p, base := range []Register{cur, other} {
					c := consts(base, i)
					f.Gather32(part(state, p, i), 4*lanes, abefWords, s.abef)
					f.Gather32(part(state, p, i), 4*lanes, cdghWords, s.cdgh)
					f.MOVOA(s.abef, c.abef)
					f.MOVOA(s.cdgh, c.cdgh)
				}
				for half, base := range []Register{cur, other} {
					c, prev := consts(base, i), consts([]Register{other, cur}[half], i)
					ab := tmp // A+K0 and B+K1 of what is fed forward into this compression's message, below zeros
					f.MOVOU(s.table([]uint32{0, 0, uint32(h.K[1]), uint32(h.K[0])}), ab)
					f.PADDD(prev.abef, ab)
					f.PSHUFD(U8(0x0b), ab, ab)
					f.INSERTPS(U8(0x0c), ab, ab)
					start := starts[i]
					f.MOVOA(c.abef, s.abef)
					f.MOVOA(c.cdgh, s.cdgh)
					f.MOVOA(s.cdgh, start)
					f.PADDD(ab, start)
					f.MOVOA(start, c.start)
					f.PXOR(X0, X0)
					f.SHA256RNDS2(X0, s.abef, s.cdgh)
					f.SHA256RNDS2(X0, s.abef, start)
					f.PSUBL(start, s.cdgh)
					f.PADDD(ab, s.cdgh)
					f.INSERTPS(U8(0x0e), s.cdgh, s.cdgh)
					f.PADDD(c.start, s.cdgh)
					f.MOVOA(s.cdgh, c.start)
				}
				for v, words := range [2][4]int{abefWords, cdghWords} {
					f.Gather32(part(state, 3, i), 4*lanes, words, []VecPhysical{s.abef, s.cdgh}[v])
				}
				pool.Put(tmp)
			})
			// T is kept as vectors where the state has it as words.
			each(func(i int, s *sha256Stream) { f.MOVOU(s.abef, t(state, i, 0)); f.MOVOU(s.cdgh, t(state, i, 1)) })
			each(func(i int, s *sha256Stream) {
				f.Gather32(part(state, 2, i), 4*lanes, abefWords, s.abef)
				f.Gather32(part(state, 2, i), 4*lanes, cdghWords, s.cdgh)
				f.MOVOA(s.abef, starts[i])
				f.PSUBL(consts(other, i).abef, starts[i])
				f.PSHUFD(U8(0x0b), starts[i], starts[i])
			})
		},
		func(state GPPhysical) {
			f.Label("compression")
			start := make([]VecPhysical, lanes)
			programs := make([][]amd64.Atom, lanes)
			each(func(i int, s *sha256Stream) {
				c := consts(cur, i)
				var atoms []amd64.Atom
				atoms = append(atoms, func() {
					// The message is U.
					for q, order := range []uint8{0xbb, 0x11} {
						var w VecPhysical
						if inMemory {
							w = pool.Take()
						} else {
							w = s.quads[q].(VecPhysical)
						}
						f.MOVOA(s.abef, w)
						f.SHUFPS(U8(order), s.cdgh, w)
						if q == 1 && s.message[7].IsConst() {
							f.MOVOU(s.table([]uint32{0, 0, 0, uint32(s.message[7].Const)}), X0)
							f.PBLENDW(U8(0xc0), X0, w)
						}
						if inMemory {
							f.MOVOA(w, s.quads[q])
							pool.Put(w)
						}
					}
					w23 := pool.Take()
					f.MOVOU(s.table([]uint32{0, 0, uint32(h.K[3]), uint32(h.K[2])}), w23)
					f.PADDD(s.cdgh, w23)
					f.PSHUFD(U8(0x0b), w23, w23)
					f.MOVOA(c.abef, s.abef)
					f.MOVOA(c.start, s.cdgh)
					f.MOVOA(starts[i], X0)
					if inMemory {
						pool.Put(starts[i])
					}
					s.twoRounds()
					f.MOVOA(w23, X0)
					pool.Put(w23)
					s.twoRounds()
				})
				for q := 1; q < 16; q++ {
					r := s.rounds(q)
					var sch []amd64.Atom
					if q >= 3 {
						sch = s.schedule(q + 1)
					}
					if s.spread {
						for j := range 3 {
							if j < len(r) {
								atoms = append(atoms, r[j])
							}
							if j < len(sch) {
								atoms = append(atoms, sch[j])
							}
						}
					} else {
						atoms = append(atoms, r...)
						atoms = append(atoms, func() {
							for _, a := range sch {
								a()
							}
						})
					}
				}
				atoms = append(atoms, func() { s.retire(15) }, func() {
					start[i] = starts[i]
					if inMemory {
						start[i] = pool.Take()
					}
					f.PSHUFD(U8(0x0b), s.abef, start[i])
					f.PADDD(c.abef, s.abef)
					f.PADDD(c.cdgh, s.cdgh)
				})
				programs[i] = atoms
			})
			amd64.Interleave(programs...)
			var from, to []VecPhysical
			each(func(i int, s *sha256Stream) {
				from = append(from, s.abef, s.cdgh, start[i])
				to = append(to, s.abef, s.cdgh, starts[i])
				if !inMemory {
					for _, r := range s.quads[:3] {
						from = append(from, r.(VecPhysical))
						to = append(to, r.(VecPhysical))
					}
				}
			})
			f.MoveXMM(pool, from, to)
			f.XCHGQ(cur, other)
			f.CMPQ(cur, other)
			f.JHI(LabelRef("compression"))
			each(func(i int, s *sha256Stream) {
				for v, u := range []VecPhysical{s.abef, s.cdgh} {
					f.MOVOU(t(state, i, v), X0)
					f.PXOR(u, X0)
					f.MOVOU(X0, t(state, i, v))
				}
			})
		},
		func(state GPPhysical) {
			each(func(i int, s *sha256Stream) {
				f.Scatter32(s.abef, part(state, 2, i), 4*lanes, abefWords)
				f.Scatter32(s.cdgh, part(state, 2, i), 4*lanes, cdghWords)
			})
			each(func(i int, s *sha256Stream) { f.MOVOU(t(state, i, 0), s.abef); f.MOVOU(t(state, i, 1), s.cdgh) })
			each(func(i int, s *sha256Stream) {
				f.Scatter32(s.abef, part(state, 3, i), 4*lanes, abefWords)
				f.Scatter32(s.cdgh, part(state, 3, i), 4*lanes, cdghWords)
			})
		})
}

func compressSHA256SHANI(f *amd64.File) {
	pool := amd64.NewPool(amd64.XMM()[1:]...)
	s := &sha256Stream{f: f, pool: pool, message: anyBlock(), abef: pool.Take(), cdgh: pool.Take(),
		quads: [4]Op{pool.Take(), pool.Take(), pool.Take(), pool.Take()}}
	abef, cdgh, swap := pool.Take(), pool.Take(), pool.Take()
	f.Compress("CompressSHANI", "CompressSHANI TODO", 64,
		func(h, p GPPhysical) {
			f.Gather32(Mem{Base: h}, 4, abefWords, s.abef)
			f.Gather32(Mem{Base: h}, 4, cdghWords, s.cdgh)
			f.MOVOU(f.Table32("swap", 0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f), swap)
		},
		func(h, p GPPhysical) {
			f.MOVOA(s.abef, abef)
			f.MOVOA(s.cdgh, cdgh)
			for q := range 16 {
				if q < 4 {
					f.MOVOU(Mem{Base: p, Disp: 16 * q}, s.quads[q])
					f.PSHUFB(swap, s.quads[q])
				} else {
					amd64.Interleave(s.schedule(q))
				}
				amd64.Interleave(s.rounds(q))
			}
			f.PADDD(abef, s.abef)
			f.PADDD(cdgh, s.cdgh)
		},
		func(h, p GPPhysical) {
			f.Scatter32(s.abef, Mem{Base: h}, 4, abefWords)
			f.Scatter32(s.cdgh, Mem{Base: h}, 4, cdghWords)
		})
}

// anyBlock is a message without constant words.
func anyBlock() (m [16]spec.Word) {
	for i := range m {
		m[i] = spec.Word{I: i, Mask: 1<<32 - 1}
	}
	return m
}
