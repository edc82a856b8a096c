// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package sha256_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/sha256"
)

var generic = []struct {
	hash    *hashtest.Hash
	iterate func(state *uint64, n int)
}{
	{hashtest.SHA256, sha256.IterateGeneric},
	{hashtest.SHA224, sha256.IterateGeneric224},
}

func TestIterateGeneric(t *testing.T) {
	for _, g := range generic {
		t.Run(g.hash.Name, func(t *testing.T) { hashtest.Iterate(t, g.hash, 1, g.iterate) })
	}
}

func BenchmarkIterateGeneric(b *testing.B) {
	for _, g := range generic {
		b.Run("hash="+g.hash.Name, func(b *testing.B) { hashtest.BenchmarkIterate(b, g.hash, 1, g.iterate) })
	}
}
