// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package arm64

import (
	"fmt"
	"strings"
)

// mnemonics are all instructions the package can write, each with the CPU feature it needs beyond ARMv8.0's base (which has ASIMD), or "branch".
var mnemonics = map[string]string{
	"ADD": "", "ADDW": "", "AND": "", "ANDW": "", "BIC": "", "BICW": "", "CMP": "", "EON": "", "EONW": "", "EOR": "", "EORW": "",
	"LDP": "", "LDPW": "", "MOVD": "", "MOVW": "", "MOVWU": "", "ORN": "", "ORNW": "", "ORR": "", "ORRW": "", "REV": "", "REVW": "", "ROR": "", "RORW": "",
	"STP": "", "STPW": "", "SUB": "", "SUBS": "", "SUBW": "",
	"BEQ": "branch", "BGE": "branch", "BLE": "branch", "BLT": "branch", "BNE": "branch", "RET": "branch",
	"FLDPQ": "", "FMOVD": "", "FMOVQ": "", "FMOVS": "", "FSTPQ": "", "FSTPD": "", "FLDPD": "",
	"VADD": "", "VADDP": "", "VAND": "", "VBIF": "", "VBIT": "", "VBSL": "", "VDUP": "", "VEOR": "", "VEXT": "", "VMOV": "", "VMOVI": "", "VORR": "",
	"VLD1": "", "VLD1.P": "", "VLD1R": "", "VLD1R.P": "", "VLD2": "", "VLD2.P": "", "VLD3": "", "VLD3.P": "", "VLD4": "", "VLD4.P": "",
	"VST1": "", "VST1.P": "", "VST2": "", "VST2.P": "", "VST3": "", "VST3.P": "", "VST4": "", "VST4.P": "",
	"VREV32": "", "VREV64": "", "VSHL": "", "VSLI": "", "VSRI": "", "VSUB": "", "VTBL": "", "VTRN1": "", "VTRN2": "", "VUSHR": "", "VUSRA": "",
	"VUZP1": "", "VUZP2": "", "VZIP1": "", "VZIP2": "",
	"SHA1C": "SHA1", "SHA1H": "SHA1", "SHA1M": "SHA1", "SHA1P": "SHA1", "SHA1SU0": "SHA1", "SHA1SU1": "SHA1",
	"SHA256H": "SHA2", "SHA256H2": "SHA2", "SHA256SU0": "SHA2", "SHA256SU1": "SHA2",
	"SHA512H": "SHA512", "SHA512H2": "SHA512", "SHA512SU0": "SHA512", "SHA512SU1": "SHA512",
}

// General registers.

// alu writes an instruction of two operands and a result.
func (f *File) alu(op string, m Op2, n, d R) {
	f.shifted(op, m)
	f.emit(op, m.op2(), n.checked(), d.checked())
}

// shifted checks the first operand of op.
func (f *File) shifted(op string, m Op2) {
	s, ok := m.(Shifted)
	if !ok {
		return
	}
	bits := 64
	if strings.HasSuffix(op, "W") {
		bits = 32
	}
	if s.n < 0 || s.n >= bits {
		fail("%s: shift of %d in %d bits", op, s.n, bits)
	}
	if s.kind == "@>" && (strings.HasPrefix(op, "ADD") || strings.HasPrefix(op, "SUB") || op == "CMP") {
		fail("%s cannot rotate its operand", op)
	}
}

