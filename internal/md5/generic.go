// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package md5

//go:generate go run ../unroll md5

// IterateGeneric runs n iterations of HMAC-MD5 on one lane, in Go.
func IterateGeneric(state *uint64, n int) { iterate(state, n, &pad) }

// A padding is what follows the digest in the message block (RFC 1321, sections 3.1 and 3.2): the words that are not zero.
type padding struct{ w4, w14 uint32 }

var pad = padding{0x80, (64 + 16) * 8}
