// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package arm64 writes Go assembly for arm64: what avo is for amd64, as far as the kernels need it. It is a printer with types, not a compiler. Methods have the names
// and the operand order of Go's assembler, so that a generator reads like its listing; what the assembler or the CPU would refuse or take for something else
// (unequal arrangements, an element or a shift out of range, a reserved register, a register in use) panics with the line of the generator that asked for it.
package arm64

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/fastkdf/pbkdf2/asm/internal/output"
)

// A File is one assembly file being written. All instructions are methods of it.
type File struct {
	funcs  []output.Func
	text   []*function
	tables []table
	v, r   *pool
	now    *function
}

// A function is one TEXT.
type function struct {
	name, sig string
	args      map[string]int // offset of every parameter's word
	argBytes  int
	frame     int // bytes of locals
	nodes     []node
	needs     map[string]bool
	labels    map[string]bool
	targets   map[string]string // label to the line that jumps there
}

// A node is an instruction (op is not empty), a label or a comment.
type node struct {
	op, args       string
	label, comment string
}

type table struct {
	name  string
	width int // bytes of one word
	words []uint64
}

// NewFile starts a file.
func NewFile() *File {
	f := &File{}
	f.pools()
	return f
}

// pools makes all registers free.
func (f *File) pools() {
	f.v = newPool("vector")
	for v := uint8(0); v < 32; v++ {
		f.v.free = append(f.v.free, v)
	}
	f.r = newPool("general")
	for r := R0; r <= R26; r++ {
		if r != 18 {
			f.r.free = append(f.r.free, uint8(r))
		}
	}
}

// caller is the line outside this package that called into it.
func caller() string {
	var pc [32]uintptr
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "asm/internal/arm64.") || strings.HasSuffix(f.File, "_test.go") {
			return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
		}
		if !more {
			return "?"
		}
	}
}

// fail panics: the generator is wrong.
func fail(format string, args ...any) {
	panic(caller() + ": " + fmt.Sprintf(format, args...))
}

// V takes a vector register. The name is for messages.
func (f *File) V(name string) V { return V(f.v.take(name, 1)) }

// Vs takes n vector registers with consecutive numbers, as the list of a structure load must have.
func (f *File) Vs(name string, n int) []V {
	first := f.v.take(name, n)
	v := make([]V, n)
	for i := range v {
		v[i] = V(first) + V(i)
	}
	return v
}

// R takes a general register.
func (f *File) R(name string) R { return R(f.r.take(name, 1)) }

// Rs takes n general registers.
func (f *File) Rs(name string, n int) []R {
	r := make([]R, n)
	for i := range r {
		r[i] = f.R(name)
	}
	return r
}

// Free gives vector registers back.
func (f *File) Free(vs ...V) {
	for _, v := range vs {
		f.v.give(uint8(v))
	}
}

// FreeR gives general registers back.
func (f *File) FreeR(rs ...R) {
	for _, r := range rs {
		f.r.give(uint8(r))
	}
}

// Text starts a function. Its documentation goes into the stub and, below TEXT, into the assembly.
func (f *File) Text(name, signature, doc string) {
	f.end()
	lines := strings.Split(strings.TrimSpace(doc), "\n")
	f.now = &function{name: name, sig: signature, args: map[string]int{}, needs: map[string]bool{}, labels: map[string]bool{}, targets: map[string]string{}}
	f.now.parameters()
	f.text = append(f.text, f.now)
	f.funcs = append(f.funcs, output.Func{Name: name, Signature: signature, Doc: lines})
	f.Comment(lines...)
}

// parameters lays out the arguments: pointers, int and uint64 are one word, slices three.
func (fn *function) parameters() {
	list, ok := strings.CutPrefix(fn.sig, "func(")
	list, ok2 := strings.CutSuffix(list, ")")
	if !ok || !ok2 {
		fail("cannot read the signature %q", fn.sig)
	}
	for p := range strings.SplitSeq(list, ", ") {
		name, typ, _ := strings.Cut(p, " ")
		words := []string{name}
		switch {
		case strings.HasPrefix(typ, "*"), typ == "int", typ == "uint64":
		case strings.HasPrefix(typ, "[]"):
			words = []string{name + "_base", name + "_len", name + "_cap"}
		default:
			fail("cannot lay out the parameter %q", p)
		}
		for _, w := range words {
			fn.args[w] = fn.argBytes
			fn.argBytes += 8
		}
	}
}

