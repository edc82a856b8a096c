// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"slices"

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

// abcdWords is the order of words that SHA1RNDS4 wants, lowest element first.
var abcdWords = [4]int{3, 2, 1, 0}

// A sha1Stream is one lane of SHA-1.
type sha1Stream struct {
	*shaniStream
	abcd VecPhysical
	// The highest element of e is E; of the old abcd that a quad's rounds leave here SHA1NEXTE makes it. Their operand is E and the quad, added.
	e VecPhysical
}

// fourRounds does the rounds of quad q (FIPS 180-4 §6.1.2 step 3) when e is their operand.
func (s *sha1Stream) fourRounds(q int) {
	old := s.pool.Take()
	s.f.MOVOA(s.abcd, old)
	s.f.SHA1RNDS4(U8(q/5), s.e, s.abcd)
	s.pool.Put(s.e)
	s.e = old
}

// rounds does the rounds of quad q, but not quad 0.
func (s *sha1Stream) rounds(q int) []amd64.Atom {
	return []amd64.Atom{
		func() { s.with(q, func(w Op) { s.f.SHA1NEXTE(w, s.e) }) },
		func() { s.fourRounds(q) },
	}
}

// schedule makes quad q (FIPS 180-4 §6.1.2 step 1): W[t] = (W[t-16] ^ W[t-14] ^ W[t-8] ^ W[t-3]) <<< 1.
func (s *sha1Stream) schedule(q int) []amd64.Atom {
	return s.next(q,
		func(v4, v3 []uint32) []uint32 {
			return []uint32{v4[0] ^ v3[2], v4[1] ^ v3[3], v4[2] ^ v4[0], v4[3] ^ v4[1]}
		},
		func(w3 Op, dst VecPhysical) { s.f.SHA1MSG1(w3, dst) },
		func(dst VecPhysical) {
			if v, ok := s.constant(q - 2); !ok || !slices.Equal(v, make([]uint32, 4)) {
				s.with(q-2, func(w Op) { s.f.PXOR(w, dst) })
			}
		},
		func(dst VecPhysical) { s.with(q-1, func(w Op) { s.f.SHA1MSG2(w, dst) }) })
}

