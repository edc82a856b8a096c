// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const example = `#include "textflag.h"

// func IterateSHANI_224(state *uint64, n int)
TEXT ·IterateSHANI_224(SB), NOSPLIT, $16-16
	MOVQ        state+0(FP), DI // the state
	MOVQ        n+8(FP), SI
	TESTQ       SI, SI
	JLE         done

iteration:
	MOVOU       k<>+16(SB), X0
	PINSRD      $0x01, 16(DI), X1
	LEAQ        (AX)(R14*1), R8
	MOVQ        AX, 8(SP)
	DECQ        SI
	JNZ         iteration
	XORL        AX, AX
	MOVQ        AX, (SP)
	MOVQ        AX, 8(SP)
	VZEROUPPER

done:
	RET

DATA k<>+0(SB)/8, $0x01
DATA k<>+16(SB)/8, $0x0000000000000003
DATA k<>+24(SB)/8, $0x03
GLOBL k<>(SB), RODATA|NOPTR, $32
`

func parsed(t *testing.T, path, text string) *source {
	s, err := parse(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestParse(t *testing.T) {
	s := parsed(t, "internal/sha256/shani_amd64.s", example)
	if s.arch != "amd64" || s.word != 4 || len(s.kernels) != 1 || len(s.data) != 3 {
		t.Fatalf("%+v", s)
	}
	k := s.kernels[0]
	if k.Name != "IterateSHANI_224" || k.test != "TestKernelContract/sha224/shani" || len(k.Code) != 15 || k.Labels["iteration"] != 4 {
		t.Errorf("%+v", k)
	}
	if got := k.Code[k.clearing].String(); got != "XORL AX, AX" {
		t.Errorf("the clearing of the frame begins at %s", got)
	}
	if got := k.Code[5].Operands; !slices.Equal(got, []string{"$0x01", "16(DI)", "X1"}) {
		t.Errorf("%q", got)
	}
	var read []bool
	for _, d := range s.data {
		read = append(read, k.reads(d))
	}
	if !slices.Equal(read, []bool{false, true, true}) {
		t.Errorf("the DATA lines that are read: %v", read)
	}
	for _, bad := range []string{"", "\tMOVQ AX, BX\n"} {
		if _, err := parse("internal/md5/scalar_amd64.s", bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
	if got := testOf("sha512", "bmi2", "CompressBMI2"); got != "TestCompressors/sha512/bmi2" {
		t.Error(got)
	}
	if got := testOf("sha512", "scalar", "IterateScalar_512_256"); got != "TestKernelContract/sha512_256/scalar" {
		t.Error(got)
	}
}

// oneBit is a regular expression for v with one of its bits changed.
func oneBit(v int32) string {
	var all []string
	for bit := range 32 {
		all = append(all, fmt.Sprint(v^1<<bit))
	}
	return "(" + strings.Join(all, "|") + ")"
}

// Each kind changes what it says, and nothing of what it is not for.
func TestKinds(t *testing.T) {
	for _, c := range []struct{ kind, from, want string }{ // want is a regular expression for all that may come out, and for nothing else
		{"constant", "ADDL $-680876936, AX", `^ADDL \$` + oneBit(-680876936) + `, AX$`},
		{"constant", "MOVW $-0x28955b88, R5", `^MOVW \$` + oneBit(-0x28955b88) + `, R5$`},
		{"constant", "ANDQ $-16, R10", ""},
		{"constant", "ADDQ $8, SP", ""},
		{"constant", "DECQ SI", ""},
		{"rotate", "RORXQ $0x22, R9, R12", `^RORXQ \$3[35], R9, R12$`},
		{"rotate", "ROLL $0x07, AX", `^ROLL \$[68], AX$`},
		{"rotate", "VPRORD $0x06, Z1, Z2", `^VPRORD \$[57], Z1, Z2$`},
		{"rotate", "VPSRLD $0x06, Y1, Y2", `^VPSRLD \$[57], Y1, Y2$`},
		{"rotate", "VPSLLQ $0x06, Y1, Y2", `^VPSLLQ \$[57], Y1, Y2$`},
		{"rotate", "VPSLLDQ $0x04, X1, X2", ""},
		{"rotate", "EOR R5@>14, R2, R3", `^EOR R5@>1[35], R2, R3$`},
		{"rotate", "VSRI $2, V0.S4, V2.S4", `^VSRI \$[13], V0.S4, V2.S4$`},
		{"rotate", "ADDQ $8, AX", ""},
		{"shuffle", "PSHUFD $0x0e, X0, X0", `^PSHUFD \$0x([fca6]|[1248]e), X0, X0$`},
		{"shuffle", "VPERM2I128 $0x08, Y9, Y9, Y9", `^VPERM2I128 \$0x(0|18|88), Y9, Y9, Y9$`},
		{"shuffle", "VPERM2I128 $0x81, Y1, Y2, Y3", `^VPERM2I128 \$0x(80|83|89|1), Y1, Y2, Y3$`},
		{"shuffle", "VEXT $8, V4.B16, V3.B16, V5.B16", `^VEXT \$0x[c0], V4.B16, V3.B16, V5.B16$`},
		{"shuffle", "VMOV V1.S[3], V2.S[3]", `^VMOV V1.S\[[0-2]\], V2.S\[3\]$`},
		{"shuffle", "VZIP1 V1.D2, V2.D2, V3.D2", `^VZIP2 V1.D2, V2.D2, V3.D2$`},
		{"shuffle", "VPADDD Y0, Y1, Y2", ""},
		{"exchange", "MOVQ 8(DI), AX\nADDL 8(DI), BX\nMOVQ 24(DI), CX", `^MOVQ 24\(DI\), AX\|MOVQ 8\(DI\), CX$`},
		{"exchange", "VPXOR 8(DI), Y1, Y1\nVPXOR 24(DI), Y1, Y1", ""},
		{"exchange", "MOVQ 8(DI), AX\nMOVQ 24(SI), CX", ""},
		{"exchange", "MOVQ n+8(FP), AX\nMOVQ n+16(FP), CX", ""},
		{"register", "XORQ R12, SI\nADDQ BX, R9", `^XORQ (R9|BX|SI), SI$`},
		{"register", "VADD V1.S4, V2.S4, V3.S4", `^VADD (V[23].S4, V2.S4|V1.S4, V[13].S4), V3.S4$`},
		{"register", "EOR R5@>14, R2, R3", `^EOR (R[23]@>14, R2|R5@>14, R[35]), R3$`},
		{"register", "CMPQ AX, BX", ""},
		{"operation", "VPADDD.BCST k<>+0(SB), Z1, Z2", `^VPSUBD.BCST k<>\+0\(SB\), Z1, Z2$`},
		{"operation", "VPTERNLOGD $0xca, Z1, Z2, Z3", `^VPTERNLOGD \$0x(c[b8e2]|[de84]a), Z1, Z2, Z3$`},
		{"operation", "EORW R1, R2, R3", `^ANDW R1, R2, R3$`},
		{"operation", "SUBQ $1, R3", ""},
		{"displacement", "PADDD 32(R8), X2", `^PADDD (16|48)\(R8\), X2$`},
		{"displacement", "MOVL (DI), AX", `^MOVL 4\(DI\), AX$`},
		{"displacement", "VPADDD k<>+16(SB), Y1, Y2", `^VPADDD k<>\+(12|20)\(SB\), Y1, Y2$`},
		{"displacement", "VMOVDQU Y1, -64(DI)(R8*1)", `^VMOVDQU Y1, -60\(DI\)\(R8\*1\)$`},
		{"displacement", "LEAQ 8(SP), AX", ""},
		{"displacement", "MOVQ n+8(FP), SI", ""},
		{"dropped", "MOVL (DI), AX", `^$`},
		{"dropped", "VLD1.P 16(R3), [V3.S4]", `^$`},
		{"dropped", "ADDL (DI), AX", ""},
		{"dropped", "MOVL BX, AX", ""},
		{"loop", "back:\nADDL AX, BX\nJNZ back", `^$`},
		{"loop", "ADDL AX, BX\nJNZ forward\nforward:", ""},
	} {
		s := parsed(t, "internal/md5/scalar_amd64.s", "TEXT ·IterateScalar(SB), NOSPLIT, $0-16\n"+c.from+"\nRET\n")
		k := s.kernels[0]
		kind := kinds[slices.IndexFunc(kinds, func(kind kind) bool { return kind.name == c.kind })]
		at := 0
		if c.kind == "loop" {
			at = 1
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 100 {
			edits := kind.plant(k, at, r)
			if edits == nil && c.want != "" && c.kind != "register" { // which chooses among operands first
				t.Errorf("%s does not apply to %s", c.kind, c.from)
			}
			var texts []string
			for _, e := range edits {
				if !strings.Contains(c.from, e.old) || e.new == e.old || e.old != strings.TrimSpace(s.lines[e.line-1]) {
					t.Errorf("%s of %s: %+v", c.kind, c.from, e)
				}
				texts = append(texts, e.new)
			}
			if got := strings.Join(texts, "|"); edits != nil && (c.want == "" || !regexp.MustCompile(c.want).MatchString(got)) {
				t.Errorf("%s of %s is %s", c.kind, c.from, got)
			}
		}
	}
	for range 100 {
		r := rand.New(rand.NewPCG(1, rand.Uint64()))
		edits := dataConstant(&insn{Op: "DATA", Operands: []string{"k<>+0(SB)/4", "$0xffffffff"}}, r)
		if v, err := strconv.ParseUint(strings.TrimPrefix(edits[0].new, "DATA k<>+0(SB)/4, $0x"), 16, 32); err != nil || bits.OnesCount64(v) != 31 {
			t.Error(edits[0].new)
		}
	}
}

// The mutants reach every kernel that the library declares, with every kind that may apply, and all of them assemble. Nothing but the seed chooses them.
func TestEveryKernel(t *testing.T) {
	sources, err := readSources("../..")
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]bool{}
	for _, pkg := range packages {
		for _, arch := range []string{"amd64", "arm64"} {
			text, err := os.ReadFile(filepath.Join("../../internal", pkg, "stubs_"+arch+".go"))
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?m)^func (\w+)`).FindAllSubmatch(text, -1) {
				declared[pkg+" "+arch+" "+string(m[1])] = true
			}
		}
	}
	names := map[string]bool{}
	for _, s := range sources {
		mutants, _, err := choose(s, 1, 1)
		if err != nil {
			t.Fatal(err)
		}
		if refused, err := assemble(s, mutants); err != nil || len(refused) > 0 {
			t.Errorf("%s: %v, %v", s.path, refused, err)
		}
		byKind := map[*kernel]map[string]int{}
		for _, m := range mutants {
			if names[m.String()] {
				t.Errorf("twice: %s", m)
			}
			names[m.String()] = true
			if byKind[m.kernel] == nil {
				byKind[m.kernel] = map[string]int{}
			}
			byKind[m.kernel][m.kind]++
			for _, e := range m.edits {
				if got := strings.Join(strings.Fields(s.lines[e.line-1]), " "); !strings.HasPrefix(got, e.old) {
					t.Errorf("%s: the line is %s", m, got)
				}
			}
		}
		for _, k := range s.kernels {
			delete(declared, filepath.Base(filepath.Dir(s.path))+" "+s.arch+" "+k.Name)
			for _, kind := range []string{"constant", "register", "operation", "displacement", "dropped", "loop"} {
				if byKind[k][kind] != 1 {
					t.Errorf("%s: %s has %d mutants of the kind %s", s.path, k.Name, byKind[k][kind], kind)
				}
			}
			if byKind[k]["rotate"]+byKind[k]["shuffle"]+byKind[k]["exchange"] == 0 {
				t.Errorf("%s: nothing is rotated, shuffled or exchanged in %s", s.path, k.Name)
			}
		}
	}
	for name := range declared {
		t.Errorf("not reached: %s", name)
	}
	if len(names) < 200 {
		t.Errorf("%d mutants", len(names))
	}
	again, _, err := choose(sources[0], 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range again {
		if !names[m.String()] {
			t.Errorf("not chosen the first time: %s", m)
		}
	}
}