func (f *File) ADD(m Op2, n, d R)  { f.alu("ADD", m, n, d) }
func (f *File) ADDW(m Op2, n, d R) { f.alu("ADDW", m, n, d) }
func (f *File) SUB(m Op2, n, d R)  { f.alu("SUB", m, n, d) }
func (f *File) SUBW(m Op2, n, d R) { f.alu("SUBW", m, n, d) }
func (f *File) SUBS(m Op2, n, d R) { f.alu("SUBS", m, n, d) }
func (f *File) AND(m Op2, n, d R)  { f.alu("AND", m, n, d) }
func (f *File) ANDW(m Op2, n, d R) { f.alu("ANDW", m, n, d) }
func (f *File) BIC(m Op2, n, d R)  { f.alu("BIC", m, n, d) }
func (f *File) BICW(m Op2, n, d R) { f.alu("BICW", m, n, d) }
func (f *File) EON(m Op2, n, d R)  { f.alu("EON", m, n, d) }
func (f *File) EONW(m Op2, n, d R) { f.alu("EONW", m, n, d) }
func (f *File) EOR(m Op2, n, d R)  { f.alu("EOR", m, n, d) }
func (f *File) EORW(m Op2, n, d R) { f.alu("EORW", m, n, d) }
func (f *File) ORN(m Op2, n, d R)  { f.alu("ORN", m, n, d) }
func (f *File) ORNW(m Op2, n, d R) { f.alu("ORNW", m, n, d) }
func (f *File) ORR(m Op2, n, d R)  { f.alu("ORR", m, n, d) }
func (f *File) ORRW(m Op2, n, d R) { f.alu("ORRW", m, n, d) }
func (f *File) CMP(m Op2, n R)     { f.shifted("CMP", m); f.emit("CMP", m.op2(), n.checked()) }
func (f *File) REV(n, d R)         { f.emit("REV", n.checked(), d.checked()) }
func (f *File) REVW(n, d R)        { f.emit("REVW", n.checked(), d.checked()) }

// ROR and RORW rotate right by s, which is 1 to the width less 1.
func (f *File) ROR(s int, n, d R)  { f.rotate("ROR", 64, s, n, d) }
func (f *File) RORW(s int, n, d R) { f.rotate("RORW", 32, s, n, d) }

func (f *File) rotate(op string, bits, s int, n, d R) {
	if s < 1 || s >= bits {
		fail("%s: rotation by %d in %d bits", op, s, bits)
	}
	f.emit(op, fmt.Sprintf("$%d", s), n.checked(), d.checked())
}

// MOVD copies an R, sets an Imm or loads from a Mem.
func (f *File) MOVD(n fmt.Stringer, d R) { f.move("MOVD", n, d) }

// MOVW sets an Imm of 32 bits.
func (f *File) MOVW(n Imm, d R) {
	if n != Imm(int32(n)) && n != Imm(uint32(n)) {
		fail("MOVW: %#x has more than 32 bits", int64(n))
	}
	f.move("MOVW", Imm(int32(n)), d)
}

// MOVWU copies an R's low 32 bits or loads them from a Mem, the rest becomes zero.
func (f *File) MOVWU(n fmt.Stringer, d R) { f.move("MOVWU", n, d) }

func (f *File) move(op string, n fmt.Stringer, d R) {
	switch n := n.(type) {
	case R:
		n.checked()
	case Imm, Mem:
	default:
		fail("%s: %v is no operand", op, n)
	}
	f.emit(op, n.String(), d.checked())
}

// StoreD and StoreW write 64 and the low 32 bits.
func (f *File) StoreD(n R, m Mem) { f.emit("MOVD", n.checked(), m.String()) }
func (f *File) StoreW(n R, m Mem) { f.emit("MOVW", n.checked(), m.String()) }

func (f *File) LDP(m Mem, d1, d2 R)  { f.loadPair("LDP", 8, m, d1, d2) }
func (f *File) LDPW(m Mem, d1, d2 R) { f.loadPair("LDPW", 4, m, d1, d2) }
func (f *File) STP(n1, n2 R, m Mem)  { f.pair("STP", 8, m, n1.checked(), n2.checked(), false) }
func (f *File) STPW(n1, n2 R, m Mem) { f.pair("STPW", 4, m, n1.checked(), n2.checked(), false) }

