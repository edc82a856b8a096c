// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// sha512ARMDoc is what the kernels' documentation says of the numbers of lanes.
var sha512ARMDoc = map[int]string{
	1: `
While this runs each lane has a state in four vectors of two words, U and T alike.
The mix of a compression (FIPS 180-4 §6.4.2): 40 SHA512H, 40 SHA512H2, 29 SHA512SU0, 31 SHA512SU1 and about 350 additions and exchanges of halves. Constant words of the message are added to K, and what they
alone give of the schedule is a constant. SHA512H gets c and d with W+K, so that no addition is between one and the next (see the generator).
Bound by latency: 40 SHA512H and exchanges of halves; where one unit does all hash instructions, half a cycle each for SHA512H2; and one exchange and one addition at the end. That is 40·4.5 + 4 = 184 cycles on
a Neoverse V2, which it takes by LLVM's model; the textbook's chain takes 244.`,
	2: `
While this runs each lane has a state in four vectors of two words; T is in memory.
The mix of a compression (FIPS 180-4 §6.4.2) is that of one lane for each.
Bound by the unit for hash instructions, which has 280 of them for two lanes and does one in a cycle: by LLVM's model it takes 290 cycles on a Neoverse V2.`,
}

// sha512SHA512 writes SHA-512 with ARMv8.2's SHA512 instructions for so many lanes and, with one, the compression function.
func sha512SHA512(lanes int) func(*arm64.File) {
	return func(f *arm64.File) {
		for _, h := range []spec.Hash{spec.SHA512, spec.SHA384, spec.SHA512_256, spec.SHA512_224} {
			if lanes == 1 || h.Digest >= 48 {
				iterateSHA512SHA512(f, h, lanes)
			}
		}
		if lanes == 1 {
			compressSHA512SHA512(f)
		}
	}
}

// A sha512Lane is the registers of one lane: the state in four vectors of two words, and a fifth that gets the next ab.
type sha512Lane struct {
	f              *arm64.File
	c              *pool
	home           [5]arm64.V // of ab, cd, ef, gh, next
	ab, cd, ef, gh arm64.V
	next, fg, tmp  arm64.V
	h2             func()    // of two rounds before
	w              []arm64.V // a ring of the schedule's last sixteen words
	t              []arm64.V // or, if nil, in memory:
	tMem           arm64.Mem
	mid            [2]sha512Mid // inner, outer
}

// A sha512Mid is where one midstate's vectors are in memory.
type sha512Mid struct {
	state arm64.Mem // ab, cd, ef, gh
	first arm64.Mem // what the first two rounds add to the other compression's last ab, with its words exchanged
}

func newSHA512Lane(f *arm64.File, c *pool) *sha512Lane {
	l := &sha512Lane{f: f, c: c, fg: f.V("fg"), tmp: f.V("tmp"), w: f.Vs("w", 8)}
	for i := range l.home {
		l.home[i] = f.V("state")
	}
	l.start()
	return l
}

func (l *sha512Lane) free() {
	l.f.Free(l.home[:]...)
	l.f.Free(l.w...)
	l.f.Free(l.fg, l.tmp)
	l.f.Free(l.t...)
}

// start puts the state where each compression begins, turn where it is two rounds later.
func (l *sha512Lane) start() {
	l.ab, l.cd, l.ef, l.gh, l.next = l.home[0], l.home[1], l.home[2], l.home[3], l.home[4]
}

func (l *sha512Lane) turn() {
	l.ab, l.cd, l.ef, l.gh, l.next = l.next, l.ab, l.gh, l.ef, l.cd
}

func (l *sha512Lane) state() [4]arm64.V { return [4]arm64.V{l.ab, l.cd, l.ef, l.gh} }

func (l *sha512Lane) lastTurn() {
	l.ab, l.cd, l.ef, l.gh, l.next = l.gh, l.ab, l.next, l.ef, l.cd
}

