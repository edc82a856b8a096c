// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

func sha1BMI2(f *amd64.File) {
	iterateSHA1BMI2(f)
	compressSHA1BMI2(f)
}

// A sha1Scalar is SHA-1 of one lane: rounds in general registers, the schedule in vectors beside them.
type sha1Scalar struct {
	amd64.Scalar
	state [6]GPPhysical // a, b, none, c, d, e of round 0
	t, u  GPPhysical    // scratch
	wk    Mem           // W+K of sixteen rounds, by round number modulo 16

	// The schedule: four words in a vector, vector q has words 4q and up.
	ring     [8]VecPhysical // the last 32 words
	x, y, z  VecPhysical    // scratch
	constant map[int][4]uint32
}

func newSHA1Scalar(f *amd64.File) *sha1Scalar {
	return &sha1Scalar{
		Scalar: amd64.Scalar{File: f, Bits: 32, BMI2: true},
		state:  [6]GPPhysical{RAX, RBX, R10, RCX, RDX, R8},
		t:      RSI, u: R9,
		wk:   f.AllocLocal(64),
		ring: [8]VecPhysical{X0, X1, X2, X3, X4, X5, X6, X7},
		x:    X8, y: X9, z: X10,
		constant: map[int][4]uint32{},
	}
}

// sha1Free is the register of a round that gets b rotated, the next round's c: b itself is lost in f.
const sha1Free = 5

// reg is the register of the variable that FIPS 180-4 calls a (0) to e (4) in round i. What is a is b in the next round, and so on.
func (s *sha1Scalar) reg(i, variable int) GPPhysical {
	place := [6]int{0, 1, 3, 4, 5, sha1Free: 2}[variable]
	return s.state[(place-i+600)%6]
}

// home moves the variables from the registers that they are in after the last round to those of round 0.
func (s *sha1Scalar) home() {
	s.Mov(s.reg(80, 0), s.reg(0, 0))
	s.Mov(s.reg(80, 3), s.reg(0, 3))
	s.Mov(s.reg(80, 2), s.t)
	s.Mov(s.reg(80, 1), s.reg(0, 1))
	s.Mov(s.reg(80, 4), s.reg(0, 4))
	s.Mov(s.t, s.reg(0, 2))
}

// slot is where W+K of round i is.
func (s *sha1Scalar) slot(i int) Mem { return s.wk.Offset(4 * (i % 16)) }

// addSlot adds it to e.
func (s *sha1Scalar) addSlot(i int) amd64.Atom {
	return func() { s.Add(s.slot(i), s.reg(i, 4)) }
}

// f adds f(b, c, d) of round i to e and destroys b (FIPS 180-4 §4.1.1). Ch and Maj are sums of two terms that share no bit.
func (s *sha1Scalar) f(i int) []amd64.Atom {
	b, c, d, e := s.reg(i, 1), s.reg(i, 2), s.reg(i, 3), s.reg(i, 4)
	switch i / 20 {
	case 0: // Ch(b, c, d) = (^b & d) + (b & c)
		return []amd64.Atom{
			func() { s.Andn(d, b, s.t) }, func() { s.Add(s.t, e) }, func() { s.And(c, b) }, func() { s.Add(b, e) },
		}
	case 2: // Maj(b, c, d) = (b & c) + ((b ^ c) & d)
		return []amd64.Atom{
			func() { s.Mov(b, s.t) }, func() { s.And(c, s.t) },
			func() { s.Xor(c, b) }, func() { s.And(d, b) }, func() { s.Add(s.t, e) }, func() { s.Add(b, e) },
		}
	default: // Parity(b, c, d)
		return []amd64.Atom{
			func() { s.Xor(c, b) }, func() { s.Xor(d, b) }, func() { s.Add(b, e) },
		}
	}
}

// save rotates b of round i for the next round, before f.
func (s *sha1Scalar) save(i int) []amd64.Atom {
	return []amd64.Atom{func() { s.Ror(2, s.reg(i, 1), s.reg(i, sha1Free)) }}
}