// end checks the function that was being written.
func (f *File) end() {
	fn := f.now
	if fn == nil {
		return
	}
	for _, p := range []*pool{f.v, f.r} {
		if len(p.names) > 0 {
			fail("%s leaves %s registers taken: %s", fn.name, p.kind, p.taken())
		}
	}
	for l, line := range fn.targets {
		if !fn.labels[l] {
			fail("%s jumps to %s at %s, which is no label", fn.name, l, line)
		}
	}
	if len(fn.nodes) == 0 || fn.nodes[len(fn.nodes)-1].op != "RET" {
		fail("%s does not end with RET", fn.name)
	}
	f.now = nil
}

// Local returns n bytes of the stack. Locals are 16-byte aligned; the link register is below them.
func (f *File) Local(n int) Mem {
	fn := f.function()
	m := Mem{RSP, 16 + fn.frame}
	fn.frame += (n + 15) &^ 15
	return m
}

func (f *File) function() *function {
	if f.now == nil {
		fail("not in a function")
	}
	return f.now
}

// emit adds an instruction.
func (f *File) emit(op string, args ...string) {
	need, ok := mnemonics[op]
	if !ok {
		fail("%s is not in the list of mnemonics", op)
	}
	fn := f.function()
	if need != "" {
		fn.needs[need] = true
	}
	fn.nodes = append(fn.nodes, node{op: op, args: strings.Join(args, ", ")})
}

// Label marks a place to jump to.
func (f *File) Label(name string) {
	fn := f.function()
	if fn.labels[name] {
		fail("the label %s is there already", name)
	}
	fn.labels[name] = true
	fn.nodes = append(fn.nodes, node{label: name})
}

// Comment adds a comment on lines of its own.
func (f *File) Comment(lines ...string) {
	fn := f.function()
	for _, l := range lines {
		fn.nodes = append(fn.nodes, node{comment: strings.TrimRight("// "+l, " ")})
	}
}

// Load moves a parameter's word ("state", "p_base", "p_len") to a register.
func (f *File) Load(param string, d R) {
	off, ok := f.function().args[param]
	if !ok {
		fail("%s has no parameter %s", f.now.name, param)
	}
	f.emit("MOVD", fmt.Sprintf("%s+%d(FP)", param, off), d.checked())
}

// Interleave runs the streams and merges what they write, instruction by instruction in proportion to their lengths: independent work in one instruction window.
// A stream's comments vanish. Registers that one stream gives back are not taken by another before the end.
func (f *File) Interleave(streams ...func()) {
	fn := f.function()
	before := fn.nodes
	parts := make([][]node, len(streams))
	var freed [2][]*[]uint8
	for i, s := range streams {
		fn.nodes = nil
		for j, p := range []*pool{f.v, f.r} {
			own := new([]uint8)
			freed[j] = append(freed[j], own)
			p.streams = append(p.streams, own)
		}
		s()
		for _, p := range []*pool{f.v, f.r} {
			p.streams = p.streams[:len(p.streams)-1]
		}
		for _, n := range fn.nodes {
			if n.label != "" || strings.HasPrefix(n.op, "B") && mnemonics[n.op] == "branch" {
				fail("a stream branches")
			}
			if n.op != "" {
				parts[i] = append(parts[i], n)
			}
		}
	}
	for j, p := range []*pool{f.v, f.r} {
		for _, own := range freed[j] {
			for _, r := range *own {
				if k := len(p.streams); k > 0 {
					*p.streams[k-1] = append(*p.streams[k-1], r)
				} else {
					p.release(r)
				}
			}
		}
	}
	fn.nodes = before
	longest := 0
	for _, p := range parts {
		longest = max(longest, len(p))
	}
	done := make([]int, len(parts))
	for step := 1; step <= longest; step++ {
		for i, p := range parts {
			for done[i]*longest < step*len(p) {
				fn.nodes = append(fn.nodes, p[done[i]])
				done[i]++
			}
		}
	}
}

// Iterate writes an iteration kernel: before, then n times (none for n <= 0) body, then after. State has the pointer to the lanes' state throughout.
// No step may touch the flags or the register it gives for n. Locals, which hold midstates, are cleared at the end.
func (f *File) Iterate(name, doc string, before, body, after func(state R)) {
	f.Text(name, output.Iterate, doc)
	state, n := f.R("state"), f.R("n")
	f.Load("state", state)
	f.Load("n", n)
	f.CMP(Imm(0), n)
	f.BLE("done")
	before(state)
	f.Label("iteration")
	body(state)
	f.SUBS(Imm(1), n, n)
	f.BNE("iteration")
	after(state)
	f.FreeR(n)
	f.wipe()
	f.Label("done")
	f.RET()
	f.FreeR(state)
}

