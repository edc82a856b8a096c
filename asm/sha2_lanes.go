// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// A laneWord is W[t] as lanes compute it: konst and those terms of FIPS 180-4 §6.2.2 step 1 that depend on the digest.
type laneWord struct {
	konst   uint64
	digest  bool // it is a word of the digest; else
	w16, s0 bool // W[t-16], σ0(W[t-15])
	w7, s1  bool // W[t-7], σ1(W[t-2])
}

func (w laneWord) isConst() bool { return !(w.digest || w.w16 || w.s0 || w.w7 || w.s1) }

// laneSchedule is the message schedule of a block that holds a digest, with everything constant computed: half of the block or more is
// padding, so that W[16] to W[30] have fewer terms than four.
func laneSchedule(h spec.Hash) []laneWord {
	ones := uint64(1)<<(h.WordBits-1)<<1 - 1
	rot := sha2Rotate[h.WordBits]
	sigma := func(n [3]int) func(x uint64) uint64 {
		return func(x uint64) uint64 {
			return x>>n[0] ^ x<<(h.WordBits-n[0]) ^ x>>n[1] ^ x<<(h.WordBits-n[1]) ^ x>>n[2]
		}
	}
	var words []laneWord
	for _, m := range h.Message() {
		w := laneWord{konst: m.Const}
		if !m.IsConst() { // where the digest ends inside a word, pad puts the rest there
			w = laneWord{digest: true}
		}
		words = append(words, w)
	}
	for t := 16; t < len(h.K); t++ {
		var w laneWord
		term := func(i int, present *bool, f func(uint64) uint64) {
			if words[i].isConst() {
				w.konst += f(words[i].konst) & ones
			} else {
				*present = true
			}
		}
		same := func(x uint64) uint64 { return x }
		term(t-16, &w.w16, same)
		term(t-15, &w.s0, sigma(rot.sigma0))
		term(t-7, &w.w7, same)
		term(t-2, &w.s1, sigma(rot.sigma1))
		w.konst &= ones
		words = append(words, w)
	}
	return words
}

// sha2Lanes writes the kernels of both word sizes and all instruction sets.
type sha2Lanes struct {
	v        *amd64.Vector
	hash     spec.Hash
	words    []laneWord
	konst    []uint64    // the table of constants, in the order of their use
	roundK   []int       // where the constant of round t is in it
	schedK   map[int]int // where the constant of W[t] is in it
	konstAt  int         // the one that sha2K points to
	padK     int         // where the padding is in it that follows the digest inside a word
	streams  []*sha2Stream
	rot      sha2Rotations
	unrolled int // rounds in front of the loop of 16
}

// A sha2Stream is the registers of one vector of lanes.
type sha2Stream struct {
	k      *sha2Lanes
	i      int
	state  []VecPhysical // a to h
	tmp    []VecPhysical // for rounds: three; AVX2 needs a fourth and has b ^ c of the next round in it
	sched  []VecPhysical // for the schedule
	recent []VecPhysical // the last two words of the schedule by t%2; else they are in memory only
	ring   []VecPhysical // the last sixteen words of the schedule by t%16; else they are in memory
}

// The general registers: the ring of the last sixteen words of the schedule in two halves, the constants, what is precomputed
// for this half and for the other one, the loop counter. The first three are among the eight whose use makes AVX2's instructions short.
var sha2Ring, sha2K, sha2Pre, sha2OtherPre, sha2Count, sha2Step = [2]GPPhysical{RAX, RBX}, RCX, R8, R9, R10, R11

const sha2Precomputed = 5 // words of it for each half