// turn ends round i: e += a <<< 5 (FIPS 180-4 §6.1.2 step 3).
func (s *sha1Scalar) turn(i int) []amd64.Atom {
	a, e := s.reg(i, 0), s.reg(i, 4)
	return []amd64.Atom{func() { s.Ror(27, a, s.u) }, func() { s.Add(s.u, e) }}
}

// begin does what round i needs before its turn. wk sets or adds to e.
func (s *sha1Scalar) begin(i int, wk ...amd64.Atom) []amd64.Atom {
	return slices.Concat(wk, s.save(i), s.f(i))
}

// turnAndBegin ends round i and begins the next one, if there is one. Its f needs the same a that is rotated here, and has a cycle more. The order makes the
// speed where a CPU decides early on which unit an instruction will run: on an AMD Zen 4 a round takes 2.1 cycles in these, which were found by trying orders
// at random that keep the dependencies, and 2.5 where a round's instructions stand together.
func (s *sha1Scalar) turnAndBegin(i int, wk ...amd64.Atom) []amd64.Atom {
	turn, save, f := s.turn(i), s.save(i+1), s.f(i+1)
	switch (i + 1) / 20 {
	case 4:
		return turn
	case 0:
		return slices.Concat(f[:1], turn[:1], wk, save, turn[1:], f[1:])
	case 2:
		return slices.Concat(turn, f[:2], wk, save, f[2:])
	default:
		return slices.Concat(turn[:1], save, f[:2], turn[1:], wk, f[2:])
	}
}

// scheduledRounds does all rounds with the schedule beside them, and what side has for a round.
func (s *sha1Scalar) scheduledRounds(round func(i int) []amd64.Atom, side map[int][]amd64.Atom) {
	for i := 0; i < 80; i += 4 {
		var main, beside []amd64.Atom
		for j := i; j < i+4; j++ {
			main = append(main, round(j)...)
			beside = append(beside, side[j]...)
		}
		if i+16 < 80 {
			beside = append(beside, s.words(i/4+4)...)
		}
		amd64.Run(amd64.Spread(main, beside))
	}
}

// k is the address of K four times, for vector q.
func (s *sha1Scalar) k(q int) Mem {
	var words []uint32
	for _, k := range spec.SHA1.K {
		for range 4 {
			words = append(words, uint32(k))
		}
	}
	return s.Table32("k", words...).Offset(16 * (q / 5))
}

// words makes vector q of the schedule (FIPS 180-4 §6.1.2 step 1), without what is known to be zero, and puts it with K added where
// the rounds find it. From word 32 on W[t] = (W[t-6] ^ W[t-16] ^ W[t-28] ^ W[t-32]) <<< 2, which is the same and has no word within
// the vector.
func (s *sha1Scalar) words(q int) []amd64.Atom {
	var atoms []amd64.Atom
	do := func(more ...amd64.Atom) { atoms = append(atoms, more...) }
	dst := s.ring[q%8]
	var sum VecPhysical // what has been added up
	var constant [4]uint32
	known := func(w [4]uint32) {
		for i := range constant {
			constant[i] ^= w[i]
		}
	}
	plus := func(v VecPhysical) {
		if sum == nil {
			sum = v
			return
		}
		x := sum
		do(func() { s.VPXOR(v, x, dst) })
		sum = dst
	}
	// word adds the four words from word t on. Those from 4q on, which do not exist yet, are zero.
	word := func(t int, tmp VecPhysical) {
		lo, n := t/4, t%4
		var both [8]uint32
		all := true
		for i := range 2 {
			c, ok := s.constant[lo+i]
			ok = ok || lo+i == q || n == 0 && i == 1
			all = all && ok
			copy(both[4*i:], c[:])
		}
		switch {
		case all:
			known([4]uint32(both[n : n+4]))
		case n == 0:
			plus(s.ring[lo%8])
		case lo+1 == q:
			do(func() { s.VPSRLDQ(U8(4*n), s.ring[lo%8], tmp) })
			plus(tmp)
		default:
			for j := lo; j < lo+2; j++ {
				if c, ok := s.constant[j]; ok {
					do(func() { s.VMOVDQU(s.vector(c), s.ring[j%8]) })
				}
			}
			do(func() { s.VPALIGNR(U8(4*n), s.ring[lo%8], s.ring[(lo+1)%8], tmp) })
			plus(tmp)
		}
	}
	addKnown := func() {
		if constant != [4]uint32{} {
			x := sum
			do(func() { s.VPXOR(s.vector(constant), x, dst) })
			sum = dst
		}
	}
	t := 4 * q
	if q < 8 {
		word(t-16, nil)
		word(t-14, s.x)
		word(t-8, nil)
		word(t-3, s.y)
		addKnown()
		x := sum
		// Word 3 lacks word 0, which comes before its rotation by 1: in the result, by 2.
		do(func() { s.VPSLLDQ(U8(12), x, s.x) })
		do(func() { s.VPSRLD(U8(31), x, s.y) }, func() { s.VPADDD(x, x, dst) }, func() { s.VPXOR(s.y, dst, dst) })
		do(func() { s.VPSRLD(U8(30), s.x, s.y) }, func() { s.VPSLLD(U8(2), s.x, s.x) },
			func() { s.VPXOR(s.y, dst, dst) }, func() { s.VPXOR(s.x, dst, dst) })
	} else {
		word(t-32, nil)
		word(t-28, nil)
		word(t-16, nil)
		word(t-6, s.x)
		addKnown()
		x := sum
		do(func() { s.VPSRLD(U8(30), x, s.y) }, func() { s.VPSLLD(U8(2), x, dst) }, func() { s.VPXOR(s.y, dst, dst) })
	}
	return append(atoms, s.put(q)...)
}

