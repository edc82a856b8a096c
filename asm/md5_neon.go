// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// A neonWords is where a stream of four lanes has its words in memory: vectors, stride bytes apart.
type neonWords struct {
	at     arm64.Mem
	stride int
}

func (w neonWords) word(i int) arm64.Mem { return w.at.Offset(w.stride * i) }

// neonParts are the four parts of the state of stream j of several.
func neonParts(state arm64.R, words, streams, j int) (parts [4]neonWords) {
	for p := range parts {
		parts[p] = neonWords{arm64.Mem{Base: state, Disp: 16 * (p*words*streams + j)}, 16 * streams}
	}
	return parts
}

// splat is the address of the constant with w in each 32 bits.
func (p *pool) splat(w uint32) arm64.Mem {
	d := uint64(w)<<32 | uint64(w)
	return p.at(d, d)
}

// An md5NEONStream is the registers of four lanes: a to d, what each step needs apart from that, and, unless there are so many streams that latency is no matter, ^d of the step.
type md5NEONStream struct {
	f      *arm64.File
	s      [4]arm64.V
	x, t   arm64.V
	not    []arm64.V
	part   [4]neonWords // inner, outer, u, t
	x0, x1 [2]arm64.Mem // what the first two steps add to the other compression's last a and b
}

// md5NEONDoc is what the kernels' documentation says of so many streams.
func md5NEONDoc(streams int) string {
	merged := ""
	switch {
	case streams > 3:
		merged = fmt.Sprintf(" %d streams follow each other step by step and share the registers for what does not outlive a step.", streams)
	case streams > 1:
		merged = fmt.Sprintf(" %d streams are merged instruction by instruction.", streams)
	}
	return "Each vector is one word of four lanes." + merged + ` U, which is the message, and T are in memory.
The mix of a step (RFC 1321 §3.4): two additions of constant and word, or one if the word is constant, too; two instructions for F, G and H, three for I, an addition, two shifts (one byte
shuffle for the rotation by 16) and an addition: about 7.5 vector instructions and a load.
Bound by latency: F, an addition, two shifts, an addition from one b to the next, 311 instructions of two cycles, that is 622 on Neoverse cores; and by the vector units, 480 instructions for each stream
which two units do in 240 and four in 120. By LLVM's models a Neoverse N1 is at the latter from three streams on, a Neoverse V2 at six.`
}

// md5NEON writes MD5 for so many streams of four lanes.
func md5NEON(streams int) func(*arm64.File) {
	return func(f *arm64.File) { iterateMD5NEON(f, streams) }
}

// step does step i of RFC 1321 §3.4, whose register a has everything added but the function of b, c and d. b comes last and passes through one instruction of it: F and G
// select, H is b ^ (c^d), and I, c ^ (b | ^d), is what b selects of ^c and c ^ ^d. (Go's assembler has no VORN. b | ^d is what d selects of b and ones.)
func (l *md5NEONStream) step(i int, ones arm64.V) {
	f, t := l.f, l.t
	a, b, c, d := l.s[-i&3], l.s[(1-i)&3], l.s[(2-i)&3], l.s[(3-i)&3]
	switch i / 16 {
	case 0:
		f.VMOV(d.B16(), t.B16())
		f.VBIT(b.B16(), c.B16(), t.B16())
	case 1:
		f.VMOV(c.B16(), t.B16())
		f.VBIT(d.B16(), b.B16(), t.B16())
	case 2:
		f.VEOR(c.B16(), d.B16(), t.B16())
		f.VEOR(b.B16(), t.B16(), t.B16())
	case 3:
		if l.not == nil {
			f.VMOV(ones.B16(), t.B16())
			f.VBIT(d.B16(), b.B16(), t.B16())
			f.VEOR(c.B16(), t.B16(), t.B16())
			break
		}
		notD, notC := l.not[i%2], l.not[(i+1)%2]
		if i == 48 {
			f.VEOR(ones.B16(), d.B16(), notD.B16())
		}
		f.VEOR(ones.B16(), c.B16(), notC.B16())
		f.VEOR(notD.B16(), c.B16(), t.B16())
		f.VBIT(b.B16(), notC.B16(), t.B16())
	}
	f.VADD(t.S4(), a.S4(), a.S4())
	l.rotate(i)
}

// rotate is the end of step i.
func (l *md5NEONStream) rotate(i int) {
	f, a, b, x := l.f, l.s[-i&3], l.s[(1-i)&3], l.x
	if r := spec.MD5Rotate(i); r == 16 {
		f.VREV32(a.H8(), x.H8())
	} else {
		f.VSHL(r, a.S4(), x.S4())
		f.VSRI(32-r, a.S4(), x.S4())
	}
	f.VADD(b.S4(), x.S4(), a.S4())
}