func (f *File) loadPair(op string, size int, m Mem, d1, d2 R) {
	if d1 == d2 {
		fail("%s loads both words into %s", op, d1)
	}
	f.pair(op, size, m, d1.checked(), d2.checked(), true)
}

func (f *File) pair(op string, size int, m Mem, r1, r2 string, load bool) {
	if m.Disp%size != 0 || m.Disp < -64*size || m.Disp >= 64*size {
		fail("%s: the displacement %d does not fit", op, m.Disp)
	}
	regs := fmt.Sprintf("(%s, %s)", r1, r2)
	if load {
		f.emit(op, m.String(), regs)
	} else {
		f.emit(op, regs, m.String())
	}
}

func (f *File) branch(op, label string) {
	if fn := f.function(); fn.targets[label] == "" {
		fn.targets[label] = caller()
	}
	f.emit(op, label)
}

func (f *File) BEQ(label string) { f.branch("BEQ", label) }
func (f *File) BNE(label string) { f.branch("BNE", label) }
func (f *File) BLT(label string) { f.branch("BLT", label) }
func (f *File) BLE(label string) { f.branch("BLE", label) }
func (f *File) BGE(label string) { f.branch("BGE", label) }
func (f *File) RET()             { f.emit("RET") }

// Vector registers.

// same checks that all operands have one arrangement, one of allowed, and returns their texts.
func same(op string, allowed []arrangement, ops ...VA) []string {
	var s []string
	for _, o := range ops {
		if o.a != ops[0].a {
			fail("%s: %s and %s have different arrangements", op, ops[0], o)
		}
		s = append(s, o.String())
	}
	for _, a := range allowed {
		if ops[0].a == a {
			return s
		}
	}
	fail("%s does not take %s", op, ops[0])
	return nil
}

var (
	anyArr   = []arrangement{b8, b16, h4, h8, s2, s4, d2}
	bytesArr = []arrangement{b8, b16}
)

func (f *File) three(op string, allowed []arrangement, m, n, d VA) {
	f.emit(op, same(op, allowed, m, n, d)...)
}

func (f *File) VADD(m, n, d VA)  { f.three("VADD", anyArr, m, n, d) }
func (f *File) VADDP(m, n, d VA) { f.three("VADDP", anyArr, m, n, d) }
func (f *File) VSUB(m, n, d VA)  { f.three("VSUB", anyArr, m, n, d) }
func (f *File) VAND(m, n, d VA)  { f.three("VAND", bytesArr, m, n, d) }
func (f *File) VORR(m, n, d VA)  { f.three("VORR", bytesArr, m, n, d) }
func (f *File) VEOR(m, n, d VA)  { f.three("VEOR", bytesArr, m, n, d) }

// VBSL sets d to m where d has zeros and to n where it has ones.
func (f *File) VBSL(m, n, d VA) { f.three("VBSL", bytesArr, m, n, d) }

// VBIT and VBIF copy n's bits to d where m has ones, and where m has zeros.
func (f *File) VBIT(m, n, d VA)  { f.three("VBIT", bytesArr, m, n, d) }
func (f *File) VBIF(m, n, d VA)  { f.three("VBIF", bytesArr, m, n, d) }
func (f *File) VZIP1(m, n, d VA) { f.three("VZIP1", anyArr, m, n, d) }
func (f *File) VZIP2(m, n, d VA) { f.three("VZIP2", anyArr, m, n, d) }
func (f *File) VUZP1(m, n, d VA) { f.three("VUZP1", anyArr, m, n, d) }
func (f *File) VUZP2(m, n, d VA) { f.three("VUZP2", anyArr, m, n, d) }
func (f *File) VTRN1(m, n, d VA) { f.three("VTRN1", anyArr, m, n, d) }
func (f *File) VTRN2(m, n, d VA) { f.three("VTRN2", anyArr, m, n, d) }

