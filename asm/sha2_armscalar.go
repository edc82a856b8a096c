// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// sha2ARMScalar writes SHA-512 or SHA-256 and their truncated versions in general registers, one lane, for cores without instructions for them; and the compression function.
func sha2ARMScalar(hs ...spec.Hash) func(*arm64.File) {
	return func(f *arm64.File) {
		for _, h := range hs {
			iterateSHA2ARMScalar(f, h)
		}
		compressSHA2ARMScalar(f, hs[0])
	}
}

// A sha2ARM is the registers of SHA-2 with words of either size. The rounds are in general registers; the schedule is in vectors of two words, and its words plus K go to the
// rounds through a ring in memory.
type sha2ARM struct {
	f     *arm64.File
	h     spec.Hash
	known *sha2Known
	rot   sha2Rotations
	c     *pool

	s       [8]arm64.R // a to h
	t, u    arm64.R
	xor     [2]arm64.R // a^b of this round, b^c
	wk      []arm64.R  // W+K of the first eight rounds
	w       []arm64.V  // a ring of the schedule's last sixteen words
	v       []arm64.V  // temporaries
	raw     arm64.Mem  // a compression's state before what it began with is added
	ring    arm64.Mem
	addends [2]arm64.Mem // what the first eight rounds of inner and outer compression add to the other one's last state
}

// Instructions of the word's size.

func (l *sha2ARM) wide() bool { return l.h.WordBits == 64 }
func (l *sha2ARM) bytes() int { return l.h.WordBits / 8 }

func (l *sha2ARM) add(m arm64.Op2, n, d arm64.R) {
	if l.wide() {
		l.f.ADD(m, n, d)
	} else {
		l.f.ADDW(m, n, d)
	}
}

func (l *sha2ARM) eor(m arm64.Op2, n, d arm64.R) {
	if l.wide() {
		l.f.EOR(m, n, d)
	} else {
		l.f.EORW(m, n, d)
	}
}

func (l *sha2ARM) ror(n int, x, d arm64.R) {
	if l.wide() {
		l.f.ROR(n, x, d)
	} else {
		l.f.RORW(n, x, d)
	}
}

// loadPair loads two words, by two instructions if the address is too far for one.
func (l *sha2ARM) loadPair(m arm64.Mem, a, b arm64.R) {
	switch n := l.bytes(); {
	case m.Disp < 64*n && l.wide():
		l.f.LDP(m, a, b)
	case m.Disp < 64*n:
		l.f.LDPW(m, a, b)
	case l.wide():
		l.f.MOVD(m, a)
		l.f.MOVD(m.Offset(n), b)
	default:
		l.f.MOVWU(m, a)
		l.f.MOVWU(m.Offset(n), b)
	}
}

func (l *sha2ARM) storePair(a, b arm64.R, m arm64.Mem) {
	if l.wide() {
		l.f.STP(a, b, m)
	} else {
		l.f.STPW(a, b, m)
	}
}

// load and store move a vector of two words.
func (l *sha2ARM) load(m arm64.Mem, v arm64.V) {
	if l.wide() {
		l.f.FMOVQ(m, v)
	} else {
		l.f.FMOVD(m, v)
	}
}

func (l *sha2ARM) store(v arm64.V, m arm64.Mem) {
	if l.wide() {
		l.f.StoreQ(v, m)
	} else {
		l.f.StoreVD(v, m)
	}
}

func (l *sha2ARM) vec(v arm64.V) arm64.VA {
	if l.wide() {
		return v.D2()
	}
	return v.S4()
}

// middle sets d to the second word of a and the first of b.
func (l *sha2ARM) middle(a, b, d arm64.V) {
	if l.wide() {
		l.f.VEXT(8, b.B16(), a.B16(), d.B16())
	} else {
		l.f.VEXT(4, b.B8(), a.B8(), d.B8())
	}
}

// pairAt is the address of two constant words.
func (l *sha2ARM) pairAt(a [2]uint64) arm64.Mem {
	if l.wide() {
		return l.c.at(a[0], a[1])
	}
	return l.c.at(a[0]&(1<<32-1)|a[1]<<32, 0)
}

// pair is the address of pair i of an array of words.
func (l *sha2ARM) pair(m arm64.Mem, i int) arm64.Mem { return m.Offset(2 * l.bytes() * i) }

