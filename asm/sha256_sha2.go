// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// sha2ARMDoc is what the kernels' documentation says of the numbers of lanes.
var sha2ARMDoc = map[int]string{
	1: `
While this runs each lane has the words a to d of a state in one vector and e to h in another, U and T alike.
The mix of a compression (FIPS 180-4 §6.2.2): 16 SHA256H, 16 SHA256H2, 11 SHA256SU0, 12 SHA256SU1 and about 40 additions and moves. Constant words of the message are added to K, and what they
alone give of the schedule is a constant.
Bound by latency: 16 SHA256H, and the addition of the midstate, which has K in it. Where one unit does all hash instructions, SHA256H2 begins a cycle after SHA256H, and the next four
rounds wait for both: 16·4 + 15 + 2 = 81 cycles on Neoverse cores, which it takes by LLVM's model. The copy of abcd that SHA256H2 needs is made within that.`,
	2: `
While this runs each lane has the words a to d of a state in one vector and e to h in another, U and T alike.
The mix of a compression (FIPS 180-4 §6.2.2) is that of one lane for each.
Bound by the unit for hash instructions, which has 110 of them for two lanes and does one in a cycle: by LLVM's model it takes 115 cycles on a Neoverse V2. A third lane would gain nothing.
SHA256SU0 out of instructions for other units (nine) gains little with four vector units and loses with two.`,
}

// sha256SHA2 writes SHA-256 with ARMv8's SHA256 instructions for so many lanes and, with one, the compression function.
func sha256SHA2(lanes int) func(*arm64.File) {
	return func(f *arm64.File) {
		for _, h := range []spec.Hash{spec.SHA256, spec.SHA224} {
			iterateSHA256SHA2(f, h, lanes)
		}
		if lanes == 1 {
			compressSHA256SHA2(f)
		}
	}
}

// A sha2Lane is the registers of one lane. SHA256H overwrites abcd, and SHA256H2, which overwrites efgh, wants it as it was.
type sha2Lane struct {
	abcd, efgh, copy arm64.V
	quadLane
}

func newSHA2Lane(f *arm64.File) *sha2Lane {
	return &sha2Lane{abcd: f.V("abcd"), efgh: f.V("efgh"), copy: f.V("copy"), quadLane: newQuadLane(f)}
}

func (l *sha2Lane) free() {
	l.f.Free(l.abcd, l.efgh, l.copy, l.wk)
	l.f.Free(l.w...)
}

func (l *sha2Lane) state() [2]arm64.V { return [2]arm64.V{l.abcd, l.efgh} }

// fourRounds does rounds whose W+K are in wk (FIPS 180-4 §6.2.2, four at a time).
func (l *sha2Lane) fourRounds(wk arm64.V) {
	l.f.SHA256H(wk.S4(), l.efgh, l.abcd)
	l.f.SHA256H2(wk.S4(), l.copy, l.efgh)
}

// schedule makes the words of quad q, 4 <= q < 16, out of the four quads before it.
func (l *sha2Lane) schedule(q int, c *sha2Constant) {
	f := l.f
	w0, w1, w2, w3 := l.w[q%4], l.w[(q+1)%4], l.w[(q+2)%4], l.w[(q+3)%4]
	if c != nil && q == 6 {
		f.FMOVQ(c.at(sha2Quad6), w0)
	} else {
		f.SHA256SU0(w1.S4(), w0.S4())
	}
	f.SHA256SU1(w3.S4(), w2.S4(), w0.S4())
}

