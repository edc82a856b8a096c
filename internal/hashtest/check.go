// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package hashtest

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
)

// Iterate checks a kernel with so many lanes: all that its contract says, on random states. A state lies at the edge of
// accessible memory or at an address that is a multiple of 8 and no more.
func Iterate(t *testing.T, h *Hash, lanes int, iterate func(state *uint64, n int)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	size := h.StateLen(lanes)
	mem := guarded(t, size+16)
	for _, n := range []int{-1, 0, 1, 2, 3, 17} {
		for _, offset := range []int{0, 1, 2, 3, 4, 5, 6, 7, len(mem) - size} {
			fill(r, mem)
			first := r.IntN(max(n, 0) + 1) // the rest in a second call
			CheckIterate(t, h, lanes, iterate, mem, offset, first, n-first)
		}
	}
}

// CheckIterate checks two calls of a kernel with so many lanes, of first and then of rest iterations, on the state that begins at mem[offset].
func CheckIterate(t testing.TB, h *Hash, lanes int, iterate func(state *uint64, n int), mem []uint64, offset, first, rest int) {
	t.Helper()
	size := h.StateLen(lanes)
	want := slices.Clone(mem)
	h.Reference(want[offset:][:size], lanes, first+rest)

	iterate(&mem[offset], first)
	iterate(&mem[offset], rest)

	if lane, ok := h.equal(mem[offset:][:size], want[offset:][:size], lanes); !ok {
		t.Fatalf("%d iterations, then %d: lane %d of %d is wrong", first, rest, lane, lanes)
	}
	copy(mem[offset:], want[offset:][:size])
	if !slices.Equal(mem, want) {
		t.Fatalf("%d iterations, then %d: wrote outside of the state", first, rest)
	}
}

// equal compares the states of two kernels, except for the words of u and t that are not in the digest.
func (h *Hash) equal(x, y []uint64, lanes int) (lane int, ok bool) {
	for lane := range lanes {
		for part := range parts {
			var a, b [8]uint64
			for i := range h.Words {
				copy(raw(a[:])[i*h.WordSize:], h.word(x, lanes, part, i, lane))
				copy(raw(b[:])[i*h.WordSize:], h.word(y, lanes, part, i, lane))
			}
			if part == partInner || part == partOuter {
				ok = a == b
			} else {
				ok = bytes.Equal(h.digest(a[:]), h.digest(b[:]))
			}
			if !ok {
				return lane, false
			}
		}
	}
	return 0, true
}

// Compress checks a compression function against the standard library's. The message cannot be written. It lies at every alignment, its end at the edge of accessible memory, or
// begins there. So does or ends the state.
func Compress(t *testing.T, h *Hash, compress func(state *uint64, p []byte)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	mem := guarded(t, 9)
	words := (h.Words*h.WordSize + 7) / 8
	blockSize := h.New().BlockSize()
	text := make([]uint64, 100)
	fill(r, text)
	for blocks := range 5 {
		n := blocks * blockSize
		messages := [][]byte{ReadOnlyFrom(t, raw(text)[:n])}
		for back := range 17 {
			m := ReadOnly(t, raw(text)[:n+back])
			messages = append(messages, m[:n:n])
		}
		for _, p := range messages {
			for _, offset := range []int{0, len(mem) - words} {
				fill(r, mem)
				CheckCompress(t, h, compress, mem, offset, p)
			}
		}
	}
}

// CheckCompress checks a compression function on the state that begins at mem[offset] and a message of whole blocks.
func CheckCompress(t testing.TB, h *Hash, compress func(state *uint64, p []byte), mem []uint64, offset int, p []byte) {
	t.Helper()
	words := (h.Words*h.WordSize + 7) / 8
	message, want := bytes.Clone(p), slices.Clone(mem)
	var state [9]uint64
	copy(state[:], mem[offset:][:words])
	state = h.compressStd(state[:], p)
	copy(want[offset:][:words], state[:])
	compress(&mem[offset], p)
	if !slices.Equal(mem, want) {
		t.Fatalf("message of %d bytes: state is wrong, or memory around it written", len(p))
	}
	if !bytes.Equal(p, message) {
		t.Fatalf("message of %d bytes: it has changed", len(p))
	}
}

// compressStd is state after the standard library has compressed p, whole blocks. The state goes in and out in the encoding
// that the standard library's hashes have for theirs: a name of four bytes, then the words in big-endian order.
func (h *Hash) compressStd(state []uint64, p []byte) (result [9]uint64) {
	std := h.New()
	encoded, err := std.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err)
	}
	h.convert(encoded[4:], binary.BigEndian, raw(state), binary.NativeEndian)
	if err := std.(encoding.BinaryUnmarshaler).UnmarshalBinary(encoded); err != nil {
		panic(err)
	}
	std.Write(p)
	encoded, err = std.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err)
	}
	copy(result[:], state)
	h.convert(raw(result[:]), binary.NativeEndian, encoded[4:], binary.BigEndian)
	return result
}

// BenchmarkIterate measures a kernel with so many lanes, in the time of one iteration of one lane.
func BenchmarkIterate(b *testing.B, h *Hash, lanes int, iterate func(state *uint64, n int)) {
	const n = 100
	state := make([]uint64, h.StateLen(lanes))
	fill(rand.New(rand.NewPCG(1, 2)), state)
	for b.Loop() {
		iterate(&state[0], n)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n*lanes), "ns/iter")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCompress measures a compression function.
func BenchmarkCompress(b *testing.B, compress func(state *uint64, p []byte)) {
	var state [8]uint64
	p := make([]byte, 1<<13)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		compress(&state[0], p)
	}
}

func fill(r *rand.Rand, s []uint64) {
	for i := range s {
		s[i] = r.Uint64()
	}
}
