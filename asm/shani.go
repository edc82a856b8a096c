// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"slices"
	"strings"

	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// What the SHA-NI kernels of SHA-1 and SHA-256 share. All their instructions are legacy SSE: they run on CPUs that have SHA and no AVX.

const xmmBytes = 16

// A shaniStream is one lane on its way through a compression.
//
// Its message schedule is made four words at a time: quad q is W[4q] to W[4q+3]. The last four quads are kept, in registers; or, where there are too many
// streams for that, the newest is in a register and the others are in memory, at multiples of 16. Quads of the message that are constant are nowhere.
type shaniStream struct {
	f       *amd64.File
	pool    *amd64.Pool
	message [16]spec.Word
	order   [4]int // order[i] says which word of a quad is element i of its vector
	quads   int    // how many there are
	at      [4]Op  // where quad q is now, at q%4: a register or memory
	slots   [4]Mem // the places in memory, if that is where quads go
	fine    bool   // other streams' instructions come between the atoms of a quad
	edge    [3]VecPhysical
	out     [3]VecPhysical // the edge's vectors at the end of the code of a compression: from there they are moved to edge
}

func (s *shaniStream) inMemory() bool { return s.slots[0].Base != nil }

// constant returns quad q if the message makes it a constant.
func (s *shaniStream) constant(q int) (v []uint32, ok bool) {
	if q >= 4 {
		return nil, false
	}
	for _, i := range s.order {
		w := s.message[4*q+i]
		if !w.IsConst() {
			return nil, false
		}
		v = append(v, uint32(w.Const))
	}
	return v, true
}

// vector returns the address of a read-only vector, lowest element first.
func (s *shaniStream) vector(v ...uint32) Mem {
	return s.f.Table32(fmt.Sprintf("x%08x_%08x_%08x_%08x", v[3], v[2], v[1], v[0]), v...)
}

// with calls do with quad q as an operand.
func (s *shaniStream) with(q int, do func(w Op)) {
	v, ok := s.constant(q)
	if !ok {
		do(s.at[q%4])
		return
	}
	w := s.pool.Take()
	s.f.MOVOU(s.vector(v...), w)
	do(w)
	s.pool.Put(w)
}

// next makes quad q in three steps: dst is quad q-4 before the first, which adds what comes of quad q-3, and quad q after the last.
// What the first step would make of constants is fold's result.
func (s *shaniStream) next(q int, fold func(v4, v3 []uint32) []uint32, first func(w3 Op, dst VecPhysical), second, third func(dst VecPhysical)) []amd64.Atom {
	if q >= s.quads {
		return nil
	}
	var dst VecPhysical
	return []amd64.Atom{
		func() {
			if s.inMemory() {
				dst = s.pool.Take()
			} else {
				dst = s.at[q%4].(VecPhysical)
			}
			v4, const4 := s.constant(q - 4)
			v3, const3 := s.constant(q - 3)
			switch {
			case const4 && const3:
				s.f.MOVOU(s.vector(fold(v4, v3)...), dst)
				return
			case const4:
				s.f.MOVOU(s.vector(v4...), dst)
			case s.inMemory():
				s.f.MOVOA(s.at[q%4], dst)
			}
			s.with(q-3, func(w3 Op) { first(w3, dst) })
		},
		func() { second(dst) },
		func() {
			third(dst)
			if s.inMemory() && q+2 < s.quads {
				s.f.MOVOA(dst, s.slots[q%4])
			}
			s.retire(q - 1)
			s.at[q%4] = dst
		},
	}
}

// behindFirst is the program of all quads but the first, of which each kernel has its own: the rounds of each, beside the schedule of the next if that is none of the message's.
func (s *shaniStream) behindFirst(rounds, schedule func(q int) []amd64.Atom) (program [][]amd64.Atom) {
	for q := 1; q < s.quads; q++ {
		var next []amd64.Atom
		if q >= 3 {
			next = schedule(q + 1)
		}
		if s.fine {
			program = append(program, alternate(next, rounds(q)))
		} else {
			program = append(program, slices.Insert(next, min(1, len(next)), rounds(q)...)) // with the rounds first, x4 takes 4 % more on Zen 4
		}
	}
	return program
}

// retire gives back the register of quad q if it is in memory too.
func (s *shaniStream) retire(q int) {
	if r, ok := s.at[q%4].(VecPhysical); ok && s.inMemory() {
		s.pool.Put(r)
		s.at[q%4] = s.slots[q%4]
	}
}

// A shaniKernel is an Iterate kernel being written. Its loop does one compression of every lane, with pointers to what the inner and the outer one begin with, which
// change places: that halves the code. Between two compressions a lane is in three registers, its edge.
//
// The frame has three vectors for each of the two compressions and each lane, and the quads of lanes that have them in memory. T is kept in the state, but
// as vectors.
type shaniKernel struct {
	f                  *amd64.File
	lanes              int
	pool               *amd64.Pool
	streams            []*shaniStream
	this, other, slots GPPhysical
}

