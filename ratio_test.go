// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	stdpbkdf2 "crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha3"
	"fmt"
	"hash"
	"slices"
	"testing"
	"time"
)

// A shape is a call that users make.
type shape struct {
	entry           entry
	hash            func() hash.Hash
	name            string
	password, salt  int // bytes
	iter, keyLength int
}

// shapes are those at which Key must be fast, and those at which it, KeyContext and Batch must not be slow.
func shapes() (s []shape) {
	for id, h := range hashes {
		v := variants[id]
		add := func(password, salt, iter, keyLength int) {
			s = append(s, shape{keyEntry, h, v.name, password, salt, iter, keyLength})
		}
		add(8, 16, 10000, v.size)
		add(8, 16, 1, v.size)
		add(8, 16, 2, v.size)
		add(8, 16, 1, 1024)      // scrypt's first call,
		add(8, 1024, 1, v.size)  // and its second
		add(8, 65536, 1, v.size) // a long salt
		add(65536, 16, 1, v.size)
	}
	for _, h := range []struct { // are only passed on
		name string
		new  func() hash.Hash
	}{
		{"sha3_256", func() hash.Hash { return sha3.New256() }},
		{"wrapper", func() hash.Hash { return struct{ hash.Hash }{sha256.New()} }},
	} {
		for _, e := range []entry{keyEntry, keyContextEntry, batchEntry} {
			for _, password := range []int{8, 200} { // the blocks are of 136 and 64 bytes
				for _, iter := range []int{1, 100} {
					s = append(s, shape{e, h.new, h.name, password, 16, iter, 32})
				}
			}
		}
	}
	return append(s,
		shape{keyEntry, hashes[idSHA1], "sha1", 8, 16, 4096, 32},      // WPA2, Kerberos
		shape{keyEntry, hashes[idSHA256], "sha256", 8, 16, 10000, 50}, // Gitea, Grafana
		shape{keyEntry, hashes[idSHA256], "sha256", 8, 32, 10000, 80}, // Ansible Vault
		shape{keyEntry, hashes[idSHA512], "sha512", 150, 8, 2048, 64}, // BIP-39
	)
}

// BenchmarkRatio times crypto/pbkdf2 and a function of ours in turn: std/key is the median of the pairs' ratios, and above 1 where ours is faster. The context can be done.
// A batch is of one job: a call takes half a microsecond whatever is in it, which is half of one iteration of the wrapper.
func BenchmarkRatio(b *testing.B) {
	for _, s := range shapes() {
		b.Run(fmt.Sprintf("hash=%s/password=%d/salt=%d/iter=%d/len=%d/call=%s", s.name, s.password, s.salt, s.iter, s.keyLength, s.entry.name), func(b *testing.B) {
			password, salt := string(make([]byte, s.password)), make([]byte, s.salt)
			standard := func() { stdpbkdf2.Key(s.hash, password, salt, s.iter, s.keyLength) }
			ours := func() { s.entry.key(b.Context(), s.hash, password, salt, s.iter, s.keyLength) }
			ratio, _, key := pairs(standard, ours, 200*time.Millisecond)
			for b.Loop() {
			}
			b.ReportMetric(ratio, "std/key")
			b.ReportMetric(float64(key.Nanoseconds())/float64(s.iter), "ns/iter")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// pairs times x and y in turn for about the given time, each for 0.2 ms or more at a time. It returns the median of the ratios x/y and of x and y.
func pairs(x, y func(), total time.Duration) (ratio float64, tx, ty time.Duration) {
	run := func(f func(), n int) time.Duration {
		start := time.Now()
		for range n {
			f()
		}
		return time.Since(start)
	}
	n := 1
	for run(y, n) < 200*time.Microsecond {
		n *= 2
	}
	run(x, n)
	var ratios []float64
	var xs, ys []time.Duration
	for start := time.Now(); time.Since(start) < total || len(ratios) < 5; {
		a, b := run(x, n), run(y, n)
		ratios = append(ratios, float64(a)/float64(b))
		xs, ys = append(xs, a), append(ys, b)
	}
	return median(ratios), median(xs) / time.Duration(n), median(ys) / time.Duration(n)
}

func median[T float64 | time.Duration](s []T) T {
	s = slices.Sorted(slices.Values(s))
	return s[len(s)/2]
}
