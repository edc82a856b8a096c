// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fastkdf/pbkdf2/asm/internal/assembly"
)

// packages are those whose kernels are mutated, below internal.
var packages = []string{"md5", "sha1", "sha256", "sha512"}

// A source is one generated assembly file.
type source struct {
	path    string // from the library's root, with slashes
	arch    string
	word    int // bytes of the hash's word
	lines   []string
	kernels []*kernel
	data    []*insn // DATA lines
}

// A kernel is one assembly function, and the test that is for it alone.
type kernel struct {
	*assembly.Function
	source   *source
	test     string // name of the subtest
	clearing int    // the instructions from here on clear the frame and return
}

type insn = assembly.Instruction

// readSources parses all kernels below the library's root.
func readSources(root string) ([]*source, error) {
	var sources []*source
	for _, pkg := range packages {
		paths, err := filepath.Glob(filepath.Join(root, "internal", pkg, "*.s"))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			s, err := parse("internal/"+pkg+"/"+filepath.Base(path), string(text))
			if err != nil {
				return nil, err
			}
			sources = append(sources, s)
		}
	}
	return sources, nil
}

func parse(path, text string) (*source, error) {
	pkg := filepath.Base(filepath.Dir(path))
	isa, arch, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".s"), "_")
	file, err := assembly.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	if len(file.Functions) == 0 {
		return nil, fmt.Errorf("%s: no function", path)
	}
	s := &source{path: path, arch: arch, word: 4, lines: strings.Split(text, "\n"), data: file.Data}
	if pkg == "sha512" {
		s.word = 8
	}
	for _, f := range file.Functions {
		s.kernels = append(s.kernels, &kernel{Function: f, source: s, test: testOf(pkg, isa, f.Name), clearing: clearing(f.Code)})
	}
	return s, nil
}

// clearing finds the end of a kernel: what clears the frame. That is no part of the results; asm/branches checks it.
func clearing(insns []*insn) int {
	n := len(insns)
	for n > 0 && (insns[n-1].Op == "RET" || insns[n-1].Op == "VZEROUPPER") {
		n--
	}
	end := n
	for n > 0 && len(insns[n-1].Operands) == 2 && strings.HasSuffix(insns[n-1].Operands[1], ")") && insns[n-1].Operands[0] == insns[end-1].Operands[0] {
		n--
	}
	if n < end && insns[end-1].Operands[0] == "(ZR, ZR)" {
		return n
	}
	if n < end && n > 0 && strings.Contains(insns[n-1].Op, "XOR") && zeroes(insns[n-1]) {
		return n - 1
	}
	return end
}

// zeroes tells the exclusive or of a register with itself.
func zeroes(i *insn) bool {
	return !slices.ContainsFunc(i.Operands, func(o string) bool { return o != i.Operands[0] })
}

// testOf is the library's test of a kernel alone: the contract of an Iterate, or the comparison of a Compress with the standard library.
func testOf(pkg, isa, symbol string) string {
	hash := pkg
	if _, truncated, ok := strings.Cut(symbol, "_"); ok {
		hash = "sha" + truncated
	}
	test := "TestKernelContract"
	if strings.HasPrefix(symbol, "Compress") {
		test = "TestCompressors"
	}
	return test + "/" + hash + "/" + isa
}

var dataAccess = regexp.MustCompile(`^(\w+)<>\+(\d+)\(SB\)`)

// reads tells whether a kernel reads a DATA line's words. Where it takes the table's address it may read all.
func (k *kernel) reads(data *insn) bool {
	m := dataAccess.FindStringSubmatch(data.Operands[0])
	table, at := m[1], number(m[2])
	for _, i := range k.Code {
		for _, operand := range i.Operands {
			if !strings.Contains(operand, table+"<>") {
				continue
			}
			m := dataAccess.FindStringSubmatch(operand)
			if m == nil || strings.HasPrefix(i.Op, "LEA") {
				return true
			}
			if from := number(m[2]); from <= at && at < from+width(i, k.source.word) {
				return true
			}
		}
	}
	return false
}

// width is the number of bytes of the memory operand of an instruction.
func width(i *insn, word int) int {
	class, _, _ := registerClass(i.Operands[len(i.Operands)-1])
	if strings.HasSuffix(i.Op, ".BCST") || strings.HasPrefix(i.Op, "VPBROADCAST") {
		return word
	}
	if width := map[string]int{"X": 16, "Y": 32, "Z": 64}[class]; width > 0 {
		return width
	}
	return word
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// readers are the kernels of the file that read a DATA line's words.
func (s *source) readers(data *insn) []*kernel {
	return slices.DeleteFunc(slices.Clone(s.kernels), func(k *kernel) bool { return !k.reads(data) })
}
