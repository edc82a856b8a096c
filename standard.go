// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"crypto/fips140"
	"crypto/hmac"
	"crypto/subtle"
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

// betweenLooks is how many iterations overHMAC does between two looks around, and betweenForeignPauses how many are done until other goroutines are let run.
const (
	betweenLooks         = 32
	betweenForeignPauses = 8 * betweenLooks
)

// A foreignPace tells when to pause where no costs of kernels do.
type foreignPace int // iterations since the last pause

// passed returns how many pauses are due after some more iterations.
func (p *foreignPace) passed(iterations int) int {
	*p += foreignPace(iterations)
	due := *p / betweenForeignPauses
	*p %= betweenForeignPauses
	return int(due)
}

// overHMAC fills key for any hash, by the loop of crypto/pbkdf2, and calls look every few iterations, and at the end, with their number. It ends with look's
// error, and key is cleared then.
func overHMAC(h func() hash.Hash, password, salt []byte, iter int, key []byte, look func(iterations int) error) error {
	made := 0
	prf := hmac.New(func() hash.Hash {
		d := h()
		if made++; made == 2 { // the inner hash: prf.Reset, which would see to this, takes a fifth of a call of one iteration
			d.Reset()
		}
		return d
	}, password)
	u := make([]byte, 0, prf.Size())
	t := make([]byte, prf.Size())
	number := make([]byte, 4)
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
		if block > 1 {
			prf.Reset()
		}
		prf.Write(salt)
		binary.BigEndian.PutUint32(number, block)
		prf.Write(number)
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
			subtle.XORBytes(t, t, u)
		}
		key = key[copy(key, t):]
	}
	err := look(since)
	ended = err == nil
	return err
}
