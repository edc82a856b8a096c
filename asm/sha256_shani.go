// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/bits"

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

var k256 = spec.Words32(spec.SHA256.K)

// A sha256Stream is one lane of SHA-256. X0 is all streams' scratch, and where SHA256RNDS2 reads the two words of W+K.
type sha256Stream struct {
	*shaniStream
	abef, cdgh VecPhysical
}

// twoRounds does the rounds whose W+K are the low words of X0 (FIPS 180-4 §6.2.2 step 3): CDGH becomes ABEF, and ABEF is the new CDGH.
func (s *sha256Stream) twoRounds() {
	s.f.SHA256RNDS2(X0, s.abef, s.cdgh)
	s.abef, s.cdgh = s.cdgh, s.abef
}

// rounds does the rounds of quad q.
func (s *sha256Stream) rounds(q int) []amd64.Atom {
	f := s.f
	wk := VecPhysical(X0)
	return []amd64.Atom{
		func() {
			if s.fine { // others use X0 between the two halves
				wk = s.pool.Take()
			}
			k := k256[4*q : 4*q+4]
			if v, ok := s.constant(q); ok {
				f.MOVOU(s.vector(k[0]+v[0], k[1]+v[1], k[2]+v[2], k[3]+v[3]), wk)
			} else {
				f.MOVOU(f.Table32("k256", k256...).Offset(xmmBytes*q), wk)
				f.PADDD(s.at[q%4], wk)
			}
			if s.fine {
				f.MOVOA(wk, X0)
			}
			s.twoRounds()
		},
		func() {
			f.PSHUFD(U8(0x0e), wk, X0)
			if s.fine {
				s.pool.Put(wk)
			}
			s.twoRounds()
		},
	}
}

// schedule makes quad q (FIPS 180-4 §6.2.2 step 1).
func (s *sha256Stream) schedule(q int) []amd64.Atom {
	f := s.f
	return s.next(q,
		// W[t-16] + σ0(W[t-15])
		func(v4, v3 []uint32) []uint32 {
			w := append(v4, v3...)
			sum := make([]uint32, 4)
			for i := range sum {
				sum[i] = w[i] + sigma0(w[i+1])
			}
			return sum
		},
		func(w3 Op, dst VecPhysical) { f.SHA256MSG1(w3, dst) },
		// + W[t-7]
		func(dst VecPhysical) {
			v2, const2 := s.constant(q - 2)
			v1, const1 := s.constant(q - 1)
			if const2 && const1 {
				f.MOVOU(s.vector(v2[1], v2[2], v2[3], v1[0]), X0)
			} else {
				s.with(q-2, func(w2 Op) {
					f.MOVOA(s.at[(q-1)%4], X0)
					f.PALIGNR(U8(4), w2, X0)
				})
			}
			f.PADDD(X0, dst)
		},
		// + σ1(W[t-2])
		func(dst VecPhysical) { s.with(q-1, func(w1 Op) { f.SHA256MSG2(w1, dst) }) })
}

func sigma0(x uint32) uint32 {
	return bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3
}

