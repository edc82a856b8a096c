// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"math/rand/v2"
	"testing"
)

// randomJobs returns jobs with random arguments, and the keys that crypto/pbkdf2 derives.
func randomJobs(t testing.TB, r *rand.Rand, id hashID, count int) (jobs []Job, want [][]byte) {
	for range count {
		password, salt, iter, keyLength := randomInput(r, variants[id].size)
		key, err := stdpbkdf2.Key(hashes[id], password, salt, iter, keyLength)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, Job{Password: []byte(password), Salt: salt, Iter: iter, Key: make([]byte, keyLength)})
		want = append(want, key)
	}
	return jobs, want
}

func TestBatchRandom(t *testing.T) {
	for id := range numHashes {
		t.Run(variants[id].name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, uint64(id)))
			for i := range 100 {
				forcedSlice = []int{0, 1, 2, 7}[i%4]
				jobs, want := randomJobs(t, r, id, r.IntN(30))
				if err := Batch(context.Background(), hashes[id], jobs, &BatchOptions{Workers: i % 5}); err != nil {
					t.Fatal(err)
				}
				for i, j := range jobs {
					if !j.Done || !bytes.Equal(j.Key, want[i]) {
						t.Fatalf("job %d of %d: %v, got %x, want %x", i, len(jobs), j.Done, j.Key, want[i])
					}
				}
			}
			forcedSlice = 0
		})
	}
}
