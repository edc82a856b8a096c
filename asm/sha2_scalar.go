// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/output"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// The rotations of SHA-2 (FIPS 180-4 §4.1.2, §4.1.3). The last number of sigma0 and sigma1 is a shift.
type sha2Rotations struct{ bigSigma0, bigSigma1, sigma0, sigma1 [3]int }

var sha2Rotate = map[int]sha2Rotations{
	32: {[3]int{2, 13, 22}, [3]int{6, 11, 25}, [3]int{7, 18, 3}, [3]int{17, 19, 10}},
	64: {[3]int{28, 34, 39}, [3]int{14, 18, 41}, [3]int{1, 8, 7}, [3]int{19, 61, 6}},
}

// A sha2Scalar is SHA-2 of one lane: rounds in general registers, the schedule in vectors beside them.
type sha2Scalar struct {
	amd64.Scalar
	h         spec.Hash
	rot       sha2Rotations
	state     [8]GPPhysical // a to h of round 0
	t, u      GPPhysical    // scratch
	spareFrom int           // the first round that has sha2Spare too
	maj       [2]GPPhysical // one has b ^ c when a round begins, and the other when it ends: a ^ b is the next round's b ^ c
	wk        Mem           // W+K of sixteen rounds, by round number modulo 16
	schedule  *sha2Schedule
}

// sha2Spare is a third scratch register, where it is not needed for something else: rounds before spareFrom leave it alone.
var sha2Spare = RDI

func newSHA2Scalar(f *amd64.File, h spec.Hash) *sha2Scalar {
	s := &sha2Scalar{
		Scalar: amd64.Scalar{File: f, Bits: h.WordBits, BMI2: true},
		h:      h,
		rot:    sha2Rotate[h.WordBits],
		state:  [8]GPPhysical{RAX, RBX, RCX, RDX, R8, R9, R10, R11},
		t:      RSI,
		u:      R12,
		maj:    [2]GPPhysical{R13, R14},

		spareFrom: len(h.K),
	}
	s.wk = f.AllocLocal(h.BlockBytes())
	s.schedule = newSHA2Schedule(s)
	return s
}

func (s *sha2Scalar) rounds() int { return len(s.h.K) }

// reg is the register of the variable that FIPS 180-4 calls a (0) to h (7) in round i.
func (s *sha2Scalar) reg(i, variable int) GPPhysical { return s.state[(variable-i+800)%8] }

// at is the i-th word from m on.
func (s *sha2Scalar) at(m Mem, i int) Mem { return m.Offset(i * s.Bytes()) }

// slot is where W+K of round i is.
func (s *sha2Scalar) slot(i int) Mem { return s.at(s.wk, i%16) }

func (s *sha2Scalar) table(name string, words []uint64) Mem {
	if s.Bits == 64 {
		return s.Table64(name, words...)
	}
	return s.Table32(name, spec.Words32(words)...)
}

// k is the address of K of round i.
func (s *sha2Scalar) k(i int) Mem { return s.at(s.table("k", s.h.K), i) }

// bigSigma sets dst to the sum of three rotations of x.
func (s *sha2Scalar) bigSigma(rot [3]int, x, dst, tmp GPPhysical) []amd64.Atom {
	return []amd64.Atom{
		func() { s.Ror(rot[0], x, dst) }, func() { s.Ror(rot[1], x, tmp) }, func() { s.Xor(tmp, dst) },
		func() { s.Ror(rot[2], x, tmp) }, func() { s.Xor(tmp, dst) },
	}
}

// sha2Order is the order of a round's instructions: s are bigSigma1, z bigSigma0, c Ch and m Maj, with the number of the instruction, w adds W+K to h, and +
// adds to h or d what comes behind it. A prime marks an instruction of the next round.
//
// The order makes the speed where a CPU decides early on which unit an instruction will run: on an AMD Zen 4 a round takes 5.6 cycles in these, which were
// found by trying orders at random that keep the dependencies, and up to 7 in others that look as good; four instructions in a cycle would take 5.5. To try
// one, change it here, `go generate .` and go test -run '^$' -bench Cycles/kernel=sha256/bmi2 -benchtime 1x .
var sha2Order = map[string]string{
	"32": "m0 +c s0 s1 s2 m1 s3 m2 s4 +s +d m3 z0 z1 z2 z3 z4 'c0 'c1 'w 'c2 +m 'c3 +z",
	"64": "+c s1 s0 s2 s3 m0 m1 s4 m2 +s +d z1 m3 z0 z2 z3 z4 'c0 'c1 'w 'c2 +m 'c3 +z",
	// With a third scratch register, and the last round without it.
	"64 spare":      "c2 s0 s2 s3 c3 m0 m1 +c m2 s4 +s m3 z0 z1 z2 +d z3 +m 'c0 z4 'w 'c1 +z 's1",
	"64 then spare": "+c s1 s0 s2 s3 m0 m1 s4 m2 +s +d z1 m3 z0 z2 z3 z4 'c0 'w 'c1 +m +z 's1",
}

