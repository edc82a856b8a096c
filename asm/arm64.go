// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"strings"

	"github.com/fastkdf/pbkdf2/asm/internal/arm64"
	"github.com/fastkdf/pbkdf2/asm/internal/output"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// onARM64 is the kernel that write makes on our own emitter.
func onARM64(pkg, isa string, write func(*arm64.File)) kernel {
	return kernel{pkg, isa, "arm64", func() ([]byte, []output.Func, error) {
		f := arm64.NewFile()
		write(f)
		return f.Print()
	}}
}

// kernelSymbol is the name of the iteration kernel of instruction set isa (SHA2x2, …) for h.
func kernelSymbol(isa string, h spec.Hash) string { return "Iterate" + isa + h.Suffix }

// streamsISA is isa with the number of lanes, which one lane leaves out.
func streamsISA(isa string, lanes int) string {
	if lanes == 1 {
		return isa
	}
	return fmt.Sprintf("%sx%d", isa, lanes)
}

// perLane calls do for each lane and merges what they write.
func perLane[L any](f *arm64.File, lanes []L, do func(L)) {
	var streams []func()
	for _, l := range lanes {
		streams = append(streams, func() { do(l) })
	}
	f.Interleave(streams...)
}

// constWords are the message words of h as far as they are constant, zero where they are not.
func constWords(h spec.Hash) []uint64 {
	w := make([]uint64, 16)
	for i, m := range h.Message() {
		w[i] = m.Const
	}
	return w
}

// armDoc is the documentation of an iteration kernel: what is the same for all, then what is particular.
func armDoc(name string, h spec.Hash, lanes int, particular string) string {
	text := "one lane"
	if lanes > 1 {
		text = fmt.Sprintf("%d lanes", lanes)
	}
	hash := strings.ReplaceAll(strings.ToUpper(h.Name[:3])+"-"+h.Name[3:], "_", "/")
	if h.Words == 4 {
		hash = "MD5"
	}
	return fmt.Sprintf("%s does n iterations of HMAC-%s on %s: U = outer(inner(U)), T ^= U. The state is [inner | outer | U | T][word][lane].\n%s", name, hash, text, strings.TrimSpace(particular))
}

func arrange(vs []arm64.V, a func(arm64.V) arm64.VA) []arm64.VA {
	r := make([]arm64.VA, len(vs))
	for i, v := range vs {
		r[i] = a(v)
	}
	return r
}

func b16(vs []arm64.V) []arm64.VA { return arrange(vs, arm64.V.B16) }
func s4(vs []arm64.V) []arm64.VA  { return arrange(vs, arm64.V.S4) }
func d2(vs []arm64.V) []arm64.VA  { return arrange(vs, arm64.V.D2) }

// A quadLane is what a lane of SHA-1 and one of SHA-256 share: both have a state of two vectors, and make the message's words four at a time.
type quadLane struct {
	f   *arm64.File
	w   []arm64.V // a ring of the schedule's last sixteen words
	wk  arm64.V
	t   [2]arm64.V
	mid [2]quadMid // inner, outer
}

// A quadMid is where one midstate's vectors are in memory.
type quadMid struct {
	state  arm64.Mem // to begin with, and to add at the end
	stateK arm64.Mem // plus K of the first eight rounds
}

func newQuadLane(f *arm64.File) quadLane { return quadLane{f: f, w: f.Vs("w", 4), wk: f.V("wk")} }

// message turns the state that a compression with midstate m ended with, before that is added, into the next one's first two quads, in w, and these plus K, in wk and w[2].
func (l *quadLane) message(state [2]arm64.V, m quadMid, xorT bool) {
	f := l.f
	wk := []arm64.V{l.wk, l.w[2]}
	for i, s := range state {
		f.FMOVQ(m.stateK.Offset(16*i), wk[i])
		f.VADD(s.S4(), wk[i].S4(), wk[i].S4())
	}
	for i, s := range state {
		f.FMOVQ(m.state.Offset(16*i), l.w[i])
		f.VADD(s.S4(), l.w[i].S4(), l.w[i].S4())
		if xorT {
			f.VEOR(l.w[i].B16(), l.t[i].B16(), l.t[i].B16())
		}
	}
}

// A pool is a table of 16-byte constants that grows while a kernel is written.
type pool struct {
	f     *arm64.File
	name  string
	base  arm64.R
	words []uint64
}

// newPool takes a register for the address of the table. Done gives it back.
func newPool(f *arm64.File, name string) *pool {
	p := &pool{f: f, name: name, base: f.R("constants")}
	f.Address(name, p.base)
	return p
}

// at is the address of the constant with these two halves.
func (p *pool) at(lo, hi uint64) arm64.Mem {
	i := 0
	for i < len(p.words) && (p.words[i] != lo || p.words[i+1] != hi) {
		i += 2
	}
	if i == len(p.words) {
		p.words = append(p.words, lo, hi)
	}
	return arm64.Mem{Base: p.base, Disp: 8 * i}
}

func (p *pool) done() {
	p.f.Table64(p.name, p.words...)
	p.f.FreeR(p.base)
}

// A sha2Known is what is known of the message: nothing, or in an iteration all words but the digest's.
type sha2Known struct {
	bits  int // of a word
	words []spec.Word
}

func (m *sha2Known) word(t int) (uint64, bool) {
	if t >= len(m.words) || !m.words[t].IsConst() {
		return 0, false
	}
	return m.words[t].Const, true
}

// early is W of 16 rounds before plus σ₀ of 15 before, late W of 7 before plus σ₁ of 2 before.
func (m *sha2Known) early(t int) (uint64, bool) {
	return m.part(t-16, sha2Rotate[m.bits].sigma0, t-15)
}
func (m *sha2Known) late(t int) (uint64, bool) {
	return m.part(t-7, sha2Rotate[m.bits].sigma1, t-2)
}

func (m *sha2Known) part(t int, sigma [3]int, s int) (uint64, bool) {
	x, ok := m.word(t)
	y, ok2 := m.word(s)
	return x + m.sigma(sigma, y), ok && ok2
}

// sigma is x rotated by the first two numbers and shifted by the last.
func (m *sha2Known) sigma(n [3]int, x uint64) uint64 {
	right := func(n int) uint64 { return (x>>n | x<<(m.bits-n)) << (64 - m.bits) >> (64 - m.bits) }
	return right(n[0]) ^ right(n[1]) ^ x>>n[2]
}

// pair is of for both words of pair k.
func (m *sha2Known) pair(k int, of func(t int) (uint64, bool)) ([2]uint64, bool) {
	a, ok := of(2 * k)
	b, ok2 := of(2*k + 1)
	return [2]uint64{a, b}, ok && ok2
}