func newSHA2ARM(f *arm64.File, h spec.Hash, c *pool) *sha2ARM {
	l := &sha2ARM{f: f, h: h, rot: sha2Rotate[h.WordBits], c: c, t: f.R("t"), u: f.R("u"), wk: f.Rs("wk", 8), w: f.Vs("w", 8), v: f.Vs("v", 4)}
	copy(l.s[:], f.Rs("state", 8))
	copy(l.xor[:], f.Rs("xor", 2))
	l.ring = f.Local(16 * l.bytes())
	return l
}

func (l *sha2ARM) free() {
	l.f.FreeR(l.s[:]...)
	l.f.FreeR(l.xor[:]...)
	l.f.FreeR(l.wk...)
	l.f.FreeR(l.t, l.u)
	l.f.Free(l.w...)
	l.f.Free(l.v...)
}

// sum sets d to Σ₀ or Σ₁ of x. Two of the rotations share one: x passes through two instructions, not three.
func (l *sha2ARM) sum(n [3]int, x, d, tmp arm64.R) {
	l.eor(x.ROR(n[2]-n[0]), x, tmp)
	l.ror(n[1], x, d)
	l.eor(tmp.ROR(n[0]), d, d)
}

// round does round i (FIPS 180-4 §6.2.2, §6.4.2) with W+K in wk. Maj is ((a^b) & (b^c)) ^ b, whose b^c is the round before's a^b.
func (l *sha2ARM) round(i int, wk arm64.R) {
	f, t, u := l.f, l.t, l.u
	r := func(k int) arm64.R { return l.s[(k-i)&7] }
	a, b, d, e, ff, g, h := r(0), r(1), r(3), r(4), r(5), r(6), r(7)
	ab, bc := l.xor[i%2], l.xor[(i+1)%2]
	l.add(wk, h, h)
	l.eor(ff, g, t)
	f.AND(e, t, t)
	l.eor(g, t, t)
	l.add(t, h, h)
	l.sum(l.rot.bigSigma1, e, t, u)
	l.add(t, h, h)
	l.add(h, d, d)
	l.eor(a, b, ab)
	l.sum(l.rot.bigSigma0, a, t, u)
	l.add(t, h, h)
	f.AND(ab, bc, bc)
	l.eor(b, bc, bc)
	l.add(bc, h, h)
}

// smallSigma sets d to σ₀ or σ₁ of the words of x.
func (l *sha2ARM) smallSigma(n [3]int, x, d, tmp arm64.V) {
	f, w := l.f, l.h.WordBits
	f.VUSHR(n[2], l.vec(x), l.vec(d))
	for _, r := range n[:2] {
		f.VUSHR(r, l.vec(x), l.vec(tmp))
		f.VSLI(w-r, l.vec(x), l.vec(tmp))
		f.VEOR(tmp.B16(), d.B16(), d.B16())
	}
}

// schedule makes pair k of the words, 8 <= k, out of the eight pairs before it, and puts it plus K into the ring. What is known of them is folded.
func (l *sha2ARM) schedule(k int) {
	f := l.f
	w := func(i int) arm64.V { return l.w[(k+i)%8] }
	v := l.v
	if a, ok := l.known.pair(k, l.known.early); ok {
		l.load(l.pairAt(a), w(0))
	} else {
		l.middle(w(0), w(1), v[0])
		l.smallSigma(l.rot.sigma0, v[0], v[1], v[2])
		f.VADD(l.vec(v[1]), l.vec(w(0)), l.vec(w(0)))
	}
	if a, ok := l.known.pair(k, l.known.late); ok {
		l.load(l.pairAt(a), v[0])
		f.VADD(l.vec(v[0]), l.vec(w(0)), l.vec(w(0)))
	} else {
		l.middle(w(4), w(5), v[0])
		f.VADD(l.vec(v[0]), l.vec(w(0)), l.vec(w(0)))
		l.smallSigma(l.rot.sigma1, w(7), v[1], v[2])
		f.VADD(l.vec(v[1]), l.vec(w(0)), l.vec(w(0)))
	}
	l.toRing(k)
}

