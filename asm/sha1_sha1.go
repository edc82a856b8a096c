// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// sha1ARMDoc is what the kernels' documentation says of the numbers of lanes.
var sha1ARMDoc = map[int]string{
	1: `
While this runs each lane has the words a to d of a state in one vector and e in another, U and T alike.
The mix of a compression (FIPS 180-4 §6.1.2): 20 SHA1C, SHA1P and SHA1M, 13 SHA1SU0, 16 SHA1SU1 and about 80 additions, shifts and moves. The next e is rotated by two
shifts: SHA1H would take the unit of SHA1C in the cycle in which that is ready. Constant words of the message are added to K, and the schedule leaves out what is zero.
Bound by latency: 20 SHA1C, each of which waits for the last, and the addition of the midstate. That is 82 cycles on Neoverse cores by LLVM's model, in which it takes 82.`,
	2: `
While this runs each lane has the words a to d of a state in one vector and e in another, U and T alike.
The mix of a compression (FIPS 180-4 §6.1.2) is that of one lane for each, except that 6 of the SHA1SU0 are made of three instructions that any vector unit can do.
Bound by the latency of one lane, 82 cycles on Neoverse cores, and by the unit for hash instructions: two lanes give it 88 to do in a compression, of which it would have
100 without that exchange. By LLVM's model it takes 94 cycles on a Neoverse V2 with four vector units, and 128 on a Neoverse N1 with two.`,
}

// sha1SHA1 writes SHA-1 with ARMv8's SHA1 instructions for so many lanes and, with one, the compression function.
func sha1SHA1(lanes int) func(*arm64.File) {
	return func(f *arm64.File) {
		iterateSHA1SHA1(f, lanes)
		if lanes == 1 {
			compressSHA1SHA1(f)
		}
	}
}

// A sha1Lane is the registers of one lane. SHA1C, P and M keep a to d in a vector and take e, the only element of another, which is a of four rounds before, rotated.
type sha1Lane struct {
	abcd arm64.V
	e    [2]arm64.V // this quad's and the next one's; in a midstate e has the second message vector's constant words behind it: 0x80000000, 0, 0
	quadLane

	shared bool // with another lane
}

func newSHA1Lane(f *arm64.File) *sha1Lane {
	return &sha1Lane{abcd: f.V("abcd"), e: [2]arm64.V{f.V("e"), f.V("e")}, quadLane: newQuadLane(f)}
}

func (l *sha1Lane) free() {
	l.f.Free(l.abcd, l.e[0], l.e[1], l.wk)
	l.f.Free(l.w...)
}

func (l *sha1Lane) state() [2]arm64.V { return [2]arm64.V{l.abcd, l.e[0]} }

// fourRounds does the rounds of quad q, whose W+K are in wk (FIPS 180-4 §6.1.2, four at a time). The next e is rotated by shifts: SHA1H would wait for the unit that does
// SHA1C and hold that up by a cycle in each quad.
func (l *sha1Lane) fourRounds(q int, wk arm64.V) {
	f := l.f
	e, next := l.e[q%2], l.e[(q+1)%2]
	last := q == 19 // after which e must be alone in its vector
	if last {
		f.VMOV(l.abcd.B16(), next.B16())
	} else {
		f.VSHL(30, l.abcd.S4(), next.S4())
		f.VSRI(2, l.abcd.S4(), next.S4())
	}
	switch q / 5 {
	case 0:
		f.SHA1C(wk.S4(), e, l.abcd)
	case 2:
		f.SHA1M(wk.S4(), e, l.abcd)
	default:
		f.SHA1P(wk.S4(), e, l.abcd)
	}
	if last {
		f.SHA1H(next, next)
	}
}

