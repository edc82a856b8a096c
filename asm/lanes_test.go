// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding"
	"encoding/binary"
	"hash"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mmcloughlin/avo/pass"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/emulate"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// emulated are the kernels that can be run without their instruction set.
var emulated = []struct {
	pkg, isa string
	lanes    int
	write    func(*amd64.File)
}{
	{"md5", "avx2x8", 8, md5AVX2(1)},
	{"md5", "avx2x16", 16, md5AVX2(2)},
	{"md5", "avx2x24", 24, md5AVX2(3)},
	{"md5", "avx2x32", 32, md5AVX2(4)},
	{"md5", "avx512vlx8", 8, md5AVX512VL},
	{"md5", "avx512x16", 16, md5AVX512(1)},
	{"md5", "avx512x32", 32, md5AVX512(2)},
	{"md5", "avx512x48", 48, md5AVX512(3)},
	{"md5", "avx512x64", 64, md5AVX512(4)},
	{"md5", "avx512x96", 96, md5AVX512(6)},
	{"md5", "avx512x112", 112, md5AVX512(7)},
	{"sha256", "avx2x8", 8, sha256AVX2},
	{"sha256", "avx512vlx8", 8, sha256AVX512VL},
	{"sha256", "avx512x16", 16, sha256AVX512(1)},
	{"sha256", "avx512x32", 32, sha256AVX512(2)},
	{"sha256", "avx512x48", 48, sha256AVX512(3)},
	{"sha512", "avx2x4", 4, sha512AVX2},
	{"sha512", "avx512vlx4", 4, sha512AVX512VL},
	{"sha512", "avx512x8", 8, sha512AVX512(1)},
	{"sha512", "avx512x16", 16, sha512AVX512(2)},
	{"sha512", "avx512x24", 24, sha512AVX512(3)},
	{"sha1", "avx2x8", 8, sha1AVX2(1, 3)},
	{"sha1", "avx2x16", 16, sha1AVX2(2, 0)},
	{"sha1", "avx512vlx8", 8, sha1AVX512VL},
	{"sha1", "avx512x16", 16, sha1AVX512(1, 16)},
	{"sha1", "avx512x32", 32, sha1AVX512(2, 3)},
	{"sha1", "avx512x48", 48, sha1AVX512(3, 3)},
}

// TestLanes runs all lanes kernels on an emulated core and compares with the standard library's hashes.
func TestLanes(t *testing.T) {
	listed := map[string]bool{}
	for _, k := range emulated {
		listed[k.pkg+"/"+k.isa] = true
		t.Run(k.pkg+"/"+k.isa, func(t *testing.T) {
			f := amd64.NewFile()
			k.write(f)
			file, err := f.Result()
			if err != nil {
				t.Fatal(err)
			}
			if err := pass.Compile.Execute(file); err != nil {
				t.Fatal(err)
			}
			for _, fn := range file.Functions() {
				h := hashOf(k.pkg, fn.Name)
				for _, n := range []int{-1, 0, 1, 2, 3} {
					state := make([]byte, 4*h.Words*k.lanes*h.WordBits/8)
					for i := range state {
						state[i] = byte(rand.Uint32())
					}
					want := bytes.Clone(state)
					iterate(h, want, k.lanes, n)
					if err := emulate.Call(file, fn, state, n); err != nil {
						t.Fatal(err)
					}
					if i := differ(h, state, want, k.lanes); i >= 0 {
						t.Errorf("%s: n = %d: word %d is wrong", fn.Name, n, i)
					}
				}
			}
		})
	}
	for _, k := range kernels {
		if strings.HasPrefix(k.isa, "avx") && !listed[k.pkg+"/"+k.isa] {
			t.Errorf("%s/%s is not emulated", k.pkg, k.isa)
		}
	}
}

