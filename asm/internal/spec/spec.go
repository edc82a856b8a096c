// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package spec has the hash functions as data, for every generator: what a kernel unrolls comes from here.
package spec

import (
	"math"
	"math/big"
)

// A Word is one of the sixteen words of the padded block that holds a digest: word I of the digest under Mask, with the bits
// of Const set. Mask 0 makes it a constant, all ones a plain digest word.
type Word struct {
	I           int
	Mask, Const uint64
}

// IsConst tells whether the word does not depend on the digest.
func (w Word) IsConst() bool { return w.Mask == 0 }

// A Hash is a hash function as HMAC iterates it.
type Hash struct {
	Name      string // as in crypto.Hash's names, lower case, without punctuation but "_"
	Suffix    string // what a truncated hash adds to its sibling's symbols
	WordBits  int    // 32 or 64
	Words     int    // words of state
	Digest    int    // bytes of digest
	BigEndian bool   // of the words in a message
	K         []uint64
}

// BlockBytes is the size of a message block.
func (h Hash) BlockBytes() int { return 16 * h.WordBits / 8 }

// Message is the block that the inner and the outer compression of HMAC hash after the key's block: a digest, the bit 1, zeros,
// and the length in bits of key block and digest (FIPS 180-4 §5.1, RFC 1321 §3.1).
func (h Hash) Message() [16]Word {
	all := uint64(math.MaxUint64) >> (64 - h.WordBits)
	var m [16]Word
	for i := range m {
		m[i].I = i
		switch left := h.Digest*8 - i*h.WordBits; {
		case left >= h.WordBits:
			m[i].Mask = all
		case left >= 0: // the digest ends in front of this word or inside it
			if h.BigEndian {
				m[i].Mask = all &^ (all >> left)
				m[i].Const = 1 << (h.WordBits - 1 - left)
			} else {
				m[i].Mask = 1<<left - 1
				m[i].Const = 0x80 << left
			}
		}
	}
	length := uint64(h.BlockBytes()+h.Digest) * 8
	if h.BigEndian {
		m[15].Const = length
	} else {
		m[14].Const = length
	}
	return m
}

// MD5Rounds has what RFC 1321 §3.4 tells of each round of sixteen steps: step i adds word (First + Stride*i) % 16 of the block and rotates left by
// Rotate[i%4].
var MD5Rounds = [4]struct {
	First, Stride int
	Rotate        [4]int
}{
	{0, 1, [4]int{7, 12, 17, 22}},
	{1, 5, [4]int{5, 9, 14, 20}},
	{5, 3, [4]int{4, 11, 16, 23}},
	{0, 7, [4]int{6, 10, 15, 21}},
}

// MD5Word is the word of the block that step i adds.
func MD5Word(i int) int { return (MD5Rounds[i/16].First + MD5Rounds[i/16].Stride*i) % 16 }

// MD5Rotate is the rotation of step i.
func MD5Rotate(i int) int { return MD5Rounds[i/16].Rotate[i%4] }

// The hash functions. The truncated ones differ from their sibling in what this package calls Message only.
var (
	// RFC 1321 §3.4: step i adds the integer part of 2³² |sin(i+1)|.
	MD5 = Hash{"md5", "", 32, 4, 16, false, sines(64)}
	// FIPS 180-4 §4.2.1: one constant for every twenty rounds, the square roots of 2, 3, 5 and 10 times 2³⁰.
	SHA1 = Hash{"sha1", "", 32, 5, 20, true, []uint64{0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6}}
	// FIPS 180-4 §4.2.2.
	SHA256 = Hash{"sha256", "", 32, 8, 32, true, cubeRoots(64, 32)}
	SHA224 = Hash{"sha224", "_224", 32, 8, 28, true, SHA256.K}
	// FIPS 180-4 §4.2.3.
	SHA512     = Hash{"sha512", "", 64, 8, 64, true, cubeRoots(80, 64)}
	SHA384     = Hash{"sha384", "_384", 64, 8, 48, true, SHA512.K}
	SHA512_256 = Hash{"sha512_256", "_512_256", 64, 8, 32, true, SHA512.K}
	SHA512_224 = Hash{"sha512_224", "_512_224", 64, 8, 28, true, SHA512.K}
)

// sines returns the first n constants of RFC 1321 §3.4.
func sines(n int) []uint64 {
	k := make([]uint64, n)
	for i := range k {
		k[i] = uint64(math.Floor(math.Ldexp(math.Abs(math.Sin(float64(i+1))), 32)))
	}
	return k
}

// cubeRoots returns the first bits of the fractional parts of the cube roots of the first n primes.
func cubeRoots(n, bits int) []uint64 {
	var k []uint64
	for p := int64(2); len(k) < n; p++ {
		if !big.NewInt(p).ProbablyPrime(0) {
			continue
		}
		x := new(big.Int).Lsh(big.NewInt(p), uint(3*bits)) // (cbrt(p) · 2^bits)³
		root, fits := new(big.Int), new(big.Int)
		for b := bits + 8; b >= 0; b-- { // the largest integer whose cube is at most x, bit by bit
			root.SetBit(root, b, 1)
			if fits.Exp(root, big.NewInt(3), nil).Cmp(x) > 0 {
				root.SetBit(root, b, 0)
			}
		}
		mask := new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), uint(bits)), big.NewInt(1))
		k = append(k, root.And(root, mask).Uint64())
	}
	return k
}

// Words32 is 32-bit words that are kept in wider ones.
func Words32(words []uint64) []uint32 {
	low := make([]uint32, len(words))
	for i, w := range words {
		low[i] = uint32(w)
	}
	return low
}