// order is that of round i's instructions and those of the next one's that are done in it.
func (s *sha2Scalar) order(i int) []string {
	name := fmt.Sprint(s.Bits)
	switch {
	case i >= s.spareFrom:
		name += " spare"
	case i == s.spareFrom-1 && s.spareFrom < s.rounds():
		name += " then spare"
	}
	return strings.Fields(sha2Order[name])
}

// A sha2Input is what a round gets beside the variables.
type sha2Input struct {
	load Op   // what h is, if it is not in its register
	wk   []Op // what is added to h, the newest last
	fg   Op   // f ^ g, if that is known
}

// instructions are those of round i (FIPS 180-4 §6.2.2 step 3, §6.4.2 step 3) by their names in sha2Order. From one e to the next it is five cycles: bigSigma1
// takes three, and two additions follow, to h and to d; likewise from one a to the next. There are 22 apart from moves, which cost nothing on most CPUs.
func (s *sha2Scalar) instructions(i int, in sha2Input) map[string][]amd64.Atom {
	a, b, d, e, f, g, h := s.reg(i, 0), s.reg(i, 1), s.reg(i, 3), s.reg(i, 4), s.reg(i, 5), s.reg(i, 6), s.reg(i, 7)
	bc, ab := s.maj[i%2], s.maj[(i+1)%2]
	sum, beside := s.u, s.t // for bigSigma0 and bigSigma1
	if i >= s.spareFrom {
		sum, beside = sha2Spare, s.u
	}
	all := map[string][]amd64.Atom{
		"+c": {func() { s.Add(s.t, h) }}, "+s": {func() { s.Add(sum, h) }}, "+d": {func() { s.Add(h, d) }},
		"+m": {func() { s.Add(bc, h) }}, "+z": {func() { s.Add(sum, h) }},
	}
	number := func(name string, atoms []amd64.Atom) {
		for i := range atoms {
			all[fmt.Sprint(name, i)] = atoms[i : i+1]
		}
	}
	number("s", s.bigSigma(s.rot.bigSigma1, e, sum, beside))
	number("z", s.bigSigma(s.rot.bigSigma0, a, sum, beside))
	// Ch(e, f, g) = ((f ^ g) & e) ^ g
	number("c", []amd64.Atom{func() { s.Mov(f, s.t) }, func() { s.Xor(g, s.t) }, func() { s.And(e, s.t) }, func() { s.Xor(g, s.t) }})
	if in.fg != nil {
		all["c0"], all["c1"] = []amd64.Atom{func() { s.Mov(in.fg, s.t) }}, nil
	}
	// Maj(a, b, c) = ((a ^ b) & (b ^ c)) ^ b
	number("m", []amd64.Atom{func() { s.Mov(a, ab) }, func() { s.Xor(b, ab) }, func() { s.And(ab, bc) }, func() { s.Xor(b, bc) }})
	all["w"] = nil
	if in.load != nil {
		all["w"] = append(all["w"], func() { s.Mov(in.load, h) })
	}
	for _, w := range in.wk {
		all["w"] = append(all["w"], func() { s.Add(w, h) })
	}
	return all
}

// begin does what is to be done of round i before the one before it has ended.
func (s *sha2Scalar) begin(i int, in sha2Input) (atoms []amd64.Atom) {
	return s.inOrder(i-1, nil, s.instructions(i, in))
}

// finish does the rest of round i and begins the next one, if next is not nil.
func (s *sha2Scalar) finish(i int, next *sha2Input) (atoms []amd64.Atom) {
	var following map[string][]amd64.Atom
	if next != nil {
		following = s.instructions(i+1, *next)
	}
	return s.inOrder(i, s.instructions(i, sha2Input{}), following)
}

