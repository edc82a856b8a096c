// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package hashtest checks compression functions against the standard library, and kernels against a plain loop over a
// compression function. The tests of every kernel are made from it.
package hashtest

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"unsafe"

	imd5 "github.com/fastkdf/pbkdf2/internal/md5"
	isha1 "github.com/fastkdf/pbkdf2/internal/sha1"
	isha256 "github.com/fastkdf/pbkdf2/internal/sha256"
	isha512 "github.com/fastkdf/pbkdf2/internal/sha512"
)

// A Hash is one of the hash functions that kernels exist for.
type Hash struct {
	Name     string
	New      func() hash.Hash
	Compress func(state *uint64, p []byte) // the reference
	Order    binary.ByteOrder              // of the bytes of a word in the message and in the digest
	WordSize int                           // bytes
	Words    int                           // of the state; the digest may be less
}

// The hash functions.
var (
	MD5        = &Hash{"md5", md5.New, imd5.Compress, binary.LittleEndian, 4, 4}
	SHA1       = &Hash{"sha1", sha1.New, isha1.Compress, binary.BigEndian, 4, 5}
	SHA224     = &Hash{"sha224", sha256.New224, isha256.Compress, binary.BigEndian, 4, 8}
	SHA256     = &Hash{"sha256", sha256.New, isha256.Compress, binary.BigEndian, 4, 8}
	SHA384     = &Hash{"sha384", sha512.New384, isha512.Compress, binary.BigEndian, 8, 8}
	SHA512     = &Hash{"sha512", sha512.New, isha512.Compress, binary.BigEndian, 8, 8}
	SHA512_224 = &Hash{"sha512_224", sha512.New512_224, isha512.Compress, binary.BigEndian, 8, 8}
	SHA512_256 = &Hash{"sha512_256", sha512.New512_256, isha512.Compress, binary.BigEndian, 8, 8}

	Hashes = []*Hash{MD5, SHA1, SHA224, SHA256, SHA384, SHA512, SHA512_224, SHA512_256}
)

// The parts of a kernel's state.
const (
	partInner = iota
	partOuter
	partU
	partT
	parts
)

// StateLen is the length of the state of a kernel with so many lanes.
func (h *Hash) StateLen(lanes int) int { return parts * h.Words * lanes * h.WordSize / 8 }

// word is the memory of a word of a kernel's state.
func (h *Hash) word(state []uint64, lanes, part, word, lane int) []byte {
	i := (part*h.Words+word)*lanes + lane
	return raw(state)[i*h.WordSize:][:h.WordSize]
}

// digest is the digest for a hash state, packed words in native byte order.
func (h *Hash) digest(state []uint64) []byte {
	b := make([]byte, h.Words*h.WordSize)
	h.convert(b, h.Order, raw(state), binary.NativeEndian)
	return b[:h.New().Size()]
}

// convert copies the words of a hash state from one byte order into another.
func (h *Hash) convert(to []byte, toOrder binary.ByteOrder, from []byte, fromOrder binary.ByteOrder) {
	for i := 0; i < h.Words*h.WordSize; i += h.WordSize {
		if h.WordSize == 4 {
			toOrder.PutUint32(to[i:], fromOrder.Uint32(from[i:]))
		} else {
			toOrder.PutUint64(to[i:], fromOrder.Uint64(from[i:]))
		}
	}
}

// Reference does n iterations on the state of a kernel with so many lanes, by hashing padded messages.
func (h *Hash) Reference(state []uint64, lanes, n int) {
	blockSize, size := h.New().BlockSize(), h.New().Size()
	for lane := range lanes {
		var s [parts][8]uint64 // of one lane; each part is a hash state
		for part := range s {
			for i := range h.Words {
				copy(raw(s[part][:])[i*h.WordSize:], h.word(state, lanes, part, i, lane))
			}
		}
		for range n {
			for _, midstate := range [][8]uint64{s[partInner], s[partOuter]} {
				block := make([]byte, blockSize)
				copy(block, h.digest(s[partU][:]))
				block[size] = 0x80
				h.Order.PutUint64(block[blockSize-8:], uint64(blockSize+size)*8)
				s[partU] = midstate
				h.Compress(&s[partU][0], block)
			}
			for i := range s[partT] {
				s[partT][i] ^= s[partU][i]
			}
		}
		for _, part := range []int{partU, partT} {
			for i := range h.Words {
				copy(h.word(state, lanes, part, i, lane), raw(s[part][:])[i*h.WordSize:])
			}
		}
	}
}

// raw is the memory of s.
func raw(s []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 8*len(s))
}
