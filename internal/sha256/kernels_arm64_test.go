// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package sha256_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/sha256"
)

var kernels = []struct {
	name    string
	hash    *hashtest.Hash
	lanes   int
	needs   cpu.Features
	iterate func(state *uint64, n int)
}{
	{"sha2", hashtest.SHA256, 1, cpu.SHA2, sha256.IterateSHA2},
	{"sha2", hashtest.SHA224, 1, cpu.SHA2, sha256.IterateSHA2_224},
	{"sha2x2", hashtest.SHA256, 2, cpu.SHA2, sha256.IterateSHA2x2},
	{"sha2x2", hashtest.SHA224, 2, cpu.SHA2, sha256.IterateSHA2x2_224},
	{"scalar", hashtest.SHA256, 1, cpu.ASIMD, sha256.IterateScalar},
	{"scalar", hashtest.SHA224, 1, cpu.ASIMD, sha256.IterateScalar_224},
	{"neonx4", hashtest.SHA256, 4, cpu.ASIMD, sha256.IterateNEONx4},
	{"neonx4", hashtest.SHA224, 4, cpu.ASIMD, sha256.IterateNEONx4_224},
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
	{"sha2", cpu.SHA2, sha256.CompressSHA2},
	{"scalar", cpu.ASIMD, sha256.CompressScalar},
}

func TestCompressAssembly(t *testing.T) {
	for _, c := range compressors {
		t.Run(c.name, func(t *testing.T) {
			if lacks := c.needs &^ cpu.Detect(); lacks != 0 {
				t.Skipf("this CPU lacks %v", lacks)
			}
			hashtest.Compress(t, hashtest.SHA256, c.compress)
		})
	}
}