// inOrder has the instructions of round i, those that are not done yet, and of the next one, those that are done in round i. Either may be missing.
func (s *sha2Scalar) inOrder(i int, this, next map[string][]amd64.Atom) (atoms []amd64.Atom) {
	for _, name := range s.order(i) {
		from := this
		if rest, ok := strings.CutPrefix(name, "'"); ok {
			name, from = rest, next
		}
		if from == nil {
			continue
		}
		a, ok := from[name]
		if !ok {
			panic("no instruction " + name)
		}
		atoms = append(atoms, a...)
	}
	return atoms
}

// scheduledRounds does all rounds with the schedule beside them, and what side has for a round.
func (s *sha2Scalar) scheduledRounds(round func(i int) []amd64.Atom, side map[int][]amd64.Atom) {
	v := s.schedule
	for i := 0; i < s.rounds(); i += 4 {
		var rounds, beside []amd64.Atom
		for j := i; j < i+4; j++ {
			rounds = append(rounds, round(j)...)
			beside = append(beside, side[j]...)
		}
		if i+16 < s.rounds() {
			beside = append(beside, v.words((i+16)/4)...)
		}
		amd64.Run(amd64.Spread(rounds, beside))
	}
}

// A sha2Schedule is the message schedule in vectors with VEX instructions, which run in pipes of their own (AMD) or beside the scalar
// ones (Intel). A vector is four words: an xmm register for SHA-256, a ymm register for SHA-512.
type sha2Schedule struct {
	s        *sha2Scalar
	ring     [4]VecPhysical   // the last sixteen words
	constant map[int][]uint64 // the vectors of the message that are known
	pad      Mem              // the message's words that are known
	loaded   map[int]bool     // those vectors of constant that are in their register
	t, u, v  VecPhysical
}

func newSHA2Schedule(s *sha2Scalar) *sha2Schedule {
	v := &sha2Schedule{s: s, constant: map[int][]uint64{}, loaded: map[int]bool{}}
	for i := range v.ring {
		v.ring[i] = v.vector(i)
	}
	v.t, v.u, v.v = v.vector(8), v.vector(9), v.vector(10)
	return v
}

// vector is the i-th vector register.
func (v *sha2Schedule) vector(i int) VecPhysical {
	if v.s.Bits == 64 {
		return []VecPhysical{Y0, Y1, Y2, Y3, Y4, Y5, Y6, Y7, Y8, Y9, Y10, Y11, Y12, Y13}[i]
	}
	return []VecPhysical{X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11, X12, X13}[i]
}

// low is the lower half of a ymm register.
func low(r VecPhysical) VecPhysical { return r.AsX().(VecPhysical) }

// reg is the register of vector q: words 4q and up.
func (v *sha2Schedule) reg(q int) VecPhysical { return v.ring[q%len(v.ring)] }

func (v *sha2Schedule) add(x Op, y, dst VecPhysical) {
	if v.s.Bits == 64 {
		v.s.VPADDQ(x, y, dst)
	} else {
		v.s.VPADDD(x, y, dst)
	}
}

func (v *sha2Schedule) shr(n int, x, dst VecPhysical) {
	if v.s.Bits == 64 {
		v.s.VPSRLQ(U8(n), x, dst)
	} else {
		v.s.VPSRLD(U8(n), x, dst)
	}
}

func (v *sha2Schedule) shl(n int, x, dst VecPhysical) {
	if v.s.Bits == 64 {
		v.s.VPSLLQ(U8(n), x, dst)
	} else {
		v.s.VPSLLD(U8(n), x, dst)
	}
}

// sigma sets dst to sigma(x): two rotations and a shift. dst is neither x nor tmp.
func (v *sha2Schedule) sigma(rot [3]int, x, dst, tmp VecPhysical) []amd64.Atom {
	s := v.s
	atoms := []amd64.Atom{func() { v.shr(rot[2], x, dst) }}
	for _, n := range rot[:2] {
		if n == 8 && s.Bits == 64 {
			atoms = append(atoms, func() {
				s.VPSHUFB(s.Table64("ror8", 0x0007060504030201, 0x080f0e0d0c0b0a09, 0x0007060504030201, 0x080f0e0d0c0b0a09), x, tmp)
			},
				func() { s.VPXOR(tmp, dst, dst) })
			continue
		}
		atoms = append(atoms, func() { v.shr(n, x, tmp) }, func() { s.VPXOR(tmp, dst, dst) },
			func() { v.shl(s.Bits-n, x, tmp) }, func() { s.VPXOR(tmp, dst, dst) })
	}
	return atoms
}

