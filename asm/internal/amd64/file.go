// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package amd64 has the helpers on avo's Context that the amd64 kernels share.
package amd64

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/output"
)

// A File is one assembly file being written. All of avo's instructions are methods of it.
type File struct {
	*build.Context
	funcs  []output.Func
	tables map[string]operand.Mem
}

// NewFile starts a file.
func NewFile() *File {
	f := &File{Context: build.NewContext(), tables: map[string]operand.Mem{}}
	f.ConstraintExpr(strings.ReplaceAll(output.Constraint, " && ", ","))
	return f
}

// Text starts a function. The documentation goes into the stub and, below TEXT, into the assembly.
func (f *File) Text(name, signature, doc string) {
	lines := strings.Split(strings.TrimSpace(doc), "\n")
	f.Function(name)
	f.Attributes(attr.NOSPLIT)
	f.SignatureExpr(signature)
	f.Comment(lines...)
	f.funcs = append(f.funcs, output.Func{Name: name, Signature: signature, Doc: lines})
}

// Iterate writes an iteration kernel: before, then n times (none for n <= 0) body, then after. State has the pointer to the lanes' state throughout.
// No step may touch the register it gives for n; the flags are free.
func (f *File) Iterate(name, doc string, before, body, after func(state reg.GPPhysical)) {
	state, n := reg.RDI, reg.RSI
	f.Text(name, output.Iterate, doc)
	f.Load(f.Param("state"), state)
	f.Load(f.Param("n"), n)
	f.TESTQ(n, n)
	f.JLE(operand.LabelRef("done"))
	before(state)
	f.Label("iteration")
	body(state)
	f.DECQ(n)
	f.JNZ(operand.LabelRef("iteration"))
	after(state)
	f.Label("done")
	f.RET()
}

// Compress writes a compression function: before, then body for each block at p, then after.
func (f *File) Compress(name, doc string, blockBytes int, before, body, after func(h, p reg.GPPhysical)) {
	h, p, n := reg.RDI, reg.RSI, reg.RDX
	f.Text(name, output.Compress, doc)
	f.Load(f.Param("h"), h)
	f.Load(f.Param("p").Base(), p)
	f.Load(f.Param("p").Len(), n)
	f.SUBQ(operand.U32(blockBytes), n)
	f.JLT(operand.LabelRef("done"))
	before(h, p)
	f.Label("block")
	body(h, p)
	f.ADDQ(operand.U32(blockBytes), p)
	f.SUBQ(operand.U32(blockBytes), n)
	f.JGE(operand.LabelRef("block"))
	after(h, p)
	f.Label("done")
	f.RET()
}

// Table32 returns the address of read-only 32-bit words; the same name means the same words within a file.
func (f *File) Table32(name string, words ...uint32) operand.Mem {
	if m, ok := f.tables[name]; ok {
		return m
	}
	m := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, w := range words {
		f.AppendDatum(operand.U32(w))
	}
	f.tables[name] = m
	return m
}

// Table64 is Table32 for 64-bit words.
func (f *File) Table64(name string, words ...uint64) operand.Mem {
	if m, ok := f.tables[name]; ok {
		return m
	}
	m := f.StaticGlobal(name)
	f.DataAttributes(attr.RODATA | attr.NOPTR)
	for _, w := range words {
		f.AppendDatum(operand.U64(w))
	}
	f.tables[name] = m
	return m
}

// An Atom is a short run of instructions that stay together when streams are merged.
type Atom func()

// Interleave writes the streams' atoms in turn, one of each: independent work in one instruction window.
func Interleave(streams ...[]Atom) {
	for i := 0; ; i++ {
		more := false
		for _, s := range streams {
			if i < len(s) {
				s[i]()
				more = true
			}
		}
		if !more {
			return
		}
	}
}

// clearFrame lets a function end with the clearing of its frame, which does not keep what was derived from keys. It has one RET, behind its last label, where no register is needed any more.
func clearFrame(fn *ir.Function) {
	if fn.LocalSize == 0 {
		return
	}
	end := len(fn.Nodes) - 1
	for ; end > 0; end-- {
		if _, ok := fn.Nodes[end].(ir.Label); ok {
			break
		}
	}
	if in, ok := fn.Nodes[end-1].(*ir.Instruction); ok && in.Opcode == "VZEROUPPER" {
		end--
	}
	c := build.NewContext()
	c.Function(fn.Name)
	at := func(i int) operand.Mem { return operand.NewStackAddr(i) }
	size := 8 // of a store
	store := func(i int) { c.MOVQ(reg.RAX, at(i)) }
	switch vector := widest(fn); {
	case vector == 64 && fn.LocalSize >= 64:
		size, store = 64, func(i int) { c.VMOVDQU64(reg.Z0, at(i)) }
		c.VPXORD(reg.Z0, reg.Z0, reg.Z0)
	case vector == 32 && fn.LocalSize >= 32:
		size, store = 32, func(i int) { c.VMOVDQU(reg.Y0, at(i)) }
		c.VPXOR(reg.Y0, reg.Y0, reg.Y0)
	default:
		c.XORL(reg.EAX, reg.EAX)
	}
	for i := 0; i < fn.LocalSize; i += size {
		store(min(i, fn.LocalSize-size))
	}
	file, err := c.Result()
	if err != nil {
		panic(err)
	}
	fn.Nodes = slices.Insert(fn.Nodes, end, file.Functions()[0].Nodes...)
}

// widest is the number of bytes of the largest register that a function uses.
func widest(fn *ir.Function) (bytes int) {
	for _, in := range fn.Instructions() {
		for _, o := range in.Operands {
			if r, ok := o.(reg.Register); ok {
				bytes = max(bytes, int(r.Size()))
			}
		}
	}
	return bytes
}

// Print compiles the file and returns its text and declarations.
func (f *File) Print() ([]byte, []output.Func, error) {
	file, err := f.Result()
	if err != nil {
		return nil, nil, err
	}
	for _, fn := range file.Functions() {
		clearFrame(fn)
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, nil, fmt.Errorf("compiling: %w", err)
	}
	cfg := printer.Config{Name: strings.TrimSuffix(strings.TrimPrefix(output.Header, "Code generated by "), ". DO NOT EDIT.")}
	text, err := printer.NewGoAsm(cfg).Print(file)
	return text, f.funcs, err
}
