// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import "strings"

// A kind is how an instruction is followed. What is in no list is an error: an instruction has to be looked at before a kernel may use it, above all whether its time depends on its operands.
type kind int

const (
	noEffect    kind = iota
	move             // the last operand becomes the first
	lea              // the last operand becomes the first's address
	exchange         // two operands change places
	compare          // sets the flags only
	setsFlags        // arithmetic that sets the flags
	plain            // arithmetic that does not
	vector           // the same, and the old content of the last operand matters
	conditional      // one of two values, by the flags, in a time that does not depend on them
)

var kinds = map[string]map[string]kind{
	"amd64": lists(map[kind]string{
		noEffect: "VZEROUPPER",
		move: `MOVQ MOVL MOVOA MOVOU MOVSS MOVD VMOVQ VMOVD VMOVDQU VMOVDQA VMOVDQU64 VMOVDQA64 VMOVDQU32 VMOVDQA32 VMOVUPS VMOVAPS
			PEXTRD VEXTRACTI128 VPBROADCASTD VPBROADCASTQ`,
		lea:       "LEAQ LEAL",
		exchange:  "XCHGQ XCHGL",
		compare:   "TESTQ TESTL CMPQ CMPL",
		setsFlags: "ADDQ ADDL SUBQ SUBL ANDQ ANDL ORQ ORL XORQ XORL NEGQ NEGL DECQ DECL INCQ INCL ANDNL ANDNQ ROLL ROLQ RORL RORQ SHLQ SHLL SHRQ SHRL",
		plain:     "NOTL NOTQ RORXL RORXQ BSWAPL BSWAPQ",
		vector: `PADDD PADDQ PSUBL PSUBQ PXOR POR PAND PSHUFD PSHUFB PALIGNR PBLENDW PINSRD INSERTPS SHUFPS PUNPCKLQDQ PSLLDQ PSRLDQ
			SHA1RNDS4 SHA1NEXTE SHA1MSG1 SHA1MSG2 SHA256RNDS2 SHA256MSG1 SHA256MSG2
			VPADDD VPADDQ VPSUBD VPSUBQ VPXOR VPXORD VPXORQ VPAND VPANDD VPANDQ VPANDN VPOR VPORD VPORQ VPTERNLOGD VPTERNLOGQ
			VPSLLD VPSLLQ VPSRLD VPSRLQ VPROLD VPROLQ VPRORD VPRORQ VPSLLDQ VPSRLDQ VPSHUFB VPSHUFD VPALIGNR VPERM2I128 VINSERTI128 VPINSRD VPBLENDD VMOVHPD VPCMPEQB
			VPADDD.BCST VPADDQ.BCST VPXORD.BCST VPXORQ.BCST VPTERNLOGD.BCST VPTERNLOGQ.BCST`,
		conditional: `CMOVQEQ CMOVQNE CMOVQLT CMOVQGE CMOVQLE CMOVQGT CMOVQCS CMOVQCC CMOVQHI CMOVQLS CMOVLEQ CMOVLNE CMOVLLT CMOVLGE CMOVLLE CMOVLGT CMOVLCS CMOVLCC CMOVLHI CMOVLLS
			SETEQ SETNE SETCS SETCC SETLT SETGE ADCQ ADCL SBBQ SBBL`,
	}),
	"arm64": lists(map[kind]string{
		move: `MOVD MOVW MOVWU FMOVD FMOVQ FMOVS VMOV VMOVI LDP LDPW STP STPW FLDPQ FSTPQ
			VLD1 VLD1.P VST1 VST1.P VLD2 VLD2.P VST2 VST2.P`,
		compare:   "CMP CMPW CMN TST TSTW",
		setsFlags: "SUBS SUBSW ADDS ADDSW ANDS ANDSW",
		plain:     "ADD ADDW SUB SUBW AND ANDW EOR EORW ORR ORRW ORN ORNW BIC BICW EON EONW ROR RORW LSL LSLW LSR LSRW REV REVW MVN MVNW NEG NEGW",
		vector: `VADD VSUB VEOR VAND VORR VBIC VORN VNOT VBIT VBIF VBSL VEXT VUSHR VSHL VSLI VSRI VZIP1 VZIP2 VUZP1 VUZP2 VTRN1 VTRN2 VREV32 VREV64 VREV16 VTBL VDUP
			SHA1C SHA1P SHA1M SHA1H SHA1SU0 SHA1SU1 SHA256H SHA256H2 SHA256SU0 SHA256SU1 SHA512H SHA512H2 SHA512SU0 SHA512SU1`,
		conditional: "CSEL CSELW CSINC CSINCW CSINV CSINVW CSNEG CSNEGW CSET CSETW CSETM CSETMW ADC ADCW SBC SBCW",
	}),
}

// zeroing are the instructions whose result does not depend on their operands if these are the same register.
var zeroing = set("XORQ XORL SUBQ SUBL PXOR VPXOR VPXORD VPXORQ VPCMPEQB VEOR EOR EORW")

// widths are the bytes of operands in memory that the registers do not tell.
var widths = map[string]map[string]int64{
	"amd64": {
		"MOVQ": 8, "MOVL": 4, "MOVSS": 4, "MOVD": 4, "VMOVQ": 8, "VMOVD": 4, "VMOVHPD": 8, "PINSRD": 4, "VPINSRD": 4, "PEXTRD": 4, "INSERTPS": 4, "VPBROADCASTD": 4, "VPBROADCASTQ": 8,
		"VEXTRACTI128": 16, "VINSERTI128": 16,
		"VPADDD.BCST": 4, "VPXORD.BCST": 4, "VPTERNLOGD.BCST": 4, "VPADDQ.BCST": 8, "VPXORQ.BCST": 8, "VPTERNLOGQ.BCST": 8,
	},
}

// A branchKind is how a branch chooses.
type branchKind int

const (
	notBranch branchKind = iota
	always
	onFlags
	onRegister // its first operand
	ret
)

var branches = map[string]map[string]branchKind{
	"amd64": lists(map[branchKind]string{
		always:  "JMP",
		onFlags: "JEQ JNE JZ JNZ JLT JGE JLE JGT JL JG JHI JLS JA JB JAE JBE JCS JCC JHS JLO JMI JPL JS JNS JOS JOC JPS JPC",
		ret:     "RET",
	}),
	"arm64": lists(map[branchKind]string{
		always:     "B JMP",
		onFlags:    "BEQ BNE BLT BGE BLE BGT BHI BLS BHS BLO BCS BCC BMI BPL BVS BVC",
		onRegister: "CBZ CBNZ CBZW CBNZW",
		ret:        "RET",
	}),
}

// lists turns names by kind into kinds by name.
func lists[K comparable](names map[K]string) map[string]K {
	m := map[string]K{}
	for k, list := range names {
		for _, name := range strings.Fields(list) {
			m[name] = k
		}
	}
	return m
}

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(names) {
		m[name] = true
	}
	return m
}
