// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An edit is one line's new text.
type edit struct {
	line     int // from 1
	old, new string
}

// A kind is a way to plant a fault. It returns the edits for the fault at one instruction of a kernel, or nil where it does not apply; r chooses
// among several.
type kind struct {
	name  string
	plant func(k *kernel, at int, r *rand.Rand) []edit
}

// kinds are all of them. Where two faults are alike, the one that cannot be equivalent is taken: where the bits of two words do not overlap, XOR, OR and ADD are
// the same, but AND and SUB are not. Left alone are what only hangs or crashes by chance (loop counters, the alignment of the stack, arguments) and the clearing of the frame.
var kinds = []kind{
	{"constant", constant},
	{"rotate", rotate},
	{"shuffle", shuffle},
	{"exchange", exchange},
	{"register", register},
	{"operation", operation},
	{"displacement", displacement},
	{"dropped", dropped},
	{"loop", loop},
}

func change(i *insn, text string) []edit {
	if text == i.String() {
		return nil
	}
	return []edit{{i.Line, i.String(), text}}
}

// immediate is the value of an operand such as $0x1f.
func immediate(operand string) (uint64, bool) {
	text, ok := strings.CutPrefix(operand, "$")
	if !ok {
		return 0, false
	}
	text = strings.TrimPrefix(text, "+")
	if v, err := strconv.ParseInt(text, 0, 64); err == nil {
		return uint64(v), true
	}
	v, err := strconv.ParseUint(text, 0, 64)
	return v, err == nil
}

// A constant has one bit changed: one that is an immediate value; those in tables are dataConstant's.
func constant(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	if len(i.Operands) < 2 {
		return nil
	}
	v, ok := immediate(i.Operands[0])
	if !ok {
		return nil
	}
	switch i.Op {
	case "ADDL", "MOVL", "MOVW": // 32 bits
		return change(i, i.With(0, fmt.Sprintf("$%d", int32(v)^1<<r.IntN(32))))
	case "ADDQ", "SUBQ", "MOVQ", "ADD": // addresses and steps
		if strings.HasSuffix(i.Operands[1], "SP") {
			return nil
		}
		if at > 0 && k.Code[at-1].Op == "ANDQ" && k.Code[at-1].Operands[1] == i.Operands[1] { // a place in the frame, where alignment leaves room behind
			return nil
		}
		return change(i, i.With(0, fmt.Sprintf("$%d", int64(v)^1<<r.IntN(8))))
	}
	return nil
}

// dataConstant is a bit changed in a table.
func dataConstant(i *insn, r *rand.Rand) []edit {
	size, err := strconv.Atoi(i.Operands[0][strings.LastIndexByte(i.Operands[0], '/')+1:])
	v, ok := immediate(i.Operands[1])
	if err != nil || !ok {
		return nil
	}
	return change(i, i.With(1, fmt.Sprintf("$%#x", v^1<<r.IntN(8*size))))
}

var (
	shifts  = regexp.MustCompile(`^(V?P?S[RL]L[DQ]|VP?R[OL]+[RL]?[DQ]|VPRO[RL][DQ]|RO[RL][LQW]?|RORX[LQ]|SH[RL][LQ]|VSHL|VUSHR|VSLI|VSRI)$`)
	shifted = regexp.MustCompile(`^(R\d+)(@>|<<|>>)(\d+)$`)
)

// A rotation or a shift is off by one bit.
func rotate(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	by := int64(1 - 2*r.IntN(2))
	if shifts.MatchString(i.Op) && len(i.Operands) > 1 {
		if v, ok := immediate(i.Operands[0]); ok {
			return change(i, i.With(0, fmt.Sprintf("$%d", int64(v)+by)))
		}
	}
	for n, operand := range i.Operands {
		if m := shifted.FindStringSubmatch(operand); m != nil {
			v, _ := strconv.ParseInt(m[3], 10, 64)
			return change(i, i.With(n, fmt.Sprintf("%s%s%d", m[1], m[2], v+by)))
		}
	}
	return nil
}

// shuffles has the bits of the immediate that say which lanes.
var shuffles = map[string][]int{
	"PSHUFD": {0, 1, 2, 3, 4, 5, 6, 7}, "VPSHUFD": {0, 1, 2, 3, 4, 5, 6, 7}, "SHUFPS": {0, 1, 2, 3, 4, 5, 6, 7}, "PBLENDW": {0, 1, 2, 3, 4, 5, 6, 7},
	"INSERTPS": {0, 1, 2, 3, 4, 5, 6, 7}, "PALIGNR": {2, 3}, "VPALIGNR": {2, 3}, "VPSLLDQ": {2, 3}, "VPSRLDQ": {2, 3}, "VPERM2I128": {0, 1, 3, 4, 5, 7},
	"VEXTRACTI128": {0}, "VINSERTI128": {0}, "PINSRD": {0, 1}, "VPINSRD": {0, 1}, "PEXTRD": {0, 1}, "VEXT": {2, 3},
}