// schedule makes the words of quad q, 4 <= q < 20, out of the four quads before it.
func (l *sha1Lane) schedule(q int, c *sha1Constant) {
	f := l.f
	w0, w1, w2, w3 := l.w[q%4], l.w[(q+1)%4], l.w[(q+2)%4], l.w[(q+3)%4]
	switch {
	case c != nil && q == 4: // quad 2 is zero
		f.VEXT(8, w1.B16(), w0.B16(), w2.B16())
		f.VEOR(w2.B16(), w0.B16(), w0.B16())
	case c != nil && q == 5: // so are words 6 and 7
		f.VEOR(w2.B16(), w0.B16(), w0.B16())
	case c != nil && q == 6: // and 8 to 13
		f.VMOV(w2.B16(), w0.B16())
	case l.shared && q >= 8 && q%2 == 0: // SHA1SU0 in three instructions for any vector unit, to leave the one for hashes to the other lane
		t := l.wk
		f.VEXT(8, w1.B16(), w0.B16(), t.B16())
		f.VEOR(w2.B16(), w0.B16(), w0.B16())
		f.VEOR(t.B16(), w0.B16(), w0.B16())
	default:
		f.SHA1SU0(w2.S4(), w1.S4(), w0.S4())
	}
	f.SHA1SU1(w3.S4(), w0.S4())
}

// The vectors of the table of constants: K of each twenty rounds, then
const (
	sha1Quad3  = 4 // the message's last words,
	sha1Quad3K = 5 // those plus K,
	sha1Quad1  = 6 // and its words 4 to 7 without the digest's last.
)

// A sha1Constant is where those vectors are.
type sha1Constant struct{ base arm64.R }

func (c *sha1Constant) at(i int) arm64.Mem { return arm64.Mem{Base: c.base, Disp: 16 * i} }

func sha1Constants() []uint32 {
	w := spec.Words32(constWords(spec.SHA1))
	var c []uint32
	for _, k := range spec.SHA1.K {
		for range 4 {
			c = append(c, uint32(k))
		}
	}
	c = append(c, w[12:]...)
	for _, x := range w[12:] {
		c = append(c, x+uint32(spec.SHA1.K[0]))
	}
	return append(c, w[4:8]...)
}

// sha1Compress does the 80 rounds of each lane, the schedule four rounds ahead. In an iteration, where c is not nil, quads 2 and 3 of the message are
// constant, and W+K of the first two quads are in wk and w[2].
func sha1Compress(f *arm64.File, ls []*sha1Lane, k func(q int) arm64.Mem, c *sha1Constant) {
	kq := f.V("k")
	for q := range 20 {
		if q%5 == 0 {
			f.FMOVQ(k(q/5), kq)
		}
		perLane(f, ls, func(l *sha1Lane) {
			wk := l.wk
			switch {
			case c != nil && q == 1:
				wk = l.w[2]
			case c != nil && q == 0:
			case c != nil && q == 2:
				wk = kq
			case c != nil && q == 3:
				f.FMOVQ(c.at(sha1Quad3K), wk)
			default:
				f.VADD(kq.S4(), l.w[q%4].S4(), wk.S4())
			}
			l.fourRounds(q, wk)
			if c != nil && q == 2 {
				f.FMOVQ(c.at(sha1Quad3), l.w[3])
			}
			if q >= 3 && q < 19 {
				l.schedule(q+1, c)
			}
		})
	}
	f.Free(kq)
}

