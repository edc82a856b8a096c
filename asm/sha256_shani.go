// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

func sha256SHANI(f *amd64.File) {
	for _, h := range []spec.Hash{spec.SHA256, spec.SHA224} {
		iterateSHA256SHANI(f, h)
	}
	compressSHA256SHANI(f)
}

// A shaniStream is the registers of one lane. The state is two vectors as SHA256RNDS2 wants it, highest word first: ABEF and CDGH.
// X0 is every stream's scratch: SHA256RNDS2 reads the two words of W+K there.
type shaniStream struct {
	f          *amd64.File
	abef, cdgh VecPhysical
	w          [4]VecPhysical // a ring of the schedule's last sixteen words
	tmp        VecPhysical
}

// Where the words of abef and cdgh are, lowest element first.
var (
	abefWords = [4]int{5, 4, 1, 0}
	cdghWords = [4]int{7, 6, 3, 2}
)

func vec4(k []uint64, order [4]int) []uint32 {
	v := make([]uint32, 4)
	for i, o := range order {
		v[i] = uint32(k[o])
	}
	return v
}

// twoRounds does rounds whose W+K are the low two words of X0 (FIPS 180-4 §6.2.2).
func (s *shaniStream) twoRounds() {
	s.f.SHA256RNDS2(X0, s.abef, s.cdgh)
	s.abef, s.cdgh = s.cdgh, s.abef
}

// fourRounds does the rounds whose W+K are in wk; a register apart from X0 may be given.
func (s *shaniStream) fourRounds() []amd64.Atom {
	return []amd64.Atom{
		func() { s.twoRounds() },
		func() { s.f.PSHUFD(U8(0x0e), X0, X0); s.twoRounds() },
	}
}

// scheduleRounds makes W of quad q (q >= 4) and does its rounds.
func (s *shaniStream) scheduleRounds(q int) {
	f := s.f
	f.MOVOU(f.Table32("k256", k32(spec.SHA256.K)...).Offset(16*q), X0)
	f.PADDD(s.w[q%4], X0)
	for _, a := range s.fourRounds() {
		a()
	}
}

// schedule makes the words of quad q out of the four quads before it.
func (s *shaniStream) schedule(q int) {
	f := s.f
	w0, w1, w2, w3 := s.w[q%4], s.w[(q+1)%4], s.w[(q+2)%4], s.w[(q+3)%4]
	f.SHA256MSG1(w1, w0)
	f.MOVOA(w3, s.tmp)
	f.PALIGNR(U8(4), w2, s.tmp)
	f.PADDD(s.tmp, w0)
	f.SHA256MSG2(w3, w0)
}

func k32(k []uint64) []uint32 {
	v := make([]uint32, len(k))
	for i := range k {
		v[i] = uint32(k[i])
	}
	return v
}

// gather loads one vector from the four words at word-major state, part p, with lanes lanes; scatter is its inverse.
func gather32(f *amd64.File, base Mem, stride int, order [4]int, dst VecPhysical) {
	f.MOVD(base.Offset(stride*order[0]), dst)
	for i := 1; i < 4; i++ {
		f.PINSRD(U8(i), base.Offset(stride*order[i]), dst)
	}
}

func scatter32(f *amd64.File, src VecPhysical, base Mem, stride int, order [4]int) {
	for i := 0; i < 4; i++ {
		f.PEXTRD(U8(i), src, base.Offset(stride*order[i]))
	}
}

// minus sets dst to dst - src, without PSUBD, which avo lacks: not (not dst + src).
func minus(f *amd64.File, src, dst, tmp VecPhysical) {
	f.PCMPEQL(tmp, tmp)
	f.PXOR(tmp, dst)
	f.PADDD(src, dst)
	f.PXOR(tmp, dst)
}