// sigmaOf is sigma of a known word.
func (v *sha2Schedule) sigmaOf(rot [3]int, x uint64) uint64 {
	if v.s.Bits == 64 {
		return bits.RotateLeft64(x, -rot[0]) ^ bits.RotateLeft64(x, -rot[1]) ^ x>>rot[2]
	}
	y := uint32(x)
	return uint64(bits.RotateLeft32(y, -rot[0]) ^ bits.RotateLeft32(y, -rot[1]) ^ y>>rot[2])
}

// known returns the four words from word i on, if all of them are known.
func (v *sha2Schedule) known(i int) []uint64 {
	var words []uint64
	for j := i; j < i+4; j++ {
		c := v.constant[j/4]
		if c == nil {
			return nil
		}
		words = append(words, c[j%4])
	}
	return words
}

// align sets dst to the words from word i on, the second one of a vector.
func (v *sha2Schedule) align(i int, dst VecPhysical) []amd64.Atom {
	var atoms []amd64.Atom
	q := i / 4
	for j := q; j < q+2; j++ {
		if v.constant[j] != nil && !v.loaded[j] {
			v.loaded[j] = true
			atoms = append(atoms, func() { v.s.VMOVDQU(v.s.at(v.pad, j*4), v.reg(j)) })
		}
	}
	if v.s.Bits == 64 {
		return append(atoms,
			func() { v.s.VPERM2I128(U8(0x21), v.reg(q+1), v.reg(q), dst) }, // words 2 to 5
			func() { v.s.VPALIGNR(U8(8), v.reg(q), dst, dst) })
	}
	return append(atoms, func() { v.s.VPALIGNR(U8(4), v.reg(q), v.reg(q+1), dst) })
}

// words makes vector q out of those before it, W[t] = sigma1(W[t-2]) + W[t-7] + sigma0(W[t-15]) + W[t-16] (FIPS 180-4 §6.2.2 step 1),
// without the terms that are zero and with those that are known in one constant, and puts it with K added where the rounds find it.
func (v *sha2Schedule) words(q int) []amd64.Atom {
	s := v.s
	var atoms []amd64.Atom
	do := func(more ...amd64.Atom) { atoms = append(atoms, more...) }
	dst, first := v.reg(q), 4*q
	constant := make([]uint64, 4)
	var sum VecPhysical // what has been added up
	addConstant := func(words []uint64) {
		for i := range constant {
			constant[i] += words[i]
		}
	}
	plus := func(x VecPhysical) { // dst = sum + x; x must be used before it is written again
		if sum == nil {
			sum = x
			return
		}
		y := sum
		do(func() { v.add(x, y, dst) })
		sum = dst
	}
	if c := v.constant[q-len(v.ring)]; c != nil {
		addConstant(c)
	} else {
		sum = dst
	}
	if w := v.known(first - 15); w != nil {
		for i := range w {
			w[i] = v.sigmaOf(s.rot.sigma0, w[i])
		}
		addConstant(w)
	} else {
		do(v.align(first-15, v.t)...)
		do(v.sigma(s.rot.sigma0, v.t, v.u, v.v)...)
		plus(v.u)
	}
	if w := v.known(first - 7); w != nil {
		addConstant(w)
	} else {
		do(v.align(first-7, v.t)...)
		plus(v.t)
	}
	move := func() {
		if x := sum; x != nil && x != dst {
			do(func() { s.VMOVDQA(x, dst) })
			sum = dst
		}
	}
	move()
	// sigma1 of the last two words before goes to the first two, and that of these to the last two.
	if w := v.constant[q-1]; w != nil {
		addConstant([]uint64{v.sigmaOf(s.rot.sigma1, w[2]), v.sigmaOf(s.rot.sigma1, w[3]), 0, 0})
		do(v.addTable(constant, dst)...)
	} else {
		do(v.addTable(constant, dst)...)
		do(v.sigma1First(v.reg(q-1), dst)...)
	}
	do(v.sigma1Last(dst)...)
	return append(atoms, v.put(q)...)
}

