// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2/asm/internal/assembly"
)

// No branch and no address of any kernel depends on a secret, and none leaves one in its frame.
func TestKernels(t *testing.T) {
	files, err := filepath.Glob("../../internal/*/*.s")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	functions := map[string]int{}
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := assembly.Parse(string(source))
		if err != nil {
			t.Fatal(name, err)
		}
		if want := strings.Count(string(source), "\nTEXT "); len(file.Functions) != want || want == 0 {
			t.Errorf("%s: %d functions, want %d", name, len(file.Functions), want)
		}
		for _, f := range file.Functions {
			functions[archOf(name)]++
			r := analyse(f, archOf(name))
			for _, e := range r.errors {
				t.Errorf("%s:%s", name, e)
			}
			for _, c := range r.conditional {
				t.Logf("%s:%s", name, c)
			}
			jumps := 0
			for _, in := range f.Code {
				if kind := branches[archOf(name)][in.Op]; kind == onFlags || kind == onRegister {
					jumps++
				}
			}
			// The branch for n <= 0 and the loop's; each is found, and named with what sets its condition.
			if len(r.branches) != jumps || jumps < 2 {
				t.Errorf("%s, %s: %d branches of %d were followed", name, f.Name, len(r.branches), jumps)
			}
			for _, b := range r.branches {
				if !strings.Contains(b, "(line ") || strings.HasSuffix(b, ": ") {
					t.Errorf("%s: a condition of no origin", b)
				}
			}
			if filepath.Base(filepath.Dir(name)) != "cycles" && r.accesses < 5 { // those of cycles have nothing but additions
				t.Errorf("%s, %s: %d accesses to memory", name, f.Name, r.accesses)
			}
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		if functions[arch] < 30 {
			t.Errorf("%d functions for %s", functions[arch], arch)
		}
	}
}

