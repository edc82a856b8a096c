// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package sha1 computes the SHA-1 compression function (FIPS 180-4) and iterations of HMAC-SHA-1 made from it, on hash
// states held as five uint32 words in native byte order.
package sha1

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const blockSize = 64

// k holds the constants of FIPS 180-4, section 4.2.1, one for each 20 rounds.
var k = [4]uint32{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}

// Compress advances the hash state by the whole blocks of p (FIPS 180-4, section 6.1.2).
func Compress(state *uint64, p []byte) {
	s := (*[5]uint32)(unsafe.Pointer(state))
	var w [80]uint32
	for ; len(p) >= blockSize; p = p[blockSize:] {
		block := p[:blockSize]
		for t := range 16 {
			w[t] = binary.BigEndian.Uint32(block[4*t:])
		}
		for t := 16; t < 80; t++ {
			w[t] = bits.RotateLeft32(w[t-3]^w[t-8]^w[t-14]^w[t-16], 1)
		}
		a, b, c, d, e := s[0], s[1], s[2], s[3], s[4]
		for t := 0; t < 20; t++ {
			f := b&(c^d) ^ d // Ch
			a, b, c, d, e = e+k[0]+w[t]+f+bits.RotateLeft32(a, 5), a, bits.RotateLeft32(b, 30), c, d
		}
		for t := 20; t < 40; t++ {
			f := b ^ c ^ d // Parity
			a, b, c, d, e = e+k[1]+w[t]+f+bits.RotateLeft32(a, 5), a, bits.RotateLeft32(b, 30), c, d
		}
		for t := 40; t < 60; t++ {
			f := b&c | d&(b|c) // Maj
			a, b, c, d, e = e+k[2]+w[t]+f+bits.RotateLeft32(a, 5), a, bits.RotateLeft32(b, 30), c, d
		}
		for t := 60; t < 80; t++ {
			f := b ^ c ^ d // Parity
			a, b, c, d, e = e+k[3]+w[t]+f+bits.RotateLeft32(a, 5), a, bits.RotateLeft32(b, 30), c, d
		}
		s[0] += a
		s[1] += b
		s[2] += c
		s[3] += d
		s[4] += e
	}
}
