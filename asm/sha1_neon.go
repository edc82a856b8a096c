// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"

	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// A neonSHA is what SHA-1 and SHA-256 have in common when each vector is one word of four lanes.
type neonSHA struct {
	f     *arm64.File
	h     spec.Hash
	c     *pool
	s     []arm64.V // the state, and for SHA-1 a register for the next round's c
	turn  func()    // from a round's registers to the next one's, for SHA-1
	w     []arm64.V // a ring of the schedule's last sixteen words
	k     arm64.V
	t     []arm64.V // temporaries
	words [16]spec.Word
}

// known is word t of the schedule if it is the same for all messages.
func (l *neonSHA) known(t int) (uint32, bool) {
	if t >= 16 || !l.words[t].IsConst() {
		return 0, false
	}
	return uint32(l.words[t].Const), true
}

// rotate sets d to x rotated right by n.
func (l *neonSHA) rotate(n int, x, d arm64.V) {
	if n == 16 {
		l.f.VREV32(x.H8(), d.H8())
		return
	}
	l.f.VUSHR(n, x.S4(), d.S4())
	l.f.VSLI(32-n, x.S4(), d.S4())
}

// addConstant adds k and, if that is known, word t to d.
func (l *neonSHA) addConstant(k uint64, t int, d arm64.V) {
	w, ok := l.known(t)
	l.f.FMOVQ(l.c.splat(uint32(k)+w), l.k)
	l.f.VADD(l.k.S4(), d.S4(), d.S4())
	if !ok {
		l.f.VADD(l.w[t%16].S4(), d.S4(), d.S4())
	}
}

// iterate writes the kernel. Compress does all rounds.
func (l *neonSHA) iterate(name, doc string, temporaries int, compress func()) {
	f := l.f
	var part [4]neonWords
	var home []arm64.V // where a compression begins
	f.Iterate(name, doc,
		func(state arm64.R) {
			part = neonParts(state, l.h.Words, 1, 0)
			l.words = l.h.Message()
			l.c = newPool(f, l.h.Name)
			for range l.h.Words {
				home = append(home, f.V("state"))
			}
			if l.turn != nil {
				home = append(home, f.V("next"))
			}
			l.s = slices.Clone(home)
			if l.turn != nil {
				for range 80 { // where the loop begins
					l.turn()
				}
			}
			l.w, l.t, l.k = f.Vs("w", 16), f.Vs("t", temporaries), f.V("k")
			f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
			for i, s := range l.s[:l.h.Words] {
				u, t := l.w[0], l.w[1]
				f.FMOVQ(part[2].word(i), u)
				f.FMOVQ(part[3].word(i), t)
				f.VEOR(u.B16(), t.B16(), t.B16())
				f.StoreQ(t, part[3].word(i))
				f.FMOVQ(part[1].word(i), s)
				f.VSUB(s.S4(), u.S4(), s.S4())
			}
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				for i, s := range l.s[:l.h.Words] {
					if _, ok := l.known(i); !ok {
						f.FMOVQ(part[1-half].word(i), l.w[i])
						f.VADD(s.S4(), l.w[i].S4(), l.w[i].S4())
						if half == 0 {
							t := l.t[0]
							f.FMOVQ(part[3].word(i), t)
							f.VEOR(l.w[i].B16(), t.B16(), t.B16())
							f.StoreQ(t, part[3].word(i))
						}
					}
				}
				l.s = slices.Clone(home)
				for i, s := range l.s[:l.h.Words] {
					f.FMOVQ(part[half].word(i), s)
				}
				compress()
			}
		},
		func(state arm64.R) {
			for i, s := range l.s[:l.h.Words] {
				u, t := l.w[0], l.w[1]
				f.FMOVQ(part[1].word(i), u)
				f.VADD(s.S4(), u.S4(), u.S4())
				f.StoreQ(u, part[2].word(i))
				f.FMOVQ(part[3].word(i), t)
				f.VEOR(u.B16(), t.B16(), t.B16())
				f.StoreQ(t, part[3].word(i))
			}
			for _, vs := range [][]arm64.V{l.s, l.w, l.t, {l.k}} {
				f.Free(vs...)
			}
			l.c.done()
		})
}

// sha1NEON writes SHA-1 on four lanes.
func sha1NEON(f *arm64.File) {
	l := &neonSHA{f: f, h: spec.SHA1}
	l.turn = func() {
		s := l.s
		l.s = []arm64.V{s[4], s[0], s[5], s[2], s[3], s[1]}
	}
	l.iterate("IterateNEONx4", armDoc("IterateNEONx4", spec.SHA1, 4, `
Each vector is one word of four lanes; U and all of the schedule are in registers while this runs. For cores without SHA1.
The mix of a compression (FIPS 180-4 §6.1.2): for a round 4 additions, 4 shifts and two instructions for Ch, Parity or Maj, for a word of the schedule 5, less what is zero in it; about 1100 in all, and a load a round.
Bound by latency: two shifts and an addition from one a to the next, 80·6 + 2 = 482 cycles on Neoverse cores, which a Neoverse V2 takes by LLVM's model; on a Neoverse N1 also by its two vector units.`), 3, func() {
		for i := range 80 {
			if i >= 16 {
				l.sha1Schedule(i)
			}
			l.sha1Round(i)
		}
	})
}

// sha1Schedule makes word i, 16 <= i, out of the sixteen before it. Known ones are folded (FIPS 180-4 §6.1.2).
func (l *neonSHA) sha1Schedule(i int) {
	f := l.f
	var constant uint32
	var vs []arm64.V
	for _, back := range []int{16, 14, 8, 3} { // the last one is the latest to be there
		if c, ok := l.known(i - back); ok {
			constant ^= c
		} else {
			vs = append(vs, l.w[(i-back)%16])
		}
	}
	if constant != 0 {
		f.FMOVQ(l.c.splat(constant), l.k)
		vs = append([]arm64.V{l.k}, vs...)
	}
	x := vs[0]
	for _, v := range vs[1:] {
		f.VEOR(v.B16(), x.B16(), l.t[0].B16())
		x = l.t[0]
	}
	if x == l.w[i%16] { // rotating needs another register
		f.VMOV(x.B16(), l.t[0].B16())
		x = l.t[0]
	}
	l.rotate(31, x, l.w[i%16])
}

// sha1Round does round i (FIPS 180-4 §6.1.2). Of the addends of e the rotated a, which is the last to be there, comes last.
func (l *neonSHA) sha1Round(i int) {
	f := l.f
	a, b, c, d, e, next := l.s[0], l.s[1], l.s[2], l.s[3], l.s[4], l.s[5]
	t, u := l.t[1], l.t[2]
	l.addConstant(l.h.K[i/20], i, e)
	switch i / 20 {
	case 0: // b selects c or d
		f.VMOV(d.B16(), t.B16())
		f.VBIT(b.B16(), c.B16(), t.B16())
	case 2: // where b and c differ, d decides
		f.VEOR(b.B16(), c.B16(), t.B16())
		f.VBSL(b.B16(), d.B16(), t.B16())
	default:
		f.VEOR(c.B16(), d.B16(), t.B16())
		f.VEOR(b.B16(), t.B16(), t.B16())
	}
	f.VADD(t.S4(), e.S4(), e.S4())
	l.rotate(27, a, u)
	f.VADD(u.S4(), e.S4(), e.S4())
	l.rotate(2, b, next)
	l.turn()
}
