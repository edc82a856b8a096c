// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package md5_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/md5"
)

var kernels = []struct {
	name    string
	hash    *hashtest.Hash
	lanes   int
	needs   cpu.Features
	iterate func(state *uint64, n int)
}{
	{"scalar", hashtest.MD5, 1, 0, md5.IterateScalar},
	{"scalarx2", hashtest.MD5, 2, 0, md5.IterateScalarx2},
	{"scalarx3", hashtest.MD5, 3, 0, md5.IterateScalarx3},
	{"neonx4", hashtest.MD5, 4, cpu.ASIMD, md5.IterateNEONx4},
	{"neonx8", hashtest.MD5, 8, cpu.ASIMD, md5.IterateNEONx8},
	{"neonx12", hashtest.MD5, 12, cpu.ASIMD, md5.IterateNEONx12},
	{"neonx16", hashtest.MD5, 16, cpu.ASIMD, md5.IterateNEONx16},
	{"neonx24", hashtest.MD5, 24, cpu.ASIMD, md5.IterateNEONx24},
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
	{"scalar", 0, md5.CompressScalar},
}

func TestCompressAssembly(t *testing.T) {
	for _, c := range compressors {
		t.Run(c.name, func(t *testing.T) {
			if lacks := c.needs &^ cpu.Detect(); lacks != 0 {
				t.Skipf("this CPU lacks %v", lacks)
			}
			hashtest.Compress(t, hashtest.MD5, c.compress)
		})
	}
}