// sha2Compress does the 64 rounds of each lane, the schedule four rounds ahead; abcd is in copy too. In an iteration, where c is not nil, quads 2 and 3 of the message are
// constant, and W+K of the first two quads are in wk and w[2].
func sha2Compress(f *arm64.File, ls []*sha2Lane, k func(q int) arm64.Mem, c *sha2Constant) {
	kq := f.V("k")
	for q := range 16 {
		ready := c != nil && q < 2
		if !ready {
			f.FMOVQ(k(q), kq)
		}
		perLane(f, ls, func(l *sha2Lane) {
			wk := l.wk
			switch {
			case ready && q == 1:
				wk = l.w[2]
			case ready:
			case c != nil && q < 4:
				wk = kq
			default:
				f.VADD(kq.S4(), l.w[q%4].S4(), wk.S4())
			}
			if q > 0 {
				f.VMOV(l.abcd.B16(), l.copy.B16())
			}
			l.fourRounds(wk)
			if c != nil && (q == 1 || q == 2) {
				f.FMOVQ(c.at(sha2W+q-1), l.w[q+1])
			}
			if q >= 3 && q < 15 {
				l.schedule(q+1, c)
			}
		})
	}
	f.Free(kq)
}

// The vectors of an iteration's table of constants.
const (
	sha2Consts = 0  // quad q's K; for the constant quads 2 and 3, W+K
	sha2W      = 16 // quads 2 and 3
	sha2Quad6  = 18 // W₈…W₁₁ + σ₀(W₉…W₁₂)
	sha2Last   = 19 // for a truncated hash the last digest vector's constant words, 20: plus K
)

func sha2Constants(h spec.Hash) []uint32 {
	w := spec.Words32(constWords(h))
	c := spec.Words32(h.K)
	for i := 8; i < 16; i++ {
		c[i] += w[i]
	}
	c = append(c, w[8:]...)
	for i := 8; i < 12; i++ {
		c = append(c, w[i]+sigma0(w[i+1]))
	}
	c = append(c, w[4:8]...)
	for i := 4; i < 8; i++ {
		c = append(c, w[i]+uint32(h.K[i]))
	}
	return c
}

// A sha2Constant is where those vectors are.
type sha2Constant struct{ base arm64.R }

func (c *sha2Constant) at(i int) arm64.Mem { return arm64.Mem{Base: c.base, Disp: 16 * i} }

func iterateSHA256SHA2(f *arm64.File, h spec.Hash, lanes int) {
	name := kernelSymbol(streamsISA("SHA2", lanes), h)
	c := &sha2Constant{}
	var ls []*sha2Lane
	f.Iterate(name, armDoc(name, h, lanes, sha2ARMDoc[lanes]),
		func(state arm64.R) {
			c.base = f.R("constants")
			f.Address(f.Table32(h.Name, sha2Constants(h)...), c.base)
			p := f.R("p")
			f.MOVD(state, p)
			// deal loads the next part, both vectors of each lane, and calls do for each.
			deal := func(do func(l *sha2Lane, i int, v arm64.V)) {
				for i := range 2 {
					vs := ls[0].w[:lanes]
					f.VLDnP(arm64.Mem{Base: p}, s4(vs)...)
					for j, v := range vs {
						do(ls[j], i, v)
					}
				}
			}
			for range lanes {
				l := newSHA2Lane(f)
				l.t = [2]arm64.V{f.V("t"), f.V("t")}
				l.mid = [2]quadMid{{f.Local(32), f.Local(32)}, {f.Local(32), f.Local(32)}}
				ls = append(ls, l)
			}
			k := [2]arm64.V{ls[0].wk, ls[0].copy}
			f.FLDPQ(c.at(0), k[0], k[1])
			for half := range 2 {
				deal(func(l *sha2Lane, i int, v arm64.V) {
					f.StoreQ(v, l.mid[half].state.Offset(16*i))
					f.VADD(k[i].S4(), v.S4(), v.S4())
					f.StoreQ(v, l.mid[half].stateK.Offset(16*i))
				})
			}
			f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
			deal(func(l *sha2Lane, i int, u arm64.V) {
				outer := l.state()[i]
				f.VMOV(u.B16(), l.t[i].B16())
				f.FMOVQ(l.mid[1].state.Offset(16*i), outer)
				f.VSUB(outer.S4(), u.S4(), outer.S4())
			})
			deal(func(l *sha2Lane, i int, t arm64.V) { f.VEOR(t.B16(), l.t[i].B16(), l.t[i].B16()) })
			f.FreeR(p)
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				perLane(f, ls, func(l *sha2Lane) {
					l.message(l.state(), l.mid[1-half], half == 0)
					if h.Digest < 32 {
						l.truncate(c)
					}
					m := l.mid[half].state
					f.FMOVQ(m, l.abcd)
					f.FMOVQ(m, l.copy)
					f.FMOVQ(m.Offset(16), l.efgh)
				})
				sha2Compress(f, ls, c.at, c)
			}
		},
		func(state arm64.R) {
			p := f.R("p")
			f.ADD(arm64.Imm(2*32*lanes), state, p)
			// collect stores the next part, for which do sets both vectors of each lane.
			collect := func(do func(l *sha2Lane, i int, v arm64.V)) {
				for i := range 2 {
					vs := ls[0].w[:lanes]
					for j, l := range ls {
						do(l, i, vs[j])
					}
					f.VSTnP(arm64.Mem{Base: p}, s4(vs)...)
				}
			}
			collect(func(l *sha2Lane, i int, u arm64.V) {
				f.FMOVQ(l.mid[1].state.Offset(16*i), u)
				f.VADD(l.state()[i].S4(), u.S4(), u.S4())
				f.VEOR(u.B16(), l.t[i].B16(), l.t[i].B16())
			})
			collect(func(l *sha2Lane, i int, t arm64.V) { f.VMOV(l.t[i].B16(), t.B16()) })
			for _, l := range ls {
				l.free()
				f.Free(l.t[:]...)
			}
			f.FreeR(p, c.base)
		})
}