// sigma1First adds sigma1 of the last two words of x to the first two of dst.
func (v *sha2Schedule) sigma1First(x, dst VecPhysical) []amd64.Atom {
	if v.s.Bits == 32 {
		return v.sigma1Half(0xfa, x, dst, "first", 0x0b0a090803020100, 0x8080808080808080)
	}
	// What is done to the lower half of a register makes the upper half zero.
	return slices.Concat(
		[]amd64.Atom{func() { v.s.VEXTRACTI128(U8(1), x, low(v.t)) }},
		v.sigma(v.s.rot.sigma1, low(v.t), low(v.u), low(v.v)),
		[]amd64.Atom{func() { v.add(v.u, dst, dst) }})
}

// sigma1Last adds sigma1 of the first two words of x to its last two.
func (v *sha2Schedule) sigma1Last(x VecPhysical) []amd64.Atom {
	if v.s.Bits == 32 {
		return v.sigma1Half(0x50, x, x, "last", 0x8080808080808080, 0x0b0a090803020100)
	}
	return slices.Concat(
		v.sigma(v.s.rot.sigma1, low(x), low(v.u), low(v.v)),
		[]amd64.Atom{
			func() { v.s.VPERM2I128(U8(0x08), v.u, v.u, v.u) },
			func() { v.add(v.u, x, x) },
		})
}

// sigma1Half is either for words of 32 bits. Doubled, with the copies side by side, rotations are shifts of 64 bits.
func (v *sha2Schedule) sigma1Half(double uint8, x, dst VecPhysical, name string, order0, order1 uint64) []amd64.Atom {
	s, rot := v.s, v.s.rot.sigma1
	return []amd64.Atom{
		func() { s.VPSHUFD(U8(double), x, v.t) },
		func() { s.VPSRLQ(U8(rot[0]), v.t, v.u) },
		func() { s.VPSRLQ(U8(rot[1]), v.t, v.v) },
		func() { s.VPSRLD(U8(rot[2]), v.t, v.t) },
		func() { s.VPXOR(v.v, v.u, v.u) },
		func() { s.VPXOR(v.t, v.u, v.u) },
		func() { s.VPSHUFB(s.Table64(name, order0, order1), v.u, v.u) },
		func() { s.VPADDD(v.u, dst, dst) },
	}
}

// addTable adds known words to dst.
func (v *sha2Schedule) addTable(words []uint64, dst VecPhysical) []amd64.Atom {
	mask := ^uint64(0) >> (64 - v.s.Bits)
	name := "c"
	zero := true
	for i := range words {
		words[i] &= mask
		zero = zero && words[i] == 0
		name += "_" + hex(words[i])
	}
	if zero {
		return nil
	}
	return []amd64.Atom{func() { v.add(v.s.table(name, words), dst, dst) }}
}

func hex(x uint64) string {
	const digits = "0123456789abcdef"
	var b []byte
	for ; x != 0; x >>= 4 {
		b = append(b, digits[x&15])
	}
	slices.Reverse(b)
	return string(b)
}

// gather loads four words that have just been stored, one by one, so that they are forwarded.
func (v *sha2Schedule) gather(m Mem, dst VecPhysical) []amd64.Atom {
	s := v.s
	if s.Bits == 64 {
		return []amd64.Atom{
			func() { s.VMOVQ(m, low(dst)) }, func() { s.VMOVHPD(s.at(m, 1), low(dst), low(dst)) },
			func() { s.VMOVQ(s.at(m, 2), low(v.v)) }, func() { s.VMOVHPD(s.at(m, 3), low(v.v), low(v.v)) },
			func() { s.VINSERTI128(U8(1), low(v.v), dst, dst) },
		}
	}
	atoms := []amd64.Atom{func() { s.VMOVD(m, dst) }}
	for i := 1; i < 4; i++ {
		atoms = append(atoms, func() { s.VPINSRD(U8(i), s.at(m, i), dst, dst) })
	}
	return atoms
}

// end leaves the vector unit as other code wants it.
func (v *sha2Schedule) end() {
	if v.s.Bits == 64 {
		v.s.VZEROUPPER()
	}
}

// put stores vector q with K added.
func (v *sha2Schedule) put(q int) []amd64.Atom {
	s := v.s
	return []amd64.Atom{
		func() { v.add(s.k(4*q), v.reg(q), v.v) },
		func() { s.VMOVDQU(v.v, s.slot(4*q)) },
	}
}