// twoRounds does rounds (FIPS 180-4 §6.4.2, two at a time) with f and g in fg, and in gh what is already added to it: W+K and cd. SHA512H by itself adds W+K, the later round
// first, to h and g, and gives T1 of both rounds; for the second it uses T1 of the first plus d. If d and c are added beforehand and
// d is passed as zero, what it gives is the new ef. So there is no addition between one SHA512H and the next, only an exchange of halves.
// SHA512H2, which wants T1, gets it by a subtraction, beside that chain.
//
// H2 has less haste than the next two rounds' H, so it comes behind that: twoRounds returns it.
func (l *sha512Lane) twoRounds(zero arm64.V) (h2 func()) {
	f := l.f
	f.VZIP1(l.ef.D2(), zero.D2(), l.tmp.D2())
	f.SHA512H(l.tmp.D2(), l.fg, l.gh)
	ab, cd, ef, next := l.ab, l.cd, l.gh, l.next
	l.turn()
	return func() {
		f.VSUB(cd.D2(), ef.D2(), next.D2())
		f.SHA512H2(ab.D2(), cd, next)
	}
}

// lastTwoRounds does the last rounds in the textbook's way, without cd in gh: the next compression's first words are ab.
func (l *sha512Lane) lastTwoRounds() {
	f := l.f
	f.VEXT(8, l.ef.B16(), l.cd.B16(), l.tmp.B16())
	f.SHA512H(l.tmp.D2(), l.fg, l.gh)
	f.VADD(l.cd.D2(), l.gh.D2(), l.next.D2())
	f.SHA512H2(l.ab.D2(), l.cd, l.gh)
	l.lastTurn()
}

// schedule makes pair k of the words, 8 <= k < 40, out of the eight pairs before it; what is known of them is folded.
func (l *sha512Lane) schedule(k int, m *sha2Known) {
	f := l.f
	w := func(i int) arm64.V { return l.w[(k+i)%8] }
	tmp := l.tmp
	if a, ok := m.pair(k, m.early); ok {
		f.FMOVQ(l.c.at(a[0], a[1]), w(0))
	} else {
		f.SHA512SU0(w(1).D2(), w(0).D2())
	}
	if a, ok := m.pair(k, m.late); ok {
		f.FMOVQ(l.c.at(a[0], a[1]), tmp)
		f.VADD(tmp.D2(), w(0).D2(), w(0).D2())
	} else {
		f.VEXT(8, w(5).B16(), w(4).B16(), tmp.B16())
		f.SHA512SU1(tmp.D2(), w(7).D2(), w(0).D2())
	}
}

// sha512Compress does the 80 rounds of each lane, the schedule two rounds ahead. In an iteration's compression from midstate half, tmp has the message's first two words, exchanged.
func sha512Compress(f *arm64.File, ls []*sha512Lane, half int, m *sha2Known, zero arm64.V) {
	kk := f.V("k")
	k := spec.SHA512.K
	for q := range 40 {
		c, isConst := m.pair(q, m.word)
		first := m.words != nil && q == 0
		switch {
		case first:
		case isConst:
			f.FMOVQ(ls[0].c.at(c[1]+k[2*q+1], c[0]+k[2*q]), kk)
		default:
			f.FMOVQ(ls[0].c.at(k[2*q], k[2*q+1]), kk)
		}
		perLane(f, ls, func(l *sha512Lane) {
			if q >= 6 && q < 38 {
				l.schedule(q+2, m)
			}
			wk := kk
			f.VEXT(8, l.gh.B16(), l.ef.B16(), l.fg.B16())
			switch {
			case first:
				f.FMOVQ(l.mid[half].first, l.gh)
				f.VADD(l.tmp.D2(), l.gh.D2(), l.gh.D2())
			case isConst:
				f.FMOVQ(l.c.at(c[0], c[1]), l.w[q])
			default:
				wk = l.tmp
				f.VADD(kk.D2(), l.w[q%8].D2(), wk.D2())
				f.VEXT(8, wk.B16(), wk.B16(), wk.B16())
			}
			if !first {
				f.VADD(wk.D2(), l.gh.D2(), l.gh.D2())
			}
			if q == 39 {
				l.h2()
				l.lastTwoRounds()
				return
			}
			if !first {
				f.VADD(l.cd.D2(), l.gh.D2(), l.gh.D2())
			}
			h2 := l.twoRounds(zero)
			if q > 0 {
				l.h2()
			}
			l.h2 = h2
		})
	}
	f.Free(kk)
}

