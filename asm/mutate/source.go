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
	source   *source
	symbol   string
	test     string // name of the subtest
	insns    []*insn
	clearing int            // those from here on clear the frame and return
	labels   map[string]int // line
}

// An insn is a line of assembly, without its comment.
type insn struct {
	line     int // from 0
	mnemonic string
	operands []string
}

func (i *insn) String() string { return i.mnemonic + " " + strings.Join(i.operands, ", ") }

// with is the text of i with another operand.
func (i *insn) with(operand int, text string) string {
	c := insn{i.line, i.mnemonic, slices.Clone(i.operands)}
	c.operands[operand] = text
	return c.String()
}

var (
	textLine  = regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
	labelLine = regexp.MustCompile(`^(\w+):$`)
)

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
	s := &source{path: path, arch: arch, word: 4, lines: strings.Split(text, "\n")}
	if pkg == "sha512" {
		s.word = 8
	}
	var k *kernel
	for n, line := range s.lines {
		if code, _, ok := strings.Cut(line, "//"); ok {
			line = code
		}
		line = strings.TrimSpace(line)
		if m := textLine.FindStringSubmatch(line); m != nil {
			k = &kernel{source: s, symbol: m[1], test: testOf(pkg, isa, m[1]), labels: map[string]int{}}
			s.kernels = append(s.kernels, k)
			continue
		}
		if m := labelLine.FindStringSubmatch(line); m != nil && k != nil {
			k.labels[m[1]] = n
			continue
		}
		mnemonic, rest, _ := strings.Cut(line, " ")
		i := &insn{n, mnemonic, operands(rest)}
		switch {
		case line == "" || mnemonic == "GLOBL" || strings.HasPrefix(line, "#"):
		case mnemonic == "DATA":
			s.data = append(s.data, i)
		case k == nil:
			return nil, fmt.Errorf("%s:%d: an instruction outside of a function", path, n+1)
		default:
			k.insns = append(k.insns, i)
		}
	}
	if len(s.kernels) == 0 {
		return nil, fmt.Errorf("%s: no function", path)
	}
	for _, k := range s.kernels {
		k.clearing = clearing(k.insns)
	}
	return s, nil
}

// clearing finds the end of a kernel: what clears the frame. That is no part of the results; asm/branches checks it.
func clearing(insns []*insn) int {
	n := len(insns)
	for n > 0 && (insns[n-1].mnemonic == "RET" || insns[n-1].mnemonic == "VZEROUPPER") {
		n--
	}
	end := n
	for n > 0 && len(insns[n-1].operands) == 2 && strings.HasSuffix(insns[n-1].operands[1], ")") && insns[n-1].operands[0] == insns[end-1].operands[0] {
		n--
	}
	if n < end && insns[end-1].operands[0] == "(ZR, ZR)" {
		return n
	}
	if n < end && n > 0 && strings.Contains(insns[n-1].mnemonic, "XOR") && zeroes(insns[n-1]) {
		return n - 1
	}
	return end
}

// zeroes tells the exclusive or of a register with itself.
func zeroes(i *insn) bool {
	return !slices.ContainsFunc(i.operands, func(o string) bool { return o != i.operands[0] })
}

// operands splits at the commas that are in no brackets.
func operands(s string) []string {
	var list []string
	depth, start := 0, 0
	for i, c := range s {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				list = append(list, strings.TrimSpace(s[start:i]))
				start = i + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		list = append(list, rest)
	}
	return list
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
	m := dataAccess.FindStringSubmatch(data.operands[0])
	table, at := m[1], number(m[2])
	for _, i := range k.insns {
		for _, operand := range i.operands {
			if !strings.Contains(operand, table+"<>") {
				continue
			}
			m := dataAccess.FindStringSubmatch(operand)
			if m == nil || strings.HasPrefix(i.mnemonic, "LEA") {
				return true
			}
			if from := number(m[2]); from <= at && at < from+i.width(k.source.word) {
				return true
			}
		}
	}
	return false
}

// width is the number of bytes of the memory operand of an instruction.
func (i *insn) width(word int) int {
	class, _, _ := registerClass(i.operands[len(i.operands)-1])
	if strings.HasSuffix(i.mnemonic, ".BCST") || strings.HasPrefix(i.mnemonic, "VPBROADCAST") {
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
