// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"math/rand/v2"
	"os"
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

// A worker looks at the context also while it sets up: between the pieces of a long salt, and between jobs of one iteration.
func TestBatchStopsInSetUp(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	long := []Job{{Salt: make([]byte, 2*piece), Iter: 2, Key: make([]byte, 1)}}
	many := make([]Job, 1000)
	for i := range many {
		many[i] = Job{Iter: 1, Key: make([]byte, 1)}
	}
	for name, jobs := range map[string][]Job{"long salt": long, "many jobs": many} {
		b := &batch{stop: stopOn(ctx), v: variants[idSHA256], size: 32, jobs: jobs}
		if err := b.work(1, func() {}); err != context.Canceled || jobs[len(jobs)-1].Done {
			t.Errorf("%s: %v, the last one done: %v", name, err, jobs[len(jobs)-1].Done)
		}
	}
}

// TestBatchRows gives every row alone batches of random jobs, from one to one more than three times its lanes, after another hash has used the vector
// registers: 100 of them, or 100 000 with PBKDF2_TEST_LONG.
func TestBatchRows(t *testing.T) {
	batches := few(100)
	if os.Getenv("PBKDF2_TEST_LONG") == "1" {
		batches = 100_000
	}
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		pin(t, v, k.name)
		r := rand.New(rand.NewPCG(5, uint64(v.id)))
		all, want := randomJobs(t, r, v.id, min(30*k.lanes, 10*batches))
		other := hashes[(int(v.id)+3)%int(numHashes)]
		jobs, place := make([]Job, 3*k.lanes+1), make([]int, 3*k.lanes+1)
		forceSlice(t, 0) // which ends with the test
		for i := range batches {
			forcedSlice = []int{0, 1, 2, 7}[i%4]
			if _, err := Key(other, "password", nil, 3, 300); err != nil {
				t.Fatal(err)
			}
			n := min(1+r.IntN(len(jobs)), len(all))
			for j, at := range r.Perm(len(all))[:n] {
				jobs[j], place[j] = all[at], at
				jobs[j].Done = false
				clear(jobs[j].Key)
			}
			if err := Batch(context.Background(), hashes[v.id], jobs[:n], &BatchOptions{Workers: 1}); err != nil {
				t.Fatal(err)
			}
			for j, job := range jobs[:n] {
				if !job.Done || !bytes.Equal(job.Key, want[place[j]]) {
					t.Fatalf("batch %d, job %d of %d: %v, got %x, want %x", i, j, n, job.Done, job.Key, want[place[j]])
				}
			}
		}
	})
}
