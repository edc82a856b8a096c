// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !darwin && !linux

package hashtest

import "testing"

// guarded is memory for n words. Here nothing guards it.
func guarded(t *testing.T, n int) []uint64 { return make([]uint64, n) }
