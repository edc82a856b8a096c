// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package sha512

//go:generate go run ../unroll sha512

// IterateGeneric runs n iterations of HMAC-SHA-512 on one lane, in Go.
func IterateGeneric(state *uint64, n int) { iterate(state, n, &pad512) }

// IterateGeneric384 is IterateGeneric for SHA-384.
func IterateGeneric384(state *uint64, n int) { iterate(state, n, &pad384) }

// IterateGeneric512_256 is IterateGeneric for SHA-512/256.
func IterateGeneric512_256(state *uint64, n int) { iterate(state, n, &pad512_256) }

// IterateGeneric512_224 is IterateGeneric for SHA-512/224.
func IterateGeneric512_224(state *uint64, n int) { iterate(state, n, &pad512_224) }

// A padding is what follows the digest in the message block (FIPS 180-4, section 5.1.2). The words from 9 to 14 are zero.
type padding struct {
	whole   uint      // words that are all digest
	mask    [8]uint64 // the digest's bits in the words from whole to 7, and
	bits    [8]uint64 // the other bits in them
	w8, w15 uint64    // words 8 and 15
}

var (
	pad512     = padding{whole: 8, w8: 1 << 63, w15: (128 + 64) * 8}
	pad384     = padding{whole: 6, bits: [8]uint64{6: 1 << 63}, w15: (128 + 48) * 8}
	pad512_256 = padding{whole: 4, bits: [8]uint64{4: 1 << 63}, w15: (128 + 32) * 8}
	pad512_224 = padding{whole: 3, mask: [8]uint64{3: 0xffffffff << 32}, bits: [8]uint64{3: 1 << 31}, w15: (128 + 28) * 8}
)

// apply makes the first words of w, a hash state, those of the message block.
func (p *padding) apply(w *[16]uint64) {
	for i := p.whole; i < 8; i++ {
		w[i] = w[i]&p.mask[i] | p.bits[i]
	}
}
