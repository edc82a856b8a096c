// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/binary"
	"hash"
	"reflect"
	"sync"
	"unsafe"
)

// maxWords, maxSize and maxBlock are the largest state in 64-bit words, digest and message block in bytes of any hash.
const (
	maxWords = 8
	maxSize  = 64
	maxBlock = 128
)

// A packed is one hash state as kernels hold it: words in native byte order, 32-bit ones two to a uint64.
type packed [maxWords]uint64

// A variant is one of the eight hashes: a compression function, its initial state and how much of the final state is the digest.
type variant struct {
	id        hashID
	name      string // as in the kernels' names
	wordBytes int    // 4 or 8
	words     int    // words of state
	size      int    // bytes of digest
	iv        packed
	empty     string       // the digest of the empty message
	bigEndian bool         // the words in a message; MD5 is the other kind
	dynamic   reflect.Type // of the standard library's hash; variants of one compression function share it

	once  sync.Once
	table *table // made by kernels(); tests exchange it
}

// A hashID is the place of a hash in lists of one entry a hash.
type hashID int

const (
	idMD5 hashID = iota
	idSHA1
	idSHA224
	idSHA256
	idSHA384
	idSHA512
	idSHA512_224
	idSHA512_256
	numHashes
)

// block is the size of a message block in bytes.
func (v *variant) block() int { return 16 * v.wordBytes }

// lengthBytes is the size of the message's length at the end of the padding.
func (v *variant) lengthBytes() int { return 2 * v.wordBytes }

// stateBytes is the size of one hash state.
func (v *variant) stateBytes() int { return v.words * v.wordBytes }

// pad fills block, the end of a message of length bytes, from behind the message's last byte, block[used-1]
// (FIPS 180-4 §5.1, RFC 1321 §3.1). A message is shorter than 2^61 bytes here.
func (v *variant) pad(block []byte, used int, length uint64) {
	clear(block[used:])
	block[used] = 0x80
	if v.bigEndian {
		binary.BigEndian.PutUint64(block[len(block)-8:], length*8)
	} else {
		binary.LittleEndian.PutUint64(block[len(block)-8:], length*8)
	}
}

// digest writes the digest that is in state h to p, or as much of it as p holds.
func (v *variant) digest(p []byte, h *packed) {
	var b [maxSize]byte
	switch {
	case v.wordBytes == 8:
		for i, w := range h[:v.words] {
			binary.BigEndian.PutUint64(b[8*i:], w)
		}
	case v.bigEndian:
		for i, w := range words32(h[:])[:v.words] {
			binary.BigEndian.PutUint32(b[4*i:], w)
		}
	default:
		for i, w := range words32(h[:])[:v.words] {
			binary.LittleEndian.PutUint32(b[4*i:], w)
		}
	}
	copy(p, b[:v.size])
}

// words32 is p as the 32-bit words that are packed in it.
func words32(p []uint64) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(p))), 2*len(p))
}