func newSHA2Lanes(v *amd64.Vector, h spec.Hash) *sha2Lanes {
	k := &sha2Lanes{v: v, hash: h, words: laneSchedule(h), rot: sha2Rotate[h.WordBits], schedK: map[int]int{}, unrolled: len(h.K)}
	mask := uint64(1)<<(h.WordBits-1)<<1 - 1
	for t, w := range k.words {
		c := h.K[t]
		if w.isConst() {
			c += w.konst
		}
		k.roundK = append(k.roundK, len(k.konst))
		k.konst = append(k.konst, c&mask)
		if u := t + 1; u >= 16 && u < len(k.words) && !k.words[u].isConst() && k.words[u].konst != 0 {
			k.schedK[u] = len(k.konst)
			k.konst = append(k.konst, k.words[u].konst)
		}
	}
	if k.partial() > 0 {
		k.padK = len(k.konst)
		k.konst = append(k.konst, h.Message()[k.digestWords()-1].Const)
	}
	return k
}

// digestWords is how many words of the state go into the digest, the last one perhaps in part.
func (k *sha2Lanes) digestWords() int {
	return (k.hash.Digest*8 + k.hash.WordBits - 1) / k.hash.WordBits
}

// partial is how many bits of its last word are not in the digest.
func (k *sha2Lanes) partial() int { return k.digestWords()*k.hash.WordBits - k.hash.Digest*8 }

// pad puts the padding into word w of the digest, x, if the digest ends inside it.
func (k *sha2Lanes) pad(w int, x VecPhysical) []amd64.Atom {
	n := k.partial()
	if n == 0 || w != k.digestWords()-1 {
		return nil
	}
	return []amd64.Atom{
		func() { k.v.ShiftR(n, x, x) }, func() { k.v.ShiftL(n, x, x) }, func() { k.v.AddConst(k.addK(k.padK).Op.(Mem), x, x) },
	}
}

func (k *sha2Lanes) constSize() int {
	if k.v.IsAVX512() {
		return k.hash.WordBits / 8
	}
	return k.v.Bytes()
}

// addK is constant i as an addend.
func (k *sha2Lanes) addK(i int) addend {
	return addend{Mem{Base: sha2K, Disp: (i - k.konstAt) * k.constSize()}, true}
}

// moveK makes sha2K point to constant i.
func (k *sha2Lanes) moveK(i int) {
	if n := (i - k.konstAt) * k.constSize(); n != 0 {
		k.v.ADDQ(I32(n), sha2K)
	}
	k.konstAt = i
}

// reachK makes sha2K point to where an instruction has a displacement of one byte for the constants from i on.
func (k *sha2Lanes) reachK(i int) {
	if reach := 128 / k.constSize(); !k.v.IsAVX512() && i+1 >= k.konstAt+reach {
		k.moveK(i + reach)
	}
}

// slot is where W[t] is in memory.
func (s *sha2Stream) slot(t int) Mem {
	t %= 16
	return Mem{Base: sha2Ring[t/8], Disp: ((t%8-4)*s.k.v.Streams + s.i) * s.k.v.Bytes()}
}

// pre is precomputed word i of the half that base is for.
func (s *sha2Stream) pre(base GPPhysical, i int) Mem {
	return Mem{Base: base, Disp: (i*s.k.v.Streams + s.i) * s.k.v.Bytes()}
}

// w is W[t] as an operand while W[latest] is the newest word.
func (s *sha2Stream) w(t, latest int) Op {
	switch {
	case s.ring != nil:
		return s.ring[t%16]
	case s.recent != nil && t >= 16 && latest-t < 2:
		return s.recent[t%2]
	default:
		return s.slot(t)
	}
}

// An addend is a register, memory, or one of the constants.
type addend struct {
	Op
	konst bool
}

