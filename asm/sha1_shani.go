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

func sha1SHANI(lanes int) func(f *amd64.File) {
	return func(f *amd64.File) {
		iterateSHA1SHANI(f, spec.SHA1, lanes)
		if lanes == 1 {
			compressSHA1SHANI(f)
		}
	}
}

// The words of a vector as SHA1RNDS4 wants them, lowest element first.
var abcdWords = [4]int{3, 2, 1, 0}

type sha1Stream struct {
	f       *amd64.File
	pool    *amd64.Pool
	message [16]spec.Word
	abcd, e VecPhysical // e: what SHA1NEXTE makes the next four rounds' E of, or E in the highest element
	quads   [4]Op
	slots   [4]Mem
}

func (s *sha1Stream) inMemory() bool { return s.slots[0].Base != nil }

func (s *sha1Stream) constant(q int) ([]uint32, bool) {
	if q >= 4 {
		return nil, false
	}
	v := make([]uint32, 4)
	for i, w := range s.message[4*q : 4*q+4] {
		if !w.IsConst() {
			return nil, false
		}
		v[3-i] = uint32(w.Const)
	}
	return v, true
}

func (s *sha1Stream) table(v []uint32) Mem {
	return s.f.Table32(fmt.Sprintf("x%08x_%08x_%08x_%08x", v[3], v[2], v[1], v[0]), v...)
}

// with calls do with quad q as an operand.
func (s *sha1Stream) with(q int, do func(Op)) {
	v, ok := s.constant(q)
	if !ok {
		do(s.quads[q%4])
		return
	}
	tmp := s.pool.Take()
	s.f.MOVOU(s.table(v), tmp)
	do(tmp)
	s.pool.Put(tmp)
}

// fourRounds does the rounds of quad q. The E operand, with quad q added, is in e. Afterwards s.e has the old abcd.
func (s *sha1Stream) fourRounds(q int) {
	next := s.pool.Take()
	s.f.MOVOA(s.abcd, next)
	s.f.SHA1RNDS4(U8(q/5), s.e, s.abcd)
	s.pool.Put(s.e)
	s.e = next
}

func (s *sha1Stream) rounds(q int) []amd64.Atom {
	return []amd64.Atom{
		func() { s.with(q, func(w Op) { s.f.SHA1NEXTE(w, s.e) }) },
		func() { s.fourRounds(q) },
	}
}

func (s *sha1Stream) schedule(q int) []amd64.Atom {
	if q > 19 {
		return nil
	}
	f := s.f
	var dst VecPhysical
	return []amd64.Atom{
		func() {
			if s.inMemory() {
				dst = s.pool.Take()
			} else {
				dst = s.quads[q%4].(VecPhysical)
			}
			v4, const4 := s.constant(q - 4)
			v3, const3 := s.constant(q - 3)
			switch {
			case const4 && const3:
				f.MOVOU(s.table([]uint32{v4[0] ^ v3[2], v4[1] ^ v3[3], v4[2] ^ v4[0], v4[3] ^ v4[1]}), dst)
				return
			case const4:
				f.MOVOU(s.table(v4), dst)
			case s.inMemory():
				f.MOVOA(s.quads[q%4], dst)
			}
			s.with(q-3, func(w Op) { f.SHA1MSG1(w, dst) })
		},
		func() {
			s.with(q-2, func(w Op) { f.PXOR(w, dst) })
		},
		func() {
			s.with(q-1, func(w Op) { f.SHA1MSG2(w, dst) })
			if s.inMemory() {
				if q+2 <= 19 {
					f.MOVOA(dst, s.slots[q%4])
				}
				s.retire(q - 1)
			}
			s.quads[q%4] = dst
		},
	}
}

func (s *sha1Stream) retire(q int) {
	if r, ok := s.quads[q%4].(VecPhysical); ok && s.inMemory() {
		s.pool.Put(r)
		s.quads[q%4] = s.slots[q%4]
	}
}

