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
	"slices"
	"strconv"
	"strings"
	"sync"
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
	object.Close() // its name is what counts; the system clears its directory
	asm := exec.Command("go", "tool", "asm", "-p", "model", "-I", filepath.Join(goroot(), "pkg", "include"), "-o", object.Name(), source)
	asm.Env, asm.Stderr = env, os.Stderr
	if err := asm.Run(); err != nil {
		return "", fmt.Errorf("go tool asm %s: %w", source, err)
	}
	return object.Name(), nil
}

// goroot is where Go is.
var goroot = sync.OnceValue(func() string {
	out, _ := exec.Command("go", "env", "GOROOT").Output()
	return strings.TrimSpace(string(out))
})

// A loop is the instructions of one way from a label to the branch back to it, both included.
type loop []uint32

// loops finds the loops of a function in the order of their ends: for each branch back, the shortest way from its target to it. Two ways through the same loop that end in
// different branches are two.
func loops(code []uint32) []loop {
	var found []loop
	for i, w := range code {
		if to, _, ok := branch(w); ok && to < 0 {
			found = append(found, way(code, i+to, i))
		}
	}
	return found
}

// way is the shortest sequence of instructions from one to another.
func way(code []uint32, from, to int) loop {
	before := map[int]int{from: -1}
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		i := queue[0]
		if i == to {
			var l loop
			for ; i >= 0; i = before[i] {
				l = append(l, code[i])
			}
			slices.Reverse(l)
			return l
		}
		next := []int{i + 1}
		if target, always, ok := branch(code[i]); ok && always {
			next = []int{i + target}
		} else if ok {
			next = append(next, i+target)
		}
		for _, n := range next {
			if _, seen := before[n]; !seen && n < len(code) && n >= 0 {
				before[n] = i
				queue = append(queue, n)
			}
		}
	}
	return nil
}

// branch is how many instructions on a branch goes, and whether it always does.
func branch(w uint32) (target int, always, ok bool) {
	switch {
	case w>>24 == 0x54, w>>25&0x3f == 0x1a: // B.cond, CBZ and CBNZ: 19 bits
		return int(int32(w<<8)) >> 13, false, true
	case w>>25&0x3f == 0x1b: // TBZ, TBNZ: 14 bits
		return int(int32(w<<13)) >> 18, false, true
	case w>>26 == 5: // B
		return int(int32(w<<6)) >> 6, true, true
	}
	return 0, false, false
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

// A prediction is what a pass of a loop takes when many follow each other, and what it would take if nothing depended on anything.
type prediction struct{ cycles, units float64 }

var (
	totalCycles = regexp.MustCompile(`Total Cycles: *(\d+)`)
	throughput  = regexp.MustCompile(`Block RThroughput: *([\d.]+)`)
	predictions = map[string]prediction{} // by CPU and code
)

// model asks LLVM's model of the CPU.
func (l loop) model(cpu string) (prediction, error) {
	text, err := l.disassemble()
	if err != nil {
		return prediction{}, err
	}
	if p, ok := predictions[cpu+text]; ok {
		return p, nil
	}
	run := func(n int) (p prediction, err error) {
		out, err := mca(cpu, text, fmt.Sprintf("-iterations=%d", n), "-resource-pressure=false", "-instruction-info=false")
		if err != nil {
			return p, err
		}
		cycles, units := totalCycles.FindSubmatch(out), throughput.FindSubmatch(out)
		if cycles == nil || units == nil {
			return p, fmt.Errorf("llvm-mca's answer has no cycles:\n%s", out)
		}
		if p.cycles, err = strconv.ParseFloat(string(cycles[1]), 64); err != nil {
			return p, err
		}
		p.units, err = strconv.ParseFloat(string(units[1]), 64)
		return p, err
	}
	few, many := 8, 24 // the first passes have all units to themselves
	a, err := run(few)
	if err != nil {
		return prediction{}, err
	}
	b, err := run(many)
	p := prediction{(b.cycles - a.cycles) / float64(many-few), b.units}
	predictions[cpu+text] = p
	return p, err
}

var info = regexp.MustCompile(`(?m)^ +\d+ +(\d+) +([\d.]+)`)

// latency is how many cycles after an instruction the next can have its result, and every so many cycles the CPU can begin one.
func latency(cpu, instruction string) (latency, every float64, err error) {
	out, err := mca(cpu, instruction+"\n", "-instruction-info", "-iterations=1", "-resource-pressure=false", "-summary-view=false")
	if err != nil {
		return 0, 0, err
	}
	m := info.FindSubmatch(out)
	if m == nil {
		return 0, 0, fmt.Errorf("llvm-mca's answer has no latency:\n%s", out)
	}
	if latency, err = strconv.ParseFloat(string(m[1]), 64); err != nil {
		return 0, 0, err
	}
	every, err = strconv.ParseFloat(string(m[2]), 64)
	return latency, every, err
}

func mca(cpu, text string, args ...string) ([]byte, error) {
	cmd := exec.Command(llvm("llvm-mca"), append([]string{"-mtriple=aarch64", "-mcpu=" + cpu, "-mattr=+v8.2a,+sha2,+sha3"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = strings.NewReader(text), &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.Bytes())
	}
	return out, nil
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