// vector is the address of four words.
func (s *sha1Scalar) vector(w [4]uint32) Mem {
	name := "w"
	for _, x := range w {
		name += "_" + hex(uint64(x))
	}
	return s.Table32(name, w[:]...)
}

// put stores vector q with K added.
func (s *sha1Scalar) put(q int) []amd64.Atom {
	return []amd64.Atom{
		func() { s.VPADDD(s.k(q), s.ring[q%8], s.z) },
		func() { s.VMOVDQU(s.z, s.slot(4*q)) },
	}
}

func iterateSHA1BMI2(f *amd64.File) {
	f.IterateInFrame("IterateBMI2", `
IterateBMI2 does n iterations of HMAC-SHA-1 on one lane (FIPS 180-4 §6.1). State is [inner | outer | u | t], each the 5 words of
a hash, in native byte order.

The state of the hash is in general registers and rotations are RORX. The message schedule runs beside the rounds, four words in an
xmm register, sixteen rounds ahead, and reaches them through sixteen words of the frame. What is known of the message, a digest with its
padding, is folded into constants. Round 0 is one addition, round 1 lacks f, and rounds 2 to 4 add one word and one constant as all
others, since what they need of the midstates is added up beforehand.

A round is 7 (Parity), 8 (Ch) or 9 (Maj) instructions, 620 in all or 155 cycles if there are four in each, and a chain of 2 cycles, 160
in all: 168 on Zen 4. There are few moves, as b is rotated into a sixth register and then lost in f: with the schedule it is some 800
instructions, of which CPUs before Ice Lake and Zen do four in a cycle.`, func() amd64.IterateBody {
		s := newSHA1Scalar(f)
		message := spec.SHA1.Message()
		constantWK := func(i int) Op { // of a constant word
			return I32(int32(uint32(message[i].Const + spec.SHA1.K[i/20])))
		}
		for q := range 4 {
			var c [4]uint32
			known := true
			for i := range c {
				known = known && message[4*q+i].IsConst()
				c[i] = uint32(message[4*q+i].Const)
			}
			if known {
				s.constant[q] = c
			}
		}
		// What the frame has of each half.
		type midstate struct {
			words      [5]Mem // the midstate
			turned     [2]Mem // a and b <<< 30
			sums       [5]Mem // what round i adds, apart from the last result's word i, and a <<< 5 after round 0
			otherWords Mem    // the other half's midstate: together with the last result it is the message
		}
		local := func() Mem { return f.AllocLocal(4) }
		var ms [2]midstate
		for half := range ms {
			m := &ms[half]
			m.otherWords = f.AllocLocal(24)
			for i := range m.words {
				m.words[i] = m.otherWords.Offset(4 * i) // of the other half, for now
				m.sums[i] = local()
			}
			m.turned = [2]Mem{local(), local()}
		}
		ms[0].words, ms[1].words = ms[1].words, ms[0].words
		var last [5]Mem
		results := f.AllocLocal(24)
		for i := range last {
			last[i] = results.Offset(4 * i)
		}
		t := [2]VecPhysical{X11, X12}
		part := func(state GPPhysical, p, word int) Mem { return Mem{Base: state, Disp: (p*5 + word) * 4} }

		return amd64.IterateBody{
			Before: func(state GPPhysical) {
				for half := range ms {
					m := &ms[half]
					for i := range 5 {
						s.Mov(part(state, half, i), s.reg(0, i))
						s.Mov(s.reg(0, i), m.words[i])
					}
					// Rounds 0 and 1 are made by the round code with the other half's words for the message. Round 1 cannot
					// add a <<< 5.
					k := I32(int32(uint32(spec.SHA1.K[0])))
					s.Add(part(state, 1-half, 0), s.reg(0, 4))
					amd64.Run(s.begin(0, func() { s.Add(k, s.reg(0, 4)) }))
					amd64.Run(s.turn(0))
					s.Mov(s.reg(1, 0), m.sums[0])
					s.Mov(s.reg(1, 2), m.turned[1])
					s.Add(k, s.reg(1, 4))
					s.Add(part(state, 1-half, 1), s.reg(1, 4))
					amd64.Run(s.begin(1))
					s.Mov(s.reg(1, 4), m.sums[1])
					s.Mov(s.reg(2, 2), m.turned[0])
					for i, r := range []GPPhysical{s.reg(2, 4), s.reg(2, 3), s.reg(2, 2)} { // what is e in rounds 2 to 4
						s.Mov(r, s.t)
						s.Add(k, s.t)
						s.Add(part(state, 1-half, 2+i), s.t)
						s.Mov(s.t, m.sums[2+i])
					}
				}
				// The loop begins with the last result before the midstate is added.
				for i := range 5 {
					s.Mov(part(state, 2, i), s.reg(0, i))
					s.Sub(part(state, 1, i), s.reg(0, i))
				}
				f.VMOVDQU(part(state, 2, 0), t[0])
				f.VPXOR(part(state, 3, 0), t[0], t[0])
				f.VMOVD(part(state, 2, 4), t[1])
				f.VMOVD(part(state, 3, 4), s.x)
				f.VPXOR(s.x, t[1], t[1])
			},
			Half: func(half int, state GPPhysical) {
				m := &ms[half]
				for i := range 5 {
					s.Mov(s.reg(0, i), last[i])
				}
				side := map[int][]amd64.Atom{0: {
					func() { f.VMOVD(last[0], s.ring[0]) },
					func() { f.VPINSRD(U8(1), last[1], s.ring[0], s.ring[0]) },
					func() { f.VPINSRD(U8(2), last[2], s.ring[0], s.ring[0]) },
					func() { f.VPINSRD(U8(3), last[3], s.ring[0], s.ring[0]) },
					func() { f.VPADDD(m.otherWords, s.ring[0], s.ring[0]) },
					func() { f.VMOVD(last[4], s.ring[1]) },
					func() { f.VMOVD(m.otherWords.Offset(16), s.x) },
					func() { f.VPADDD(s.x, s.ring[1], s.ring[1]) },
				}}
				if half == 0 {
					side[0] = append(side[0], func() { f.VPXOR(s.ring[0], t[0], t[0]) }, func() { f.VPXOR(s.ring[1], t[1], t[1]) })
				}
				var rest [4]uint32
				for i := 5; i < 8; i++ {
					rest[i-4] = uint32(message[i].Const)
				}
				side[0] = append(side[0], func() { f.VPXOR(s.vector(rest), s.ring[1], s.ring[1]) })
				s.scheduledRounds(func(i int) []amd64.Atom {
					if i == 0 {
						// Of round 2 there are c, d and, without f and the word, e.
						return []amd64.Atom{
							func() { s.Mov(m.sums[0], s.reg(1, 0)) }, func() { s.Add(s.reg(0, 0), s.reg(1, 0)) },
							func() { s.Mov(m.sums[1], s.reg(2, 0)) }, func() { s.Add(s.reg(0, 1), s.reg(2, 0)) },
							func() { s.Mov(m.turned[0], s.reg(2, 2)) }, func() { s.Mov(m.turned[1], s.reg(2, 3)) },
							func() { s.Mov(m.sums[2], s.reg(2, 4)) },
						}
					}
					// Round 1 has begun: f is added already.
					next, wk := i+1, []amd64.Atom{s.addSlot(i + 1)}
					switch e := s.reg(next, 4); {
					case next == 2:
						wk = []amd64.Atom{func() { s.Add(last[next], e) }}
					case next < 5:
						wk = []amd64.Atom{func() { s.Mov(m.sums[next], e) }, func() { s.Add(last[next], e) }}
					case next < 16:
						wk = []amd64.Atom{func() { s.Add(constantWK(next), e) }}
					}
					return s.turnAndBegin(i, wk...)
				}, side)
				s.home()
			},
			After: func(state GPPhysical) {
				f.VMOVDQU(t[0], part(state, 3, 0))
				f.VMOVD(t[1], part(state, 3, 4))
				for i := range 5 {
					s.Add(part(state, 1, i), s.reg(0, i))
					s.Mov(s.reg(0, i), part(state, 2, i))
					s.Xor(s.reg(0, i), part(state, 3, i))
				}
			},
		}
	})
}