// sum is dst = the sum of terms, made in acc. Neither may be a term, unless it is the first.
func (s *sha2Stream) sum(terms []addend, acc, dst VecPhysical) (atoms []amd64.Atom) {
	for i, t := range terms { // a register goes first, if there is one
		if _, ok := t.Op.(VecPhysical); ok {
			copy(terms[1:], terms[:i])
			terms[0] = t
			break
		}
	}
	do := func(a amd64.Atom) { atoms = append(atoms, a) }
	x, ok := terms[0].Op.(VecPhysical)
	if !ok {
		x = acc
		if len(terms) == 1 {
			x = dst
		}
		do(func() { s.k.v.Load(terms[0].Op.(Mem), x) })
	}
	if len(terms) == 1 {
		do(func() { s.k.v.Move(x, dst) })
	}
	for i, t := range terms[1:] {
		from, to := x, acc
		if i > 0 {
			from = acc
		}
		if i == len(terms)-2 {
			to = dst
		}
		if t.konst {
			do(func() { s.k.v.AddConst(t.Op.(Mem), from, to) })
		} else {
			do(func() { s.k.v.Add(t.Op, from, to) })
		}
	}
	return atoms
}

// bigSigma is dst = Σ(x), smallSigma dst = σ(x), whose last rotation is a shift. On AVX-512 dst may
// be x; AVX2 does not use t2.
func (s *sha2Stream) bigSigma(rot [3]int, x, dst, t1, t2 VecPhysical) []amd64.Atom {
	return s.sigma(rot[:], nil, x, dst, t1, t2)
}

func (s *sha2Stream) smallSigma(rot [3]int, x, dst, t1, t2 VecPhysical) []amd64.Atom {
	return s.sigma(rot[:2], rot[2:], x, dst, t1, t2)
}

func (s *sha2Stream) sigma(rotate, shift []int, x, dst, t1, t2 VecPhysical) (atoms []amd64.Atom) {
	do := func(a amd64.Atom) { atoms = append(atoms, a) }
	var terms []func(dst VecPhysical)
	for _, n := range rotate {
		if s.k.v.IsAVX512() || n%8 == 0 {
			terms = append(terms, func(dst VecPhysical) { s.k.v.RotR(n, x, dst, nil) })
		} else {
			terms = append(terms, func(dst VecPhysical) { s.k.v.ShiftR(n, x, dst) }, func(dst VecPhysical) { s.k.v.ShiftL(s.k.v.WordBits-n, x, dst) })
		}
	}
	for _, n := range shift {
		terms = append(terms, func(dst VecPhysical) { s.k.v.ShiftR(n, x, dst) })
	}
	if s.k.v.IsAVX512() {
		for i, r := range []VecPhysical{t1, t2, dst} {
			do(func() { terms[i](r) })
		}
		do(func() { s.k.v.Parity(dst, t1, t2, dst) })
		return atoms
	}
	do(func() { terms[0](dst) })
	for _, term := range terms[1:] {
		do(func() { term(t1) })
		do(func() { s.k.v.Xor(t1, dst, dst) })
	}
	return atoms
}