// message turns the state that a compression with midstate m ended with, before that is added, into the next one's words, and adds those to t if they are u.
func (l *sha512Lane) message(mid sha512Mid, isU bool, m *sha2Known) {
	f := l.f
	for i, s := range l.state() {
		if _, ok := m.pair(i, m.word); ok {
			continue
		}
		f.FMOVQ(mid.state.Offset(16*i), l.w[i])
		f.VADD(s.D2(), l.w[i].D2(), l.w[i].D2())
		if isU {
			if l.t != nil {
				f.VEOR(l.w[i].B16(), l.t[i].B16(), l.t[i].B16())
			} else {
				t := l.w[7]
				f.FMOVQ(l.tMem.Offset(16*i), t)
				f.VEOR(l.w[i].B16(), t.B16(), t.B16())
				f.StoreQ(t, l.tMem.Offset(16*i))
			}
		}
		if a, b := m.words[2*i], m.words[2*i+1]; a.Const != 0 || b.Const != 0 { // the digest ends in this pair
			f.FMOVQ(l.c.at(a.Mask, b.Mask), l.w[7])
			f.VAND(l.w[7].B16(), l.w[i].B16(), l.w[i].B16())
			f.FMOVQ(l.c.at(a.Const, b.Const), l.w[7])
			f.VORR(l.w[7].B16(), l.w[i].B16(), l.w[i].B16())
		}
	}
	f.VEXT(8, l.ab.B16(), l.ab.B16(), l.tmp.B16())
}