func iterateSHA1SHANI(f *amd64.File, h spec.Hash, lanes int) {
	const (
		// The edge: U, which is quad 0 and, with the constant words behind it, quad 1; and the operand of quad 0's rounds.
		abcd = iota
		quad1
		first
		// In the frame: the midstate, as abcd and what makes quad 1 of the last e; and what makes first of the last abcd: what is fed forward and the next compression's E, added.
	)
	k := newSHANI(f, h, lanes, amd64.NewPool(amd64.XMM()...), abcdWords, 20)
	k.mergeFinely(lanes == 2 || lanes == 3)
	streams := make([]*sha1Stream, lanes)
	for i, s := range k.streams {
		streams[i] = &sha1Stream{s, s.edge[abcd], s.edge[quad1]}
	}
	word := func(state GPPhysical, part, w, lane int) Mem {
		return Mem{Base: state}.Offset(4 * ((5*part+w)*lanes + lane))
	}
	t := func(state GPPhysical, lane int) (abcd, e Mem) {
		vectors := word(state, 3, 0, 0)
		return vectors.Offset(xmmBytes * lane), vectors.Offset(xmmBytes*lanes + 4*lane)
	}
	bit := []uint32{0, 0, uint32(h.Message()[5].Const), 0} // quad 1 without the digest's word
	f.Iterate(shaniName(h, lanes), k.doc(h, fmt.Sprintf(`
The mix of a compression (FIPS 180-4 §6.1.2), for each lane: 20 SHA1RNDS4, 20 SHA1NEXTE, 15 SHA1MSG1, 15 PXOR and 16 SHA1MSG2. The digest's vectors are the
next message's, so that there are no shuffles; SHA1NEXTE adds the midstate's E and the message's bit 1 too.
%s`, map[int]string{
		1: `
Bound by latency: 20 SHA1RNDS4, each of which waits for the last, and the add of the midstate: 20·6 + 1 = 121 cycles on Zen 3, which it takes; 122 on Zen 5.`,
		2: `
Bound by the same latency as one lane, 121 cycles on Zen 3, where it takes 126. The streams are merged instruction by instruction: merged in blocks it takes 134.`,
		3: `
Bound by the same latency as one lane, 121 cycles on Zen 3, and by SHA1RNDS4, which starts every second cycle: 3·20·2 = 120. It takes about 150: what else is on
the pipe of SHA1RNDS4 delays it. The quads are in memory: three streams' do not fit in 16 registers.`,
		4: `
Bound by SHA1RNDS4, which starts every second cycle: 4·20·2 = 160 cycles. It takes 175 on Zen 4: what else is on the pipe of SHA1RNDS4 delays it. The quads
are in memory: four streams' do not fit in 16 registers.`,
	}[lanes])),
		func(state GPPhysical) {
			k.allocate()
			for i, s := range streams {
				e := s.edge[quad1]
				for part, of := range []GPPhysical{k.this, k.other} {
					f.Gather32(word(state, part, 0, i), 4*lanes, abcdWords, s.abcd)
					f.MOVOA(s.abcd, k.vector(of, i, abcd))
					f.PXOR(e, e)
					f.PINSRD(U8(3), word(state, 1-part, 4, i), e)
					f.PADDD(e, s.abcd)
					f.MOVOA(s.abcd, k.vector(of, i, first))
					f.MOVOU(s.vector(bit...), e)
					f.PINSRD(U8(3), word(state, part, 4, i), e)
					f.MOVOA(e, k.vector(of, i, quad1))
				}
				f.Gather32(word(state, 3, 0, i), 4*lanes, abcdWords, s.abcd)
				f.MOVSS(word(state, 3, 4, i), e)
			}
			for i, s := range streams {
				tABCD, tE := t(state, i)
				f.MOVOU(s.abcd, tABCD)
				f.MOVSS(s.edge[quad1], tE)
			}
			for i, s := range streams {
				f.Gather32(word(state, 2, 0, i), 4*lanes, abcdWords, s.abcd)
				f.PXOR(s.edge[first], s.edge[first])
				f.PINSRD(U8(3), word(state, 0, 4, i), s.edge[first])
				f.PADDD(s.abcd, s.edge[first])
				f.MOVOU(s.vector(bit...), s.edge[quad1])
				f.PINSRD(U8(3), word(state, 2, 4, i), s.edge[quad1])
			}
		},
		func(state GPPhysical) {
			k.compressions(func(i int) [][]amd64.Atom {
				s := streams[i]
				program := [][]amd64.Atom{{
					func() {
						f.MOVOA(s.abcd, s.at[0])
						f.MOVOA(s.edge[quad1], s.at[1])
						f.MOVOA(k.vector(k.this, i, abcd), s.abcd)
					},
					func() {
						f.MOVOA(s.abcd, s.edge[quad1])
						s.e = s.edge[quad1]
						f.SHA1RNDS4(U8(0), s.edge[first], s.abcd)
						if s.inMemory() {
							s.pool.Put(s.edge[first])
						}
					},
				}}
				program = append(program, s.behindFirst(s.rounds, s.schedule)...)
				return append(program, []amd64.Atom{
					func() { s.retire(s.quads - 1) },
					func() {
						s.out = [3]VecPhysical{s.abcd, s.e, s.edge[first]}
						if s.inMemory() {
							s.out[first] = s.pool.Take()
						}
						f.MOVOA(s.abcd, s.out[first])
						f.PADDD(k.vector(k.this, i, first), s.out[first])
						f.PADDD(k.vector(k.this, i, abcd), s.abcd)
						f.SHA1NEXTE(k.vector(k.this, i, quad1), s.e)
					},
				})
			})
			for i, s := range streams {
				s.e = s.edge[quad1]
				tABCD, tE := t(state, i)
				tmp := s.pool.Take()
				f.MOVOU(tABCD, tmp)
				f.PXOR(s.abcd, tmp)
				f.MOVOU(tmp, tABCD)
				s.pool.Put(tmp)
				f.PEXTRD(U8(3), s.e, EAX)
				f.XORL(EAX, tE)
			}
		},
		func(state GPPhysical) {
			for i, s := range streams {
				f.Scatter32(s.abcd, word(state, 2, 0, i), 4*lanes, abcdWords)
				f.PEXTRD(U8(3), s.e, word(state, 2, 4, i))
			}
			for i, s := range streams {
				tABCD, tE := t(state, i)
				f.MOVOU(tABCD, s.abcd)
				f.MOVSS(tE, s.e)
			}
			for i, s := range streams {
				f.Scatter32(s.abcd, word(state, 3, 0, i), 4*lanes, abcdWords)
				f.MOVSS(s.e, word(state, 3, 4, i))
			}
		})
}

func compressSHA1SHANI(f *amd64.File) {
	pool := amd64.NewPool(amd64.XMM()...)
	s := &sha1Stream{compressStream(f, pool, abcdWords, 20), pool.Take(), pool.Take()}
	e, oldABCD, oldE, swap := s.e, pool.Take(), pool.Take(), pool.Take()
	f.Compress("CompressSHANI", `
CompressSHANI compresses the blocks of p into the state at h, with the rounds and the schedule of IterateSHANI (FIPS 180-4 §6.1.2).
Bound by the latency of the 20 SHA1RNDS4 of a block: 120 cycles and an add, which it takes.`, 64,
		func(h, p GPPhysical) {
			f.Gather32(Mem{Base: h}, 4, abcdWords, s.abcd)
			f.PXOR(e, e)
			f.PINSRD(U8(3), Mem{Base: h, Disp: 16}, e)
			f.MOVOU(s.swapBytes(), swap)
		},
		func(h, p GPPhysical) {
			f.MOVOA(s.abcd, oldABCD)
			f.MOVOA(e, oldE)
			for q := range s.quads {
				if q < 4 {
					s.load(q, p, swap)
				} else {
					amd64.Interleave(s.schedule(q))
				}
				if q == 0 {
					f.PADDD(s.at[0], s.e)
					s.fourRounds(0)
				} else {
					amd64.Interleave(s.rounds(q))
				}
			}
			f.PADDD(oldABCD, s.abcd)
			f.SHA1NEXTE(oldE, s.e)
			f.MoveXMM(pool, []VecPhysical{s.e}, []VecPhysical{e})
		},
		func(h, p GPPhysical) {
			f.Scatter32(s.abcd, Mem{Base: h}, 4, abcdWords)
			f.PEXTRD(U8(3), e, Mem{Base: h, Disp: 16})
		})
}
