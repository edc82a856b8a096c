// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"regexp"
	"strconv"
	"strings"
)

// An instruction is one of a function.
type instruction struct {
	line     int
	text     string
	op       string
	operands []string
}

// A function is one symbol's code.
type function struct {
	name   string
	frame  int // bytes
	code   []instruction
	labels map[string]int // the instruction behind each
}

var text = regexp.MustCompile(`^TEXT ·(\w+)\(SB\), [\w|]+, \$(\d+)-\d+|^TEXT ·(\w+)\(SB\), \$(\d+)-\d+`)

// parse reads the functions of a file in Go's assembly language, as the generators write it.
func parse(source string) (functions []*function) {
	var f *function
	n := 0
	for line := range strings.Lines(source) {
		n++
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		first, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || line[0] == '#' || first == "DATA" || first == "GLOBL":
		case first == "TEXT":
			f = &function{labels: map[string]int{}}
			if m := text.FindStringSubmatch(line); m != nil {
				f.name = m[1] + m[3]
				f.frame, _ = strconv.Atoi(m[2] + m[4])
			}
			functions = append(functions, f)
		case strings.HasSuffix(line, ":"):
			f.labels[strings.TrimSuffix(line, ":")] = len(f.code)
		default:
			f.code = append(f.code, instruction{n, strings.Join(strings.Fields(line), " "), first, split(rest)})
		}
	}
	return functions
}

// split separates operands at the commas that are in no brackets.
func split(s string) (operands []string) {
	depth, start := 0, 0
	for i, c := range s + "," {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case ',':
			if depth == 0 {
				if o := strings.TrimSpace(s[start:i]); o != "" {
					operands = append(operands, o)
				}
				start = i + 1
			}
		}
	}
	return operands
}