// schedule makes W[t], of which word says what is to be added. W[t-1] is the newest one there is.
func (s *sha2Stream) schedule(t int, word laneWord, keep bool) (atoms []amd64.Atom) {
	if word.isConst() {
		return nil
	}
	do := func(a ...amd64.Atom) { atoms = append(atoms, a...) }
	u := s.sched
	s0, s1 := u[0], u[1]
	if !s.k.v.IsAVX512() {
		s0, s1 = u[1], u[2]
	}
	acc, dst := s0, s0
	switch {
	case s.ring != nil:
		acc, dst = s.ring[t%16], s.ring[t%16]
	case s.recent != nil:
		dst, s1 = s.recent[t%2], s.recent[t%2]
	}
	var terms []addend
	add := func(x Op) { terms = append(terms, addend{x, false}) }
	if s.ring != nil && word.w16 {
		add(s.w(t-16, t-1))
	}
	if word.s0 {
		x, ok := s.w(t-15, t-1).(VecPhysical)
		if !ok {
			x = u[0]
			do(func() { s.k.v.Load(s.slot(t-15), x) })
		}
		if s.recent != nil {
			do(s.smallSigma(s.k.rot.sigma0, x, s0, u[1], u[2])...)
		} else {
			do(s.smallSigma(s.k.rot.sigma0, x, s0, u[2], u[3])...)
		}
		add(s0)
	}
	if s.ring == nil && word.w16 {
		add(s.w(t-16, t-1))
	}
	if word.w7 {
		add(s.w(t-7, t-1))
	}
	if word.konst != 0 {
		terms = append(terms, s.k.addK(s.k.schedK[t]))
	}
	if !word.s1 {
		do(s.sum(terms, acc, dst)...)
	} else {
		if len(terms) > 1 {
			do(s.sum(terms, acc, acc)...)
			terms = []addend{{acc, false}}
		}
		x, ok := s.w(t-2, t-1).(VecPhysical)
		switch {
		case !s.k.v.IsAVX512():
			do(func() { s.k.v.Load(s.slot(t-2), u[0]) })
			do(s.smallSigma(s.k.rot.sigma1, u[0], s1, u[3], nil)...)
		case !ok:
			do(func() { s.k.v.Load(s.slot(t-2), u[1]) })
			do(s.smallSigma(s.k.rot.sigma1, u[1], u[1], u[2], u[3])...)
		case s.recent != nil:
			do(s.smallSigma(s.k.rot.sigma1, x, s1, u[1], u[2])...)
		default:
			do(s.smallSigma(s.k.rot.sigma1, x, s1, u[2], u[3])...)
		}
		do(s.sum(append([]addend{{s1, false}}, terms...), acc, dst)...)
	}
	if s.ring == nil && keep {
		do(func() { s.k.v.Store(dst, s.slot(t)) })
	}
	return atoms
}

// round is FIPS 180-4 §6.2.2 step 3 with the sum of terms for h + K[t] + W[t].
func (s *sha2Stream) round(terms ...addend) (atoms []amd64.Atom) {
	do := func(a ...amd64.Atom) { atoms = append(atoms, a...) }
	a, b, c, d := s.state[0], s.state[1], s.state[2], s.state[3]
	e, f, g, h := s.state[4], s.state[5], s.state[6], s.state[7]
	t := s.tmp
	plus := func(x, dst VecPhysical) func() { return func() { s.k.v.Add(x, dst, dst) } }
	do(s.sum(terms, h, h)...)
	switch {
	case !s.k.v.IsAVX512():
		t0, t1, x, y := t[0], t[1], t[2], t[3] // y is b ^ c
		ch := []amd64.Atom{func() { s.k.v.Xor(f, g, x) }, func() { s.k.v.And(e, x, x) }, func() { s.k.v.Xor(g, x, x) }, plus(x, h)}
		do(spread(s.bigSigma(s.k.rot.bigSigma1, e, t0, t1, nil), ch)...)
		do(plus(t0, h), plus(h, d))
		maj := []amd64.Atom{func() { s.k.v.Xor(a, b, x) }, func() { s.k.v.And(x, y, y) }, func() { s.k.v.Xor(b, y, y) }, plus(y, h)}
		do(spread(s.bigSigma(s.k.rot.bigSigma0, a, t0, t1, nil), maj)...)
		do(plus(t0, h))
		s.tmp = []VecPhysical{t0, t1, y, x}
		s.state = []VecPhysical{h, a, b, c, d, e, f, g}
	case s.ring != nil:
		// One stream waits for its own results. With d added to h early the new e is there one addition sooner, in place of h,
		// and d becomes a.
		do(plus(d, h))
		do(func() { s.k.v.Choose(e, f, g, t[0]) }, plus(t[0], h))
		do(s.bigSigma(s.k.rot.bigSigma1, e, t[0], t[1], t[2])...)
		do(plus(t[0], h))
		do(func() { s.k.v.Sub(d, h, d) })
		do(func() { s.k.v.Majority(a, b, c, t[0], nil) }, plus(t[0], d))
		do(s.bigSigma(s.k.rot.bigSigma0, a, t[0], t[1], t[2])...)
		do(plus(t[0], d))
		s.state = []VecPhysical{d, a, b, c, h, e, f, g}
	default:
		do(func() { s.k.v.Choose(e, f, g, t[0]) }, plus(t[0], h))
		do(s.bigSigma(s.k.rot.bigSigma1, e, t[0], t[1], t[2])...)
		do(plus(t[0], h), plus(h, d))
		do(func() { s.k.v.Majority(a, b, c, t[0], nil) }, plus(t[0], h))
		do(s.bigSigma(s.k.rot.bigSigma0, a, t[0], t[1], t[2])...)
		do(plus(t[0], h))
		s.state = []VecPhysical{h, a, b, c, d, e, f, g}
	}
	return atoms
}