func compressSHA1BMI2(f *amd64.File) {
	f.CompressInFrame("CompressBMI2", `
CompressBMI2 compresses the blocks of p, a multiple of 64 bytes, into the state h (FIPS 180-4 §6.1). Rounds and schedule are those of the
iteration kernel. A block's words are fetched beside the last rounds of the block before it, which have no schedule.`, spec.SHA1.BlockBytes(),
		func() amd64.CompressBody {
			s := newSHA1Scalar(f)
			swap := X11
			fetch := func(p GPPhysical, q int) []amd64.Atom {
				return []amd64.Atom{
					func() { f.VMOVDQU(Mem{Base: p, Disp: 16 * q}, s.ring[q]) },
					func() { f.VPSHUFB(swap, s.ring[q], s.ring[q]) },
				}
			}
			return amd64.CompressBody{
				Begin: func(h GPPhysical) {
					f.VMOVDQU(f.Table64("swap", 0x0405060700010203, 0x0c0d0e0f08090a0b), swap)
					for i := range 5 {
						s.Mov(Mem{Base: h, Disp: 4 * i}, s.reg(0, i))
					}
				},
				Ahead: func(p GPPhysical) {
					for q := range 4 {
						amd64.Run(fetch(p, q))
						if q < 3 {
							amd64.Run(s.put(q))
						}
					}
				},
				Block: func(next Mem) {
					// Vector q's place is free once rounds 64+4q to 67+4q have read it.
					p := RDI
					side := map[int][]amd64.Atom{0: s.put(3), 64: {func() { f.MOVQ(next, p) }}}
					for q := range 4 {
						side[64] = append(side[64], fetch(p, q)...)
						if q < 3 {
							side[68+4*q] = s.put(q)
						}
					}
					amd64.Run(s.begin(0, s.addSlot(0)))
					s.scheduledRounds(func(i int) []amd64.Atom { return s.turnAndBegin(i, s.addSlot(i+1)) }, side)
					s.home()
				},
				End: func(h GPPhysical) {
					for i := range 5 {
						s.Add(Mem{Base: h, Disp: 4 * i}, s.reg(0, i))
						s.Mov(s.reg(0, i), Mem{Base: h, Disp: 4 * i})
					}
				},
				Last: func() {},
			}
		})
}
