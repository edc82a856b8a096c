// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// md5ARMDoc is what the kernels' documentation says of so many lanes.
func md5ARMDoc(lanes int) string {
	where := "U and T are in registers while this runs."
	bound := "which it takes by LLVM's models of Neoverse cores."
	if lanes > 1 {
		where = "The streams are merged instruction by instruction. U and T are in memory."
		bound = `for all lanes together as long as there are units enough:
about 430 instructions a lane, that is 282 cycles for two and three lanes on a Neoverse V2 with six units, and 160 a lane on a Neoverse N1 with three.`
	}
	return where + `
The mix of a step (RFC 1321 §3.4): an addition of the constant, of the word unless that is in the constant, two or three logical instructions and an addition or two of F to I, a rotation and an addition.
Bound by latency: from b to the next b five instructions in F and I, four in G and H, less six as the first step's sum is made in advance and the second's in part. That is 16·(5+4+4+5) - 6 = 282 cycles, ` + bound
}

// md5ARMScalar writes MD5 in general registers for so many lanes and, with one, the compression function.
func md5ARMScalar(lanes int) func(*arm64.File) {
	return func(f *arm64.File) {
		iterateMD5ARMScalar(f, lanes)
		if lanes == 1 {
			compressMD5ARMScalar(f)
		}
	}
}

// An md5ARMLane is the registers of one lane: a to d, and for a single one also the message's four words that are not constant, and t.
type md5ARMLane struct {
	f         *arm64.File
	s         [4]arm64.R
	tmp, tmp2 arm64.R
	m, t      []arm64.R // or, if nil, they are in memory, m at
	mMem      arm64.Mem
	tMem      md5ARMWords
	mid       [2]md5ARMWords // inner, outer
	x0, x1    [2]arm64.Mem   // what the first two steps add to the other compression's last a and b
}

// md5ARMWords is where a lane has four words in memory.
type md5ARMWords struct {
	at     arm64.Mem
	stride int
}

func (w md5ARMWords) word(i int) arm64.Mem { return w.at.Offset(w.stride * i) }

func newMD5ARMLane(f *arm64.File, inRegisters bool) *md5ARMLane {
	l := &md5ARMLane{f: f, tmp: f.R("tmp")}
	copy(l.s[:], f.Rs("state", 4))
	if inRegisters {
		l.m, l.t = f.Rs("m", 4), f.Rs("t", 4)
	} else {
		l.tmp2 = f.R("tmp2")
		l.mMem = f.Local(16)
	}
	return l
}

func (l *md5ARMLane) free() {
	l.f.FreeR(l.s[:]...)
	l.f.FreeR(l.tmp)
	if l.m != nil {
		l.f.FreeR(l.m...)
		l.f.FreeR(l.t...)
	} else {
		l.f.FreeR(l.tmp2)
	}
}

// step does step i, whose register a has everything added but the function of b, c and d. That is arranged so that b, which comes last, passes through few
// instructions: F = ((c^d)&b)^d, G = (c&^d) + (b&d), H = (c^d)^b, I = c^(b|^d) are 2, 1, 1 and 2, then add, rotate, add.
func (l *md5ARMLane) step(i int) {
	f, t := l.f, l.tmp
	a, b, c, d := l.s[-i&3], l.s[(1-i)&3], l.s[(2-i)&3], l.s[(3-i)&3]
	switch i / 16 {
	case 0:
		f.EORW(c, d, t)
		f.ANDW(b, t, t)
		f.EORW(d, t, t)
	case 1:
		f.BICW(d, c, t)
		f.ADDW(t, a, a)
		f.ANDW(b, d, t)
	case 2:
		f.EORW(c, d, t)
		f.EORW(b, t, t)
	case 3:
		f.ORNW(d, b, t)
		f.EORW(c, t, t)
	}
	f.ADDW(t, a, a)
	l.rotate(i)
}

// rotate is the end of step i.
func (l *md5ARMLane) rotate(i int) {
	a, b := l.s[-i&3], l.s[(1-i)&3]
	l.f.RORW(32-spec.MD5Rotate(i), a, a)
	l.f.ADDW(b, a, a)
}

