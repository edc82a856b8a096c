// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package md5 computes the MD5 compression function (RFC 1321) and iterations of HMAC-MD5 made from it, on hash states
// held as four uint32 words in native byte order.
package md5

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

const blockSize = 64

// k is the table T of RFC 1321, section 3.4: the integer part of 2³²·|sin(i+1)|.
var k = [64]uint32{
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
}

// Compress advances the hash state by the whole blocks of p (RFC 1321, section 3.4).
func Compress(state *uint64, p []byte) {
	s := (*[4]uint32)(unsafe.Pointer(state))
	var x [16]uint32
	for ; len(p) >= blockSize; p = p[blockSize:] {
		block := p[:blockSize]
		for i := range x {
			x[i] = binary.LittleEndian.Uint32(block[4*i:])
		}
		a, b, c, d := s[0], s[1], s[2], s[3]
		for i := 0; i < 16; i += 4 {
			a = b + bits.RotateLeft32(a+k[i]+x[i]+(b&(c^d)^d), 7)
			d = a + bits.RotateLeft32(d+k[i+1]+x[i+1]+(a&(b^c)^c), 12)
			c = d + bits.RotateLeft32(c+k[i+2]+x[i+2]+(d&(a^b)^b), 17)
			b = c + bits.RotateLeft32(b+k[i+3]+x[i+3]+(c&(d^a)^a), 22)
		}
		for i := 16; i < 32; i += 4 {
			a = b + bits.RotateLeft32(a+k[i]+x[(5*i+1)&15]+(b&d|c&^d), 5)
			d = a + bits.RotateLeft32(d+k[i+1]+x[(5*i+6)&15]+(a&c|b&^c), 9)
			c = d + bits.RotateLeft32(c+k[i+2]+x[(5*i+11)&15]+(d&b|a&^b), 14)
			b = c + bits.RotateLeft32(b+k[i+3]+x[(5*i+16)&15]+(c&a|d&^a), 20)
		}
		for i := 32; i < 48; i += 4 {
			a = b + bits.RotateLeft32(a+k[i]+x[(3*i+5)&15]+(b^c^d), 4)
			d = a + bits.RotateLeft32(d+k[i+1]+x[(3*i+8)&15]+(a^b^c), 11)
			c = d + bits.RotateLeft32(c+k[i+2]+x[(3*i+11)&15]+(d^a^b), 16)
			b = c + bits.RotateLeft32(b+k[i+3]+x[(3*i+14)&15]+(c^d^a), 23)
		}
		for i := 48; i < 64; i += 4 {
			a = b + bits.RotateLeft32(a+k[i]+x[7*i&15]+(c^(b|^d)), 6)
			d = a + bits.RotateLeft32(d+k[i+1]+x[(7*i+7)&15]+(b^(a|^c)), 10)
			c = d + bits.RotateLeft32(c+k[i+2]+x[(7*i+14)&15]+(a^(d|^b)), 15)
			b = c + bits.RotateLeft32(b+k[i+3]+x[(7*i+21)&15]+(d^(c|^a)), 21)
		}
		s[0] += a
		s[1] += b
		s[2] += c
		s[3] += d
	}
}
