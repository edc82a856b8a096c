// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package arm64

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2/asm/internal/output"
)

var update = flag.Bool("update", false, "write testdata anew")

// TestGolden writes a small file with all that a file can have.
func TestGolden(t *testing.T) {
	f := NewFile()
	var x, y V
	var k R
	f.Iterate("IterateX", "IterateX is an example.\nIt has two lines.",
		func(state R) {
			k = f.R("k")
			f.Address(f.Table32("words", 1, 2, 0xffffffff, 0x80000000), k)
			x, y = f.V("x"), f.V("y")
			f.VLD1(Mem{Base: state}, x.S4(), y.S4())
			f.StoreQ(x, f.Local(16))
		},
		func(state R) {
			f.Comment("One round.")
			f.Interleave(func() {
				f.SHA256H(x.S4(), x, y)
				f.VSHL(7, x.S4(), x.S4())
				f.VSRI(25, x.S4(), x.S4())
				f.VEOR(x.B16(), y.B16(), x.B16())
			}, func() {
				f.EORW(k.ROR(3), k, k)
				f.ADD(k.LSL(2), k, k)
			})
		},
		func(state R) {
			f.VST1(Mem{Base: state}, x.S4(), y.S4())
			f.Free(x, y)
			f.FreeR(k)
		})
	f.Compress("CompressX", "CompressX is another.", 64,
		func(h, p R) {},
		func(h, p R) { f.ADD(Imm(64), p, p) },
		func(h, p R) { f.Table64("long", 1<<63) })
	text, funcs, err := f.Print()
	if err != nil {
		t.Fatal(err)
	}
	if len(funcs) != 2 || funcs[0].Name != "IterateX" || funcs[0].Signature != output.Iterate || len(funcs[0].Doc) != 2 || funcs[1].Name != "CompressX" {
		t.Errorf("functions are %+v", funcs)
	}
	name := filepath.Join("testdata", "golden.s.txt")
	if *update {
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(text, want) {
		t.Errorf("got\n%s\nwant\n%s", text, want)
	}
	assemble(t, text)
}

// assemble runs Go's assembler.
func assemble(t *testing.T, text []byte) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x_arm64.s")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "tool", "asm", "-p", "x", "-I", filepath.Join(strings.TrimSpace(string(goroot)), "pkg", "include"), "-o", os.DevNull, file)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// instructions are all methods that write an instruction, each with all kinds of operands and arrangements it takes.
var instructions = map[string]func(f *File){
	"ADD":  alu((*File).ADD, R1.LSL(3), R1.LSR(3), Imm(1<<20)),
	"ADDW": alu((*File).ADDW, R1.LSL(3), Imm(4095)),
	"SUB":  alu((*File).SUB, R1.LSL(3), Imm(64)),
	"SUBW": alu((*File).SUBW, Imm(64)),
	"SUBS": alu((*File).SUBS, Imm(64)),
	"AND":  alu((*File).AND, R1.ROR(63), Imm(-1<<32)),
	"ANDW": alu((*File).ANDW, R1.ROR(31), Imm(0xff)),
	"BIC":  alu((*File).BIC, R1.ROR(3)),
	"BICW": alu((*File).BICW, R1.ROR(3)),
	"EON":  alu((*File).EON, R1.ROR(3)),
	"EONW": alu((*File).EONW, R1.ROR(3)),
	"EOR":  alu((*File).EOR, R1.ROR(3), R1.LSR(7)),
	"EORW": alu((*File).EORW, R1.ROR(3), R1.LSR(7)),
	"ORN":  alu((*File).ORN, R1.ROR(3)),
	"ORNW": alu((*File).ORNW, R1.ROR(3)),
	"ORR":  alu((*File).ORR, R1.ROR(3), Imm(0x80000000)),
	"ORRW": alu((*File).ORRW, R1.ROR(3)),
	"CMP":  func(f *File) { f.CMP(Imm(0), R1); f.CMP(R2, R1); f.CMP(R2.LSL(1), R1) },
	"REV":  func(f *File) { f.REV(R1, R2) },
	"REVW": func(f *File) { f.REVW(R1, R2) },
	"ROR":  func(f *File) { f.ROR(1, R1, R2); f.ROR(63, R1, R2) },
	"RORW": func(f *File) { f.RORW(1, R1, R2); f.RORW(31, R1, R2) },
	"MOVD": func(f *File) {
		f.MOVD(R1, R2)
		f.MOVD(Imm(-1), R2)
		f.MOVD(Mem{R1, -8}, R2)
		f.MOVD(Mem{RSP, 8}, R2)
		f.MOVD(ZR, R26)
	},
	"MOVW":   func(f *File) { f.MOVW(Imm(0x80000000), R1); f.MOVW(Imm(-1), R1); f.MOVW(Imm(0x7fffffff), R1) },
	"MOVWU":  func(f *File) { f.MOVWU(R1, R2); f.MOVWU(Mem{R1, 4}, R2) },
	"StoreD": func(f *File) { f.StoreD(R1, Mem{R2, 8}) },
	"StoreW": func(f *File) { f.StoreW(R1, Mem{R2, 4}) },
	"LDP":    func(f *File) { f.LDP(Mem{R1, -512}, R2, R3); f.LDP(Mem{R1, 504}, R2, R3) },
	"LDPW":   func(f *File) { f.LDPW(Mem{R1, -256}, R2, R3); f.LDPW(Mem{R1, 252}, R2, R3) },
	"STP":    func(f *File) { f.STP(R2, R3, Mem{R1, 16}); f.STP(ZR, ZR, Mem{RSP, 16}) },
	"STPW":   func(f *File) { f.STPW(R2, R3, Mem{R1, 16}) },
	"BEQ":    func(f *File) { f.BEQ("x") },
	"BNE":    func(f *File) { f.BNE("x") },
	"BLT":    func(f *File) { f.BLT("x") },
	"BLE":    func(f *File) { f.BLE("x") },
	"BGE":    func(f *File) { f.BGE("x") },
	"RET":    func(f *File) { f.RET() },
	"Load":   func(f *File) { f.Load("state", R1); f.Load("n", R2) },
	"Address": func(f *File) {
		f.Address(f.Table32("t", 1, 2), R1)
	},

	"VADD":  three((*File).VADD, anyArr),
	"VADDP": three((*File).VADDP, anyArr),
	"VSUB":  three((*File).VSUB, anyArr),
	"VAND":  three((*File).VAND, bytesArr),
	"VORR":  three((*File).VORR, bytesArr),
	"VEOR":  three((*File).VEOR, bytesArr),
	"VBSL":  three((*File).VBSL, bytesArr),
	"VBIT":  three((*File).VBIT, bytesArr),
	"VBIF":  three((*File).VBIF, bytesArr),
	"VZIP1": three((*File).VZIP1, anyArr),
	"VZIP2": three((*File).VZIP2, anyArr),
	"VUZP1": three((*File).VUZP1, anyArr),
	"VUZP2": three((*File).VUZP2, anyArr),
	"VTRN1": three((*File).VTRN1, anyArr),
	"VTRN2": three((*File).VTRN2, anyArr),
	"VEXT": func(f *File) {
		f.VEXT(0, V(1).B8(), V(2).B8(), V(3).B8())
		f.VEXT(7, V(1).B8(), V(2).B8(), V(3).B8())
		f.VEXT(15, V(1).B16(), V(2).B16(), V(3).B16())
	},
	"VSHL":   shifts((*File).VSHL, 0),
	"VSLI":   shifts((*File).VSLI, 0),
	"VUSHR":  shifts((*File).VUSHR, 1),
	"VSRI":   shifts((*File).VSRI, 1),
	"VUSRA":  shifts((*File).VUSRA, 1),
	"VREV32": two((*File).VREV32, b8, b16, h4, h8),
	"VREV64": two((*File).VREV64, b8, b16, h4, h8, s2, s4),
	"VTBL": func(f *File) {
		f.VTBL(V(1).B8(), V(2).B16(), V(3).B8())
		f.VTBL(V(1).B16(), V(2).B16(), V(3).B16())
	},
	"VMOV":        two((*File).VMOV, b8, b16),
	"VMOVElement": func(f *File) { f.VMOVElement(V(1).S(3), V(2).S(0)); f.VMOVElement(V(1).D(1), V(2).D(0)) },
	"VMOVTo":      func(f *File) { f.VMOVTo(R1, V(2).S(3)); f.VMOVTo(R1, V(2).D(1)) },
	"VMOVFrom":    func(f *File) { f.VMOVFrom(V(2).S(3), R1); f.VMOVFrom(V(2).D(1), R1) },
	"VMOVI":       func(f *File) { f.VMOVI(255, V(1).B8()); f.VMOVI(0, V(1).B16()) },
	"VDUP": func(f *File) {
		f.VDUP(V(1).S(3), V(2).S2())
		f.VDUP(V(1).S(3), V(2).S4())
		f.VDUP(V(1).D(1), V(2).D2())
	},
	"VDUPFrom": func(f *File) {
		for _, a := range anyArr {
			f.VDUPFrom(R1, VA{2, a})
		}
	},
	"VLD1":  lists((*File).VLD1, 1, 4, d1),
	"VLD1P": lists((*File).VLD1P, 1, 4, d1),
	"VST1":  lists((*File).VST1, 1, 4, d1),
	"VST1P": lists((*File).VST1P, 1, 4, d1),
	"VLDn":  lists((*File).VLDn, 2, 4),
	"VLDnP": lists((*File).VLDnP, 2, 4),
	"VSTn":  lists((*File).VSTn, 2, 4),
	"VSTnP": lists((*File).VSTnP, 2, 4),
	"VLD1R": func(f *File) {
		for _, a := range anyArr {
			f.VLD1R(Mem{Base: R1}, VA{2, a})
		}
	},
	"VLD1RP": func(f *File) {
		for _, a := range anyArr {
			f.VLD1RP(Mem{Base: R1}, VA{2, a})
		}
	},
	"VLD1Element": func(f *File) { f.VLD1Element(Mem{Base: R1}, V(2).S(3)); f.VLD1Element(Mem{Base: R1}, V(2).D(1)) },
	"VST1Element": func(f *File) { f.VST1Element(V(2).S(3), Mem{Base: R1}); f.VST1Element(V(2).D(1), Mem{Base: R1}) },
	"FMOVQ":       func(f *File) { f.FMOVQ(Mem{R1, -256}, 2); f.FMOVQ(Mem{R1, 65520}, 2); f.FMOVQ(Mem{RSP, 16}, 2) },
	"FMOVD":       func(f *File) { f.FMOVD(Mem{R1, 255}, 2); f.FMOVD(Mem{R1, 32760}, 2) },
	"FMOVS":       func(f *File) { f.FMOVS(Mem{R1, 1}, 2); f.FMOVS(Mem{R1, 16380}, 2) },
	"StoreQ":      func(f *File) { f.StoreQ(2, Mem{R1, 32}) },
	"StoreVD":     func(f *File) { f.StoreVD(2, Mem{R1, 8}) },
	"StoreVS":     func(f *File) { f.StoreVS(2, Mem{R1, 4}) },
	"FMOVSFrom":   func(f *File) { f.FMOVSFrom(R1, 2) },
	"FLDPQ":       func(f *File) { f.FLDPQ(Mem{R1, -1024}, 2, 3); f.FLDPQ(Mem{R1, 1008}, 2, 3) },
	"FLDPD":       func(f *File) { f.FLDPD(Mem{R1, 16}, 2, 3) },
	"FSTPQ":       func(f *File) { f.FSTPQ(2, 3, Mem{R1, 32}) },
	"FSTPD":       func(f *File) { f.FSTPD(2, 3, Mem{R1, 16}) },

	"SHA1C":     func(f *File) { f.SHA1C(V(1).S4(), 2, 3) },
	"SHA1M":     func(f *File) { f.SHA1M(V(1).S4(), 2, 3) },
	"SHA1P":     func(f *File) { f.SHA1P(V(1).S4(), 2, 3) },
	"SHA1H":     func(f *File) { f.SHA1H(1, 2) },
	"SHA1SU0":   three((*File).SHA1SU0, []arrangement{s4}),
	"SHA1SU1":   two((*File).SHA1SU1, s4),
	"SHA256H":   func(f *File) { f.SHA256H(V(1).S4(), 2, 3) },
	"SHA256H2":  func(f *File) { f.SHA256H2(V(1).S4(), 2, 3) },
	"SHA256SU0": two((*File).SHA256SU0, s4),
	"SHA256SU1": three((*File).SHA256SU1, []arrangement{s4}),
	"SHA512H":   func(f *File) { f.SHA512H(V(1).D2(), 2, 3) },
	"SHA512H2":  func(f *File) { f.SHA512H2(V(1).D2(), 2, 3) },
	"SHA512SU0": two((*File).SHA512SU0, d2),
	"SHA512SU1": three((*File).SHA512SU1, []arrangement{d2}),
}

func alu(op func(f *File, m Op2, n, d R), ms ...Op2) func(f *File) {
	return func(f *File) {
		for _, m := range append(ms, R1) {
			op(f, m, R2, R3)
		}
	}
}

func two(op func(f *File, n, d VA), as ...arrangement) func(f *File) {
	return func(f *File) {
		for _, a := range as {
			op(f, VA{1, a}, VA{2, a})
		}
	}
}

func three(op func(f *File, m, n, d VA), as []arrangement) func(f *File) {
	return func(f *File) {
		for _, a := range as {
			op(f, VA{1, a}, VA{2, a}, VA{31, a})
		}
	}
}

func shifts(op func(f *File, s int, n, d VA), lowest int) func(f *File) {
	return func(f *File) {
		for _, a := range anyArr {
			op(f, lowest, VA{1, a}, VA{2, a})
			op(f, a.elementBits()-1+lowest, VA{1, a}, VA{2, a})
		}
	}
}

func lists(op func(f *File, m Mem, v ...VA), low, high int, more ...arrangement) func(f *File) {
	return func(f *File) {
		for _, a := range append(more, anyArr...) {
			for n := low; n <= high; n++ {
				var vs []VA
				for i := range n {
					vs = append(vs, VA{(30 + V(i)) % 32, a})
				}
				op(f, Mem{Base: R1}, vs...)
			}
		}
	}
}

// TestAssembles has every method write every form, and Go's assembler read it: no mnemonic of the list is left out, and no method.
func TestAssembles(t *testing.T) {
	written := map[string]bool{}
	for name, write := range instructions {
		t.Run(name, func(t *testing.T) {
			f := NewFile()
			f.Text("X", output.Iterate, "X has all forms of "+name+".")
			f.Label("x")
			write(f)
			f.RET()
			for _, n := range f.now.nodes {
				written[n.op] = true
			}
			text, _, err := f.Print()
			if err != nil {
				t.Fatal(err)
			}
			assemble(t, text)
		})
	}
	for op := range mnemonics {
		if !written[op] {
			t.Errorf("no method writes %s", op)
		}
	}
	// These methods write no single instruction.
	other := "V Vs R Rs Free FreeR Text Local Label Comment Interleave Iterate Compress Table32 Table64 Print"
	typ := reflect.TypeFor[*File]()
	for i := range typ.NumMethod() {
		if name := typ.Method(i).Name; instructions[name] == nil && !strings.Contains(" "+other+" ", " "+name+" ") {
			t.Errorf("%s is not tested", name)
		}
	}
}

// TestMisuse shows that what is wrong panics, with this file's line and a reason.
func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		want  string
		write func(f *File)
	}{
		{"VADD: V1.S4 and V3.D2 have different arrangements", func(f *File) { f.VADD(V(1).S4(), V(2).S4(), V(3).D2()) }},
		{"VEOR does not take V1.S4", func(f *File) { f.VEOR(V(1).S4(), V(2).S4(), V(3).S4()) }},
		{"VREV32 does not take V1.S4", func(f *File) { f.VREV32(V(1).S4(), V(2).S4()) }},
		{"SHA512H does not take V1.S4", func(f *File) { f.SHA512H(V(1).S4(), 2, 3) }},
		{"VSHL: shift by 32 in V2.S4", func(f *File) { f.VSHL(32, V(1).S4(), V(2).S4()) }},
		{"VSRI: shift by 0 in V2.S4", func(f *File) { f.VSRI(0, V(1).S4(), V(2).S4()) }},
		{"VEXT: there is no byte 8 in V3.B8", func(f *File) { f.VEXT(8, V(1).B8(), V(2).B8(), V(3).B8()) }},
		{"V1 has no element S[4]", func(f *File) { f.VMOVTo(R1, V(1).S(4)) }},
		{"VDUP: V1.S[0] and V2.D2 differ in size", func(f *File) { f.VDUP(V(1).S(0), V(2).D2()) }},
		{"VMOV: V1.S[0] and V2.D[0] differ in size", func(f *File) { f.VMOVElement(V(1).S(0), V(2).D(0)) }},
		{"VLD2: V3.S4 does not follow V1.S4", func(f *File) { f.VLDn(Mem{Base: R1}, V(1).S4(), V(3).S4()) }},
		{"VLD1 has no displacement", func(f *File) { f.VLD1(Mem{R1, 16}, V(1).S4()) }},
		{"VLD2 does not take V1.D1", func(f *File) { f.VLDn(Mem{Base: R1}, V(1).D1(), V(2).D1()) }},
		{"VTBL does not look up in V2.B8", func(f *File) { f.VTBL(V(1).B8(), V(2).B8(), V(3).B8()) }},
		{"there is no vector register 32", func(f *File) { f.SHA1H(32, 1) }},
		{"register 18 is not ours to use", func(f *File) { f.MOVD(R(18), R1) }},
		{"register 27 is not ours to use", func(f *File) { f.MOVD(R1, R(27)) }},
		{"RSP is a base only", func(f *File) { f.ADD(Imm(8), RSP, R1) }},
		{"RORW: rotation by 32 in 32 bits", func(f *File) { f.RORW(32, R1, R2) }},
		{"EORW: shift of 32 in 32 bits", func(f *File) { f.EORW(R1.ROR(32), R1, R2) }},
		{"ADD cannot rotate its operand", func(f *File) { f.ADD(R1.ROR(1), R1, R2) }},
		{"MOVW: 0x100000000 has more than 32 bits", func(f *File) { f.MOVW(1<<32, R1) }},
		{"LDP loads both words into R1", func(f *File) { f.LDP(Mem{Base: R2}, R1, R1) }},
		{"LDP: the displacement 512 does not fit", func(f *File) { f.LDP(Mem{R2, 512}, R1, R3) }},
		{"FMOVQ: the displacement 257 does not fit", func(f *File) { f.FMOVQ(Mem{R2, 257}, 1) }},
		{"no 1 vector registers in a row left for another", func(f *File) { f.Vs("all", 32); f.V("another") }},
		{"vector register 3 is not taken", func(f *File) { f.Free(3) }},
		{"X leaves vector registers taken: lost (0, arm64_test.go:", func(f *File) { f.V("lost"); f.RET(); f.Print() }},
		{"X leaves general registers taken: lost (0, arm64_test.go:", func(f *File) { f.R("lost"); f.RET(); f.Print() }},
		{"X does not end with RET", func(f *File) { f.REV(R1, R2); f.Print() }},
		{"X jumps to nowhere at arm64_test.go:", func(f *File) { f.BNE("nowhere"); f.RET(); f.Print() }},
		{"the label x is there already", func(f *File) { f.Label("x"); f.Label("x") }},
		{"X has no parameter p", func(f *File) { f.Load("p", R1) }},
		{"the table t is there already with other words", func(f *File) { f.Table32("t", 1); f.Table32("t", 2) }},
		{"a stream branches", func(f *File) { f.Interleave(func() { f.BNE("x") }) }},
		{"cannot lay out the parameter", func(f *File) { f.RET(); f.Text("Y", "func(x bool)", "Y") }},
	} {
		t.Run(test.want, func(t *testing.T) {
			defer func() {
				got := fmt.Sprint(recover())
				if !strings.HasPrefix(got, "arm64_test.go:") || !strings.Contains(got, test.want) {
					t.Errorf("panicked with %q", got)
				}
			}()
			f := NewFile()
			f.Text("X", output.Iterate, "X is misused.")
			test.write(f)
		})
	}
}

// TestInterleave shows that streams are merged in proportion, and that one stream's free register is not another's.
func TestInterleave(t *testing.T) {
	f := NewFile()
	f.Text("X", output.Iterate, "X has two streams.")
	var first, again, other V
	f.Interleave(func() {
		first = f.V("first")
		f.SHA1H(first, first)
		f.Free(first)
		again = f.V("again")
		f.SHA1H(again, again)
		f.Comment("This goes.")
		f.Free(again)
	}, func() {
		other = f.V("other")
		for range 4 {
			f.SHA1H(other, other)
		}
		f.Free(other)
	})
	if first != 0 || again != first || other == first {
		t.Errorf("the streams got V%d, V%d and V%d", first, again, other)
	}
	var got []string
	for _, n := range f.now.nodes[1:] {
		got = append(got, n.args)
	}
	want := "V0, V0; V1, V1; V1, V1; V0, V0; V1, V1; V1, V1"
	if s := strings.Join(got, "; "); s != want {
		t.Errorf("merged %s, want %s", s, want)
	}
	if v := f.V("after"); v != 0 {
		t.Errorf("V0 is not free after the streams")
	}
}