// VEXT sets d to the bytes from number i of n with m above it.
func (f *File) VEXT(i int, m, n, d VA) {
	s := same("VEXT", bytesArr, m, n, d)
	if i < 0 || i >= d.a.bytes() {
		fail("VEXT: there is no byte %d in %s", i, d)
	}
	f.emit("VEXT", append([]string{fmt.Sprintf("$%d", i)}, s...)...)
}

func (f *File) shift(op string, lowest, s int, n, d VA) {
	ops := same(op, anyArr, n, d)
	if s < lowest || s >= d.a.elementBits()+lowest {
		fail("%s: shift by %d in %s", op, s, d)
	}
	f.emit(op, append([]string{fmt.Sprintf("$%d", s)}, ops...)...)
}

func (f *File) VSHL(s int, n, d VA)  { f.shift("VSHL", 0, s, n, d) }
func (f *File) VSLI(s int, n, d VA)  { f.shift("VSLI", 0, s, n, d) }
func (f *File) VUSHR(s int, n, d VA) { f.shift("VUSHR", 1, s, n, d) }
func (f *File) VSRI(s int, n, d VA)  { f.shift("VSRI", 1, s, n, d) }
func (f *File) VUSRA(s int, n, d VA) { f.shift("VUSRA", 1, s, n, d) }

// VREV32 and VREV64 turn round the elements within every 32 and 64 bits.
func (f *File) VREV32(n, d VA) {
	f.emit("VREV32", same("VREV32", []arrangement{b8, b16, h4, h8}, n, d)...)
}
func (f *File) VREV64(n, d VA) {
	f.emit("VREV64", same("VREV64", []arrangement{b8, b16, h4, h8, s2, s4}, n, d)...)
}

// VTBL sets each byte of d to the one of n that m's byte counts, or zero.
func (f *File) VTBL(m, n, d VA) {
	same("VTBL", bytesArr, m, d)
	if n.a != b16 {
		fail("VTBL does not look up in %s", n)
	}
	f.emit("VTBL", m.String(), "["+n.String()+"]", d.String())
}

// VMOV copies a vector.
func (f *File) VMOV(n, d VA) { f.emit("VMOV", same("VMOV", bytesArr, n, d)...) }

// VMOVElement copies an element, VMOVTo a general register to an element, VMOVFrom the other way, with zeros above.
func (f *File) VMOVElement(n, d VE) {
	if n.size != d.size {
		fail("VMOV: %s and %s differ in size", n, d)
	}
	f.emit("VMOV", n.String(), d.String())
}
func (f *File) VMOVTo(n R, d VE)   { f.emit("VMOV", n.checked(), d.String()) }
func (f *File) VMOVFrom(n VE, d R) { f.emit("VMOV", n.String(), d.checked()) }

// VMOVI sets every byte.
func (f *File) VMOVI(i uint8, d VA) {
	f.emit("VMOVI", append([]string{fmt.Sprintf("$%d", i)}, same("VMOVI", bytesArr, d)...)...)
}

// VDUP sets all elements to one of another vector, VDUPFrom to a general register.
func (f *File) VDUP(n VE, d VA) {
	if int(8*map[byte]int{'S': 4, 'D': 8}[n.size]) != d.a.elementBits() {
		fail("VDUP: %s and %s differ in size", n, d)
	}
	f.emit("VDUP", n.String(), d.String())
}
func (f *File) VDUPFrom(n R, d VA) {
	f.emit("VDUP", append([]string{n.checked()}, same("VDUP", anyArr, d)...)...)
}

// list checks the registers of a structure load or store: consecutive, of one arrangement.
func list(op string, min, max int, vs []VA) string {
	if len(vs) < min || len(vs) > max {
		fail("%s of %d registers", op, len(vs))
	}
	allowed := anyArr
	if max == 4 && min == 1 {
		allowed = append([]arrangement{d1}, anyArr...)
	}
	s := same(op, allowed, vs...)
	for i, v := range vs {
		if v.v != (vs[0].v+V(i))%32 {
			fail("%s: %s does not follow %s", op, v, vs[i-1])
		}
	}
	return "[" + strings.Join(s, ", ") + "]"
}

