// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// sha256NEON writes SHA-256 on four lanes.
func sha256NEON(f *arm64.File) {
	for _, h := range []spec.Hash{spec.SHA256, spec.SHA224} {
		l := &neonSHA{f: f, h: h}
		name := kernelSymbol("NEONx4", h)
		l.iterate(name, armDoc(name, h, 4, `
Each vector is one word of four lanes; U and all of the schedule are in registers while this runs. For cores without SHA2.
The mix of a compression (FIPS 180-4 §6.2.2): for a round 7 additions, 4 instructions for Ch and Maj and 16 for the two sums, for a word of the schedule 17, less what is constant in it; about 2400 in all,
and a load a round.
Bound by latency on cores with four vector units, twelve cycles from one e to the next, or 772; by the units on cores with two, 1200 cycles on a Neoverse N1.`), 4, func() {
			for i := range 64 {
				if i >= 16 {
					l.sha256Schedule(i)
				}
				l.sha256Round(i)
			}
		})
	}
}

// sigma sets d to the xor of x rotated right by each of n; the last is a shift if so wanted.
func (l *neonSHA) sigma(n [3]int, shift bool, x, d, t arm64.V) {
	f := l.f
	l.rotate(n[0], x, d)
	l.rotate(n[1], x, t)
	f.VEOR(t.B16(), d.B16(), d.B16())
	if shift {
		f.VUSHR(n[2], x.S4(), t.S4())
	} else {
		l.rotate(n[2], x, t)
	}
	f.VEOR(t.B16(), d.B16(), d.B16())
}

// sha256Schedule makes word i, 16 <= i, out of the sixteen before it. Known ones are folded (FIPS 180-4 §6.2.2).
func (l *neonSHA) sha256Schedule(i int) {
	f := l.f
	rot := sha2Rotate[32]
	known := &sha2Known{32, l.words[:]}
	d := l.w[i%16]
	var constant uint32
	var vs []arm64.V // what has been added up, in temporaries or the ring
	if c, ok := l.known(i - 16); ok {
		constant += c
	} else {
		vs = append(vs, d)
	}
	if c, ok := l.known(i - 7); ok {
		constant += c
	} else {
		vs = append(vs, l.w[(i-7)%16])
	}
	for j, s := range []struct {
		back int
		n    [3]int
	}{{15, rot.sigma0}, {2, rot.sigma1}} {
		if c, ok := l.known(i - s.back); ok {
			constant += uint32(known.sigma(s.n, uint64(c)))
		} else {
			l.sigma(s.n, true, l.w[(i-s.back)%16], l.t[j], l.t[2])
			vs = append(vs, l.t[j])
		}
	}
	if constant != 0 {
		f.FMOVQ(l.c.splat(constant), l.k)
		vs = append([]arm64.V{l.k}, vs...)
	}
	x := vs[0]
	for _, v := range vs[1:] {
		f.VADD(v.S4(), x.S4(), d.S4())
		x = d
	}
	if x != d {
		f.VMOV(x.B16(), d.B16())
	}
}

// sha256Round does round i (FIPS 180-4 §6.2.2).
func (l *neonSHA) sha256Round(i int) {
	f := l.f
	rot := sha2Rotate[32]
	r := func(k int) arm64.V { return l.s[(k-i)&7] }
	a, b, c, d, e, ff, g, h := r(0), r(1), r(2), r(3), r(4), r(5), r(6), r(7)
	ch, s1, tmp := l.t[0], l.t[1], l.t[2]
	l.addConstant(l.h.K[i], i, h)
	f.VMOV(g.B16(), ch.B16()) // e selects f or g
	f.VBIT(e.B16(), ff.B16(), ch.B16())
	f.VADD(ch.S4(), h.S4(), h.S4())
	l.sigma(rot.bigSigma1, false, e, s1, tmp)
	f.VADD(s1.S4(), h.S4(), h.S4())
	f.VADD(h.S4(), d.S4(), d.S4())
	maj, s0 := l.t[3], l.t[1]
	f.VEOR(a.B16(), b.B16(), maj.B16()) // where a and b differ, c decides
	f.VBSL(b.B16(), c.B16(), maj.B16())
	f.VADD(maj.S4(), h.S4(), h.S4())
	l.sigma(rot.bigSigma0, false, a, s0, tmp)
	f.VADD(s0.S4(), h.S4(), h.S4())
}
