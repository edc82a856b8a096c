// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

// functions reads the machine code of an assembly file, or of a package's Go code, for arm64: one slice of instruction words for each symbol.
func functions(source string) (map[string][]uint32, error) {
	object, err := assemble(source)
	if err != nil {
		return nil, err
	}
	dump := exec.Command("go", "tool", "objdump", object)
	dump.Stderr = os.Stderr
	text, err := dump.Output()
	if err != nil {
		return nil, fmt.Errorf("objdump %s: %w", source, err)
	}
	words := map[string][]uint32{}
	name := ""
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), "TEXT "); ok {
			name, _, _ = strings.Cut(rest, "(SB) ")
			name = name[strings.LastIndex(name, "/")+1:]
			continue
		}
		field := strings.Fields(lines.Text())
		if len(field) < 3 || len(field[2]) != 8 {
			continue
		}
		w, err := strconv.ParseUint(field[2], 16, 32)
		if err != nil {
			return nil, fmt.Errorf("objdump %s: %q", source, lines.Text())
		}
		words[name] = append(words[name], uint32(w))
	}
	return words, lines.Err()
}

// assemble returns the path of the object code of an assembly file (its name ends in .s) or of a package.
func assemble(source string) (string, error) {
	env := append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if !strings.HasSuffix(source, ".s") {
		list := exec.Command("go", "list", "-export", "-f", "{{.Export}}", source)
		list.Env, list.Stderr = env, os.Stderr
		archive, err := list.Output()
		return strings.TrimSpace(string(archive)), err
	}
	object, err := os.CreateTemp("", "model*.o")
	if err != nil {
		return "", err
	}
	object.Close()
	asm := exec.Command("go", "tool", "asm", "-p", "model", "-I", filepath.Join(runtime.GOROOT(), "pkg", "include"), "-o", object.Name(), source)
	asm.Env, asm.Stderr = env, os.Stderr
	if err := asm.Run(); err != nil {
		return "", fmt.Errorf("go tool asm %s: %w", source, err)
	}
	return object.Name(), nil
}

// A loop is the instructions from a label to the conditional branch back to it, both included.
type loop []uint32

// loops finds the loops of a function in the order of their ends. One that has others inside loses their instructions.
func loops(code []uint32) []loop {
	type span struct{ from, to int }
	var spans []span
	for i, w := range code {
		if to, ok := branchTarget(w); ok && to < 0 {
			spans = append(spans, span{i + to, i})
		}
	}
	var found []loop
	for _, s := range spans {
		var l loop
		for i := s.from; i <= s.to; i++ {
			inside := false
			for _, t := range spans {
				inside = inside || t != s && t.from >= s.from && t.to <= s.to && t.from <= i && i <= t.to
			}
			if !inside {
				l = append(l, code[i])
			}
		}
		found = append(found, l)
	}
	return found
}

// branchTarget is how many instructions on a conditional branch goes.
func branchTarget(w uint32) (int, bool) {
	switch {
	case w>>24 == 0x54, w>>25&0x3f == 0x1a: // B.cond, CBZ and CBNZ: 19 bits
		return int(int32(w<<8)) >> 13, true
	case w>>25&0x3f == 0x1b: // TBZ, TBNZ: 14 bits
		return int(int32(w<<13)) >> 18, true
	case w>>26 == 5: // B
		return int(int32(w<<6)) >> 6, true
	}
	return 0, false
}

// disassemble writes the loop in LLVM's syntax.
func (l loop) disassemble() (string, error) {
	var in bytes.Buffer
	for _, w := range l {
		var b [4]byte
		binary.LittleEndian.PutUint32(b[:], w)
		fmt.Fprintf(&in, "0x%02x 0x%02x 0x%02x 0x%02x\n", b[0], b[1], b[2], b[3])
	}
	cmd := exec.Command(llvm("llvm-mc"), "-disassemble", "-triple=aarch64", "-mattr=+v8.2a,+sha2,+sha3")
	cmd.Stdin, cmd.Stderr = &in, os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd, err)
	}
	return string(text), nil
}

var totalCycles = regexp.MustCompile(`Total Cycles: *(\d+)`)

// cycles is how long a pass of the loop takes on the CPU by LLVM's model of it, when many follow each other.
func (l loop) cycles(cpu string) (float64, error) {
	text, err := l.disassemble()
	if err != nil {
		return 0, err
	}
	run := func(n int) (float64, error) {
		cmd := exec.Command(llvm("llvm-mca"), "-mtriple=aarch64", "-mcpu="+cpu, "-mattr=+v8.2a,+sha2,+sha3", fmt.Sprintf("-iterations=%d", n), "-resource-pressure=false", "-instruction-info=false")
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stderr = strings.NewReader(text), &stderr
		out, err := cmd.Output()
		if err != nil {
			return 0, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.Bytes())
		}
		m := totalCycles.FindSubmatch(out)
		if m == nil {
			return 0, fmt.Errorf("%s: no cycles", cmd)
		}
		return strconv.ParseFloat(string(m[1]), 64)
	}
	const few, many = 8, 24
	a, err := run(few)
	if err != nil {
		return 0, err
	}
	b, err := run(many)
	return (b - a) / (many - few), err
}

// llvm is the name of one of LLVM's programs, with the version in it if that is how it is installed.
func llvm(name string) string {
	for _, n := range []string{name + "-22", name} {
		if _, err := exec.LookPath(n); err == nil {
			return n
		}
	}
	return name
}