// structure writes a load or store of registers. With advance, the base moves on by what was moved; they have no displacement.
func (f *File) structure(op string, min, max int, load, advance bool, m Mem, vs []VA) {
	regs := list(op, min, max, vs)
	if m.Disp != 0 {
		fail("%s has no displacement", op)
	}
	mem := m.String()
	if advance {
		op += ".P"
		n := len(vs) * vs[0].a.bytes()
		if strings.HasPrefix(op, "VLD1R") {
			n = vs[0].a.elementBits() / 8
		}
		mem = fmt.Sprintf("%d%s", n, mem)
	}
	if load {
		f.emit(op, mem, regs)
	} else {
		f.emit(op, regs, mem)
	}
}

// VLD1 and VST1 move whole registers, VLD2 to VLD4 deal words out to two to four registers and VST2 to VST4 collect them; the forms with P move the base on.
func (f *File) VLD1(m Mem, d ...VA)  { f.structure("VLD1", 1, 4, true, false, m, d) }
func (f *File) VLD1P(m Mem, d ...VA) { f.structure("VLD1", 1, 4, true, true, m, d) }
func (f *File) VST1(m Mem, n ...VA)  { f.structure("VST1", 1, 4, false, false, m, n) }
func (f *File) VST1P(m Mem, n ...VA) { f.structure("VST1", 1, 4, false, true, m, n) }

// VLDn is VLD2, VLD3 or VLD4 (for one register, VLD1) by the number of registers; VSTn the same.
func (f *File) VLDn(m Mem, d ...VA)  { f.structuren("VLD", true, false, m, d) }
func (f *File) VLDnP(m Mem, d ...VA) { f.structuren("VLD", true, true, m, d) }
func (f *File) VSTn(m Mem, n ...VA)  { f.structuren("VST", false, false, m, n) }
func (f *File) VSTnP(m Mem, n ...VA) { f.structuren("VST", false, true, m, n) }

func (f *File) structuren(op string, load, advance bool, m Mem, vs []VA) {
	n := len(vs)
	if n < 1 || n > 4 {
		fail("%sn of %d registers", op, n)
	}
	f.structure(fmt.Sprintf("%s%d", op, n), n, n, load, advance, m, vs)
}

// VLD1R loads one element and repeats it.
func (f *File) VLD1R(m Mem, d VA)  { f.structure("VLD1R", 1, 1, true, false, m, []VA{d}) }
func (f *File) VLD1RP(m Mem, d VA) { f.structure("VLD1R", 1, 1, true, true, m, []VA{d}) }

// VLD1Element and VST1Element move one element.
func (f *File) VLD1Element(m Mem, d VE) { f.element("VLD1", m, d, true) }
func (f *File) VST1Element(n VE, m Mem) { f.element("VST1", m, n, false) }

func (f *File) element(op string, m Mem, e VE, load bool) {
	if m.Disp != 0 {
		fail("%s has no displacement", op)
	}
	if load {
		f.emit(op, m.String(), e.String())
	} else {
		f.emit(op, e.String(), m.String())
	}
}

// displaced checks a displacement of a load or store of size bytes: scaled and positive, or small.
func displaced(op string, size int, m Mem) string {
	if !(m.Disp >= -256 && m.Disp < 256) && !(m.Disp >= 0 && m.Disp < 4096*size && m.Disp%size == 0) {
		fail("%s: the displacement %d does not fit", op, m.Disp)
	}
	return m.String()
}

