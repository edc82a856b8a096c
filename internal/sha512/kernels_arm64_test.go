// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package sha512_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/sha512"
)

var kernels = []struct {
	name    string
	hash    *hashtest.Hash
	lanes   int
	needs   cpu.Features
	iterate func(state *uint64, n int)
}{
	{"sha512", hashtest.SHA512, 1, cpu.SHA512, sha512.IterateSHA512},
	{"sha512", hashtest.SHA384, 1, cpu.SHA512, sha512.IterateSHA512_384},
	{"sha512", hashtest.SHA512_256, 1, cpu.SHA512, sha512.IterateSHA512_512_256},
	{"sha512", hashtest.SHA512_224, 1, cpu.SHA512, sha512.IterateSHA512_512_224},
	{"sha512x2", hashtest.SHA512, 2, cpu.SHA512, sha512.IterateSHA512x2},
	{"sha512x2", hashtest.SHA384, 2, cpu.SHA512, sha512.IterateSHA512x2_384},
	{"scalar", hashtest.SHA512, 1, cpu.ASIMD, sha512.IterateScalar},
	{"scalar", hashtest.SHA384, 1, cpu.ASIMD, sha512.IterateScalar_384},
	{"scalar", hashtest.SHA512_256, 1, cpu.ASIMD, sha512.IterateScalar_512_256},
	{"scalar", hashtest.SHA512_224, 1, cpu.ASIMD, sha512.IterateScalar_512_224},
}

func TestIterate(t *testing.T) {
	for _, k := range kernels {
		t.Run(k.name+"/"+k.hash.Name, func(t *testing.T) {
			if lacks := k.needs &^ cpu.Detect(); lacks != 0 {
				t.Skipf("this CPU lacks %v", lacks)
			}
			hashtest.Iterate(t, k.hash, k.lanes, k.iterate)
		})
	}
}

var compressors = []struct {
	name     string
	needs    cpu.Features
	compress func(h *uint64, p []byte)
}{
	{"sha512", cpu.SHA512, sha512.CompressSHA512},
	{"scalar", cpu.ASIMD, sha512.CompressScalar},
}

func TestCompressAssembly(t *testing.T) {
	for _, c := range compressors {
		t.Run(c.name, func(t *testing.T) {
			if lacks := c.needs &^ cpu.Detect(); lacks != 0 {
				t.Skipf("this CPU lacks %v", lacks)
			}
			hashtest.Compress(t, hashtest.SHA512, c.compress)
		})
	}
}