// Compress writes a compression function: before, then body for each block at p, then after. The body must move p on by a block.
func (f *File) Compress(name, doc string, blockBytes int, before, body, after func(h, p R)) {
	f.Text(name, output.Compress, doc)
	h, p, n := f.R("h"), f.R("p"), f.R("n")
	f.Load("h", h)
	f.Load("p_base", p)
	f.Load("p_len", n)
	f.SUBS(Imm(blockBytes), n, n)
	f.BLT("done")
	before(h, p)
	f.Label("block")
	body(h, p)
	f.SUBS(Imm(blockBytes), n, n)
	f.BGE("block")
	after(h, p)
	f.FreeR(n)
	f.wipe()
	f.Label("done")
	f.RET()
	f.FreeR(h, p)
}

// wipe clears the function's locals.
func (f *File) wipe() {
	if f.now.frame == 0 {
		return
	}
	f.Comment("Clear what was on the stack.")
	for off := 0; off < f.now.frame; off += 16 {
		f.STP(ZR, ZR, Mem{RSP, 16 + off})
	}
}

// Table32 is the address of read-only 32-bit words, for Address; the same name means the same words within a file.
func (f *File) Table32(name string, words ...uint32) string {
	w := make([]uint64, len(words))
	for i := range w {
		w[i] = uint64(words[i])
	}
	return f.table(name, 4, w)
}

// Table64 is Table32 for 64-bit words.
func (f *File) Table64(name string, words ...uint64) string { return f.table(name, 8, words) }

func (f *File) table(name string, width int, words []uint64) string {
	for _, t := range f.tables {
		if t.name == name {
			if t.width != width || !slices.Equal(t.words, words) {
				fail("the table %s is there already with other words", name)
			}
			return name
		}
	}
	f.tables = append(f.tables, table{name, width, slices.Clone(words)})
	return name
}

// Address moves the address of a table to a register.
func (f *File) Address(table string, d R) {
	f.emit("MOVD", fmt.Sprintf("$%s<>(SB)", table), d.checked())
}

// Print returns the file's text and declarations.
func (f *File) Print() ([]byte, []output.Func, error) {
	f.end()
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\n//go:build %s\n\n#include \"textflag.h\"\n", output.Header, output.Constraint)
	for _, fn := range f.text {
		fn.print(&b)
	}
	for _, t := range f.tables {
		b.WriteByte('\n')
		for i, w := range t.words {
			fmt.Fprintf(&b, "DATA %s<>+%d(SB)/%d, $0x%0*x\n", t.name, i*t.width, t.width, 2*t.width, w)
		}
		fmt.Fprintf(&b, "GLOBL %s<>(SB), RODATA|NOPTR, $%d\n", t.name, len(t.words)*t.width)
	}
	return b.Bytes(), f.funcs, nil
}

// print writes the function with its instructions' operands in columns, as avo does.
func (fn *function) print(b *bytes.Buffer) {
	fmt.Fprintf(b, "\n// func %s%s\n", fn.name, fn.sig[len("func"):])
	needs := slices.Sorted(maps.Keys(fn.needs))
	needs = slices.DeleteFunc(needs, func(s string) bool { return s == "branch" })
	if len(needs) > 0 {
		fmt.Fprintf(b, "// Requires: %s\n", strings.Join(needs, ", "))
	}
	frame := fn.frame
	if frame > 0 {
		frame += 8 // from the link register up to the first 16-byte boundary
	}
	fmt.Fprintf(b, "TEXT ·%s(SB), NOSPLIT, $%d-%d\n", fn.name, frame, fn.argBytes)
	clear := true
	for i := 0; i < len(fn.nodes); {
		n := fn.nodes[i]
		if n.op == "" {
			if !clear {
				b.WriteByte('\n')
			}
			clear = true
			if n.label != "" {
				fmt.Fprintf(b, "%s:\n", n.label)
			} else {
				fmt.Fprintf(b, "\t%s\n", n.comment)
			}
			i++
			continue
		}
		end, width := i, 0
		for end < len(fn.nodes) && fn.nodes[end].op != "" {
			if op := fn.nodes[end]; op.args != "" {
				width = max(width, len(op.op))
			}
			end++
		}
		for _, n := range fn.nodes[i:end] {
			if n.args == "" {
				fmt.Fprintf(b, "\t%s\n", n.op)
			} else {
				fmt.Fprintf(b, "\t%-*s %s\n", width, n.op, n.args)
			}
		}
		clear = false
		i = end
	}
}