// FMOVQ, FMOVD and FMOVS load 128, 64 and 32 bits and clear the rest of the register; StoreQ, StoreVD and StoreVS write them. No alignment is asked for.
func (f *File) FMOVQ(m Mem, d V)   { f.emit("FMOVQ", displaced("FMOVQ", 16, m), d.f()) }
func (f *File) FMOVD(m Mem, d V)   { f.emit("FMOVD", displaced("FMOVD", 8, m), d.f()) }
func (f *File) FMOVS(m Mem, d V)   { f.emit("FMOVS", displaced("FMOVS", 4, m), d.f()) }
func (f *File) StoreQ(n V, m Mem)  { f.emit("FMOVQ", n.f(), displaced("FMOVQ", 16, m)) }
func (f *File) StoreVD(n V, m Mem) { f.emit("FMOVD", n.f(), displaced("FMOVD", 8, m)) }
func (f *File) StoreVS(n V, m Mem) { f.emit("FMOVS", n.f(), displaced("FMOVS", 4, m)) }

// FMOVSFrom sets a vector register to a general register's low 32 bits and zeros.
func (f *File) FMOVSFrom(n R, d V) { f.emit("FMOVS", n.checked(), d.f()) }

// FLDPQ and FSTPQ move two registers to or from 32 bytes, FLDPD and FSTPD the low halves of two to or from 16.
func (f *File) FLDPQ(m Mem, d1, d2 V) { f.vectorPair("FLDPQ", 16, m, d1, d2) }
func (f *File) FLDPD(m Mem, d1, d2 V) { f.vectorPair("FLDPD", 8, m, d1, d2) }
func (f *File) FSTPQ(n1, n2 V, m Mem) { f.pair("FSTPQ", 16, m, n1.f(), n2.f(), false) }
func (f *File) FSTPD(n1, n2 V, m Mem) { f.pair("FSTPD", 8, m, n1.f(), n2.f(), false) }

func (f *File) vectorPair(op string, size int, m Mem, d1, d2 V) {
	if d1 == d2 {
		fail("%s loads both into %s", op, d1)
	}
	f.pair(op, size, m, d1.f(), d2.f(), true)
}

// The hash instructions. In each, d is also an operand.

func (f *File) sha(op string, allowed arrangement, m VA, rest ...V) {
	s := same(op, []arrangement{allowed}, m)
	for _, r := range rest {
		s = append(s, r.String())
	}
	f.emit(op, s...)
}

func (f *File) SHA1C(m VA, n, d V) { f.sha("SHA1C", s4, m, n, d) }
func (f *File) SHA1M(m VA, n, d V) { f.sha("SHA1M", s4, m, n, d) }
func (f *File) SHA1P(m VA, n, d V) { f.sha("SHA1P", s4, m, n, d) }
func (f *File) SHA1H(n, d V)       { f.emit("SHA1H", n.String(), d.String()) }
func (f *File) SHA1SU0(m, n, d VA) { f.three("SHA1SU0", []arrangement{s4}, m, n, d) }
func (f *File) SHA1SU1(n, d VA) {
	f.emit("SHA1SU1", same("SHA1SU1", []arrangement{s4}, n, d)...)
}

func (f *File) SHA256H(m VA, n, d V)  { f.sha("SHA256H", s4, m, n, d) }
func (f *File) SHA256H2(m VA, n, d V) { f.sha("SHA256H2", s4, m, n, d) }
func (f *File) SHA256SU0(n, d VA) {
	f.emit("SHA256SU0", same("SHA256SU0", []arrangement{s4}, n, d)...)
}
func (f *File) SHA256SU1(m, n, d VA) { f.three("SHA256SU1", []arrangement{s4}, m, n, d) }

func (f *File) SHA512H(m VA, n, d V)  { f.sha("SHA512H", d2, m, n, d) }
func (f *File) SHA512H2(m VA, n, d V) { f.sha("SHA512H2", d2, m, n, d) }
func (f *File) SHA512SU0(n, d VA) {
	f.emit("SHA512SU0", same("SHA512SU0", []arrangement{d2}, n, d)...)
}
func (f *File) SHA512SU1(m, n, d VA) { f.three("SHA512SU1", []arrangement{d2}, m, n, d) }