// What a kernel must not do is found, and what it may do is not taken for that.
func TestPlanted(t *testing.T) {
	for name, c := range map[string]struct{ arch, code, want string }{
		"nothing":                        {"amd64", `MOVL (DI), AX; ADDL $1, AX; MOVL AX, (DI)`, ""},
		"branch on a word":               {"amd64", `MOVL (DI), AX; TESTL AX, AX; JZ done`, "branch on TESTL AX, AX"},
		"branch on the flags of a sum":   {"amd64", `MOVL (DI), AX; ADDL AX, BX; JCS done`, "branch on ADDL AX, BX"},
		"branch on memory":               {"amd64", `CMPL 8(DI), $1; JNE done`, "branch on CMPL 8(DI), $1"},
		"branch on the message":          {"amd64", `MOVQ p_base+8(FP), DX; MOVQ (DX), AX; CMPQ AX, $0; JEQ done`, "branch on CMPQ"},
		"branch on a spilled word":       {"amd64", `MOVL (DI), AX; MOVL AX, 8(SP); MOVL $0, AX; MOVL 8(SP), BX; CMPL BX, $3; JHI done; MOVL $0, 8(SP)`, "branch on CMPL"},
		"branch on a word from a vector": {"amd64", `MOVOU (DI), X1; PSHUFD $0, X1, X2; MOVQ X2, AX; TESTQ AX, AX; JZ done`, "branch on TESTQ"},
		"branch on a register not set":   {"amd64", `TESTQ R9, R9; JZ done`, "branch on TESTQ"},
		"table by a word":                {"amd64", `MOVL (DI), AX; ANDL $15, AX; LEAQ k<>+0(SB), CX; MOVL (CX)(AX*4), BX`, "address from"},
		"table by a word, in a pointer":  {"amd64", `MOVQ (DI), AX; LEAQ k<>+0(SB), CX; ADDQ AX, CX; VPADDD (CX), Y0, Y0; VZEROUPPER`, "address from"},
		"table by a spilled word":        {"amd64", `MOVQ (DI), AX; MOVQ AX, (SP); LEAQ k<>+0(SB), CX; ADDQ (SP), CX; MOVL (CX), BX; MOVQ $0, (SP)`, "address from"},
		"spilled through a pointer":      {"amd64", `LEAQ 8(SP), BX; MOVQ (DI), AX; MOVQ AX, (BX); MOVQ 8(SP), CX; TESTQ CX, CX; JZ done; MOVQ $0, 8(SP)`, "branch on TESTQ"},
		"spilled to one of two places":   {"amd64", `LEAQ 8(SP), BX; LEAQ 16(SP), R8; MOVQ $0, (BX); MOVQ $0, (R8); XCHGQ BX, R8; MOVQ (DI), AX; MOVQ AX, (BX); MOVQ 16(SP), CX; TESTQ CX, CX; JZ done; MOVQ $0, 16(SP)`, "branch on TESTQ"},
		"store by a word":                {"amd64", `MOVQ (DI), AX; ANDQ $7, AX; MOVQ $0, (DI)(AX*8)`, "address from"},
		"spilled pointer":                {"amd64", `MOVQ DI, (SP); MOVQ (DI), DI; MOVQ (SP), CX; MOVL (CX), AX`, ""},
		"spilled count":                  {"amd64", `MOVQ SI, (SP); MOVQ (DI), SI; DECQ (SP); JNZ done`, ""},
		"loop that begins with a secret": {"amd64", `MOVQ (DI), AX; MOVQ $5, CX; again:; MOVQ CX, DX; MOVQ AX, CX; TESTQ DX, DX; JNZ again`, "branch on TESTQ"},
		"conditional move":               {"amd64", `MOVQ (DI), AX; CMPQ AX, $3; CMOVQEQ SI, AX; MOVQ AX, (DI)`, ""},
		"branch on what it made":         {"amd64", `MOVQ (DI), AX; CMPQ AX, $3; CMOVQEQ SI, BX; TESTQ BX, BX; JZ done`, "branch on TESTQ"},
		"one of two pointers":            {"amd64", `MOVQ p_base+8(FP), DX; CMPQ SI, $3; CMOVQLT DX, DI; MOVL (DI), AX`, ""},
		"one of two pointers by a word":  {"amd64", `MOVQ p_base+8(FP), DX; CMPQ (DI), $3; CMOVQLT DX, DI; MOVL (DI), AX`, "address from"},
		"division":                       {"amd64", `MOVQ (DI), AX; DIVQ SI`, "not known"},
		"left in the frame":              {"amd64", `MOVQ (DI), AX; MOVQ AX, 16(SP)`, "leaves a secret at 16"},
		"half of it left":                {"amd64", `MOVOU (DI), X0; MOVOU X0, 16(SP); MOVQ $0, 16(SP)`, "leaves a secret at 24"},
		"cleared":                        {"amd64", `MOVOU (DI), X0; MOVOU X0, 16(SP); PXOR X0, X0; MOVOU X0, 16(SP)`, ""},
		"below the frame":                {"amd64", `LEAQ 7(SP), R10; ANDQ $-16, R10; MOVOA X0, (R10)`, "not in it"},
		"behind the frame":               {"amd64", `MOVQ SI, 28(SP)`, "not in it"},
		"at an unknown place":            {"amd64", `LEAQ 8(SP), BX; ADDQ SI, BX; MOVQ $0, (BX)`, "not known, maybe of the frame"},
		"loaded from an unknown place":   {"amd64", `MOVQ (SP)(SI*8), BX`, "not known, maybe of the frame"},
		"state or frame":                 {"amd64", `LEAQ (SP), BX; CMPQ SI, $3; CMOVQLT DI, BX; MOVQ $0, (BX)`, "not known, maybe of the frame"},
		"a pointer's negative":           {"amd64", `LEAQ 8(SP), BX; NEGQ BX; MOVQ $0, (SP)(BX*1)`, "no address"},
		"less a pointer":                 {"amd64", `LEAQ 8(SP), BX; MOVQ $16, AX; SUBQ BX, AX; MOVQ $0, (AX)`, "not known, maybe of the frame"},
		"a step to and fro":              {"amd64", `LEAQ 8(SP), BX; MOVQ $16, AX; again:; MOVQ $0, (BX); ADDQ AX, BX; NEGQ AX; DECQ SI; JNZ again`, ""},
		"a step too far":                 {"amd64", `LEAQ 8(SP), BX; MOVQ $24, AX; again:; MOVQ $0, (BX); ADDQ AX, BX; NEGQ AX; DECQ SI; JNZ again`, "8 bytes at 32 of the frame are not in it"},
		"steps in one direction":         {"amd64", `LEAQ 8(SP), BX; again:; MOVQ $0, (BX); ADDQ $8, BX; DECQ SI; JNZ again`, "8 bytes at 32 of the frame are not in it"},
		"steps without end":              {"amd64", `MOVQ $0, R8; again:; LEAQ (SP)(R8*8), BX; XORQ AX, AX; MOVQ AX, (BX); ADDQ $1, R8; DECQ SI; JNZ again`, "not known, maybe of the frame"},
		"spilled behind a step":          {"amd64", `LEAQ 8(SP), BX; MOVQ $16, AX; MOVQ $0, 8(SP); MOVQ $0, 24(SP); again:; ADDQ AX, BX; NEGQ AX; DECQ SI; JNZ again; MOVQ (DI), CX; MOVQ CX, (BX); MOVQ 24(SP), CX; TESTQ CX, CX; JZ done; MOVQ $0, 8(SP); MOVQ $0, 24(SP)`, "branch on TESTQ"},
		"one of two places in turn":      {"amd64", `LEAQ 8(SP), BX; LEAQ 24(SP), AX; XORQ BX, AX; again:; MOVQ $0, (BX); XORQ AX, BX; DECQ SI; JNZ again`, ""},
		"the other one is outside":       {"amd64", `LEAQ 8(SP), BX; LEAQ 28(SP), AX; XORQ BX, AX; again:; MOVQ $0, (BX); XORQ AX, BX; DECQ SI; JNZ again`, "8 bytes at 28 of the frame are not in it"},
		"neither of the two places":      {"amd64", `LEAQ 8(SP), BX; LEAQ 24(SP), AX; XORQ BX, AX; LEAQ (SP), BX; XORQ AX, BX; MOVQ $0, (BX)`, "not known, maybe of the frame"},
		"what two places differ in":      {"amd64", `LEAQ 8(SP), BX; LEAQ 24(SP), AX; XORQ BX, AX; MOVQ $0, (AX)`, "no address"},
		"half a pointer":                 {"amd64", `LEAQ 8(SP), BX; ADDL $8, BX; MOVQ $0, (BX)`, "part of an address"},
		"half a spilled pointer":         {"amd64", `LEAQ 8(SP), BX; MOVQ BX, (SP); MOVL 4(SP), CX; MOVQ $0, (CX)`, "part of an address"},
		"message written":                {"amd64", `MOVQ p_base+8(FP), DX; MOVQ SI, (DX)`, "read only"},
		"a number for an address":        {"amd64", `MOVQ (SI), AX`, "no address"},

		"arm64: nothing":                  {"arm64", `LDP (R0), (R3, R4); EOR R3, R4, R4; STP (R3, R4), (R0)`, ""},
		"arm64: branch on a word":         {"arm64", `MOVWU (R0), R3; CMP $0, R3; BEQ done`, "branch on CMP"},
		"arm64: branch without flags":     {"arm64", `MOVD (R0), R3; CBZ R3, done`, "branch on"},
		"arm64: branch on a difference":   {"arm64", `MOVD (R0), R3; SUBS $1, R3, R3; BNE done`, "branch on SUBS"},
		"arm64: branch on half of a pair": {"arm64", `LDP (R0), (R3, R4); CMP R4, R1; BLT done`, "branch on CMP"},
		"arm64: branch on a spilled word": {"arm64", `FMOVQ (R0), F3; FMOVQ F3, 16(RSP); MOVD 24(RSP), R4; STP (ZR, ZR), 16(RSP); CMP $0, R4; BEQ done`, "branch on CMP"},
		"arm64: branch on a vector":       {"arm64", `VLD1.P 16(R0), [V3.D2]; VEOR V3.B16, V4.B16, V5.B16; VMOV V5.D[1], R4; CMP $0, R4; BEQ done`, "branch on CMP"},
		"arm64: table by a word":          {"arm64", `MOVWU (R0), R3; MOVD $k<>(SB), R2; MOVWU (R2)(R3), R4`, "address from"},
		"arm64: table by a sum":           {"arm64", `MOVD (R0), R3; MOVD $k<>(SB), R2; ADD R3, R2, R2; FMOVQ (R2), F4`, "address from"},
		"arm64: spilled pair":             {"arm64", `STP (R0, R1), 16(RSP); LDP (R0), (R0, R1); LDP 16(RSP), (R3, R4); MOVD (R3), R5; CMP $0, R4; BLE done`, ""},
		"arm64: other half of the pair":   {"arm64", `MOVD (R0), R3; STP (R3, R1), 16(RSP); LDP 16(RSP), (R4, R5); STP (ZR, ZR), 16(RSP); CMP $0, R4; BLE done`, "branch on CMP"},
		"arm64: behind the message":       {"arm64", `MOVD p_base+8(FP), R3; VST1.P [V0.B16], 16(R3)`, "read only"},
		"arm64: left in the frame":        {"arm64", `LDP (R0), (R3, R4); STP (R1, R4), 16(RSP)`, "leaves a secret at 24"},
		"arm64: return address":           {"arm64", `MOVD R1, (RSP)`, "not in it"},
		"arm64: select":                   {"arm64", `MOVD (R0), R3; CMP $0, R3; CSEL EQ, R3, R1, R3; MOVD R3, (R0)`, ""},
	} {
		begin := "MOVQ state+0(FP), DI; MOVQ n+8(FP), SI"
		if c.arch == "arm64" {
			begin = "MOVD state+0(FP), R0; MOVD n+8(FP), R1"
		}
		source := "TEXT ·Planted(SB), NOSPLIT, $32-16\n" + strings.ReplaceAll(begin+"; "+c.code+"; done:; RET", "; ", "\n") + "\n"
		file, err := assembly.Parse(strings.ReplaceAll(source, ":;", ":\n"))
		if err != nil {
			t.Fatal(name, err)
		}
		r := analyse(file.Functions[0], c.arch)
		got := strings.Join(r.errors, "\n")
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		if want := strings.Contains(c.code, "CMOV") || strings.Contains(c.code, "CSEL"); (len(r.conditional) > 0) != want {
			t.Errorf("%s: conditional instructions: %v", name, r.conditional)
		}
	}
}