func iterateSHA256SHANI(f *amd64.File, h spec.Hash, lanes int) {
	const (
		// The edge: U, and the W+K of the first two rounds.
		abef = iota
		cdgh
		first
		// In the frame: the midstate, and the cdgh that goes with first instead of its own, see below.
	)
	k := newSHANI(f, h, lanes, amd64.NewPool(amd64.XMM()[1:]...), [4]int{0, 1, 2, 3}, 16)
	k.mergeFinely(lanes == 2)
	streams := make([]*sha256Stream, lanes)
	for i, s := range k.streams {
		streams[i] = &sha256Stream{s, s.edge[abef], s.edge[cdgh]}
	}
	word := func(state GPPhysical, part, lane int) Mem {
		return Mem{Base: state}.Offset(4 * (8*part*lanes + lane))
	}
	t := func(state GPPhysical, lane int) (abef, cdgh Mem) {
		vectors := word(state, 3, 0).Offset(2 * xmmBytes * lane)
		return vectors, vectors.Offset(xmmBytes)
	}
	f.Iterate(shaniName(h, lanes), k.doc(h, fmt.Sprintf(`
The mix of a compression (FIPS 180-4 §6.2.2), for each lane: 32 SHA256RNDS2, 11 SHA256MSG1, 12 SHA256MSG2 and about 60 adds and shuffles. The
words of the message that do not depend on U are added to K, and their part of the schedule is computed, by the generator.
%s`, map[int]string{
		1: `
Bound by latency: 32 SHA256RNDS2, each of which waits for the last, and a shuffle, as the sum of a compression's result and the midstate is kept out of the chain
(see the generator). That is 32·4 + 1 = 129 cycles on Zen 3, which it takes; 130 on Zen 5.`,
		2: `
Bound by the same latency as one lane, 129 cycles on Zen 3, where it takes 131; where SHA256RNDS2 starts every second cycle only, as on Zen 5 and Intel's CPUs,
also by that unit's 2·32·2 = 128. The streams are merged instruction by instruction: by blocks of four rounds Zen 5 takes an eighth more.`,
		3: `
Bound by SHA256RNDS2 where it starts every second cycle only: 3·32·2 = 192 cycles on Zen 5. On Zen 3 and 4 it starts in every cycle, and the bound is the
latency of one lane, 129: it takes 166 on Zen 4, as all of the mix needs four pipes for 122 (SHA256MSG2 is worth four others there, SHA256MSG1 two). The quads are in memory: three streams' do not fit in 16 registers.`,
		4: `
Bound by SHA256RNDS2 where it starts every second cycle only: 4·32·2 = 256 cycles on Zen 5. On Zen 3 and 4 it starts in every cycle, and the bound is
four pipes for all of the mix, 162 cycles (SHA256MSG2 is worth four others there, SHA256MSG1 two): it takes 201 on Zen 4. The quads are in memory: four streams' do not fit in 16 registers.`,
	}[lanes])),
		func(state GPPhysical) {
			k.allocate()
			for i, s := range streams {
				for part, of := range []GPPhysical{k.this, k.other} {
					f.Gather32(word(state, part, i), 4*lanes, abefWords, s.abef)
					f.Gather32(word(state, part, i), 4*lanes, cdghWords, s.cdgh)
					f.MOVOA(s.abef, k.vector(of, i, abef))
					f.MOVOA(s.cdgh, k.vector(of, i, cdgh))
				}
				// The W of the first two rounds are words A and B of the last compression, plus the midstate fed forward there; and the latter sum would be the one
				// step but a shuffle between one compression's last SHA256RNDS2 and the next one's first. So the constant part, and K, is added to H and G instead:
				// each is an addend of its round just like W and K. G is an argument of the first round's Ch too, which is constant: H makes up for what changes there.
				ab, right, wrong := s.pool.Take(), s.cdgh, s.edge[first]
				for _, of := range [2][2]GPPhysical{{k.this, k.other}, {k.other, k.this}} {
					f.MOVOU(s.vector(0, 0, k256[1], k256[0]), ab)
					f.PADDD(k.vector(of[1], i, abef), ab)
					f.PSHUFD(U8(0x0b), ab, ab)
					f.INSERTPS(U8(0x0c), ab, ab) // H, G, 0, 0
					f.MOVOA(k.vector(of[0], i, abef), s.abef)
					f.MOVOA(k.vector(of[0], i, cdgh), right)
					f.MOVOA(right, wrong)
					f.PADDD(ab, wrong)
					f.MOVOA(wrong, k.vector(of[0], i, first))
					f.PXOR(X0, X0)
					f.SHA256RNDS2(X0, s.abef, right)
					f.SHA256RNDS2(X0, s.abef, wrong)
					f.PADDD(ab, right) // the lowest element is E after the first round
					f.PSUBL(wrong, right)
					f.INSERTPS(U8(0x0e), right, right)
					f.PADDD(k.vector(of[0], i, first), right)
					f.MOVOA(right, k.vector(of[0], i, first))
				}
				s.pool.Put(ab)
				f.Gather32(word(state, 3, i), 4*lanes, abefWords, s.abef)
				f.Gather32(word(state, 3, i), 4*lanes, cdghWords, s.cdgh)
			}
			for i, s := range streams {
				tABEF, tCDGH := t(state, i)
				f.MOVOU(s.abef, tABEF)
				f.MOVOU(s.cdgh, tCDGH)
			}
			for i, s := range streams {
				f.Gather32(word(state, 2, i), 4*lanes, abefWords, s.abef)
				f.Gather32(word(state, 2, i), 4*lanes, cdghWords, s.cdgh)
				f.MOVOA(s.abef, s.edge[first])
				f.PSUBL(k.vector(k.other, i, abef), s.edge[first])
				f.PSHUFD(U8(0x0b), s.edge[first], s.edge[first])
			}
		},
		func(state GPPhysical) {
			k.compressions(func(i int) [][]amd64.Atom {
				s := streams[i]
				var w23 VecPhysical
				program := [][]amd64.Atom{{
					func() {
						w23 = s.pool.Take()
						for q, order := range []uint8{0xbb, 0x11} {
							w := w23
							if !s.inMemory() {
								w = s.at[q].(VecPhysical)
							}
							f.MOVOA(s.abef, w)
							f.SHUFPS(U8(order), s.cdgh, w)
							if last := s.message[7]; q == 1 && last.IsConst() {
								f.MOVOU(s.vector(0, 0, 0, uint32(last.Const)), X0)
								f.PBLENDW(U8(0xc0), X0, w)
							}
							if s.inMemory() {
								f.MOVOA(w, s.at[q])
							}
						}
						f.MOVOU(s.vector(0, 0, k256[3], k256[2]), w23)
						f.PADDD(s.cdgh, w23)
						f.PSHUFD(U8(0x0b), w23, w23)
						f.MOVOA(k.vector(k.this, i, abef), s.abef)
						f.MOVOA(k.vector(k.this, i, first), s.cdgh)
					},
					func() {
						f.MOVOA(s.edge[first], X0)
						if s.inMemory() {
							s.pool.Put(s.edge[first])
						}
						s.twoRounds()
					},
					func() {
						f.MOVOA(w23, X0)
						s.pool.Put(w23)
						s.twoRounds()
					},
				}}
				program = append(program, s.behindFirst(s.rounds, s.schedule)...)
				return append(program, []amd64.Atom{
					func() { s.retire(s.quads - 1) },
					func() {
						s.out = s.edge
						if s.inMemory() {
							s.out[first] = s.pool.Take()
						}
						f.PSHUFD(U8(0x0b), s.abef, s.out[first])
						f.PADDD(k.vector(k.this, i, abef), s.abef)
						f.PADDD(k.vector(k.this, i, cdgh), s.cdgh)
					},
				})
			})
			for i, s := range streams {
				tABEF, tCDGH := t(state, i)
				f.MOVOU(tABEF, X0)
				f.PXOR(s.abef, X0)
				f.MOVOU(X0, tABEF)
				f.MOVOU(tCDGH, X0)
				f.PXOR(s.cdgh, X0)
				f.MOVOU(X0, tCDGH)
			}
		},
		func(state GPPhysical) {
			for i, s := range streams {
				f.Scatter32(s.abef, word(state, 2, i), 4*lanes, abefWords)
				f.Scatter32(s.cdgh, word(state, 2, i), 4*lanes, cdghWords)
			}
			for i, s := range streams {
				tABEF, tCDGH := t(state, i)
				f.MOVOU(tABEF, s.abef)
				f.MOVOU(tCDGH, s.cdgh)
			}
			for i, s := range streams {
				f.Scatter32(s.abef, word(state, 3, i), 4*lanes, abefWords)
				f.Scatter32(s.cdgh, word(state, 3, i), 4*lanes, cdghWords)
			}
		})
}

func compressSHA256SHANI(f *amd64.File) {
	pool := amd64.NewPool(amd64.XMM()[1:]...)
	s := &sha256Stream{compressStream(f, pool, [4]int{0, 1, 2, 3}, 16), pool.Take(), pool.Take()}
	abef, cdgh, swap := pool.Take(), pool.Take(), pool.Take()
	f.Compress("CompressSHANI", `
CompressSHANI compresses the blocks of p into the state at h, with the rounds and the schedule of IterateSHANI (FIPS 180-4 §6.2.2).
Bound by the latency of the 32 SHA256RNDS2 of a block: 128 cycles and an add, which it takes.`, 64,
		func(h, p GPPhysical) {
			f.Gather32(Mem{Base: h}, 4, abefWords, s.abef)
			f.Gather32(Mem{Base: h}, 4, cdghWords, s.cdgh)
			f.MOVOU(s.swapBytes(), swap)
		},
		func(h, p GPPhysical) {
			f.MOVOA(s.abef, abef)
			f.MOVOA(s.cdgh, cdgh)
			for q := range s.quads {
				if q < 4 {
					s.load(q, p, swap)
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