// spread writes few among many, evenly.
func spread(many, few []amd64.Atom) (atoms []amd64.Atom) {
	if len(few) > len(many) {
		many, few = few, many
	}
	j := 0
	for i, a := range many {
		atoms = append(atoms, a)
		for ; j*len(many) < (i+1)*len(few); j++ {
			atoms = append(atoms, few[j])
		}
	}
	return atoms
}

// write puts each stream's atoms into the file: in turn, which takes 2 % less on Zen 4, where streams have temporary registers of their own, else those of one after those of another.
func (k *sha2Lanes) write(of func(s *sha2Stream) []amd64.Atom) {
	var atoms [][]amd64.Atom
	for _, s := range k.streams {
		atoms = append(atoms, of(s))
	}
	if len(k.streams) == 2 {
		amd64.Interleave(atoms...)
		return
	}
	for _, a := range atoms {
		amd64.Run(a)
	}
}

// rounds writes round t, and what of the schedule belongs to it. In the loop that is a full word.
func (k *sha2Lanes) rounds(t int, loop bool) {
	k.reachK(k.roundK[t])
	k.write(func(s *sha2Stream) []amd64.Atom {
		// The next word of the schedule is made beside the round. In the last pass of the loop that is one too many, which costs less
		// than a loop that makes its first word when it needs it.
		var beside []amd64.Atom
		latest := t
		if u := t + 1; u >= 16 && u < len(k.hash.K) {
			beside = s.schedule(u, k.words[u], loop || s.recent == nil || u+7 < len(k.hash.K))
			latest = u
		}
		w := addend{s.w(t, latest), false}
		h := s.state[7]
		var round []amd64.Atom
		switch {
		case t == 0:
			round = s.firstRound()
		case t < 4:
			if t == 1 {
				w.Op = s.digestWord(1, 2)
			}
			round = s.sum([]addend{{s.pre(sha2Pre, t+1), false}, w}, h, h)
			if t == 1 {
				round = append(round, s.loadMidstate()...)
			}
			round = append(round, s.round(addend{h, false})...)
		case k.words[t].isConst():
			round = s.round(addend{h, false}, k.addK(k.roundK[t]))
		default:
			round = s.round(addend{h, false}, k.addK(k.roundK[t]), w)
		}
		return spread(round, beside)
	})
}

// firstRound needs two additions for what is precomputed.
func (s *sha2Stream) firstRound() []amd64.Atom {
	r := s.state
	w := s.digestWord(0, 0)
	e, a := r[3], r[7]
	s.state = []VecPhysical{r[7], r[0], r[1], r[2], r[3], r[4], r[5], r[6]}
	if s.ring != nil {
		e, a = r[7], r[3]
		s.state = []VecPhysical{r[3], r[0], r[1], r[2], r[7], r[4], r[5], r[6]}
	}
	return []amd64.Atom{
		func() { s.k.v.Add(s.pre(sha2Pre, 0), w, e) },
		func() { s.k.v.Add(s.pre(sha2Pre, 1), w, a) },
	}
}