func TestAssembleRefuses(t *testing.T) {
	s := parsed(t, "internal/md5/scalar_amd64.s", strings.ReplaceAll(example, "SHANI_224", "Scalar"))
	k := s.kernels[0]
	good := &mutant{kernel: k, edits: []edit{{11, "", "MOVOU k<>+0(SB), X0"}}}
	for _, text := range []string{"NOSUCH AX, BX", "VPADDD X1, AX, X0", "PINSRD $0x01, 16(DI)"} {
		bad := &mutant{kernel: k, edits: []edit{{12, "", text}}}
		refused, err := assemble(s, []*mutant{good, bad})
		if err != nil || !refused[bad] || refused[good] {
			t.Errorf("%s: %v, %v", text, refused, err)
		}
	}
	if refused, err := assemble(s, []*mutant{good}); err != nil || len(refused) > 0 {
		t.Errorf("%v, %v", refused, err)
	}
}

func TestBatches(t *testing.T) {
	a, b, c := &kernel{}, &kernel{}, &kernel{}
	mutants := []*mutant{{touches: []*kernel{a}}, {touches: []*kernel{a, b}}, {touches: []*kernel{b}}, {touches: []*kernel{c}}}
	list := batches(mutants)
	n := 0
	for _, batch := range list {
		seen := map[*kernel]bool{}
		for _, m := range batch {
			n++
			for _, k := range m.touches {
				if seen[k] {
					t.Error("two mutants of one kernel in one batch")
				}
				seen[k] = true
			}
		}
	}
	if n != len(mutants) || len(list) != 2 {
		t.Errorf("%d mutants in %d batches", n, len(list))
	}
}

