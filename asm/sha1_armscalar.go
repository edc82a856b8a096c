// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// sha1ARMScalar writes SHA-1 in general registers, one lane, for cores without instructions for it; and the compression function.
func sha1ARMScalar(f *arm64.File) {
	iterateSHA1ARMScalar(f)
	compressSHA1ARMScalar(f)
}

// A sha1ARM is the registers of SHA-1: all there are with the two that every kernel has.
type sha1ARM struct {
	f       *arm64.File
	s       []arm64.R // a to e
	w       []arm64.R // a ring of the schedule's last sixteen words
	k, t, u arm64.R
	known   *sha2Known
}

func newSHA1ARM(f *arm64.File, k arm64.R, words []spec.Word) *sha1ARM {
	return &sha1ARM{f, f.Rs("state", 5), f.Rs("w", 16), k, f.R("t"), f.R("u"), &sha2Known{32, words}}
}

func (l *sha1ARM) free() {
	l.f.FreeR(l.s...)
	l.f.FreeR(l.w...)
	l.f.FreeR(l.t, l.u)
}

// schedule makes word i, 16 <= i, out of the sixteen before it. Known ones are folded (FIPS 180-4 §6.1.2).
func (l *sha1ARM) schedule(i int) {
	f := l.f
	d := l.w[i%16]
	var constant uint64
	var rs []arm64.R
	for _, back := range []int{16, 14, 8, 3} { // the last one is the latest to be there
		if c, ok := l.known.word(i - back); ok {
			constant ^= c
		} else {
			rs = append(rs, l.w[(i-back)%16])
		}
	}
	if constant != 0 {
		f.MOVW(arm64.Imm(constant), l.t)
		rs = append([]arm64.R{l.t}, rs...)
	}
	x := rs[0]
	for _, r := range rs[1:] {
		f.EORW(r, x, d)
		x = d
	}
	f.RORW(31, x, d)
}

// round does round i (FIPS 180-4 §6.1.2). The rotated a, the last of e's addends to be there, comes last.
func (l *sha1ARM) round(i int) {
	f, t, u := l.f, l.t, l.u
	r := func(k int) arm64.R { return l.s[(k+80-i)%5] }
	a, b, c, d, e := r(0), r(1), r(2), r(3), r(4)
	k := spec.SHA1.K[i/20]
	if i%20 == 0 {
		f.MOVW(arm64.Imm(k), l.k)
	}
	switch w, ok := l.known.word(i); {
	case !ok:
		f.ADDW(l.k, e, e)
		f.ADDW(l.w[i%16], e, e)
	case w == 0:
		f.ADDW(l.k, e, e)
	default:
		f.MOVW(arm64.Imm(uint32(k+w)), t)
		f.ADDW(t, e, e)
	}
	switch i / 20 {
	case 0:
		f.EORW(c, d, t)
		f.ANDW(b, t, t)
		f.EORW(d, t, t)
	case 2: // b&c and (b^c)&d have no bit in common, so both can be added
		f.ANDW(b, c, t)
		f.ADDW(t, e, e)
		f.EORW(b, c, t)
		f.ANDW(d, t, t)
	default:
		f.EORW(c, d, t)
		f.EORW(b, t, t)
	}
	f.ADDW(t, e, e)
	f.RORW(27, a, u)
	f.ADDW(u, e, e)
	f.RORW(2, b, b)
}

func (l *sha1ARM) compress() {
	for i := range 80 {
		if i >= 16 {
			l.schedule(i)
		}
		l.round(i)
	}
}

func iterateSHA1ARMScalar(f *arm64.File) {
	var l *sha1ARM
	words := spec.SHA1.Message()
	word := func(state arm64.R, part, i int) arm64.Mem {
		return arm64.Mem{Base: state, Disp: 4 * (5*part + i)}
	}
	// toT adds u to t.
	toT := func(state arm64.R, i int, u arm64.R) {
		f.MOVWU(word(state, 3, i), l.t)
		f.EORW(u, l.t, l.t)
		f.StoreW(l.t, word(state, 3, i))
	}
	f.Iterate(kernelSymbol("Scalar", spec.SHA1), armDoc("IterateScalar", spec.SHA1, 1, `
All of the state is in registers while this runs but T. For cores without SHA1.
The mix of a compression (FIPS 180-4 §6.1.2): for a round about 9 instructions, for a word of the schedule four, less what is zero in it; 950 in all.
Bound by the units: 320 cycles on a Neoverse N1 with three, which it takes by LLVM's model. The chain of a round is a rotation and an addition.`),
		func(state arm64.R) {
			l = newSHA1ARM(f, f.R("k"), words[:])
			f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
			for i, s := range l.s {
				f.MOVWU(word(state, 2, i), s)
				toT(state, i, s)
				f.MOVWU(word(state, 1, i), l.u)
				f.SUBW(l.u, s, s)
			}
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				for i, s := range l.s {
					f.MOVWU(word(state, 1-half, i), l.w[i])
					f.ADDW(s, l.w[i], l.w[i])
					if half == 0 {
						toT(state, i, l.w[i])
					}
					f.MOVWU(word(state, half, i), s)
				}
				l.compress()
			}
		},
		func(state arm64.R) {
			for i, s := range l.s {
				f.MOVWU(word(state, 1, i), l.u)
				f.ADDW(l.u, s, s)
				f.StoreW(s, word(state, 2, i))
				toT(state, i, s)
			}
			f.FreeR(l.k)
			l.free()
		})
}

// The compression function keeps h in memory while a block is hashed: there is no register for K otherwise.
func compressSHA1ARMScalar(f *arm64.File) {
	var l *sha1ARM
	var saved arm64.Mem
	f.Compress("CompressScalar", `
CompressScalar compresses the blocks of p into the state at h, with the rounds and the schedule of IterateScalar (FIPS 180-4 §6.1.2).
Bound as that is.`, 64,
		func(h, p arm64.R) {
			l = newSHA1ARM(f, h, nil)
			saved = f.Local(8)
			f.StoreD(h, saved)
			for i, s := range l.s {
				f.MOVWU(arm64.Mem{Base: h, Disp: 4 * i}, s)
			}
		},
		func(h, p arm64.R) {
			for i, w := range l.w {
				f.MOVWU(arm64.Mem{Base: p, Disp: 4 * i}, w)
				f.REVW(w, w)
			}
			f.ADD(arm64.Imm(64), p, p)
			l.compress()
			f.MOVD(saved, h)
			for i, s := range l.s {
				m := arm64.Mem{Base: h, Disp: 4 * i}
				f.MOVWU(m, l.t)
				f.ADDW(l.t, s, s)
				f.StoreW(s, m)
			}
		},
		func(h, p arm64.R) { l.free() })
}