// otherShuffles are instructions that move lanes to other places.
var otherShuffles = map[string]string{"VZIP1": "VZIP2", "VREV32": "VREV64", "VREV64": "VREV32"}

var element = regexp.MustCompile(`^(V\d+\.S\[)([0-3])\]$`)

// A lane is taken from or put into a wrong place.
func shuffle(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	if other := otherShuffles[i.Op]; other != "" {
		return change(i, other+" "+strings.Join(i.Operands, ", "))
	}
	if bits := shuffles[i.Op]; bits != nil {
		v, _ := immediate(i.Operands[0])
		if i.Op == "VPERM2I128" { // which half does not matter where it is made zero, nor which of two registers that are the same
			bits = slices.DeleteFunc(slices.Clone(bits), func(bit int) bool {
				return v&0x08 != 0 && bit < 2 || v&0x80 != 0 && (bit == 4 || bit == 5) || i.Operands[1] == i.Operands[2] && bit%4 == 1
			})
		}
		return change(i, i.With(0, fmt.Sprintf("$%#x", v^1<<bits[r.IntN(len(bits))])))
	}
	for n, operand := range i.Operands {
		if m := element.FindStringSubmatch(operand); m != nil {
			return change(i, i.With(n, fmt.Sprintf("%s%c]", m[1], m[2][0]^byte(1+r.IntN(3)))))
		}
	}
	return nil
}

// access is a memory operand: displacement and base.
var access = regexp.MustCompile(`^(?:(-?\d+)|(\w+<>)\+(\d+))?\((\w+)\)((?:\(\w+\*\d\))?)$`)

// memory finds the memory operand of an instruction that reads or writes there, except for arguments.
func memory(i *insn) (n int, m []string) {
	if strings.HasPrefix(i.Op, "LEA") || strings.HasSuffix(i.Op, ".P") {
		return 0, nil
	}
	for n, operand := range i.Operands {
		if m := access.FindStringSubmatch(operand); m != nil && m[4] != "FP" && (m[4] == "SB") == (m[2] != "") {
			return n, m
		}
	}
	return 0, nil
}

// Two accesses of the same kind have their places exchanged.
func exchange(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	n, m := memory(i)
	if m == nil {
		return nil
	}
	var others []edit
	for _, j := range k.Code[at+1 : min(at+40, len(k.Code))] {
		if isBranch(j) {
			break
		}
		o, p := memory(j)
		if p == nil || j.Op != i.Op || o != n || p[4] != m[4] || p[2] != m[2] || p[5] != m[5] || j.Operands[o] == i.Operands[n] {
			continue
		}
		if j.With(o, i.Operands[n]) == i.String() {
			continue // the same twice, in the other order
		}
		others = append(others, edit{j.Line, j.String(), j.With(o, i.Operands[n])}, edit{i.Line, i.String(), i.With(n, j.Operands[o])})
	}
	if others == nil {
		return nil
	}
	other := 2 * r.IntN(len(others)/2)
	return []edit{others[other+1], others[other]}
}

var (
	vectorRegister  = regexp.MustCompile(`^([VFXYZ])(\d+)((?:\..*)?)$`)
	generalRegister = regexp.MustCompile(`^(AX|BX|CX|DX|SI|DI|R\d+)((?:@>.*|<<.*|>>.*)?)$`)
)

// registerClass splits an operand that is a register: its class, itself, and what follows.
func registerClass(operand string) (class, name, rest string) {
	if m := vectorRegister.FindStringSubmatch(operand); m != nil {
		return m[1], m[1] + m[2], m[3]
	}
	if m := generalRegister.FindStringSubmatch(operand); m != nil {
		return "R", m[1], m[2]
	}
	return "", "", ""
}

// A source is another register that is used nearby.
func register(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	if isBranch(i) || len(i.Operands) < 2 || strings.HasPrefix(i.Op, "CMP") || strings.HasPrefix(i.Op, "TEST") || strings.HasPrefix(i.Op, "XCHG") {
		return nil
	}
	n := r.IntN(len(i.Operands) - 1) // the last is the destination
	class, name, rest := registerClass(i.Operands[n])
	if class == "" {
		return nil
	}
	var others []string
	for _, j := range k.Code[max(at-8, 0):min(at+8, len(k.Code))] {
		for _, operand := range j.Operands {
			if c, other, _ := registerClass(operand); c == class && other != name && !slices.Contains(others, other) {
				others = append(others, other)
			}
		}
	}
	if others == nil {
		return nil
	}
	return change(i, i.With(n, others[r.IntN(len(others))]+rest))
}

