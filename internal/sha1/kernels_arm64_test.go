// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package sha1_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/sha1"
)

var kernels = []struct {
	name    string
	hash    *hashtest.Hash
	lanes   int
	needs   cpu.Features
	iterate func(state *uint64, n int)
}{
	{"sha1", hashtest.SHA1, 1, cpu.SHA1, sha1.IterateSHA1},
	{"sha1x2", hashtest.SHA1, 2, cpu.SHA1, sha1.IterateSHA1x2},
	{"scalar", hashtest.SHA1, 1, 0, sha1.IterateScalar},
	{"neonx4", hashtest.SHA1, 4, cpu.ASIMD, sha1.IterateNEONx4},
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
	{"sha1", cpu.SHA1, sha1.CompressSHA1},
	{"scalar", 0, sha1.CompressScalar},
}

func TestCompressAssembly(t *testing.T) {
	for _, c := range compressors {
		t.Run(c.name, func(t *testing.T) {
			if lacks := c.needs &^ cpu.Detect(); lacks != 0 {
				t.Skipf("this CPU lacks %v", lacks)
			}
			hashtest.Compress(t, hashtest.SHA1, c.compress)
		})
	}
}
