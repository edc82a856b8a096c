// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package assembly reads files in Go's assembly language, as the generators write them.
package assembly

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A File is what is in one.
type File struct {
	Functions []*Function
	Data      []*Instruction // DATA lines
}

// A Function is one symbol's code.
type Function struct {
	Name   string
	Frame  int // bytes
	Code   []*Instruction
	Labels map[string]int // the instruction behind each
}

// An Instruction is a line, without its comment.
type Instruction struct {
	Line     int // from 1
	Op       string
	Operands []string
}

func (i *Instruction) String() string {
	return strings.TrimSpace(i.Op + " " + strings.Join(i.Operands, ", "))
}

// With is the text of i with another operand.
func (i *Instruction) With(operand int, text string) string {
	c := Instruction{i.Line, i.Op, slices.Clone(i.Operands)}
	c.Operands[operand] = text
	return c.String()
}

var symbol = regexp.MustCompile(`^TEXT ·(\w+)\(SB\), (?:[\w|]+, )?\$(\d+)-\d+$`)

// Parse reads a file.
func Parse(text string) (*File, error) {
	file := &File{}
	var f *Function
	n := 0
	for line := range strings.Lines(text) {
		n++
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		op, rest, _ := strings.Cut(line, " ")
		i := &Instruction{n, op, Split(rest)}
		label, isLabel := strings.CutSuffix(line, ":")
		switch {
		case line == "" || line[0] == '#' || op == "GLOBL":
		case op == "DATA":
			file.Data = append(file.Data, i)
		case op == "TEXT":
			m := symbol.FindStringSubmatch(line)
			if m == nil {
				return nil, fmt.Errorf("%d: %s is not known", n, line)
			}
			f = &Function{Name: m[1], Labels: map[string]int{}}
			f.Frame, _ = strconv.Atoi(m[2])
			file.Functions = append(file.Functions, f)
		case f == nil:
			return nil, fmt.Errorf("%d: %s is outside of a function", n, line)
		case isLabel:
			f.Labels[label] = len(f.Code)
		default:
			f.Code = append(f.Code, i)
		}
	}
	return file, nil
}

// Split separates operands at the commas that are in no brackets.
func Split(s string) (operands []string) {
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