func iterateSHA512SHA512(f *arm64.File, h spec.Hash, lanes int) {
	name := kernelSymbol(streamsISA("SHA512", lanes), h)
	words := h.Message()
	m := &sha2Known{h.WordBits, words[:]}
	var c *pool
	var ls []*sha512Lane
	var zero arm64.V
	f.Iterate(name, armDoc(name, h, lanes, sha512ARMDoc[lanes]),
		func(state arm64.R) {
			c = newPool(f, h.Name)
			p := f.R("p")
			f.MOVD(state, p)
			for range lanes {
				l := newSHA512Lane(f, c)
				for half := range l.mid {
					l.mid[half] = sha512Mid{f.Local(64), f.Local(16)}
				}
				if lanes == 1 {
					l.t = f.Vs("t", 4)
				} else {
					l.tMem = f.Local(64)
				}
				ls = append(ls, l)
			}
			zero = f.V("zero")
			// deal loads the next part, four vectors of each lane, and calls do for each.
			deal := func(do func(l *sha512Lane, i int, v arm64.V)) {
				for i := range 4 {
					vs := ls[0].w[:lanes]
					f.VLDnP(arm64.Mem{Base: p}, d2(vs)...)
					for j, v := range vs {
						do(ls[j], i, v)
					}
				}
			}
			for half := range 2 {
				deal(func(l *sha512Lane, i int, v arm64.V) { f.StoreQ(v, l.mid[half].state.Offset(16*i)) })
			}
			for _, l := range ls {
				for half := range l.mid {
					state := l.mid[half].state
					sum, v := l.w[0], l.w[1]
					f.FMOVQ(l.mid[1-half].state, sum)
					f.FMOVQ(l.c.at(h.K[0], h.K[1]), v)
					f.VADD(v.D2(), sum.D2(), sum.D2())
					f.VEXT(8, sum.B16(), sum.B16(), sum.B16())
					for _, i := range []int{1, 3} {
						f.FMOVQ(state.Offset(16*i), v)
						f.VADD(v.D2(), sum.D2(), sum.D2())
					}
					f.StoreQ(sum, l.mid[half].first)
				}
				for range 39 { // where the loop begins
					l.turn()
				}
				l.lastTurn()
			}
			f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
			t := func(l *sha512Lane, i int, op func(t arm64.V)) {
				if l.t != nil {
					op(l.t[i])
					return
				}
				f.FMOVQ(l.tMem.Offset(16*i), zero)
				op(zero)
				f.StoreQ(zero, l.tMem.Offset(16*i))
			}
			deal(func(l *sha512Lane, i int, u arm64.V) {
				outer := l.state()[i]
				t(l, i, func(t arm64.V) { f.VMOV(u.B16(), t.B16()) })
				f.FMOVQ(l.mid[1].state.Offset(16*i), outer)
				f.VSUB(outer.D2(), u.D2(), outer.D2())
			})
			deal(func(l *sha512Lane, i int, v arm64.V) {
				t(l, i, func(t arm64.V) { f.VEOR(v.B16(), t.B16(), t.B16()) })
			})
			f.VEOR(zero.B16(), zero.B16(), zero.B16())
			f.FreeR(p)
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				perLane(f, ls, func(l *sha512Lane) {
					l.message(l.mid[1-half], half == 0, m)
					l.start()
					for i, v := range l.state() {
						f.FMOVQ(l.mid[half].state.Offset(16*i), v)
					}
				})
				sha512Compress(f, ls, half, m, zero)
			}
		},
		func(state arm64.R) {
			p := f.R("p")
			f.ADD(arm64.Imm(2*64*lanes), state, p)
			// collect stores the next part, for which do sets four vectors of each lane.
			collect := func(do func(l *sha512Lane, i int, v arm64.V)) {
				for i := range 4 {
					vs := ls[0].w[:lanes]
					for j, l := range ls {
						do(l, i, vs[j])
					}
					f.VSTnP(arm64.Mem{Base: p}, d2(vs)...)
				}
			}
			collect(func(l *sha512Lane, i int, u arm64.V) {
				f.FMOVQ(l.mid[1].state.Offset(16*i), u)
				f.VADD(l.state()[i].D2(), u.D2(), u.D2())
				if l.t != nil {
					f.VEOR(u.B16(), l.t[i].B16(), l.t[i].B16())
				} else {
					f.FMOVQ(l.tMem.Offset(16*i), zero)
					f.VEOR(u.B16(), zero.B16(), zero.B16())
					f.StoreQ(zero, l.tMem.Offset(16*i))
				}
			})
			collect(func(l *sha512Lane, i int, t arm64.V) {
				if l.t != nil {
					f.VMOV(l.t[i].B16(), t.B16())
				} else {
					f.FMOVQ(l.tMem.Offset(16*i), t)
				}
			})
			for _, l := range ls {
				l.free()
			}
			f.Free(zero)
			f.FreeR(p)
			c.done()
		})
}

func compressSHA512SHA512(f *arm64.File) {
	var l *sha512Lane
	m := &sha2Known{bits: 64}
	var c *pool
	var sum []arm64.V
	var zero arm64.V
	f.Compress("CompressSHA512", `
CompressSHA512 compresses the blocks of p into the state at h, with the rounds and the schedule of IterateSHA512 (FIPS 180-4 §6.4.2).
Bound as that is.`, 128,
		func(h, p arm64.R) {
			c = newPool(f, "k")
			l = newSHA512Lane(f, c)
			zero = f.V("zero")
			f.VEOR(zero.B16(), zero.B16(), zero.B16())
			sum = f.Vs("sum", 4)
			f.VLD1(arm64.Mem{Base: h}, d2(sum)...)
		},
		func(h, p arm64.R) {
			for _, w := range [][]arm64.V{l.w[:4], l.w[4:]} {
				f.VLD1P(arm64.Mem{Base: p}, b16(w)...)
			}
			for _, w := range l.w {
				f.VREV64(w.B16(), w.B16())
			}
			l.start()
			for i, v := range l.state() {
				f.VMOV(sum[i].B16(), v.B16())
			}
			sha512Compress(f, []*sha512Lane{l}, 0, m, zero)
			for i, v := range l.state() {
				f.VADD(v.D2(), sum[i].D2(), sum[i].D2())
			}
		},
		func(h, p arm64.R) {
			f.VST1(arm64.Mem{Base: h}, d2(sum)...)
			l.free()
			f.Free(zero)
			f.Free(sum...)
			c.done()
		})
}
