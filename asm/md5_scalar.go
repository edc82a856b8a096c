// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

func md5Scalar(f *amd64.File) {
	iterateMD5Scalar(f, "IterateScalar", md5ScalarLanes[:1])
	compressMD5Scalar(f)
}

func md5Scalarx2(f *amd64.File) { iterateMD5Scalar(f, "IterateScalarx2", md5ScalarLanes[:2]) }

// md5ScalarLanes are the registers of each lane. The first leaves alone what amd64.File.Compress uses.
var md5ScalarLanes = []md5ScalarLane{
	{abcd: [4]GPPhysical{RAX, RBX, RCX, R8}, t: R9, u: R10},
	{abcd: [4]GPPhysical{R11, R12, R13, R14}, t: RDX, u: RSI},
}

// An md5ScalarLane is one lane in general registers.
type md5ScalarLane struct {
	amd64.Scalar
	abcd [4]GPPhysical // rotates by one register with each step
	t, u GPPhysical    // scratch
	m    func(i int) (word Op, k uint64)
}

// mix writes a += f(b, c, d) for step i (RFC 1321 §3.4). b is the newest register: from it to a the additions of F and I take three
// cycles (and xor add, or xor add), G and H two, since what does not need b comes before it: G is the sum of two terms that share no bit.
func (s *md5ScalarLane) mix(i int, a, b, c, d GPPhysical) []amd64.Atom {
	t, u := s.t, s.u
	switch i / 16 {
	case 0: // (b & c) | (^b & d) = ((c ^ d) & b) ^ d
		return []amd64.Atom{
			func() { s.Mov(c, t) }, func() { s.Xor(d, t) },
			func() { s.And(b, t) }, func() { s.Xor(d, t) }, func() { s.Add(t, a) },
		}
	case 1: // (b & d) | (c & ^d)
		return []amd64.Atom{
			func() { s.Mov(d, t) }, func() { s.Not(t) }, func() { s.And(c, t) }, func() { s.Add(t, a) },
			func() { s.Mov(d, u) }, func() { s.And(b, u) }, func() { s.Add(u, a) },
		}
	case 2: // b ^ c ^ d
		return []amd64.Atom{
			func() { s.Mov(c, t) }, func() { s.Xor(d, t) },
			func() { s.Xor(b, t) }, func() { s.Add(t, a) },
		}
	default: // c ^ (b | ^d)
		return []amd64.Atom{
			func() { s.Mov(d, t) }, func() { s.Not(t) },
			func() { s.Or(b, t) }, func() { s.Xor(c, t) }, func() { s.Add(t, a) },
		}
	}
}

// regs are the registers of step i in the RFC's names.
func (s *md5ScalarLane) regs(i int) (a, b, c, d GPPhysical) {
	return s.abcd[(64-i)%4], s.abcd[(65-i)%4], s.abcd[(66-i)%4], s.abcd[(67-i)%4]
}

// step does step i: a = b + ((a + f(b, c, d) + M + K) <<< rot). With addK false K is in a already.
func (s *md5ScalarLane) step(i int, addK bool) []amd64.Atom {
	a, b, c, d := s.regs(i)
	word, k := s.m(spec.MD5Word(i))
	k = (k + spec.MD5.K[i]) & 0xffffffff
	var atoms []amd64.Atom
	if addK {
		atoms = append(atoms, func() { s.Add(I32(int32(uint32(k))), a) })
	}
	if word != nil {
		atoms = append(atoms, func() { s.Add(word, a) })
	}
	return append(append(atoms, s.mix(i, a, b, c, d)...), s.rotate(i)...)
}

func (s *md5ScalarLane) rotate(i int) []amd64.Atom {
	a, b, _, _ := s.regs(i)
	return []amd64.Atom{
		func() { s.Rol(spec.MD5Rotate(i), a) },
		func() { s.Add(b, a) },
	}
}