func iterateSHA1SHANI(f *amd64.File, h spec.Hash, lanes int) {
	const vector, half = 16, 3 * 16
	cur, other, ring := R8, R9, R10
	name := "IterateSHANI"
	if lanes > 1 {
		name += fmt.Sprintf("x%d", lanes)
	}
	inMemory := lanes > 2
	pool := amd64.NewPool(amd64.XMM()...)
	streams := make([]*sha1Stream, lanes)
	type homes struct{ abcd, e, first VecPhysical }
	home := make([]homes, lanes)
	ringBytes := 0
	for i := range streams {
		s := &sha1Stream{f: f, pool: pool, message: h.Message(), abcd: pool.Take(), e: pool.Take()}
		home[i] = homes{s.abcd, s.e, pool.Take()}
		if inMemory {
			for q := range s.quads {
				s.slots[q] = Mem{Base: ring}.Offset(ringBytes + vector*q)
				s.quads[q] = s.slots[q]
			}
			ringBytes += 4 * vector
		} else {
			s.quads = [4]Op{pool.Take(), pool.Take(), pool.Take(), home[i].first}
		}
		streams[i] = s
	}
	type lane struct{ abcd, e, first Mem }
	consts := func(base Register, i int) lane {
		m := Mem{Base: base}.Offset(half * i)
		return lane{m, m.Offset(vector), m.Offset(2 * vector)}
	}
	word := func(state GPPhysical, p, w, i int) Mem { return Mem{Base: state}.Offset(4 * ((p*5+w)*lanes + i)) }
	t := func(state GPPhysical, i int) (abcd, e Mem) {
		m := word(state, 3, 0, 0)
		return m.Offset(vector * i), m.Offset(vector*lanes + 4*i)
	}
	each := func(do func(i int, s *sha1Stream)) {
		for i, s := range streams {
			do(i, s)
		}
	}
	bit := uint32(h.Message()[5].Const)
	f.Iterate(name, name+` TODO`,
		func(state GPPhysical) {
			frame := f.AlignedLocal(ringBytes+2*half*lanes, ring)
			f.LEAQ(frame.Offset(ringBytes), cur)
			f.LEAQ(frame.Offset(ringBytes+half*lanes), other)
			each(func(i int, s *sha1Stream) {
				for p, base := range []Register{cur, other} {
					c := consts(base, i)
					f.Gather32(word(state, p, 0, i), 4*lanes, abcdWords, s.abcd)
					f.MOVOA(s.abcd, c.abcd)
					f.PXOR(s.e, s.e)
					f.PINSRD(U8(3), word(state, 1-p, 4, i), s.e)
					f.PADDD(s.e, s.abcd)
					f.MOVOA(s.abcd, c.first)
					f.MOVOU(s.table([]uint32{0, 0, bit, 0}), s.e)
					f.PINSRD(U8(3), word(state, p, 4, i), s.e)
					f.MOVOA(s.e, c.e)
				}
				f.Gather32(word(state, 3, 0, i), 4*lanes, abcdWords, s.abcd)

				f.MOVSS(word(state, 3, 4, i), s.e)
			})
			each(func(i int, s *sha1Stream) {
				abcd, e := t(state, i)
				f.MOVOU(s.abcd, abcd)
				f.MOVSS(s.e, e)
			})
			each(func(i int, s *sha1Stream) {
				f.Gather32(word(state, 2, 0, i), 4*lanes, abcdWords, s.abcd)
				first := home[i].first
				f.PXOR(first, first)
				f.PINSRD(U8(3), word(state, 0, 4, i), first)
				f.PADDD(s.abcd, first)
				f.MOVOU(s.table([]uint32{0, 0, bit, 0}), s.e)
				f.PINSRD(U8(3), word(state, 2, 4, i), s.e)
			})
		},
		func(state GPPhysical) {
			f.Label("compression")
			first := make([]VecPhysical, lanes)
			programs := make([][]amd64.Atom, lanes)
			each(func(i int, s *sha1Stream) {
				c := consts(cur, i)
				atoms := []amd64.Atom{func() {
					// The message is U.
					if inMemory {
						f.MOVOA(s.abcd, s.quads[0])
						f.MOVOA(s.e, s.quads[1])
					} else {
						f.MOVOA(s.abcd, s.quads[0])
						f.MOVOA(s.e, s.quads[1])
					}
					f.MOVOA(c.abcd, s.abcd)
					f.MOVOA(s.abcd, s.e)
					f.SHA1RNDS4(U8(0), home[i].first, s.abcd)
					if inMemory {
						pool.Put(home[i].first)
					}
				}}
				for q := 1; q < 20; q++ {
					r := s.rounds(q)
					var sch []amd64.Atom
					if q >= 3 {
						sch = s.schedule(q + 1)
					}
					if lanes <= 3 {
						for j := range 3 {
							if j < len(r) {
								atoms = append(atoms, r[j])
							}
							if j < len(sch) {
								atoms = append(atoms, sch[j])
							}
						}
					} else {
						atoms = append(atoms, func() {
							for _, a := range r {
								a()
							}
							for _, a := range sch {
								a()
							}
						})
					}
				}
				atoms = append(atoms, func() { s.retire(19) }, func() {
					first[i] = home[i].first
					if inMemory {
						first[i] = pool.Take()
					}
					f.MOVOA(s.abcd, first[i])
					f.PADDD(c.first, first[i])
					f.PADDD(c.abcd, s.abcd)
					f.SHA1NEXTE(c.e, s.e)
				})
				programs[i] = atoms
			})
			amd64.Interleave(programs...)
			var from, to []VecPhysical
			each(func(i int, s *sha1Stream) {
				from = append(from, s.abcd, s.e, first[i])
				to = append(to, home[i].abcd, home[i].e, home[i].first)
				if !inMemory {
					for _, r := range s.quads[:3] {
						from = append(from, r.(VecPhysical))
						to = append(to, r.(VecPhysical))
					}
				}
				s.e = home[i].e
			})
			f.MoveXMM(pool, from, to)
			f.XCHGQ(cur, other)
			f.CMPQ(cur, other)
			f.JHI(LabelRef("compression"))
			each(func(i int, s *sha1Stream) {
				abcd, e := t(state, i)
				tmp := pool.Take()
				f.MOVOU(abcd, tmp)
				f.PXOR(s.abcd, tmp)
				f.MOVOU(tmp, abcd)
				pool.Put(tmp)
				f.PEXTRD(U8(3), s.e, EAX)
				f.XORL(EAX, e)
			})
		},
		func(state GPPhysical) {
			each(func(i int, s *sha1Stream) {
				f.Scatter32(s.abcd, word(state, 2, 0, i), 4*lanes, abcdWords)
				f.PEXTRD(U8(3), s.e, word(state, 2, 4, i))
			})
			each(func(i int, s *sha1Stream) {
				abcd, e := t(state, i)
				f.MOVOU(abcd, s.abcd)
				f.MOVSS(e, s.e)
			})
			each(func(i int, s *sha1Stream) {
				f.Scatter32(s.abcd, word(state, 3, 0, i), 4*lanes, abcdWords)
				f.MOVSS(s.e, word(state, 3, 4, i))
			})
		})
}