// truncate makes the second quad of the message, and that plus K, what they are for a digest of seven words.
func (l *sha2Lane) truncate(c *sha2Constant) {
	last := l.f.V("last")
	for i, v := range []arm64.V{l.w[1], l.w[2]} {
		l.f.FMOVQ(c.at(sha2Last+i), last)
		l.f.VMOVElement(last.S(3), v.S(3))
	}
	l.f.Free(last)
}

func compressSHA256SHA2(f *arm64.File) {
	var l *sha2Lane
	var k arm64.R
	var sum []arm64.V
	f.Compress("CompressSHA2", `
CompressSHA2 compresses the blocks of p into the state at h, with the rounds and the schedule of IterateSHA2 (FIPS 180-4 §6.2.2).
Bound as that is.`, 64,
		func(h, p arm64.R) {
			l = newSHA2Lane(f)
			k = f.R("k")
			f.Address(f.Table32("k", spec.Words32(spec.SHA256.K)...), k)
			sum = f.Vs("sum", 2)
			f.VLD1(arm64.Mem{Base: h}, s4(sum)...)
		},
		func(h, p arm64.R) {
			f.VLD1P(arm64.Mem{Base: p}, b16(l.w)...)
			for _, w := range l.w {
				f.VREV32(w.B16(), w.B16())
			}
			f.VMOV(sum[0].B16(), l.abcd.B16())
			f.VMOV(sum[0].B16(), l.copy.B16())
			f.VMOV(sum[1].B16(), l.efgh.B16())
			sha2Compress(f, []*sha2Lane{l}, func(q int) arm64.Mem { return arm64.Mem{Base: k, Disp: 16 * q} }, nil)
			f.VADD(l.abcd.S4(), sum[0].S4(), sum[0].S4())
			f.VADD(l.efgh.S4(), sum[1].S4(), sum[1].S4())
		},
		func(h, p arm64.R) {
			f.VST1(arm64.Mem{Base: h}, s4(sum)...)
			l.free()
			f.Free(sum...)
			f.FreeR(k)
		})
}