// newSHANI starts a kernel of h on lanes streams whose registers come from pool.
func newSHANI(f *amd64.File, h spec.Hash, lanes int, pool *amd64.Pool, order [4]int, quads int) *shaniKernel {
	k := &shaniKernel{f: f, lanes: lanes, pool: pool, this: R8, other: R9, slots: R10}
	for i := range lanes {
		s := &shaniStream{f: f, pool: pool, message: h.Message(), order: order, quads: quads, edge: [3]VecPhysical{pool.Take(), pool.Take(), pool.Take()}}
		for q := range s.at {
			switch {
			case lanes > 2:
				s.slots[q] = Mem{Base: k.slots}.Offset(xmmBytes * (4*i + q))
				s.at[q] = s.slots[q]
			case q == 3:
				s.at[q] = s.edge[2] // which has been used before there is a quad 3
			default:
				s.at[q] = pool.Take()
			}
		}
		k.streams = append(k.streams, s)
	}
	return k
}

// mergeFinely sets whether the streams are merged instruction by instruction, which takes more registers, or quad by quad.
func (k *shaniKernel) mergeFinely(fine bool) {
	for _, s := range k.streams {
		s.fine = fine
	}
}

// vector returns the address of vector v of a lane in the frame.
func (k *shaniKernel) vector(of GPPhysical, lane, v int) Mem {
	return Mem{Base: of}.Offset(xmmBytes * (3*lane + v))
}

// allocate makes the frame.
func (k *shaniKernel) allocate() {
	vectors, slots := xmmBytes*3*k.lanes, 0
	if k.streams[0].inMemory() {
		slots = xmmBytes * 4 * k.lanes
	}
	frame := k.f.AlignedLocal(slots+2*vectors, k.slots)
	k.f.LEAQ(frame.Offset(slots), k.this)
	k.f.LEAQ(frame.Offset(slots+vectors), k.other)
}

// compressions writes the loop. A program is one stream's way through a compression, quad by quad.
func (k *shaniKernel) compressions(program func(lane int) [][]amd64.Atom) {
	k.f.Label("compression")
	merged := make([][]amd64.Atom, k.lanes)
	for i := range merged {
		for _, quad := range program(i) {
			if k.streams[i].fine {
				merged[i] = append(merged[i], quad...)
			} else {
				merged[i] = append(merged[i], func() { amd64.Interleave(quad) })
			}
		}
	}
	amd64.Interleave(merged...)
	var from, to []VecPhysical
	for _, s := range k.streams {
		from = append(from, s.out[:]...)
		to = append(to, s.edge[:]...)
	}
	k.f.MoveXMM(k.pool, from, to)
	k.f.XCHGQ(k.this, k.other)
	k.f.CMPQ(k.this, k.other)
	k.f.JHI(LabelRef("compression"))
}

// shaniName is the kernel's name in Go.
func shaniName(h spec.Hash, lanes int) string {
	if lanes == 1 {
		return "IterateSHANI" + h.Suffix
	}
	return fmt.Sprintf("IterateSHANIx%d%s", lanes, h.Suffix)
}

// doc is the kernel's documentation: what is the same for all, then what is particular.
func (k *shaniKernel) doc(h spec.Hash, particular string) string {
	lanes := "one lane"
	if k.lanes > 1 {
		lanes = fmt.Sprintf("%d lanes, a stream each", k.lanes)
	}
	return fmt.Sprintf(`%s does n iterations of HMAC-%s on %s: U = outer(inner(U)), T ^= U. The state is [inner | outer | U | T][word][lane], but
while this runs T is there as vectors. All instructions are legacy SSE.
%s`, shaniName(h, k.lanes), strings.ToUpper(h.Name[:3])+"-"+h.Name[3:], lanes, strings.Join(strings.FieldsFunc(particular, func(r rune) bool { return r == '\n' }), "\n"))
}

// alternate returns the atoms of a and b in turn.
func alternate(a, b []amd64.Atom) (all []amd64.Atom) {
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			all = append(all, a[i])
		}
		if i < len(b) {
			all = append(all, b[i])
		}
	}
	return all
}

// anyBlock is a message without constant words.
func anyBlock() (m [16]spec.Word) {
	for i := range m {
		m[i] = spec.Word{I: i, Mask: 1<<32 - 1}
	}
	return m
}

// compressStream is the one stream of a Compress kernel.
func compressStream(f *amd64.File, pool *amd64.Pool, order [4]int, quads int) *shaniStream {
	return &shaniStream{f: f, pool: pool, message: anyBlock(), order: order, quads: quads, at: [4]Op{pool.Take(), pool.Take(), pool.Take(), pool.Take()}}
}

// load makes quad q of the block at p, whose bytes swap puts in order.
func (s *shaniStream) load(q int, p GPPhysical, swap Op) {
	s.f.MOVOU(Mem{Base: p}.Offset(xmmBytes*q), s.at[q])
	s.f.PSHUFB(swap, s.at[q])
}

// swapBytes returns PSHUFB's way from the bytes of a block to a quad.
func (s *shaniStream) swapBytes() Mem {
	var v [4]uint32
	for i, word := range s.order {
		v[i] = 0x00010203 + 0x04040404*uint32(word)
	}
	return s.vector(v[:]...)
}