func iterateSHA256SHANI(f *amd64.File, h spec.Hash) {
	s := &shaniStream{f: f, abef: X1, cdgh: X2, w: [4]VecPhysical{X3, X4, X5, X6}, tmp: X7}
	var wkABEF, wkCDGH VecPhysical = X8, X9
	tABEF, tCDGH := X10, X11
	m := h.Message()
	k := h.K
	wk := make([]uint32, 16) // W+K of the constant words
	cw := make([]uint32, 16)
	for i := range wk {
		wk[i] = uint32(m[i].Const + k[i])
		cw[i] = uint32(m[i].Const)
	}
	var frame [2]struct{ abef, cdgh, kABEF, kCDGH Mem }
	part := func(state GPPhysical, p int) Mem { return Mem{Base: state, Disp: p * 32} }
	f.Iterate("IterateSHANI"+h.Suffix, `
IterateSHANI`+h.Suffix+` does n iterations of HMAC-`+h.Name+` on one lane.
TODO comment`,
		func(state GPPhysical) {
			for i := range frame {
				a := f.AllocLocal(64)
				fr := &frame[i]
				fr.abef, fr.cdgh, fr.kABEF, fr.kCDGH = a, a.Offset(16), a.Offset(32), a.Offset(48)
				gather32(f, part(state, i), 4, abefWords, X0)
				f.MOVOU(X0, fr.abef)
				f.MOVOU(f.Table32("kabef", vec4(k, abefWords)...), X1)
				f.PADDD(X1, X0)
				f.MOVOU(X0, fr.kABEF)
				gather32(f, part(state, i), 4, cdghWords, X0)
				f.MOVOU(X0, fr.cdgh)
				f.MOVOU(f.Table32("kcdgh", vec4(k, cdghWords)...), X1)
				f.PADDD(X1, X0)
				f.MOVOU(X0, fr.kCDGH)
			}
			// The loop begins by adding the outer midstate.
			gather32(f, part(state, 2), 4, abefWords, s.abef)
			gather32(f, part(state, 3), 4, abefWords, tABEF)
			f.PXOR(s.abef, tABEF)
			f.MOVOU(frame[1].abef, X0)
			minus(f, X0, s.abef, X15)
			gather32(f, part(state, 2), 4, cdghWords, s.cdgh)
			gather32(f, part(state, 3), 4, cdghWords, tCDGH)
			f.PXOR(s.cdgh, tCDGH)
			f.MOVOU(frame[1].cdgh, X0)
			minus(f, X0, s.cdgh, X15)
		},
		func(state GPPhysical) {
			for half := range 2 {
				prev := frame[1-half]
				f.MOVOU(prev.kABEF, wkABEF)
				f.PADDD(s.abef, wkABEF)
				f.MOVOU(prev.kCDGH, wkCDGH)
				f.PADDD(s.cdgh, wkCDGH)
				f.MOVOU(prev.abef, X0)
				f.PADDD(X0, s.abef)
				f.MOVOU(prev.cdgh, X0)
				f.PADDD(X0, s.cdgh)
				if half == 0 {
					f.PXOR(s.abef, tABEF)
					f.PXOR(s.cdgh, tCDGH)
				}
				f.MOVOA(s.abef, s.w[0])
				f.SHUFPS(U8(0xbb), s.cdgh, s.w[0])
				f.MOVOA(s.abef, s.w[1])
				f.SHUFPS(U8(0x11), s.cdgh, s.w[1])
				if h.Digest == 28 {
					f.MOVOU(f.Table32("wkLast", wk[7], 0, 0, 0), X0)
					f.PBLENDW(U8(0x03), X0, wkCDGH)
					f.MOVOU(f.Table32("wLast", 0, 0, 0, cw[7]), X0)
					f.PBLENDW(U8(0xc0), X0, s.w[1])
				}
				f.MOVOU(frame[half].abef, s.abef)
				f.MOVOU(frame[half].cdgh, s.cdgh)
				for _, r := range []struct {
					order uint8
					v     VecPhysical
				}{{0x0b, wkABEF}, {0x0b, wkCDGH}, {0x01, wkABEF}, {0x01, wkCDGH}} {
					f.PSHUFD(U8(r.order), r.v, X0)
					s.twoRounds()
				}
				for q := 2; q < 4; q++ {
					f.MOVOU(f.Table32("wk"+h.Suffix, wk...).Offset(16*q), X0)
					for _, a := range s.fourRounds() {
						a()
					}
					f.MOVOU(f.Table32("w"+h.Suffix, cw...).Offset(16*q), s.w[q])
				}
				s.schedule(4)
				for q := 4; q < 16; q++ {
					if q < 15 {
						s.schedule(q + 1)
					}
					s.scheduleRounds(q)
				}
			}
		},
		func(state GPPhysical) {
			f.MOVOU(frame[1].abef, X0)
			f.PADDD(X0, s.abef)
			f.MOVOU(frame[1].cdgh, X0)
			f.PADDD(X0, s.cdgh)
			f.PXOR(s.abef, tABEF)
			f.PXOR(s.cdgh, tCDGH)
			scatter32(f, s.abef, part(state, 2), 4, abefWords)
			scatter32(f, s.cdgh, part(state, 2), 4, cdghWords)
			scatter32(f, tABEF, part(state, 3), 4, abefWords)
			scatter32(f, tCDGH, part(state, 3), 4, cdghWords)
		})
}

func compressSHA256SHANI(f *amd64.File) {
	s := &shaniStream{f: f, abef: X1, cdgh: X2, w: [4]VecPhysical{X3, X4, X5, X6}, tmp: X7}
	abef, cdgh := X8, X9
	swap := func() []uint32 {
		v := make([]uint32, 4)
		for i := range v {
			v[i] = uint32(0x00010203 + 0x04040404*i)
		}
		return v
	}()
	f.Compress("CompressSHANI", "CompressSHANI TODO", 64,
		func(h, p GPPhysical) {
			gather32(f, Mem{Base: h}, 4, abefWords, s.abef)
			gather32(f, Mem{Base: h}, 4, cdghWords, s.cdgh)
			f.MOVOU(f.Table32("swap", swap...), X10)
		},
		func(h, p GPPhysical) {
			f.MOVOA(s.abef, abef)
			f.MOVOA(s.cdgh, cdgh)
			for q := range 16 {
				if q < 4 {
					f.MOVOU(Mem{Base: p, Disp: 16 * q}, s.w[q])
					f.PSHUFB(X10, s.w[q])
				} else {
					s.schedule(q)
				}
				s.scheduleRounds(q)
			}
			f.PADDD(abef, s.abef)
			f.PADDD(cdgh, s.cdgh)
		},
		func(h, p GPPhysical) {
			scatter32(f, s.abef, Mem{Base: h}, 4, abefWords)
			scatter32(f, s.cdgh, Mem{Base: h}, 4, cdghWords)
		})
}