// loadMidstate loads, after the first round, the words of the midstate that it has only moved.
func (s *sha2Stream) loadMidstate() (atoms []amd64.Atom) {
	for _, i := range []int{5, 6, 3, 1, 2} {
		r := s.state[i]
		atoms = append(atoms, func() { s.k.v.Load(s.k.v.MidWord(i-1, s.i), r) })
	}
	if !s.k.v.IsAVX512() {
		b, c, y := s.state[1], s.state[2], s.tmp[3]
		atoms = append(atoms, func() { s.k.v.Xor(b, c, y) })
	}
	return atoms
}

// digestWord is the register that has word i of the digest at the start of a half, where it is in the ring, or else in the state's register i
// until that is needed, which has the name of the given index by now.
func (s *sha2Stream) digestWord(i, name int) VecPhysical {
	if s.ring != nil {
		return s.ring[i]
	}
	return s.state[name]
}

// precompute stores for each half what its first rounds make of the midstate alone.
func (k *sha2Lanes) precompute() {
	for half, base := range []GPPhysical{sha2Pre, sha2OtherPre} {
		for _, s := range k.streams {
			state := s.state
			for w, r := range state {
				s.k.v.Load(Mem{Base: k.v.State, Disp: ((half*8+w)*k.v.Streams + s.i) * k.v.Bytes()}, r)
			}
			if !k.v.IsAVX512() {
				s.k.v.Xor(state[1], state[2], s.tmp[3])
			}
			amd64.Interleave(s.round(addend{state[7], false}, k.addK(0)))
			s.k.v.Store(s.state[4], s.pre(base, 0))
			s.k.v.Store(s.state[0], s.pre(base, 1))
			for t := 1; t < 4; t++ { // the word that is h in round t
				x := s.tmp[0]
				k.v.AddConst(k.addK(k.roundK[t]).Op.(Mem), s.state[8-t], x)
				s.k.v.Store(x, s.pre(base, t+1))
			}
			s.state = state
		}
	}
}

// doc documents a kernel; the arrangement is what not all of them share.
func (k *sha2Lanes) doc(name, arrangement string) string {
	if k.hash.Suffix != "" {
		return fmt.Sprintf("%s is %s for HMAC-%s, whose message is padded earlier.", name, strings.TrimSuffix(name, k.hash.Suffix), strings.ToUpper(k.hash.Name))
	}
	hash, section := "HMAC-"+strings.ToUpper(k.hash.Name), "6.2.2"
	if k.v.WordBits == 64 {
		section = "6.4.2"
	}
	vectors := "one vector"
	if k.v.Streams > 1 {
		vectors = fmt.Sprintf("%d vectors", k.v.Streams)
	}
	return fmt.Sprintf(`
%s does n iterations of %s (FIPS 180-4 §%s) on %d lanes, one in each %d-bit word of %s.
State is [inner | outer | u | t][8 words][%[4]d lanes].

The loop is one compression, of the inner and of the outer half in turn: the digest of one is the message of the other. The
constant words of the message are part of the round constants, and the schedule has only those terms that depend on the digest.
Of the first round two additions are left for what is known of the midstate alone, which is kept on the stack; in the next three
rounds the constant has been added to the midstate.

%[7]s%[8]s`, name, hash, section, k.v.Lanes(), k.v.WordBits, vectors, k.v.Width(), strings.TrimSpace(arrangement))
}

