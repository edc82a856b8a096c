// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package sha256

//go:generate go run ../unroll sha256

// IterateGeneric runs n iterations of HMAC-SHA-256 on one lane, in Go.
func IterateGeneric(state *uint64, n int) { iterate(state, n, &pad256) }

// IterateGeneric224 is IterateGeneric for SHA-224.
func IterateGeneric224(state *uint64, n int) { iterate(state, n, &pad224) }

// A padding is what follows the digest in the message block (FIPS 180-4, section 5.1.1).
type padding struct {
	truncated bool   // word 7 is 1<<31, not the digest's
	w8, w15   uint32 // words 8 and 15; those between are zero
}

var (
	pad256 = padding{false, 1 << 31, (64 + 32) * 8}
	pad224 = padding{true, 0, (64 + 28) * 8}
)

// apply makes the first words of w, a hash state, those of the message block.
func (p *padding) apply(w *[16]uint32) {
	if p.truncated {
		w[7] = 1 << 31
	}
}