// variants are the hashes that kernels exist for, by hashID. The initial states are those of FIPS 180-4 §5.3 and RFC 1321 §3.3.
var variants = [numHashes]*variant{
	idMD5: {name: "md5", wordBytes: 4, words: 4, size: md5.Size,
		iv:    pack32(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476),
		empty: "\xd4\x1d\x8c\xd9\x8f\x00\xb2\x04\xe9\x80\x09\x98\xec\xf8\x42\x7e"},
	idSHA1: {name: "sha1", wordBytes: 4, words: 5, size: sha1.Size, bigEndian: true,
		iv:    pack32(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0),
		empty: "\xda\x39\xa3\xee\x5e\x6b\x4b\x0d\x32\x55\xbf\xef\x95\x60\x18\x90\xaf\xd8\x07\x09"},
	idSHA224: {name: "sha224", wordBytes: 4, words: 8, size: sha256.Size224, bigEndian: true,
		iv:    pack32(0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939, 0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4),
		empty: "\xd1\x4a\x02\x8c\x2a\x3a\x2b\xc9\x47\x61\x02\xbb\x28\x82\x34\xc4\x15\xa2\xb0\x1f\x82\x8e\xa6\x2a\xc5\xb3\xe4\x2f"},
	idSHA256: {name: "sha256", wordBytes: 4, words: 8, size: sha256.Size, bigEndian: true,
		iv:    pack32(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19),
		empty: "\xe3\xb0\xc4\x42\x98\xfc\x1c\x14\x9a\xfb\xf4\xc8\x99\x6f\xb9\x24\x27\xae\x41\xe4\x64\x9b\x93\x4c\xa4\x95\x99\x1b\x78\x52\xb8\x55"},
	idSHA384: {name: "sha384", wordBytes: 8, words: 8, size: sha512.Size384, bigEndian: true,
		iv: packed{0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
			0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4},
		empty: "\x38\xb0\x60\xa7\x51\xac\x96\x38\x4c\xd9\x32\x7e\xb1\xb1\xe3\x6a\x21\xfd\xb7\x11\x14\xbe\x07\x43\x4c\x0c\xc7\xbf\x63\xf6\xe1\xda" +
			"\x27\x4e\xde\xbf\xe7\x6f\x65\xfb\xd5\x1a\xd2\xf1\x48\x98\xb9\x5b"},
	idSHA512: {name: "sha512", wordBytes: 8, words: 8, size: sha512.Size, bigEndian: true,
		iv: packed{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
			0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179},
		empty: "\xcf\x83\xe1\x35\x7e\xef\xb8\xbd\xf1\x54\x28\x50\xd6\x6d\x80\x07\xd6\x20\xe4\x05\x0b\x57\x15\xdc\x83\xf4\xa9\x21\xd3\x6c\xe9\xce" +
			"\x47\xd0\xd1\x3c\x5d\x85\xf2\xb0\xff\x83\x18\xd2\x87\x7e\xec\x2f\x63\xb9\x31\xbd\x47\x41\x7a\x81\xa5\x38\x32\x7a\xf9\x27\xda\x3e"},
	idSHA512_224: {name: "sha512_224", wordBytes: 8, words: 8, size: sha512.Size224, bigEndian: true,
		iv: packed{0x8c3d37c819544da2, 0x73e1996689dcd4d6, 0x1dfab7ae32ff9c82, 0x679dd514582f9fcf,
			0x0f6d2b697bd44da8, 0x77e36f7304c48942, 0x3f9d85a86a1d36c8, 0x1112e6ad91d692a1},
		empty: "\x6e\xd0\xdd\x02\x80\x6f\xa8\x9e\x25\xde\x06\x0c\x19\xd3\xac\x86\xca\xbb\x87\xd6\xa0\xdd\xd0\x5c\x33\x3b\x84\xf4"},
	idSHA512_256: {name: "sha512_256", wordBytes: 8, words: 8, size: sha512.Size256, bigEndian: true,
		iv: packed{0x22312194fc2bf72c, 0x9f555fa3c84c64c2, 0x2393b86b6f53b151, 0x963877195940eabd,
			0x96283ee2a88effe3, 0xbe5e1e2553863992, 0x2b0199fc2c85b8aa, 0x0eb72ddc81c52ca2},
		empty: "\xc6\x72\xb8\xd1\xef\x56\xed\x28\xab\x87\xc3\x62\x2c\x51\x14\x06\x9b\xdd\x3a\xd7\xb8\xf9\x73\x74\x98\xd0\xc0\x1e\xce\xf0\x96\x7a"},
}

// Making a hash is allowed in FIPS 140-3 mode too, though using some is not.
func init() {
	for id, v := range variants {
		v.id = hashID(id)
	}
	variants[idMD5].dynamic = reflect.TypeOf(md5.New())
	variants[idSHA1].dynamic = reflect.TypeOf(sha1.New())
	for _, v := range variants[idSHA224 : idSHA256+1] {
		v.dynamic = reflect.TypeOf(sha256.New())
	}
	for _, v := range variants[idSHA384 : idSHA512_256+1] {
		v.dynamic = reflect.TypeOf(sha512.New())
	}
}

func pack32(words ...uint32) (p packed) {
	copy(words32(p[:]), words)
	return p
}

// identify returns the variant whose type and sizes d has, if this package has kernels for it, and nil otherwise. The sizes come first: they are cheap, and no
// two variants share them.
func identify(d hash.Hash) *variant {
	size, block := d.Size(), d.BlockSize()
	for _, v := range variants {
		if v.size == size && v.block() == block {
			if reflect.TypeOf(d) == v.dynamic && !v.kernels().standard {
				return v
			}
			break
		}
	}
	return nil
}

// isNew tells whether d, a hash of v's type, has no data in it yet: its Sum, appended to scratch, is the empty message's.
func (v *variant) isNew(d hash.Hash, scratch *[maxSize]byte) bool {
	return string(d.Sum(scratch[:0])) == v.empty
}