// addWord adds the word of step i, if it is not constant, to a.
func (l *md5ARMLane) addWord(i int) {
	a, w := l.s[-i&3], spec.MD5Word(i)
	switch {
	case w >= 4:
	case l.m != nil:
		l.f.ADDW(l.m[w], a, a)
	default:
		l.f.MOVWU(l.mMem.Offset(4*w), l.tmp)
		l.f.ADDW(l.tmp, a, a)
	}
}

// message turns the state that a compression with the other midstate ended with, before that is added, into the message of the next one, which for the inner one is u and
// goes to t, and starts that: the first two steps need one word each, and have all else added to it in advance.
func (l *md5ARMLane) message(half int) {
	f := l.f
	for i, s := range l.s {
		m := l.tmp
		if l.m != nil {
			m = l.m[i]
		}
		f.MOVWU(l.mid[1-half].word(i), m)
		f.ADDW(s, m, m)
		if l.m == nil {
			f.StoreW(m, l.mMem.Offset(4*i))
		}
		switch {
		case half == 1:
		case l.t != nil:
			f.EORW(m, l.t[i], l.t[i])
		default:
			f.MOVWU(l.tMem.word(i), l.tmp2)
			f.EORW(m, l.tmp2, l.tmp2)
			f.StoreW(l.tmp2, l.tMem.word(i))
		}
	}
	f.MOVWU(l.x0[half], l.tmp)
	f.ADDW(l.tmp, l.s[0], l.s[0])
	f.MOVWU(l.x1[half], l.tmp)
	f.ADDW(l.tmp, l.s[1], l.s[3])
	f.MOVWU(l.mid[half].word(1), l.s[1])
	f.MOVWU(l.mid[half].word(2), l.s[2])
}

// prepare computes x0 and x1 of one half.
func (l *md5ARMLane) prepare(half int) {
	f, k := l.f, spec.MD5.K
	t, a, b, c, d := l.tmp, l.s[0], l.s[1], l.s[2], l.s[3]
	for i, s := range l.s {
		f.MOVWU(l.mid[half].word(i), s)
	}
	f.EORW(c, d, t)
	f.ANDW(b, t, t)
	f.EORW(d, t, t)
	f.ADDW(t, a, a)
	f.MOVW(arm64.Imm(k[0]), t)
	f.ADDW(t, a, a)
	f.MOVWU(l.mid[1-half].word(0), t)
	f.ADDW(t, a, a)
	f.StoreW(a, l.x0[half])
	f.MOVW(arm64.Imm(k[1]), t)
	f.ADDW(t, d, d)
	f.MOVWU(l.mid[1-half].word(1), t)
	f.ADDW(t, d, d)
	f.StoreW(d, l.x1[half])
}

// md5ARMConstants is what each step adds: K and, in an iteration, the message's constant words.
func md5ARMConstants(iteration bool) []uint32 {
	c := spec.Words32(spec.MD5.K)
	if iteration {
		w := spec.Words32(constWords(spec.MD5))
		for i := range c {
			c[i] += w[spec.MD5Word(i)]
		}
	}
	return c
}