// iterateSHA2Scalar writes an iteration kernel. Bound is the end of its documentation.
func iterateSHA2Scalar(f *amd64.File, h spec.Hash, name, bound string) {
	state, n := RDI, RSI
	f.Text(name, output.Iterate, fmt.Sprintf(`
%s does n iterations of HMAC-%s on one lane (FIPS 180-4 §6). State is [inner | outer | u | t], each the %d words of
a hash, in native byte order.

The state of the hash is in general registers and rotations are RORX. The message schedule runs beside the rounds, four words
in %s register, sixteen rounds ahead, and reaches them through sixteen words of the frame. What is known of the message, a digest
with its padding, is folded into constants: those of the rounds, and those of the schedule's first vectors. Round 0 is two
additions, and rounds 1 to 7 add one word and one constant as all others, since what they need of the midstates is added up beforehand.
The inner and the outer compression are the same code, which a pointer tells the midstate. T is in vectors.

%s`, name, h.Name, h.Words, map[int]string{32: "an xmm", 64: "a ymm"}[h.WordBits], strings.TrimSpace(bound)))
	f.Load(f.Param("state"), state)
	f.Load(f.Param("n"), n)
	f.TESTQ(n, n)
	f.JLE(LabelRef("done"))

	s := newSHA2Scalar(f, h)
	if s.Bits == 64 {
		s.spareFrom = 8 // before, it is cur's base
	}
	v := s.schedule
	size := s.Bytes()
	message := h.Message()
	all := ^uint64(0) >> (64 - h.WordBits)
	// The words that are known.
	for q := range v.ring {
		var words []uint64
		for _, w := range message[4*q : 4*(q+1)] {
			if w.IsConst() {
				words = append(words, w.Const)
			}
		}
		if len(words) == 4 {
			v.constant[q] = words
		}
	}

	// The frame has the result of the last compression, before the midstate is added, and for each half its midstate and what
	// can be added up before the message is known, all relative to one pointer that changes between the two.
	const (
		e1   = 0        // e after round 0, without word 0
		a1   = 1        // a after round 0, without word 0
		abc  = 2        // a, b, c
		ef   = 5        // e, f
		ab   = 7        // a ^ b
		fe   = 8        // e ^ f
		sums = 9        // [i]: what round i adds, i = 1 to 7, apart from the last result's word i; for i = 1 to 3 with that round's h
		add  = sums + 7 // the other half's midstate, 8 words: together with the last result it is the message
		cut  = add + 8  // the word of add that the digest ends in
		ones = cut + 1  // in the inner half all ones, else zero: a mask for t
	)
	last := f.AllocLocal(8 * size)
	var mid [2]Mem
	for half := range mid {
		mid[half] = f.AllocLocal((ones + 5) * size)
	}
	count, stateSlot, toggle, other := f.AllocLocal(8), f.AllocLocal(8), f.AllocLocal(8), f.AllocLocal(8)
	mask := func(m Mem) Mem { return s.at(m, ones) }
	cur := Mem{Base: sha2Spare}
	t := [2]VecPhysical{v.vector(12), v.vector(13)}
	part := func(p, word int) Mem { return Mem{Base: state, Disp: (p*8 + word) * size} }
	partial := func(i int) bool { return message[i].Mask != all && !message[i].IsConst() }
	constAt := func(i int) Mem { // of message word i, as a memory operand
		w := make([]uint64, 16)
		for i := range w {
			w[i] = message[i].Const
		}
		return s.at(s.table("pad"+h.Suffix, w), i)
	}
	maskAt := func(i int) Mem {
		w := make([]uint64, 8)
		for i := range w {
			w[i] = message[i].Mask
		}
		return s.at(s.table("mask"+h.Suffix, w), i)
	}
	wkAt := func(i int) Mem {
		w := make([]uint64, 16)
		for i := range w {
			w[i] = message[i].Const + h.K[i]
		}
		return s.at(s.table("wk"+h.Suffix, w), i)
	}
	// known adds to dst what is known of word i before the last result is.
	known := func(i, half int, dst GPPhysical) {
		s.Add(s.k(i), dst)
		switch {
		case message[i].Mask == all:
			s.Add(part(1-half, i), dst)
		case message[i].Const != 0:
			s.Add(constAt(i), dst)
		}
	}
	// Before.
	f.ADDQ(n, n)
	f.MOVQ(n, count)
	f.MOVQ(state, stateSlot)
	for half := range mid {
		m := mid[half]
		for i, r := range s.state {
			s.Mov(part(half, i), r)
		}
		for i := range 3 {
			s.Mov(s.state[i], s.at(m, abc+i))
		}
		for i := range 2 {
			s.Mov(s.state[4+i], s.at(m, ef+i))
		}
		s.Mov(s.state[0], s.t)
		s.Xor(s.state[1], s.t)
		s.Mov(s.t, s.at(m, ab))
		s.Mov(s.state[4], s.t)
		s.Xor(s.state[5], s.t)
		s.Mov(s.t, s.at(m, fe))
		for i := 1; i < 8; i++ {
			if i < 4 {
				s.Mov(s.state[7-i], s.t)
			} else {
				s.Mov(U32(0), s.t)
			}
			known(i, half, s.t)
			s.Mov(s.t, s.at(m, sums+i-1))
		}
		for i := range 8 {
			switch {
			case message[i].IsConst():
				s.Mov(U32(0), s.t)
			case partial(i):
				s.Mov(part(1-half, i), s.t)
				s.Mov(s.t, s.at(m, cut))
				s.Mov(constAt(i), s.t)
			default:
				s.Mov(part(1-half, i), s.t)
			}
			s.Mov(s.t, s.at(m, add+i))
		}
		f.VPCMPEQB(v.t, v.t, v.t)
		if half == 1 {
			f.VPXOR(v.t, v.t, v.t)
		}
		f.VMOVDQU(v.t, mask(m))
		s.Mov(s.state[1], s.maj[0])
		s.Xor(s.state[2], s.maj[0])
		known(0, half, s.state[7])
		amd64.Run(s.begin(0, sha2Input{}))
		amd64.Run(s.finish(0, nil))
		s.Mov(s.reg(1, 4), s.at(m, e1))
		s.Mov(s.reg(1, 0), s.at(m, a1))
	}
	// The loop begins with the last result in registers and frame.
	for i, r := range s.state {
		if message[i].IsConst() {
			s.Mov(constAt(i), r)
			s.Mov(r, s.at(last, i))
		} else {
			s.Mov(part(2, i), r)
			s.Sub(part(1, i), r)
		}
	}
	for i := range t {
		f.VMOVDQU(part(2, i*4), t[i])
		f.VPXOR(part(3, i*4), t[i], t[i])
		// What is constant in the message is nothing in t, so that it does not matter there.
	}
	f.LEAQ(mid[0], sha2Spare)
	f.LEAQ(mid[1], s.t)
	f.XORQ(sha2Spare, s.t)
	f.MOVQ(s.t, toggle)

	f.Label("compression")
	f.MOVQ(sha2Spare, s.t)
	f.XORQ(toggle, s.t)
	f.MOVQ(s.t, other)
	for i, r := range s.state {
		if !message[i].IsConst() && !partial(i) {
			s.Mov(r, s.at(last, i))
		}
		if partial(i) {
			s.Add(s.at(cur, cut), r)
			s.And(maskAt(i), r)
			s.Mov(r, s.at(last, i))
		}
	}
	side := map[int][]amd64.Atom{}
	v.pad = constAt(0)
	for q := range v.ring {
		dst := v.reg(q)
		var load []amd64.Atom
		if v.constant[q] == nil {
			load = v.gather(s.at(last, 4*q), dst)
			load = append(load, func() { v.add(s.at(cur, add+4*q), dst, dst) },
				func() { f.VPAND(mask(cur), dst, v.v) }, func() { f.VPXOR(v.v, t[q], t[q]) })
		}
		side[0] = append(side[0], load...)
	}
	input := func(i int) sha2Input {
		switch {
		case i >= 16:
			return sha2Input{wk: []Op{s.slot(i)}}
		case i >= 8:
			return sha2Input{wk: []Op{wkAt(i)}}
		}
		var in sha2Input
		switch sum := s.at(cur, sums+i-1); {
		case i == 1:
			in.fg = s.at(cur, fe)
			return in // h has it all
		case i < 4:
			in.load = sum
		default:
			in.wk = append(in.wk, sum)
		}
		if !message[i].IsConst() {
			in.wk = append(in.wk, s.at(last, i))
		}
		return in
	}
	round := func(i int) []amd64.Atom {
		if i == s.rounds()-1 {
			return s.finish(i, nil)
		}
		next := input(i + 1)
		if i > 0 {
			return s.finish(i, &next)
		}
		a, b, c, d, e, ff, g, hh := s.reg(0, 0), s.reg(0, 1), s.reg(0, 2), s.reg(0, 3), s.reg(0, 4), s.reg(0, 5), s.reg(0, 6), s.reg(0, 7)
		return append([]amd64.Atom{
			func() { s.Mov(s.at(cur, e1), d); s.Add(a, d) },
			func() { s.Mov(s.at(cur, a1), hh); s.Add(a, hh) },
			func() { s.Mov(s.at(cur, sums), g); s.Mov(s.at(cur, abc), a) },
			func() {
				if !message[1].IsConst() {
					s.Add(b, g)
				}
				s.Mov(s.at(cur, abc+1), b)
			},
			func() { s.Mov(s.at(cur, abc+2), c) },
			func() { s.Mov(s.at(cur, ef), e); s.Mov(s.at(cur, ef+1), ff) },
			func() { s.Mov(s.at(cur, ab), s.maj[1]) },
		}, s.begin(1, next)...)
	}
	s.scheduledRounds(round, side)
	// The other half's turn.
	f.MOVQ(other, sha2Spare)
	f.DECQ(count)
	f.JNZ(LabelRef("compression"))

	// After.
	f.MOVQ(stateSlot, state)
	for i, r := range s.state {
		s.Add(part(1, i), r)
		s.Mov(r, part(2, i))
	}
	for i := range t {
		f.VMOVDQU(t[i], part(3, i*4))
	}
	for i, r := range s.state {
		s.Xor(r, part(3, i))
	}
	v.end()
	f.Label("done")
	f.RET()
}