// operations has what an instruction is replaced by.
var operations = map[string]string{
	"ADDL": "SUBL", "ADDQ": "SUBQ", "SUBL": "ADDL", "SUBQ": "ADDQ", "XORL": "ANDL", "XORQ": "ANDQ", "ANDL": "ORL", "ANDQ": "ORQ", "ORL": "ANDL", "NOTL": "NEGL",
	"PADDD": "PSUBL", "PSUBL": "PADDL", "PXOR": "PAND", "VPADDD": "VPSUBD", "VPADDQ": "VPSUBQ", "VPSUBD": "VPADDD", "VPSUBQ": "VPADDQ", "VPXOR": "VPAND",
	"VPAND": "VPOR", "VPANDN": "VPAND", "VPOR": "VPAND", "VPXORD": "VPANDD", "VPXORQ": "VPANDQ", "SHA1MSG1": "SHA1MSG2", "SHA1MSG2": "SHA1MSG1",
	"SHA1NEXTE": "SHA1MSG1", "SHA256MSG1": "SHA256MSG2", "SHA256MSG2": "SHA256MSG1",

	"ADD": "SUB", "ADDW": "SUBW", "SUBW": "ADDW", "EOR": "AND", "EORW": "ANDW", "AND": "ORR", "ANDW": "ORRW", "BICW": "ANDW", "ORNW": "ORRW", "ORR": "AND",
	"VADD": "VSUB", "VSUB": "VADD", "VEOR": "VAND", "VAND": "VORR", "VORR": "VAND", "VBIT": "VBIF", "VBSL": "VBIT", "SHA1C": "SHA1P", "SHA1P": "SHA1M", "SHA1M": "SHA1C",
	"SHA256H": "SHA256H2", "SHA256H2": "SHA256H", "SHA512H": "SHA512H2", "SHA512H2": "SHA512H",
}

// An instruction does another operation.
func operation(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	name, suffix, _ := strings.Cut(i.Op, ".")
	if suffix != "" {
		suffix = "." + suffix
	}
	switch name {
	case "VPTERNLOGD", "VPTERNLOGQ": // the truth table
		v, _ := immediate(i.Operands[0])
		return change(i, i.With(0, fmt.Sprintf("$%#x", v^1<<r.IntN(8))))
	case "SHA1RNDS4": // function and constant
		v, _ := immediate(i.Operands[0])
		return change(i, i.With(0, fmt.Sprintf("$%#x", v^1<<r.IntN(2))))
	case "ADDQ", "SUBQ", "ANDQ", "ADD":
		if _, ok := immediate(i.Operands[0]); ok {
			return nil // loop counters, addresses and the alignment of the stack
		}
	}
	if other := operations[name]; other != "" {
		return change(i, other+suffix+" "+strings.Join(i.Operands, ", "))
	}
	return nil
}

// alignment has what the displacement of an instruction is a multiple of, where that is not the hash's word.
func alignment(i *insn, word int) int {
	switch i.Op {
	case "MOVOA", "PADDD", "PSUBL", "PXOR", "PALIGNR", "SHA1MSG1", "SHA1MSG2", "SHA256MSG1", "SHA256MSG2", "SHA1NEXTE", "FMOVQ", "FLDPQ":
		return 16
	case "FMOVD", "LDP", "STP", "MOVD":
		return 8
	}
	return word
}

// A displacement is off by a word, or by a vector where that must be aligned.
func displacement(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	n, m := memory(i)
	if m == nil {
		return nil
	}
	old, _ := strconv.Atoi(m[1] + m[3]) // one is empty
	by := alignment(i, k.source.word)
	if old-by >= 0 && r.IntN(2) == 0 {
		by = -by
	}
	if m[2] != "" {
		return change(i, i.With(n, fmt.Sprintf("%s+%d(SB)", m[2], old+by)))
	}
	return change(i, i.With(n, fmt.Sprintf("%d(%s)%s", old+by, m[4], m[5])))
}

var moves = regexp.MustCompile(`^(V?MOV|FMOV|V?PINSR|PEXTR|VPBROADCAST|LDP|STP|FLDP|VLD|VST)`)

// A load or a store is missing.
func dropped(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	if _, m := memory(i); (m == nil && !strings.HasSuffix(i.Op, ".P")) || !moves.MatchString(i.Op) {
		return nil
	}
	return change(i, "")
}

var branches = regexp.MustCompile(`^(J[A-Z]+|B[A-Z]+|CBN?ZW?)$`)

func isBranch(i *insn) bool {
	return branches.MatchString(i.Op) && !strings.HasPrefix(i.Op, "BIC") || i.Op == "RET"
}

// A loop ends after its first round.
func loop(k *kernel, at int, r *rand.Rand) []edit {
	i := k.Code[at]
	if !isBranch(i) || len(i.Operands) == 0 {
		return nil
	}
	if to, ok := k.Labels[i.Operands[len(i.Operands)-1]]; !ok || to > at {
		return nil
	}
	return change(i, "")
}