// toRing puts pair k of the words plus K into the ring.
func (l *sha2ARM) toRing(k int) {
	kk := l.v[3]
	l.load(l.pairAt([2]uint64{l.h.K[2*k], l.h.K[2*k+1]}), kk)
	l.f.VADD(l.vec(l.w[k%8]), l.vec(kk), l.vec(kk))
	l.store(kk, l.pair(l.ring, k%8))
}

// compress does all rounds, with the schedule four pairs ahead. In an iteration W+K of the first eight are in wk.
func (l *sha2ARM) compress(iteration bool) {
	f := l.f
	l.eor(l.s[1], l.s[2], l.xor[1])
	rounds := len(l.h.K)
	for q := range rounds / 2 {
		f.Interleave(func() {
			wk := l.wk[2*q&7:][:2]
			if q >= 4 || !iteration {
				m := l.pair(l.ring, q%8)
				if c, ok := l.known.pair(q, l.known.word); ok {
					m = l.pairAt([2]uint64{c[0] + l.h.K[2*q], c[1] + l.h.K[2*q+1]})
				}
				l.loadPair(m, wk[0], wk[1])
			}
			l.round(2*q, wk[0])
			l.round(2*q+1, wk[1])
		}, func() {
			if k := q + 4; k >= 8 && k < rounds/2 {
				l.schedule(k)
			}
		})
	}
}

// message turns the state that a compression with the other midstate ended with, before that is added, into the message of the next one; the inner one's is u and goes to t.
func (l *sha2ARM) message(half int, part func(p int) arm64.Mem) {
	f, m := l.f, l.h.Message()
	for i := range 4 {
		l.storePair(l.s[2*i], l.s[2*i+1], l.pair(l.raw, i))
	}
	for i := range 4 {
		a, b := l.wk[2*i], l.wk[2*i+1]
		l.loadPair(l.pair(l.addends[half], i), a, b)
		for j, wk := range []arm64.R{a, b} {
			switch w := m[2*i+j]; {
			case w.IsConst(): // it is what the addend is
			case w.Const == 0:
				l.add(l.s[2*i+j], wk, wk)
			default: // the digest ends inside the word
				mid := l.t
				f.MOVD(part(1-half).Offset(l.bytes()*(2*i+j)), mid)
				l.add(l.s[2*i+j], mid, mid)
				f.AND(arm64.Imm(int64(w.Mask)), mid, mid)
				f.ORR(arm64.Imm(int64(w.Const)), mid, mid)
				l.add(mid, wk, wk)
			}
		}
	}
	for i := range 4 {
		l.loadPair(l.pair(part(half), i), l.s[2*i], l.s[2*i+1])
	}
	for i := range 4 {
		if c, ok := l.known.pair(i, l.known.word); ok {
			l.load(l.pairAt(c), l.w[i])
			continue
		}
		v := l.v[0]
		l.load(l.pair(l.raw, i), l.w[i])
		l.load(l.pair(part(1-half), i), v)
		f.VADD(l.vec(v), l.vec(l.w[i]), l.vec(l.w[i]))
		if half == 0 {
			l.load(l.pair(part(3), i), v)
			f.VEOR(l.w[i].B16(), v.B16(), v.B16())
			l.store(v, l.pair(part(3), i))
		}
		if a, b := m[2*i], m[2*i+1]; a.Const|b.Const != 0 {
			l.load(l.pairAt([2]uint64{a.Mask, b.Mask}), v)
			f.VAND(v.B16(), l.w[i].B16(), l.w[i].B16())
			l.load(l.pairAt([2]uint64{a.Const, b.Const}), v)
			f.VORR(v.B16(), l.w[i].B16(), l.w[i].B16())
		}
	}
	for i := 4; i < 8; i++ {
		c, _ := l.known.pair(i, l.known.word)
		l.load(l.pairAt(c), l.w[i])
	}
}