// compressSHA2Scalar writes a compression function.
func compressSHA2Scalar(f *amd64.File, h spec.Hash, name string) {
	f.CompressInFrame(name, fmt.Sprintf(`
%s compresses the blocks of p, a multiple of %d bytes, into the state h (FIPS 180-4 §6). The schedule
is that of the iteration kernels; a round is 22 instructions apart from moves and a chain of 5 cycles. A block's words are fetched beside the last rounds of the block before it, which have no schedule.`,
		name, h.BlockBytes()), h.BlockBytes(), func() amd64.CompressBody {
		s := newSHA2Scalar(f, h)
		v := s.schedule
		swap := v.vector(11)
		fetch := func(p GPPhysical, q int) []amd64.Atom {
			return []amd64.Atom{
				func() { f.VMOVDQU(s.at(Mem{Base: p}, 4*q), v.reg(q)) },
				func() { f.VPSHUFB(swap, v.reg(q), v.reg(q)) },
			}
		}
		last := len(v.ring) - 1
		return amd64.CompressBody{
			Begin: func(h GPPhysical) {
				order := s.Table64("swap64", 0x0001020304050607, 0x08090a0b0c0d0e0f, 0x0001020304050607, 0x08090a0b0c0d0e0f)
				if s.Bits == 32 {
					order = s.Table64("swap32", 0x0405060700010203, 0x0c0d0e0f08090a0b)
				}
				f.VMOVDQU(order, swap)
				for i, r := range s.state {
					s.Mov(s.at(Mem{Base: h}, i), r)
				}
			},
			Ahead: func(p GPPhysical) {
				for q := range v.ring {
					amd64.Run(fetch(p, q))
					if q < last {
						amd64.Run(v.put(q))
					}
				}
			},
			Block: func(next Mem) {
				// Vector q's place is free once rounds tail+4q to tail+4q+3 have read it.
				tail, p := s.rounds()-16, sha2Spare
				side := map[int][]amd64.Atom{0: v.put(last), tail: {func() { f.MOVQ(next, p) }}}
				for q := range v.ring {
					side[tail] = append(side[tail], fetch(p, q)...)
					if q < last {
						side[tail+4+4*q] = v.put(q)
					}
				}
				s.Mov(s.reg(0, 1), s.maj[0])
				s.Xor(s.reg(0, 2), s.maj[0])
				input := func(i int) sha2Input { return sha2Input{wk: []Op{s.slot(i)}} }
				amd64.Run(s.begin(0, input(0)))
				s.scheduledRounds(func(i int) []amd64.Atom {
					if i == s.rounds()-1 {
						return s.finish(i, nil)
					}
					next := input(i + 1)
					return s.finish(i, &next)
				}, side)
			},
			End: func(h GPPhysical) {
				for i, r := range s.state {
					s.Add(s.at(Mem{Base: h}, i), r)
					s.Mov(r, s.at(Mem{Base: h}, i))
				}
			},
			Last: v.end,
		}
	})
}