func iterateSHA1SHA1(f *arm64.File, lanes int) {
	name := kernelSymbol(streamsISA("SHA1", lanes), spec.SHA1)
	c := &sha1Constant{}
	var ls []*sha1Lane
	f.Iterate(name, armDoc(name, spec.SHA1, lanes, sha1ARMDoc[lanes]),
		func(state arm64.R) {
			c.base = f.R("constants")
			f.Address(f.Table32("sha1", sha1Constants()...), c.base)
			p := f.R("p")
			f.MOVD(state, p)
			// deal loads the next part, abcd and e of each lane, and calls do for each.
			deal := func(do func(l *sha1Lane, i int, v arm64.V)) {
				vs := ls[0].w[:lanes]
				f.VLDnP(arm64.Mem{Base: p}, s4(vs)...)
				for j, v := range vs {
					do(ls[j], 0, v)
				}
				for j, v := range vs {
					f.FMOVS(arm64.Mem{Base: p, Disp: 4 * j}, v)
					do(ls[j], 1, v)
				}
				f.ADD(arm64.Imm(4*lanes), p, p)
			}
			for range lanes {
				l := newSHA1Lane(f)
				l.shared = lanes > 1
				l.t = [2]arm64.V{f.V("t"), f.V("t")}
				l.mid = [2]quadMid{{f.Local(32), f.Local(32)}, {f.Local(32), f.Local(32)}}
				ls = append(ls, l)
			}
			k, quad1 := ls[0].wk, ls[0].e[1]
			f.FMOVQ(c.at(0), k)
			f.FMOVQ(c.at(sha1Quad1), quad1)
			for half := range 2 {
				deal(func(l *sha1Lane, i int, v arm64.V) {
					if i == 1 {
						f.VORR(quad1.B16(), v.B16(), v.B16())
					}
					f.StoreQ(v, l.mid[half].state.Offset(16*i))
					f.VADD(k.S4(), v.S4(), v.S4())
					f.StoreQ(v, l.mid[half].stateK.Offset(16*i))
				})
			}
			f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
			deal(func(l *sha1Lane, i int, u arm64.V) {
				outer := l.state()[i]
				if i == 1 {
					f.VORR(quad1.B16(), u.B16(), u.B16())
				}
				f.VMOV(u.B16(), l.t[i].B16())
				f.FMOVQ(l.mid[1].state.Offset(16*i), outer)
				f.VSUB(outer.S4(), u.S4(), outer.S4())
			})
			deal(func(l *sha1Lane, i int, t arm64.V) { f.VEOR(t.B16(), l.t[i].B16(), l.t[i].B16()) })
			f.FreeR(p)
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				perLane(f, ls, func(l *sha1Lane) {
					l.message(l.state(), l.mid[1-half], half == 0)
					m := l.mid[half].state
					f.FMOVQ(m, l.abcd)
					f.FMOVQ(m.Offset(16), l.e[0])
				})
				sha1Compress(f, ls, c.at, c)
			}
		},
		func(state arm64.R) {
			p := f.R("p")
			f.ADD(arm64.Imm(2*20*lanes), state, p)
			// collect stores the next part, for which do sets abcd and e of each lane.
			collect := func(do func(l *sha1Lane, i int, v arm64.V)) {
				vs := ls[0].w[:lanes]
				for j, l := range ls {
					do(l, 0, vs[j])
				}
				f.VSTnP(arm64.Mem{Base: p}, s4(vs)...)
				for j, l := range ls {
					do(l, 1, vs[j])
					f.StoreVS(vs[j], arm64.Mem{Base: p, Disp: 4 * j})
				}
				f.ADD(arm64.Imm(4*lanes), p, p)
			}
			collect(func(l *sha1Lane, i int, u arm64.V) {
				f.FMOVQ(l.mid[1].state.Offset(16*i), u)
				f.VADD(l.state()[i].S4(), u.S4(), u.S4())
				f.VEOR(u.B16(), l.t[i].B16(), l.t[i].B16())
			})
			collect(func(l *sha1Lane, i int, t arm64.V) { f.VMOV(l.t[i].B16(), t.B16()) })
			for _, l := range ls {
				l.free()
				f.Free(l.t[:]...)
			}
			f.FreeR(p, c.base)
		})
}

func compressSHA1SHA1(f *arm64.File) {
	var l *sha1Lane
	k := &sha1Constant{}
	var sum []arm64.V
	f.Compress("CompressSHA1", `
CompressSHA1 compresses the blocks of p into the state at h, with the rounds and the schedule of IterateSHA1 (FIPS 180-4 §6.1.2).
Bound by the latency of 20 SHA1C and an addition, 82 cycles on Neoverse cores.`, 64,
		func(h, p arm64.R) {
			l = newSHA1Lane(f)
			k.base = f.R("k")
			f.Address(f.Table32("sha1", sha1Constants()...), k.base)
			sum = f.Vs("sum", 2)
			f.FMOVQ(arm64.Mem{Base: h}, sum[0])
			f.FMOVS(arm64.Mem{Base: h, Disp: 16}, sum[1])
		},
		func(h, p arm64.R) {
			f.VLD1P(arm64.Mem{Base: p}, b16(l.w)...)
			for _, w := range l.w {
				f.VREV32(w.B16(), w.B16())
			}
			for i, s := range l.state() {
				f.VMOV(sum[i].B16(), s.B16())
			}
			sha1Compress(f, []*sha1Lane{l}, k.at, nil)
			for i, s := range l.state() {
				f.VADD(s.S4(), sum[i].S4(), sum[i].S4())
			}
		},
		func(h, p arm64.R) {
			f.StoreQ(sum[0], arm64.Mem{Base: h})
			f.StoreVS(sum[1], arm64.Mem{Base: h, Disp: 16})
			l.free()
			f.Free(sum...)
			f.FreeR(k.base)
		})
}