func iterateSHA2ARMScalar(f *arm64.File, h spec.Hash) {
	name := kernelSymbol("Scalar", h)
	m := h.Message()
	var l *sha2ARM
	part := func(state arm64.R) func(p int) arm64.Mem {
		return func(p int) arm64.Mem { return arm64.Mem{Base: state, Disp: p * 8 * l.bytes()} }
	}
	f.Iterate(name, armDoc(name, h, 1, `
The rounds are in general registers. The schedule is in vectors beside them, two words at a time and eight rounds ahead, and goes to the rounds through memory. For cores without instructions for the hash.
The mix of a compression (FIPS 180-4 §6): for a round 18 additions, logical instructions and rotations, half a load, and 11 instructions of the schedule, less what is constant in that.
Bound by latency where there are many units, five instructions from one e to the next: 5 cycles a round. Bound by the front end and the units on smaller cores: on a Neoverse N1 10 cycles a round by LLVM's model.`),
		func(state arm64.R) {
			l = newSHA2ARM(f, h, newPool(f, h.Name))
			l.known = &sha2Known{h.WordBits, m[:]}
			l.raw = f.Local(8 * l.bytes())
			at := part(state)
			for half := range 2 {
				l.addends[half] = f.Local(8 * l.bytes())
				for i := range 4 {
					// K, plus the other midstate's word if that is a whole one of the message, or the message's constant.
					mask, sum := [2]uint64{}, [2]uint64{}
					for j := range 2 {
						w := m[2*i+j]
						sum[j] = h.K[2*i+j]
						switch {
						case w.IsConst():
							sum[j] += w.Const
						case w.Const == 0:
							mask[j] = w.Mask
						}
					}
					x, y := l.v[0], l.v[1]
					l.load(l.pair(at(1-half), i), x)
					l.load(l.pairAt(mask), y)
					f.VAND(x.B16(), y.B16(), y.B16())
					l.load(l.pairAt(sum), x)
					f.VADD(l.vec(x), l.vec(y), l.vec(y))
					l.store(y, l.pair(l.addends[half], i))
				}
			}
			f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
			for i := range 4 {
				x, y := l.v[0], l.v[1]
				l.load(l.pair(at(2), i), x)
				l.load(l.pair(at(3), i), y)
				f.VEOR(x.B16(), y.B16(), y.B16())
				l.store(y, l.pair(at(3), i))
				l.load(l.pair(at(1), i), y)
				f.VSUB(l.vec(y), l.vec(x), l.vec(x))
				l.store(x, l.pair(l.raw, i))
				l.loadPair(l.pair(l.raw, i), l.s[2*i], l.s[2*i+1])
			}
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				l.message(half, part(state))
				l.compress(true)
			}
		},
		func(state arm64.R) {
			at := part(state)
			for i := range 4 {
				l.storePair(l.s[2*i], l.s[2*i+1], l.pair(l.raw, i))
				x, y := l.v[0], l.v[1]
				l.load(l.pair(l.raw, i), x)
				l.load(l.pair(at(1), i), y)
				f.VADD(l.vec(x), l.vec(y), l.vec(y))
				l.store(y, l.pair(at(2), i))
				l.load(l.pair(at(3), i), x)
				f.VEOR(x.B16(), y.B16(), y.B16())
				l.store(y, l.pair(at(3), i))
			}
			l.free()
			l.c.done()
		})
}

func compressSHA2ARMScalar(f *arm64.File, h spec.Hash) {
	var l *sha2ARM
	f.Compress("CompressScalar", `
CompressScalar compresses the blocks of p into the state at h, with the rounds and the schedule of IterateScalar (FIPS 180-4 §6).
Bound as that is.`, h.BlockBytes(),
		func(hp, p arm64.R) {
			l = newSHA2ARM(f, h, newPool(f, "k"))
			l.known = &sha2Known{bits: h.WordBits}
			for i := range 4 {
				l.loadPair(l.pair(arm64.Mem{Base: hp}, i), l.s[2*i], l.s[2*i+1])
			}
		},
		func(hp, p arm64.R) {
			for k, w := range l.w {
				l.load(l.pair(arm64.Mem{Base: p}, k), w)
				if l.wide() {
					f.VREV64(w.B16(), w.B16())
				} else {
					f.VREV32(w.B8(), w.B8())
				}
				l.toRing(k)
			}
			f.ADD(arm64.Imm(h.BlockBytes()), p, p)
			l.compress(false)
			for i := range 4 {
				m := l.pair(arm64.Mem{Base: hp}, i)
				l.loadPair(m, l.t, l.u)
				l.add(l.t, l.s[2*i], l.s[2*i])
				l.add(l.u, l.s[2*i+1], l.s[2*i+1])
				l.storePair(l.s[2*i], l.s[2*i+1], m)
			}
		},
		func(hp, p arm64.R) {
			l.free()
			l.c.done()
		})
}
