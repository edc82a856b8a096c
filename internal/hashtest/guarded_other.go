// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !(darwin || linux)

package hashtest

import (
	"bytes"
	"testing"
)

// guarded is memory for n words. Here nothing guards it.
func guarded(t testing.TB, n int) []uint64 { return make([]uint64, n) }

// ReadOnly is a copy of p. Here nothing keeps it from being written.
func ReadOnly(t testing.TB, p []byte) []byte { return bytes.Clone(p) }

// ReadOnlyFrom is the same.
func ReadOnlyFrom(t testing.TB, p []byte) []byte { return bytes.Clone(p) }

// Inaccessible skips the test: there is no such memory here.
func Inaccessible(t testing.TB, n int) []byte {
	t.Skip("no way here to have memory that cannot be accessed")
	return nil
}