// A shell takes the place of a test binary.
func TestJudge(t *testing.T) {
	const test = "TestKernelContract/md5/scalar"
	for _, c := range []struct {
		script string
		want   verdict
	}{
		{"echo '    --- PASS: " + test + " (0.00s)'", passed},
		{"echo '    --- FAIL: " + test + " (0.00s)'; exit 1", failed},
		{"echo '    --- SKIP: " + test + " (0.00s)'", skipped},
		{"echo '=== RUN   " + test + "'; kill -SEGV $$", crashed},
		{"echo '=== RUN   " + test + "'; exit 2", crashed},
		{"echo '=== RUN   " + test + "'; sleep 60", hung},
		{"echo '    --- PASS: " + test + "x2 (0.00s)'", ""},
		{"exit 1", ""},
		{"echo 'testing: warning: no tests to run'", ""},
	} {
		path := filepath.Join(t.TempDir(), "test.sh")
		if err := os.WriteFile(path, []byte(c.script+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := judge([]string{"sh"}, path, []string{test}, 3*time.Second)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", c.script, got, err)
		}
	}
}

func TestSummary(t *testing.T) {
	s := parsed(t, "internal/sha256/shani_amd64.s", example)
	k := s.kernels[0]
	where := map[*kernel]*machine{k: machines[0]}
	m := &mutant{kernel: k, kind: "dropped", number: 2, edits: []edit{{14, "MOVQ AX, 8(SP)", ""}}}
	const name = "internal/sha256/shani_amd64.s\tIterateSHANI_224\tMOVQ AX, 8(SP) (2) => nothing"
	if m.String() != name {
		t.Fatal(m.String())
	}
	listed, err := parseEquivalent("# comment\n\n" + name + "\tnobody reads it\n")
	if err != nil || listed[name] != "nobody reads it" {
		t.Fatal(listed, err)
	}
	for _, bad := range []string{name, name + "\t", name + "\tx\n" + name + "\ty"} {
		if _, err := parseEquivalent(bad); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
	for _, c := range []struct {
		verdict verdict
		listed  map[string]string
		want    bool
	}{
		{failed, nil, true},
		{crashed, nil, true},
		{hung, nil, true},
		{passed, nil, false},
		{passed, listed, true},
		{failed, listed, false},
	} {
		m.verdict = c.verdict
		if got := summary(io.Discard, []*mutant{m}, c.listed, where, true, true); got != c.want {
			t.Errorf("%s, listed: %v: %v", c.verdict, c.listed != nil, got)
		}
	}
	var b strings.Builder
	if summary(&b, nil, listed, where, true, false) || !strings.Contains(b.String(), "not among the mutants") {
		t.Error("a line for no mutant is not found")
	}
	if !summary(&b, nil, listed, where, false, false) {
		t.Error("a line for another CPU's mutant is a fault")
	}
	m.verdict = passed
	b.Reset()
	summary(&b, []*mutant{m}, nil, where, true, false)
	if !strings.Contains(b.String(), fmt.Sprintf("SURVIVOR (dropped, line 14): %s\n", name)) {
		t.Error(b.String())
	}
}