func iterateMD5Scalar(f *amd64.File, name string, streams []md5ScalarLane) {
	lanes := len(streams)
	message := spec.MD5.Message()
	doc := fmt.Sprintf(`
%s does n iterations of HMAC-MD5 on %d lane(s) (RFC 1321 §3.4). State is [inner | outer | u | t], each 4 words of a hash,
word by word with the lanes side by side, in native byte order.

Everything is in general registers of any amd64 CPU, four for a lane's state and two for scratch. The four words of the message
that vary are in the frame, all others are in the constants. Lanes are merged instruction by instruction.

A step is 7 or 8 instructions, and from one step to the next it is 5, 4, 4 and 5 cycles in the four rounds, with everything done early
that does not need the newest word: 288 cycles, less 7 that are saved at the begin, where all but the message is known. Neither one
lane nor two come near the number of instructions that a CPU can do in that time.`, name, lanes)
	f.IterateInFrame(name, doc, func() amd64.IterateBody {
		// Of each half's midstate the frame has the words, and what the first steps make of them without the message.
		type midstate struct {
			abcd  [4]Mem
			step0 Mem    // a + f(b, c, d) + K of step 0
			xor1  Mem    // b ^ c
			withK [4]Mem // the register step i writes, with K of the step
			step1 Mem    // withK[1] and the other half's b
		}
		local := func() Mem { return f.AllocLocal(4) }
		locals := func(dst *[4]Mem) {
			for i := range dst {
				dst[i] = local()
			}
		}
		ms := make([][2]midstate, lanes)
		words := make([][4]Mem, lanes)
		t := make([][4]Mem, lanes)
		for l := range streams {
			for half := range 2 {
				m := &ms[l][half]
				locals(&m.abcd)
				m.step0, m.xor1, m.step1 = local(), local(), local()
				locals(&m.withK)
			}
			locals(&words[l])
			locals(&t[l])
		}
		for l := range streams {
			s := &streams[l]
			s.Scalar = amd64.Scalar{File: f, Bits: 32}
			s.m = func(i int) (Op, uint64) {
				if message[i].IsConst() {
					return nil, message[i].Const
				}
				return words[l][i], 0
			}
		}
		part := func(state GPPhysical, part, word, lane int) Mem {
			return Mem{Base: state, Disp: ((part*4+word)*lanes + lane) * 4}
		}
		return amd64.IterateBody{
			Before: func(state GPPhysical) {
				for l := range streams {
					s := &streams[l]
					for half := range 2 {
						m := &ms[l][half]
						for i, r := range s.abcd {
							s.Mov(part(state, half, i, l), r)
							s.Mov(r, m.abcd[i])
						}
						a, b, c, d := s.regs(0)
						s.Mov(b, s.t)
						s.Xor(c, s.t)
						s.Mov(s.t, m.xor1)
						for _, atom := range s.mix(0, a, b, c, d) {
							atom()
						}
						s.Add(I32(int32(uint32(spec.MD5.K[0]))), a)
						s.Mov(a, m.step0)
						for i := 1; i < 4; i++ {
							r, _, _, _ := s.regs(i)
							s.Add(I32(int32(uint32(spec.MD5.K[i]))), r)
							s.Mov(r, m.withK[i])
						}
						s.Mov(m.withK[1], s.t)
						s.Add(part(state, 1-half, 1, l), s.t)
						s.Mov(s.t, m.step1)
					}
					// The loop begins by adding the outer midstate.
					for i, r := range s.abcd {
						s.Mov(part(state, 2, i, l), r)
						s.Mov(r, s.t)
						s.Xor(part(state, 3, i, l), s.t)
						s.Mov(s.t, t[l][i])
						s.Sub(ms[l][1].abcd[i], r)
					}
				}
			},
			Half: func(half int, state GPPhysical) {
				start := make([][]amd64.Atom, lanes)
				for l := range streams {
					s := &streams[l]
					m, prev := ms[l][half], ms[l][1-half]
					a, b, c, d := s.abcd[0], s.abcd[1], s.abcd[2], s.abcd[3]
					finish := func(i int) {
						s.Add(prev.abcd[i], s.abcd[i])
						s.Mov(s.abcd[i], words[l][i])
						if half == 0 {
							s.Xor(s.abcd[i], t[l][i])
						}
					}
					start[l] = append([]amd64.Atom{
						func() { finish(2) }, func() { finish(3) }, func() { finish(0) },
						// Step 0: all but the message is known.
						func() { s.Add(m.step0, a) }, func() { s.Rol(spec.MD5Rotate(0), a) }, func() { s.Add(m.abcd[1], a) },
						// Step 1: b is the last word to be known, so it comes last.
						func() { s.Mov(m.xor1, s.u) }, func() { s.And(a, s.u) }, func() { s.Xor(m.abcd[2], s.u) },
						func() { s.Mov(m.step1, d) }, func() { s.Add(s.u, d) }, func() { s.Add(b, d) },
						func() { finish(1) },
						func() { s.Mov(m.abcd[1], b) },
						func() { s.Rol(spec.MD5Rotate(1), d) }, func() { s.Add(a, d) },
						func() { s.Mov(m.withK[2], c) }, func() { s.Add(words[l][2], c) },
						func() { s.Mov(a, s.t) }, func() { s.Xor(b, s.t) }, func() { s.And(d, s.t) }, func() { s.Xor(b, s.t) }, func() { s.Add(s.t, c) },
					}, s.rotate(2)...)
					start[l] = append(start[l],
						// Step 3's b enters as a with its constant added.
						func() { s.Mov(m.withK[3], b) },
					)
					start[l] = append(start[l], s.step(3, false)...)
				}
				amd64.Interleave(start...)
				for i := 4; i < 64; i++ {
					steps := make([][]amd64.Atom, lanes)
					for l := range streams {
						steps[l] = streams[l].step(i, true)
					}
					amd64.Interleave(steps...)
				}
			},
			After: func(state GPPhysical) {
				for l := range streams {
					s := &streams[l]
					for i, r := range s.abcd {
						s.Add(ms[l][1].abcd[i], r)
						s.Mov(r, part(state, 2, i, l))
						s.Xor(t[l][i], r)
						s.Mov(r, part(state, 3, i, l))
					}
				}
			},
		}
	})
}

func compressMD5Scalar(f *amd64.File) {
	s := md5ScalarLanes[0]
	s.Scalar = amd64.Scalar{File: f, Bits: 32}
	f.Compress("CompressScalar", `
CompressScalar compresses the blocks of p, a multiple of 64 bytes, into the state h (RFC 1321 §3.4). The steps are those of the iteration
kernels.`, spec.MD5.BlockBytes(),
		func(h, p GPPhysical) {
			s.m = func(i int) (Op, uint64) { return Mem{Base: p, Disp: 4 * i}, 0 }
			for i, r := range s.abcd {
				s.Mov(Mem{Base: h, Disp: 4 * i}, r)
			}
		},
		func(h, p GPPhysical) {
			for i := range 64 {
				for _, atom := range s.step(i, true) {
					atom()
				}
			}
			for i, r := range s.abcd {
				s.Add(Mem{Base: h, Disp: 4 * i}, r)
				s.Mov(r, Mem{Base: h, Disp: 4 * i})
			}
		},
		func(h, p GPPhysical) {})
}
