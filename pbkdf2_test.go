// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"crypto/md5"
	stdpbkdf2 "crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"math/rand/v2"
	"testing"
)

// hashes are the eight hashes by hashID.
var hashes = [numHashes]func() hash.Hash{
	idMD5: md5.New, idSHA1: sha1.New, idSHA224: sha256.New224, idSHA256: sha256.New,
	idSHA384: sha512.New384, idSHA512: sha512.New, idSHA512_224: sha512.New512_224, idSHA512_256: sha512.New512_256,
}

// edges are lengths around the padding's edges of both block sizes.
var edges = []int{0, 1, 3, 4, 5, 51, 52, 55, 56, 59, 60, 63, 64, 65, 107, 108, 111, 112, 119, 120, 123, 124, 127, 128, 129, 191, 192, 255, 256, 257, 1025}

// pin makes v run on the named kernels only, until the test ends.
func pin(t testing.TB, v *variant, kernels ...string) {
	t.Helper()
	all := v.kernels()
	pinned := &table{compress: all.compress}
	for _, name := range kernels {
		for _, k := range all.kernels {
			if k.name == name {
				pinned.kernels = append(pinned.kernels, k)
			}
		}
	}
	if len(pinned.kernels) != len(kernels) {
		t.Fatalf("not all of %v can run here", kernels)
	}
	pinned.plans = newPlans(pinned.kernels)
	v.table = pinned
	t.Cleanup(func() { v.table = all })
}

// forceSlice makes every slice n iterations until the test ends.
func forceSlice(t testing.TB, n int) {
	forcedSlice = n
	t.Cleanup(func() { forcedSlice = 0 })
}

// randomInput returns a password, a salt, an iteration count and a key length that prefer edges.
func randomInput(r *rand.Rand, size int) (password string, salt []byte, iter, keyLength int) {
	length := func() int {
		if r.IntN(2) == 0 {
			return edges[r.IntN(len(edges))]
		}
		return r.IntN(40)
	}
	fill := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	password, salt = string(fill(length())), fill(length())
	iter = 1 + r.IntN(12)
	switch r.IntN(8) {
	case 0:
		keyLength = 1 + r.IntN(8*size)
	case 1, 2:
		keyLength = 1 + r.IntN(3*size)
	default:
		keyLength = 1 + r.IntN(size)
	}
	return
}

// TestKeyRandom compares Key with crypto/pbkdf2, over slices of several lengths.
func TestKeyRandom(t *testing.T) {
	count := 100_000
	if testing.Short() {
		count = 10_000
	}
	for id, h := range hashes {
		v := variants[id]
		t.Run(v.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(id)))
			for i := range count / int(numHashes) {
				forcedSlice = []int{0, 1, 2, 7}[i%4]
				password, salt, iter, keyLength := randomInput(r, v.size)
				want, err := stdpbkdf2.Key(h, password, salt, iter, keyLength)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Key(h, password, salt, iter, keyLength)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("password %x, salt %x, iter %d, length %d:\ngot  %x, %v\nwant %x", password, salt, iter, keyLength, got, err, want)
				}
			}
			forcedSlice = 0
		})
	}
}

func BenchmarkKey(b *testing.B) {
	for id, h := range hashes {
		for _, iter := range []int{1, 10000} {
			size := h().Size()
			b.Run(fmt.Sprintf("hash=%s/iter=%d/len=%d", variants[id].name, iter, size), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Key(h, "password", []byte("sixteen bytes..."), iter, size); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