func iterateMD5ARMScalar(f *arm64.File, lanes int) {
	name := kernelSymbol(streamsISA("Scalar", lanes), spec.MD5)
	var ls []*md5ARMLane
	var table arm64.R
	var k []arm64.R
	f.Iterate(name, armDoc(name, spec.MD5, lanes, md5ARMDoc(lanes)),
		func(state arm64.R) {
			table, k = f.R("table"), f.Rs("k", 2)
			f.Address(f.Table32("md5", md5ARMConstants(true)...), table)
			for j := range lanes {
				l := newMD5ARMLane(f, lanes == 1)
				part := func(p int) md5ARMWords {
					return md5ARMWords{arm64.Mem{Base: state, Disp: 4 * (4*p*lanes + j)}, 4 * lanes}
				}
				l.mid = [2]md5ARMWords{part(0), part(1)}
				l.tMem = part(3)
				x := f.Local(16)
				for half := range 2 {
					l.x0[half], l.x1[half] = x.Offset(8*half), x.Offset(8*half+4)
					l.prepare(half)
				}
				f.Comment("The loop begins by adding the outer midstate to u, and u to t.")
				for i, s := range l.s {
					t := l.tmp
					if l.t != nil {
						t = l.t[i]
					}
					f.MOVWU(part(2).word(i), s)
					f.MOVWU(l.tMem.word(i), t)
					f.EORW(s, t, t)
					if l.t == nil {
						f.StoreW(t, l.tMem.word(i))
					}
					f.MOVWU(l.mid[1].word(i), l.tmp)
					f.SUBW(l.tmp, s, s)
				}
				ls = append(ls, l)
			}
		},
		func(state arm64.R) {
			for half := range 2 {
				f.Comment([]string{"Inner compression.", "Outer compression."}[half])
				perLane(f, ls, func(l *md5ARMLane) { l.message(half) })
				for i := range 64 {
					if i >= 2 && i%2 == 0 {
						f.LDPW(arm64.Mem{Base: table, Disp: 4 * i}, k[0], k[1])
					}
					perLane(f, ls, func(l *md5ARMLane) {
						if i == 0 {
							l.rotate(i)
							return
						}
						if i > 1 {
							a := l.s[-i&3]
							f.ADDW(k[i%2], a, a)
							l.addWord(i)
						}
						l.step(i)
					})
				}
			}
		},
		func(state arm64.R) {
			for j, l := range ls {
				u := md5ARMWords{arm64.Mem{Base: state, Disp: 4 * (8*lanes + j)}, 4 * lanes}
				for i, s := range l.s {
					f.MOVWU(l.mid[1].word(i), l.tmp)
					f.ADDW(l.tmp, s, s)
					f.StoreW(s, u.word(i))
					t := l.tmp
					if l.t != nil {
						t = l.t[i]
					} else {
						f.MOVWU(l.tMem.word(i), t)
					}
					f.EORW(s, t, t)
					f.StoreW(t, l.tMem.word(i))
				}
				l.free()
			}
			f.FreeR(k...)
			f.FreeR(table)
		})
}

func compressMD5ARMScalar(f *arm64.File) {
	var l *md5ARMLane
	var table arm64.R
	var k, sum []arm64.R
	f.Compress("CompressScalar", `
CompressScalar compresses the blocks of p into the state at h, with the steps of IterateScalar (RFC 1321 §3.4).
Bound by latency: 16·(5+4+4+5) + 1 = 289 cycles.`, 64,
		func(h, p arm64.R) {
			table, k, sum = f.R("table"), f.Rs("k", 2), f.Rs("sum", 4)
			f.Address(f.Table32("k", md5ARMConstants(false)...), table)
			l = newMD5ARMLane(f, true)
			f.LDPW(arm64.Mem{Base: h}, sum[0], sum[1])
			f.LDPW(arm64.Mem{Base: h, Disp: 8}, sum[2], sum[3])
		},
		func(h, p arm64.R) {
			for i, s := range l.s {
				f.MOVWU(sum[i], s)
			}
			for i := range 64 {
				if i%2 == 0 {
					f.LDPW(arm64.Mem{Base: table, Disp: 4 * i}, k[0], k[1])
				}
				a := l.s[-i&3]
				f.ADDW(k[i%2], a, a)
				f.MOVWU(arm64.Mem{Base: p, Disp: 4 * spec.MD5Word(i)}, l.tmp)
				f.ADDW(l.tmp, a, a)
				l.step(i)
			}
			for i, s := range l.s {
				f.ADDW(s, sum[i], sum[i])
			}
			f.ADD(arm64.Imm(64), p, p)
		},
		func(h, p arm64.R) {
			f.STPW(sum[0], sum[1], arm64.Mem{Base: h})
			f.STPW(sum[2], sum[3], arm64.Mem{Base: h, Disp: 8})
			l.free()
			f.FreeR(k...)
			f.FreeR(sum...)
			f.FreeR(table)
		})
}