// iterate writes the kernel.
func (k *sha2Lanes) iterate(arrangement string) {
	name := k.v.Symbol() + k.hash.Suffix
	vec := k.v.Bytes() * k.v.Streams
	frame := 2 * sha2Precomputed // in words of all lanes, followed by the ring
	if k.streams[0].ring == nil {
		frame += 16
	}
	table := k.v.Consts("k"+k.hash.Name, k.konst)[0]
	k.v.Iterate(name, k.doc(name, arrangement),
		func() {
			k.v.Frame(frame*vec, sha2Pre)
			k.v.LEAQ(Mem{Base: sha2Pre, Disp: sha2Precomputed * vec}, sha2OtherPre)
			k.v.LEAQ(Mem{Base: sha2OtherPre, Disp: (sha2Precomputed + 4) * vec}, sha2Ring[0])
			k.v.LEAQ(Mem{Base: sha2Ring[0], Disp: 8 * vec}, sha2Ring[1])
			k.v.MOVQ(sha2K, sha2Step)
			k.v.LEAQ(table, sha2K)
			k.precompute()
			for _, s := range k.streams {
				for w := range k.digestWords() {
					r := s.state[w]
					if s.ring != nil {
						r = s.ring[w]
					}
					s.k.v.Load(s.k.v.U(w, s.i), r)
					amd64.Run(k.pad(w, r))
					if s.ring == nil {
						s.k.v.Store(r, s.slot(w))
					}
				}
			}
		},
		func() {
			all := len(k.hash.K)
			k.v.LEAQ(table, sha2K)
			k.konstAt = 0
			for t := range k.unrolled {
				k.rounds(t, false)
			}
			if k.unrolled < all {
				k.v.MOVQ(U32((all-k.unrolled)/16), sha2Count)
				k.reachK(k.roundK[k.unrolled])
				from := k.konstAt
				k.v.Label("rounds")
				for t := range 16 {
					k.rounds(k.unrolled+t, true)
				}
				k.moveK(from + 16)
				k.v.DECQ(sha2Count)
				k.v.JNZ(LabelRef("rounds"))
				k.konstAt = from + all - k.unrolled
			}
			k.write(func(s *sha2Stream) (atoms []amd64.Atom) {
				for w := range k.digestWords() {
					x, r := s.state[w], s.state[w]
					if s.ring != nil {
						r = s.ring[w]
					}
					atoms = append(atoms, func() { s.k.v.Add(s.k.v.MidWord(w, s.i), x, r) })
					atoms = append(atoms, k.pad(w, r)...)
					if s.ring == nil {
						atoms = append(atoms, func() { s.k.v.Store(r, s.slot(w)) })
					}
				}
				return atoms
			})
			k.v.XCHGQ(sha2Pre, sha2OtherPre)
			k.v.MOVQ(sha2Step, sha2K) // what the loop has in that register
			k.v.NEGQ(sha2Step)
		},
		func() {
			k.write(func(s *sha2Stream) (atoms []amd64.Atom) {
				for w := range k.digestWords() {
					t := s.tmp[0]
					atoms = append(atoms,
						func() { s.k.v.Xor(s.k.v.T(w, s.i), s.digestWord(w, w), t) },
						func() { s.k.v.Store(t, s.k.v.T(w, s.i)) })
				}
				return atoms
			})
		},
		func() {
			for _, s := range k.streams {
				for w := range k.digestWords() {
					s.k.v.Store(s.digestWord(w, w), s.k.v.U(w, s.i))
				}
			}
		})
}

func sha256AVX2(f *amd64.File) { sha2AVX2(f, spec.SHA256, spec.SHA224) }

func sha512AVX2(f *amd64.File) {
	sha2AVX2(f, spec.SHA512, spec.SHA384, spec.SHA512_256, spec.SHA512_224)
}

func sha256AVX512(streams int) func(*amd64.File) {
	return func(f *amd64.File) { sha2AVX512(f.AVX512, streams, spec.SHA256, spec.SHA224) }
}

func sha512AVX512(streams int) func(*amd64.File) {
	return func(f *amd64.File) {
		sha2AVX512(f.AVX512, streams, spec.SHA512, spec.SHA384)
		if streams == 1 { // the rarer ones have only kernels of one vector, as each takes some 12 KB
			sha2AVX512(f.AVX512, streams, spec.SHA512_256, spec.SHA512_224)
		}
	}
}

func sha256AVX512VL(f *amd64.File) { sha2AVX512(f.AVX512VL, 1, spec.SHA256, spec.SHA224) }

