// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package amd64

import (
	"github.com/fastkdf/pbkdf2/asm/internal/spec"

	"fmt"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Vector is the vocabulary in which the lanes' rounds are written once, for all of its instruction sets: AVX2, and AVX-512 on whole registers (F) or on half of each (VL), with one lane in every
// 32- or 64-bit word of a register. Sources come first, the destination last; an Op may be memory where a parameter has that type. Streams are registers of lanes that
// a kernel works on at the same time.
type Vector struct {
	*File
	isa      instructionSet
	WordBits int // 32 or 64
	Streams  int
	Words    int // of a hash's state

	// State points to the lanes' state, Mid to the midstate of the half at hand; both are set by Iterate.
	State, Mid reg.GPPhysical

	derived int    // words of a stream
	derive  func() // makes them
}

type instructionSet int

const (
	avx2 instructionSet = iota
	avx512
	avx512vl
)

func (f *File) vector(isa instructionSet, wordBits, words, streams int) *Vector {
	return &Vector{File: f, isa: isa, WordBits: wordBits, Words: words, Streams: streams, State: reg.RDI, Mid: reg.RDX}
}

// AVX2 is the vocabulary of AVX2: the registers Y0 to Y15.
func (f *File) AVX2(wordBits, words, streams int) *Vector {
	return f.vector(avx2, wordBits, words, streams)
}

// AVX512 is the vocabulary of AVX-512F: the registers Z0 to Z31.
func (f *File) AVX512(wordBits, words, streams int) *Vector {
	return f.vector(avx512, wordBits, words, streams)
}

// AVX512VL is the vocabulary of AVX-512F and VL: the registers Y0 to Y31.
func (f *File) AVX512VL(wordBits, words, streams int) *Vector {
	return f.vector(avx512vl, wordBits, words, streams)
}

// Symbol is the name of the kernel.
func (v *Vector) Symbol() string {
	return fmt.Sprintf("Iterate%sx%d", []string{"AVX2", "AVX512", "AVX512VL"}[v.isa], v.Lanes())
}

// IsAVX512 tells whether there are ternary logic, rotates and 32 registers.
func (v *Vector) IsAVX512() bool { return v.isa != avx2 }

// Bytes is the size of a register.
func (v *Vector) Bytes() int {
	if v.isa == avx512 {
		return 64
	}
	return 32
}

// Lanes is how many lanes all streams have.
func (v *Vector) Lanes() int { return v.Streams * v.Bytes() * 8 / v.WordBits }

// Regs are all the vector registers.
func (v *Vector) Regs() []reg.VecPhysical {
	y := []reg.VecPhysical{reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
		reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
		reg.Y16, reg.Y17, reg.Y18, reg.Y19, reg.Y20, reg.Y21, reg.Y22, reg.Y23,
		reg.Y24, reg.Y25, reg.Y26, reg.Y27, reg.Y28, reg.Y29, reg.Y30, reg.Y31}
	z := []reg.VecPhysical{reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
		reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
		reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
		reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31}
	switch v.isa {
	case avx512:
		return z
	case avx512vl:
		return y
	}
	return y[:16]
}

// The state is [inner | outer | u | t][word][lane], which is [part][word][stream] in registers.

// MidWord is word w of the midstate of the half at hand in a stream.
func (v *Vector) MidWord(w, stream int) operand.Mem {
	return operand.Mem{Base: v.Mid, Disp: (w*v.Streams + stream) * v.Bytes()}
}

// U is word w of u in a stream.
func (v *Vector) U(w, stream int) operand.Mem {
	return operand.Mem{Base: v.State, Disp: 2*v.partBytes() + (w*v.Streams+stream)*v.Bytes()}
}

// T is word w of t in a stream.
func (v *Vector) T(w, stream int) operand.Mem {
	return v.U(w, stream).Offset(v.partBytes())
}

func (v *Vector) partBytes() int { return v.Words * v.Streams * v.Bytes() }

// Doc is the documentation of an iteration kernel that Iterate writes: what all have in common, with more after it.
func (v *Vector) Doc(hash, more string) string {
	vectors := "one vector"
	if v.Streams > 1 {
		vectors = fmt.Sprintf("%d vectors", v.Streams)
	}
	return fmt.Sprintf(`
%s does n iterations of HMAC-%s on %d lanes, %s of %d.
The state is [inner | outer | u | t][word][lane], so vectors are loaded and stored as they lie; at a multiple of %d none is split over cache lines.
The loop has the code of one compression and does the inner and the outer half in turn. Constant words of the message are part of the constants, and what the
first steps do to the midstate alone is done once for all iterations.
%s%s`, v.Symbol(), hash, v.Lanes(), vectors, v.Lanes()/v.Streams, v.Bytes(), v.Width(), strings.TrimSpace(more))
}

// Width documents why registers are not as wide as AVX-512 has them, if so: a line.
func (v *Vector) Width() string {
	if v.isa != avx512vl {
		return ""
	}
	return "Registers are half as wide as AVX-512 has them, for few chains: a CPU such as Zen 4 does the halves of a wide one after one another.\n"
}

// Derive makes Iterate begin with f, once for each half, which makes so many words of each stream from the half's midstate and stores them as DerivedWord.
// RAX is taken then, R8 too.
func (v *Vector) Derive(words int, f func()) { v.derived, v.derive = words, f }

// DerivedWord is word w that was derived from the midstate of the half at hand in a stream.
func (v *Vector) DerivedWord(w, stream int) operand.Mem {
	return operand.Mem{Base: derivedBase, Disp: (w*v.Streams + stream) * v.Bytes()}
}

// What is derived from the midstate of the half at hand, and how far it is to the other half's.
var derivedBase, derivedStep = reg.RAX, reg.R8

// Iterate writes an iteration kernel whose loop has the code of one compression and runs it for the inner and for the outer half in turn: before (once), half
// (twice each iteration; MidWord is the midstate of that half), xor (t ^= u, once each iteration), after (once). RDI, RSI, RDX and RCX are taken.
func (v *Vector) Iterate(name, doc string, before, half, xor, after func()) {
	step := reg.RCX               // from this half's midstate to the other one's
	next := func(repeat string) { // half; the first of two is repeated
		if v.derive != nil {
			v.ADDQ(derivedStep, derivedBase)
			v.NEGQ(derivedStep)
		}
		v.ADDQ(step, v.Mid)
		v.NEGQ(step)
		v.JLT(operand.LabelRef(repeat))
	}
	v.File.Iterate(name, doc,
		func(reg.GPPhysical) {
			v.MOVQ(v.State, v.Mid)
			v.MOVQ(operand.U32(v.partBytes()), step)
			if v.derive != nil {
				bytes := v.derived * v.Streams * v.Bytes()
				v.Frame(2*bytes, derivedBase)
				v.MOVQ(operand.U32(bytes), derivedStep)
				v.Label("midstate")
				v.derive()
				next("midstate")
			}
			before()
			v.Label("half")
		},
		func(reg.GPPhysical) {
			half()
			next("half")
			xor()
		},
		func(reg.GPPhysical) {
			after()
			v.VZEROUPPER()
		})
}

// Frame reserves bytes of stack, aligned to the size of a register, so that no access is split over cache lines; base is set to their address. The function loses
// NOSPLIT, since frames of that kind are too large for it.
func (v *Vector) Frame(bytes int, base reg.GPPhysical) {
	m := v.AllocLocal(bytes + v.Bytes() - 8)
	v.Attributes(attr.Attribute(0))
	v.LEAQ(m.Offset(v.Bytes()-8), base) // the stack pointer is aligned to 8 at least
	v.ANDQ(operand.I32(-v.Bytes()), base)
}

// Slots reserves n registers' worth of stack as Frame does. The bases are set so that as many slots as possible have addresses with a displacement of one byte.
func (v *Vector) Slots(n int, bases ...reg.GPPhysical) []operand.Mem {
	each := 256 / v.Bytes() // the slots within -128 to 127 of a base
	if v.IsAVX512() {
		each = 256 // the displacement counts registers
	}
	v.Frame(n*v.Bytes(), bases[0])
	v.ADDQ(operand.I32(each/2*v.Bytes()), bases[0])
	used := min((n+each-1)/each, len(bases))
	for i := 1; i < used; i++ {
		v.LEAQ(operand.Mem{Base: bases[i-1], Disp: each * v.Bytes()}, bases[i])
	}
	slots := make([]operand.Mem, n)
	for i := range slots {
		b := min(i/each, used-1)
		slots[i] = operand.Mem{Base: bases[b], Disp: (i - b*each - each/2) * v.Bytes()}
	}
	return slots
}

// Consts returns operands for AddConst and XorConst, one for each word.
func (v *Vector) Consts(name string, words []uint64) []operand.Mem {
	var table operand.Mem
	size := v.WordBits / 8
	switch {
	case !v.IsAVX512():
		var filled []uint64 // whole registers of the same word
		for _, w := range words {
			if size == 4 {
				w |= w << 32
			}
			for range v.Bytes() / 8 {
				filled = append(filled, w)
			}
		}
		table, size = v.Table64(name, filled...), v.Bytes()
	case size == 4:
		table = v.Table32(name, spec.Words32(words)...)
	default:
		table = v.Table64(name, words...)
	}
	ops := make([]operand.Mem, len(words))
	for i := range ops {
		ops[i] = table.Offset(i * size)
	}
	return ops
}

// Broadcast loads a k of Consts.
func (v *Vector) Broadcast(k operand.Mem, dst reg.VecPhysical) {
	switch {
	case !v.IsAVX512():
		v.Load(k, dst)
	case v.WordBits == 32:
		v.VPBROADCASTD(k, dst)
	default:
		v.VPBROADCASTQ(k, dst)
	}
}

// AddConst is dst = k + x, with a k of Consts.
func (v *Vector) AddConst(k operand.Mem, x, dst reg.VecPhysical) {
	switch {
	case !v.IsAVX512():
		v.Add(k, x, dst)
	case v.WordBits == 32:
		v.VPADDD_BCST(k, x, dst)
	default:
		v.VPADDQ_BCST(k, x, dst)
	}
}

// XorConst is dst = k ^ x, with a k of Consts.
func (v *Vector) XorConst(k operand.Mem, x, dst reg.VecPhysical) {
	switch {
	case !v.IsAVX512():
		v.Xor(k, x, dst)
	case v.WordBits == 32:
		v.VPXORD_BCST(k, x, dst)
	default:
		v.VPXORQ_BCST(k, x, dst)
	}
}

// by returns the one of four instructions that is for the instruction set and the word size. The first is for AVX2's logic, which knows no words.
func (v *Vector) by(avx2Op32, avx2Op64, avx512Op32, avx512Op64 func(...operand.Op)) func(...operand.Op) {
	ops := []func(...operand.Op){avx2Op32, avx2Op64}
	if v.IsAVX512() {
		ops = []func(...operand.Op){avx512Op32, avx512Op64}
	}
	return ops[v.WordBits/32-1]
}

// three adapts an instruction that takes exactly three operands.
func three(f func(_, _, _ operand.Op)) func(...operand.Op) {
	return func(o ...operand.Op) { f(o[0], o[1], o[2]) }
}

// Load and Store move a register from and to memory at any address.
func (v *Vector) Load(m operand.Mem, dst reg.VecPhysical) { v.unaligned(m, dst) }

func (v *Vector) Store(src reg.VecPhysical, m operand.Mem) { v.unaligned(src, m) }

func (v *Vector) unaligned(src, dst operand.Op) {
	if v.IsAVX512() {
		v.VMOVDQU64(src, dst)
	} else {
		v.VMOVDQU(src, dst)
	}
}

// Move is dst = src.
func (v *Vector) Move(src, dst reg.VecPhysical) {
	switch {
	case src == dst:
	case v.IsAVX512():
		v.VMOVDQA64(src, dst)
	default:
		v.VMOVDQA(src, dst)
	}
}

// Add is dst = x + y.
func (v *Vector) Add(x operand.Op, y, dst reg.VecPhysical) {
	v.by(v.VPADDD, v.VPADDQ, v.VPADDD, v.VPADDQ)(x, y, dst)
}

// Sub is dst = y - x.
func (v *Vector) Sub(x operand.Op, y, dst reg.VecPhysical) {
	v.by(v.VPSUBD, v.VPSUBQ, v.VPSUBD, v.VPSUBQ)(x, y, dst)
}

// Xor is dst = x ^ y.
func (v *Vector) Xor(x operand.Op, y, dst reg.VecPhysical) {
	v.by(three(v.VPXOR), three(v.VPXOR), v.VPXORD, v.VPXORQ)(x, y, dst)
}

// And is dst = x & y.
func (v *Vector) And(x operand.Op, y, dst reg.VecPhysical) {
	v.by(three(v.VPAND), three(v.VPAND), v.VPANDD, v.VPANDQ)(x, y, dst)
}

// AndNot is dst = x &^ y.
func (v *Vector) AndNot(x operand.Op, y, dst reg.VecPhysical) {
	v.by(three(v.VPANDN), three(v.VPANDN), v.VPANDND, v.VPANDNQ)(x, y, dst)
}

// Or is dst = x | y.
func (v *Vector) Or(x operand.Op, y, dst reg.VecPhysical) {
	v.by(three(v.VPOR), three(v.VPOR), v.VPORD, v.VPORQ)(x, y, dst)
}

// ShiftL is dst = x << n.
func (v *Vector) ShiftL(n int, x, dst reg.VecPhysical) {
	v.by(v.VPSLLD, v.VPSLLQ, v.VPSLLD, v.VPSLLQ)(operand.U8(n), x, dst)
}

// ShiftR is dst = x >> n.
func (v *Vector) ShiftR(n int, x, dst reg.VecPhysical) {
	v.by(v.VPSRLD, v.VPSRLQ, v.VPSRLD, v.VPSRLQ)(operand.U8(n), x, dst)
}

// RotL is dst = x rotated left by n; tmp is not x, nor dst. AVX2 has no rotate: what it does instead is two shifts, the left one by 1 an addition (which has
// twice as many units), and a merge, or one byte shuffle.
func (v *Vector) RotL(n int, x, dst, tmp reg.VecPhysical) {
	switch {
	case v.IsAVX512():
		v.by(nil, nil, v.VPROLD, v.VPROLQ)(operand.U8(n), x, dst)
	case n%8 == 0:
		v.VPSHUFB(v.rotateBytes(n), x, dst)
	case n == 1:
		v.ShiftR(v.WordBits-1, x, tmp)
		v.Add(x, x, dst)
		v.Or(tmp, dst, dst)
	default:
		v.ShiftL(n, x, tmp)
		v.ShiftR(v.WordBits-n, x, dst)
		v.Or(tmp, dst, dst)
	}
}

// RotR is dst = x rotated right by n; tmp is not x, nor dst.
func (v *Vector) RotR(n int, x, dst, tmp reg.VecPhysical) {
	if v.IsAVX512() {
		v.by(nil, nil, v.VPRORD, v.VPRORQ)(operand.U8(n), x, dst)
	} else {
		v.RotL(v.WordBits-n, x, dst, tmp)
	}
}

// rotateBytes is the control of VPSHUFB that rotates words left by n.
func (v *Vector) rotateBytes(n int) operand.Mem {
	size := v.WordBits / 8
	var words []uint32
	for i := 0; i < v.Bytes(); i += 4 {
		var w uint32
		for j := i; j < i+4; j++ {
			from := j/size*size + (j%size-n/8+size)%size // the byte that goes to j
			w |= uint32(from%16) << (8 * (j - i))        // in its half of the register
		}
		words = append(words, w)
	}
	return v.Table32(fmt.Sprintf("rotate%dby%d", v.WordBits, n), words...)
}

// Ternary is AVX-512's dst = table(dst, x, y), any function of the bits. What comes last belongs into dst: that way takes a cycle less on Zen 5.
func (v *Vector) Ternary(table func(d, x, y uint8) uint8, x reg.VecPhysical, y operand.Op, dst reg.VecPhysical) {
	imm := operand.U8(table(0xf0, 0xcc, 0xaa))
	v.by(nil, nil, v.VPTERNLOGD, v.VPTERNLOGQ)(imm, y, x, dst)
}

// Choose is dst = x ? y : z, bit by bit. Of the three, x may come last. dst is none of them, but may be x on AVX-512.
func (v *Vector) Choose(x, y, z, dst reg.VecPhysical) {
	if v.IsAVX512() {
		v.Move(x, dst)
		v.Ternary(func(x, y, z uint8) uint8 { return x&y | ^x&z }, y, z, dst)
		return
	}
	v.Xor(y, z, dst)
	v.And(x, dst, dst)
	v.Xor(z, dst, dst)
}

// Majority is what at least two of x, y and z are, bit by bit; x may come last. dst is none of them, but may be x on AVX-512; tmp is used by AVX2 only.
func (v *Vector) Majority(x, y, z, dst, tmp reg.VecPhysical) {
	if v.IsAVX512() {
		v.Move(x, dst)
		v.Ternary(func(x, y, z uint8) uint8 { return x&y | x&z | y&z }, y, z, dst)
		return
	}
	v.Or(y, z, dst)
	v.And(y, z, tmp)
	v.And(x, dst, dst)
	v.Or(tmp, dst, dst)
}

// Parity is dst = x ^ y ^ z; x may come last, and z may be memory. dst may be x, else it is none of them.
func (v *Vector) Parity(x, y reg.VecPhysical, z operand.Op, dst reg.VecPhysical) {
	switch {
	case v.IsAVX512():
		v.Move(x, dst)
		v.Ternary(func(x, y, z uint8) uint8 { return x ^ y ^ z }, y, z, dst)
	case dst == x:
		v.Xor(y, dst, dst)
		v.Xor(z, dst, dst)
	default:
		v.Xor(z, y, dst)
		v.Xor(x, dst, dst)
	}
}

// ParityConst is AVX-512's dst = dst ^ x ^ k, with a k of Consts.
func (v *Vector) ParityConst(k operand.Mem, x, dst reg.VecPhysical) {
	imm := operand.U8(0xf0 ^ 0xcc ^ 0xaa)
	v.by(nil, nil, v.VPTERNLOGD_BCST, v.VPTERNLOGQ_BCST)(imm, k, x, dst)
}
