// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"crypto/fips140"
	"crypto/hmac"
	"encoding/binary"
	"hash"
)

// standardOnly tells whether nothing but the standard library may run: in FIPS 140-3 mode, where only its module is approved, and in builds
// with BoringCrypto.
func standardOnly() bool { return boringcrypto || fips140.Enabled() }

// handOn returns a function that returns d first, which h made, and then what h makes.
func handOn[H hash.Hash](d H, h func() H) func() H {
	first := true
	return func() H {
		if first {
			first = false
			return d
		}
		return h()
	}
}

// betweenLooks is how many iterations overHMAC does between two looks around, some 100 µs of a hash such as SHA-3.
const betweenLooks = 32

// overHMAC fills key for any hash, as crypto/pbkdf2 would, and calls look every few iterations with their number. It ends with look's error, and key is
// cleared then.
func overHMAC(h func() hash.Hash, password, salt []byte, iter int, key []byte, look func(iterations int) error) error {
	prf := hmac.New(h, password)
	u := make([]byte, 0, prf.Size())
	t := make([]byte, prf.Size())
	whole, ended := key, false
	defer func() {
		clear(u[:cap(u)])
		clear(t)
		if !ended {
			clear(whole)
		}
	}()
	since := 0
	for block := uint32(1); len(key) > 0; block++ {
		prf.Reset()
		prf.Write(salt)
		prf.Write(binary.BigEndian.AppendUint32(nil, block))
		u = prf.Sum(u[:0])
		copy(t, u)
		for i := 1; ; i++ {
			if since++; since == betweenLooks {
				if err := look(since); err != nil {
					return err
				}
				since = 0
			}
			if i == iter {
				break
			}
			prf.Reset()
			prf.Write(u)
			u = prf.Sum(u[:0])
			for j, b := range u {
				t[j] ^= b
			}
		}
		key = key[copy(key, t):]
	}
	err := look(since)
	ended = err == nil
	return err
}