// message turns the state that a compression with the other midstate ended with, before that is added, into the message of the next one, in u's place, and starts that: the
// first two steps need one word each, and have all else added to it in advance. The inner one's message is u and goes to t.
func (l *md5NEONStream) message(half int) {
	f := l.f
	for i, s := range l.s {
		f.FMOVQ(l.part[1-half].word(i), l.x)
		f.VADD(s.S4(), l.x.S4(), l.x.S4())
		f.StoreQ(l.x, l.part[2].word(i))
		if half == 0 {
			f.FMOVQ(l.part[3].word(i), l.t)
			f.VEOR(l.x.B16(), l.t.B16(), l.t.B16())
			f.StoreQ(l.t, l.part[3].word(i))
		}
	}
	f.FMOVQ(l.x0[half], l.x)
	f.VADD(l.x.S4(), l.s[0].S4(), l.s[0].S4())
	f.FMOVQ(l.x1[half], l.x)
	f.VADD(l.x.S4(), l.s[1].S4(), l.s[3].S4())
	f.FMOVQ(l.part[half].word(1), l.s[1])
	f.FMOVQ(l.part[half].word(2), l.s[2])
}

// prepare computes x0 and x1 of one half.
func (l *md5NEONStream) prepare(half int, c *pool) {
	f, k := l.f, spec.Words32(spec.MD5.K)
	add := func(m arm64.Mem, v arm64.V) {
		f.FMOVQ(m, l.x)
		f.VADD(l.x.S4(), v.S4(), v.S4())
	}
	for i, s := range l.s {
		f.FMOVQ(l.part[half].word(i), s)
	}
	a, b, cc, d := l.s[0], l.s[1], l.s[2], l.s[3]
	f.VMOV(d.B16(), l.t.B16())
	f.VBIT(b.B16(), cc.B16(), l.t.B16())
	f.VADD(l.t.S4(), a.S4(), a.S4())
	add(c.splat(k[0]), a)
	add(l.part[1-half].word(0), a)
	f.StoreQ(a, l.x0[half])
	add(c.splat(k[1]), d)
	add(l.part[1-half].word(1), d)
	f.StoreQ(d, l.x1[half])
}

func iterateMD5NEON(f *arm64.File, streams int) {
	name := kernelSymbol(fmt.Sprintf("NEONx%d", 4*streams), spec.MD5)
	var ls []*md5NEONStream
	var c *pool
	var k, ones arm64.V
	var temporaries []arm64.V // shared by streams of which there are many
	each := perLane[*md5NEONStream]
	if streams > 3 {
		each = func(_ *arm64.File, ls []*md5NEONStream, do func(*md5NEONStream)) {
			for _, l := range ls {
				do(l)
			}
		}
	}
	constants := md5ARMConstants(true)
	f.Iterate(name, armDoc(name, spec.MD5, 4*streams, md5NEONDoc(streams)),
		func(state arm64.R) {
			c = newPool(f, "md5")
			k, ones = f.V("k"), f.V("ones")
			f.VMOVI(255, ones.B16())
			if streams > 3 {
				temporaries = f.Vs("temporary", 4)
			}
			for j := range streams {
				l := &md5NEONStream{f: f, part: neonParts(state, 4, streams, j)}
				for i := range l.s {
					l.s[i] = f.V("state")
				}
				if streams > 3 {
					l.x, l.t = temporaries[j%2*2], temporaries[j%2*2+1]
				} else {
					l.x, l.t, l.not = f.V("x"), f.V("t"), f.Vs("not", 2)
				}
				x := f.Local(64)
				for half := range 2 {
					l.x0[half], l.x1[half] = x.Offset(32*half), x.Offset(32*half+16)
					l.prepare(half, c)
				}
				f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
				for i, s := range l.s {
					f.FMOVQ(l.part[2].word(i), s)
					f.FMOVQ(l.part[3].word(i), l.t)
					f.VEOR(s.B16(), l.t.B16(), l.t.B16())
					f.StoreQ(l.t, l.part[3].word(i))
					f.FMOVQ(l.part[1].word(i), l.x)
					f.VSUB(l.x.S4(), s.S4(), s.S4())
				}
				ls = append(ls, l)
			}
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				each(f, ls, func(l *md5NEONStream) { l.message(half) })
				for i := range 64 {
					if i >= 2 {
						f.FMOVQ(c.splat(constants[i]), k)
					}
					each(f, ls, func(l *md5NEONStream) {
						if i == 0 {
							l.rotate(i)
							return
						}
						if i > 1 {
							a := l.s[-i&3]
							f.VADD(k.S4(), a.S4(), a.S4())
							if w := spec.MD5Word(i); w < 4 {
								f.FMOVQ(l.part[2].word(w), l.t)
								f.VADD(l.t.S4(), a.S4(), a.S4())
							}
						}
						l.step(i, ones)
					})
				}
			}
		},
		func(state arm64.R) {
			for _, l := range ls {
				for i, s := range l.s {
					f.FMOVQ(l.part[1].word(i), l.x)
					f.VADD(s.S4(), l.x.S4(), l.x.S4())
					f.StoreQ(l.x, l.part[2].word(i))
					f.FMOVQ(l.part[3].word(i), l.t)
					f.VEOR(l.x.B16(), l.t.B16(), l.t.B16())
					f.StoreQ(l.t, l.part[3].word(i))
				}
				f.Free(l.s[:]...)
				if streams <= 3 {
					f.Free(l.x, l.t)
					f.Free(l.not...)
				}
			}
			f.Free(temporaries...)
			f.Free(k, ones)
			c.done()
		})
}