func compressSHA1SHANI(f *amd64.File) {
	pool := amd64.NewPool(amd64.XMM()...)
	s := &sha1Stream{f: f, pool: pool, message: anyBlock(), abcd: pool.Take(), e: pool.Take(),
		quads: [4]Op{pool.Take(), pool.Take(), pool.Take(), pool.Take()}}
	abcd, e, swap := pool.Take(), pool.Take(), pool.Take()
	start := s.e
	f.Compress("CompressSHANI", "CompressSHANI TODO", 64,
		func(h, p GPPhysical) {
			f.Gather32(Mem{Base: h}, 4, abcdWords, s.abcd)
			f.PXOR(s.e, s.e)
			f.PINSRD(U8(3), Mem{Base: h, Disp: 16}, s.e)
			f.MOVOU(f.Table32("swap", 0x0c0d0e0f, 0x08090a0b, 0x04050607, 0x00010203), swap)
		},
		func(h, p GPPhysical) {
			f.MOVOA(s.abcd, abcd)
			f.MOVOA(s.e, e)
			for q := range 20 {
				if q < 4 {
					f.MOVOU(Mem{Base: p, Disp: 16 * q}, s.quads[q])
					f.PSHUFB(swap, s.quads[q])
				} else {
					amd64.Interleave(s.schedule(q))
				}
				if q == 0 {
					f.PADDD(s.quads[0], s.e)
					s.fourRounds(0)
				} else {
					amd64.Interleave(s.rounds(q))
				}
			}
			f.PADDD(abcd, s.abcd)
			f.SHA1NEXTE(e, s.e)
			if s.e != start {
				f.MOVOA(s.e, start)
				s.e = start
			}
		},
		func(h, p GPPhysical) {
			f.Scatter32(s.abcd, Mem{Base: h}, 4, abcdWords)
			f.PEXTRD(U8(3), s.e, Mem{Base: h, Disp: 16})
		})
}