func sha512AVX512VL(f *amd64.File) {
	sha2AVX512(f.AVX512VL, 1, spec.SHA512, spec.SHA384, spec.SHA512_256, spec.SHA512_224)
}

func sha2AVX2(f *amd64.File, hashes ...spec.Hash) {
	for _, h := range hashes {
		k := newSHA2Lanes(f.AVX2(h.WordBits, 8, 1), h)
		k.unrolled = 32
		r := k.v.Regs()
		k.streams = []*sha2Stream{{k: k, state: r[8:16], tmp: r[0:4], sched: r[4:8]}}
		perWord, bound := 21, "3130 operations, 782 cycles"
		if h.WordBits == 64 {
			perWord, bound = 19, "3912 operations, 978 cycles"
		}
		k.iterate(fmt.Sprintf(`
AVX2 has no rotation; one is two shifts and a xor, or a byte shuffle for 8. Ch is ((f^g)&e)^g and Maj is ((a^b)&(b^c))^b, where b^c
is the a^b of the round before. That is 35 operations a round and %d a word of the schedule. Four in ten are shifts, for which a CPU
has half of its units; so what counts is the number of operations, and a second vector would not help. The last sixteen words of the
schedule are in memory. The first 32 rounds stand in line, the others are a loop of 16, the most used registers are the low ones, and
displacements have one byte: the whole loop has to fit into a CPU's cache of decoded instructions.
Bound at four operations a cycle, as on Zen 3: %s a compression.`, perWord, bound))
	}
}

// sha2AVX512 writes the kernels of one, two or three vectors.
func sha2AVX512(vector func(wordBits, words, streams int) *amd64.Vector, streams int, hashes ...spec.Hash) {
	for _, h := range hashes {
		k := newSHA2Lanes(vector(h.WordBits, 8, streams), h)
		r := k.v.Regs()
		bound := map[int][4]string{
			32: {1: "456 cycles a compression; on Zen 4, where it is 4, 1602 operations", 2: "3109 operations, 777 cycles", 3: "4663 operations, 1166 cycles"},
			64: {1: "568 cycles a compression; on Zen 4, where it is 4, 2066 operations", 2: "4005 operations, 1001 cycles", 3: "6007 operations, 1502 cycles"},
		}[h.WordBits][streams]
		var arrangement string
		switch streams {
		case 1:
			k.streams = []*sha2Stream{{k: k, state: r[0:8], ring: r[8:24], tmp: r[24:27], sched: r[27:31]}}
			arrangement = `
The last sixteen words of the schedule are in registers. One vector waits for its own results, so d goes into h early: h + K + W + d +
Ch + Σ1 is the new e, h - d + Maj + Σ0 the new a. That is 18 operations a round and 11 a word of the schedule, one more than needed,
but the chain from e to e is a rotation, a ternary operation and one addition.
Bound: that chain, 7 cycles a round on Zen 5, ` + bound + `, two of 512 bits or four of 256 in a cycle.`
		case 2, 3:
			for i := range streams {
				s := &sha2Stream{k: k, i: i, state: r[8*i:][:8], tmp: r[24:27], sched: r[27:31]}
				if streams == 2 {
					r := r[16*i:]
					s.state, s.tmp, s.sched, s.recent = r[0:8], r[8:11], r[11:14], r[14:16]
				}
				k.streams = append(k.streams, s)
			}
			k.unrolled = 32
			arrangement = `
The last sixteen words of the schedule are in memory, the last two of them in registers too: those are in the longest chain of it.
`
			if streams == 3 {
				arrangement = `
The last sixteen words of the schedule are in memory: three states leave eight registers, which the vectors use in turn.
`
			}
			arrangement += `A round is 17 operations, a word of the schedule 11. The first 32 rounds stand in line, the others are a loop of 16, to stay below
the size of the instruction cache.
Bound at four operations a cycle, as on Zen 5: ` + bound + ` a compression; twice that where there are two.`
		}
		k.iterate(arrangement)
	}
}