// The same for the kernels in Go.
func TestGoKernels(t *testing.T) {
	packages, err := goKernels("../..")
	if err != nil {
		t.Fatal(err)
	}
	for name, files := range packages {
		r, err := analyseGo(files)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.errors {
			t.Error(e)
		}
		if len(r.branches) < 4 || r.accesses < 100 {
			t.Errorf("%s: %d branches and %d indices were looked at", name, len(r.branches), r.accesses)
		}
	}
}

func TestGoPlanted(t *testing.T) {
	for code, want := range map[string]string{
		`for i := range n { s[i&3] ^= 1 }`:                                   "",
		`for i := 0; i < 4; i += 2 { s[i] += s[(3*i+1)&3] }`:                 "",
		`if pad.truncated { s[0] = 0 }`:                                      "",
		`for ; len(p) >= 4; p = p[4:] { s[0] ^= uint32(p[0]) }`:              "",
		`if s[0]&1 == 1 { s[1]++ }`:                                          "branch on",
		`x := s[0]; for x > 0 { x >>= 1 }`:                                   "branch on",
		`x := s[0] == 1 && s[1] == 2; _ = x`:                                 "branch on",
		`for range s[0] { s[1]++ }`:                                          "branch on",
		`s[1] = k[s[0]&63]`:                                                  "address from",
		`s[1] = k[p[0]&63]`:                                                  "address from",
		`s[1] = 1 << s[0]`:                                                   "address from",
		`s[1] = s[0] % 7`:                                                    "division",
		`for i := range 4 { i = int(s[0]); s[1] = k[i&63] }`:                 "a counter",
		`i := 0; if n > 2 { i = int(s[0]) }; s[1] = k[i&63]`:                 "address from",
		`switch s[0] { case 1: s[1]++ }`:                                     "not known",
		`for i := int(s[0]); i < 100; i++ { s[1]++ }`:                        "branch on",
		`f := func() bool { return s[0] == 1 }; if f() { s[1]++ }`:           "not known",
		`p = p[s[0]&3:]`:                                                     "address from",
		`for _, x := range s { if x == 1 { s[1]++ } }`:                       "branch on",
		`m := map[uint32]uint32{}; s[1] = m[s[0]]`:                           "address from",
		`var q []byte; for i := range len(p) { q = append(q, p[i]) }; _ = q`: "",
	} {
		r, err := analyseGo(map[string]string{"planted.go": "package kernel\nvar k [64]uint32\ntype padding struct { truncated bool }\nfunc f(s *[4]uint32, n int, p []byte, pad *padding) {\n" + code + "\n}"})
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		got := strings.Join(r.errors, "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", code, got, want)
		}
	}
}