// hashOf finds a hash by its package and the kernel's symbol.
func hashOf(pkg, symbol string) (found spec.Hash) {
	for _, h := range []spec.Hash{spec.MD5, spec.SHA1, spec.SHA256, spec.SHA224, spec.SHA512, spec.SHA384, spec.SHA512_256, spec.SHA512_224} {
		if family, _, _ := strings.Cut(h.Name, "_"); h.Suffix == "" && family == pkg || h.Suffix != "" && strings.HasSuffix(symbol, h.Suffix) && strings.HasPrefix(pkg, "sha") {
			if h.WordBits == 64 == (pkg == "sha512") {
				found = h
			}
		}
	}
	return found
}

// differ returns the first word that is wrong, or -1. What is beyond a truncated digest in u and t may be anything.
func differ(h spec.Hash, got, want []byte, lanes int) int {
	size := h.WordBits / 8
	for i := 0; i < len(want)/size; i++ {
		part, word := i/lanes/h.Words, i/lanes%h.Words
		mask := ^uint64(0)
		if part >= 2 {
			mask = h.Message()[word].Mask
		}
		for j := range size {
			if (got[i*size+j]^want[i*size+j])&byte(mask>>(8*j)) != 0 {
				return i
			}
		}
	}
	return -1
}

// iterate does what a kernel does, with the standard library: the state it resumes from is in the form that it marshals.
func iterate(h spec.Hash, state []byte, lanes, n int) {
	size := h.WordBits / 8
	at := func(part, word, lane int) []byte { return state[((part*h.Words+word)*lanes+lane)*size:][:size] }
	for lane := range lanes {
		for range n {
			u := make([]byte, h.Digest)
			for w := range h.Words {
				if m := h.Message()[w]; !m.IsConst() {
					put(h, at(2, w, lane), u[min(w*size, len(u)):])
				}
			}
			for part := range 2 {
				var midstate []byte
				for w := range h.Words {
					midstate = append(midstate, at(part, w, lane)...)
				}
				u = finish(h, midstate, u)
			}
			for w := range h.Words {
				if m := h.Message()[w]; !m.IsConst() {
					word := make([]byte, size)
					copy(word, u[min(w*size, len(u)):])
					put(h, word, at(2, w, lane))
					for i, b := range at(2, w, lane) {
						at(3, w, lane)[i] ^= b
					}
				}
			}
		}
	}
}

// put copies a word from the native (little-endian) order to the hash's or back, as far as there is room.
func put(h spec.Hash, from, to []byte) {
	for i := range from {
		j := i
		if h.BigEndian {
			j = len(from) - 1 - i
		}
		if j < len(to) {
			to[j] = from[i]
		}
	}
}

// finish hashes the key's block, whose result is midstate, and data.
func finish(h spec.Hash, midstate, data []byte) []byte {
	var x hash.Hash
	var magic string
	switch h.Name {
	case "md5":
		x, magic = md5.New(), "md5\x01"
	case "sha1":
		x, magic = sha1.New(), "sha\x01"
	case "sha224":
		x, magic = sha256.New224(), "sha\x02"
	case "sha256":
		x, magic = sha256.New(), "sha\x03"
	case "sha384":
		x, magic = sha512.New384(), "sha\x04"
	case "sha512_224":
		x, magic = sha512.New512_224(), "sha\x05"
	case "sha512_256":
		x, magic = sha512.New512_256(), "sha\x06"
	case "sha512":
		x, magic = sha512.New(), "sha\x07"
	}
	b := []byte(magic)
	size := h.WordBits / 8
	for w := 0; w < len(midstate); w += size {
		for i := range size { // big-endian
			b = append(b, midstate[w+size-1-i])
		}
	}
	b = append(b, make([]byte, h.BlockBytes())...)
	b = binary.BigEndian.AppendUint64(b, uint64(h.BlockBytes()))
	if err := x.(encoding.BinaryUnmarshaler).UnmarshalBinary(b); err != nil {
		panic(err)
	}
	x.Write(data)
	return x.Sum(nil)
}
