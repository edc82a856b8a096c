// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package sha1

//go:generate go run ../unroll sha1

// IterateGeneric runs n iterations of HMAC-SHA-1 on one lane, in Go.
func IterateGeneric(state *uint64, n int) { iterate(state, n, &pad) }

// A padding is what follows the digest in the message block (FIPS 180-4, section 5.1.1): the words that are not zero.
type padding struct{ w5, w15 uint32 }

var pad = padding{1 << 31, (64 + 20) * 8}
