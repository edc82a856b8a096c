// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"hash"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// fromEnvironment is the number that a variable holds, or else n.
func fromEnvironment(t testing.TB, name string, n uint64) uint64 {
	s := os.Getenv(name)
	if s == "" {
		return n
	}
	n, err := strconv.ParseUint(s, 0, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestComparisons compares keys with crypto/pbkdf2's, other ones in every run: as many as PBKDF2_TEST_COMPARISONS says (`make long`: 10^7), and the same
// ones again with the PBKDF2_TEST_SEED that it prints. Many goroutines derive at once, so that the lanes of the pool are shared by all hashes.
func TestComparisons(t *testing.T) {
	count := 100_000
	if testing.Short() {
		count = few(10_000)
	}
	count = int(fromEnvironment(t, "PBKDF2_TEST_COMPARISONS", uint64(count)))
	seed := fromEnvironment(t, "PBKDF2_TEST_SEED", rand.Uint64())
	var compared [4]atomic.Int64
	pool := new(Pool)
	ways := [len(compared)]func(r *rand.Rand, h func() hash.Hash, jobs []Job) error{
		func(_ *rand.Rand, h func() hash.Hash, jobs []Job) error { return oneByOne(keyEntry, h, jobs) },
		func(_ *rand.Rand, h func() hash.Hash, jobs []Job) error { return oneByOne(keyContextEntry, h, jobs) },
		func(r *rand.Rand, h func() hash.Hash, jobs []Job) error {
			return Batch(t.Context(), h, jobs, &BatchOptions{Workers: r.IntN(4)})
		},
		func(_ *rand.Rand, h func() hash.Hash, jobs []Job) error {
			var wg sync.WaitGroup
			errs := make([]error, len(jobs))
			for i := range jobs {
				wg.Go(func() { errs[i] = oneByOne(entry{"Pool", pool.Key}, h, jobs[i:i+1]) })
			}
			wg.Wait()
			for _, err := range errs {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	start := time.Now()
	for phase, slice := range []int{0, 1, 2, 7} {
		forceSlice(t, slice)
		var rounds, done atomic.Int64
		var wg sync.WaitGroup
		for range 4 * runtime.GOMAXPROCS(0) {
			wg.Go(func() {
				for done.Load() < int64(count+3)/4 && !t.Failed() {
					round := rounds.Add(1)
					r := rand.New(rand.NewPCG(seed, uint64(phase)<<32+uint64(round)))
					id, way := hashID(r.IntN(int(numHashes))), r.IntN(len(ways))
					jobs := make([]Job, 1+r.IntN(80))
					for i := range jobs {
						jobs[i] = randomJob(r, variants[id].size)
					}
					if err := ways[way](r, hashes[id], jobs); err != nil {
						t.Errorf("PBKDF2_TEST_SEED=%d, slices of %d, round %d: %v", seed, slice, round, err)
						return
					}
					for i, j := range jobs {
						want, err := stdpbkdf2.Key(hashes[id], string(j.Password), j.Salt, j.Iter, len(j.Key))
						if err != nil || !bytes.Equal(j.Key, want) {
							t.Errorf("PBKDF2_TEST_SEED=%d, slices of %d, round %d, way %d, %s, job %d of %d: %+v, want %x, %v",
								seed, slice, round, way, variants[id].name, i, len(jobs), j, want, err)
							return
						}
						compared[way].Add(1)
						done.Add(1)
					}
				}
			})
		}
		wg.Wait()
	}
	idle(t, pool)
	total := int64(0)
	for i := range compared {
		total += compared[i].Load()
	}
	t.Logf("PBKDF2_TEST_SEED=%d: %d keys, %d by Key, %d by KeyContext, %d by Batch, %d by a Pool, as crypto/pbkdf2's in %v", seed, total,
		compared[0].Load(), compared[1].Load(), compared[2].Load(), compared[3].Load(), time.Since(start).Round(time.Second))
	if total < int64(count) {
		t.Errorf("%d of %d comparisons", total, count)
	}
}

// randomJob is a job of few iterations mostly, and of some thousands now and then.
func randomJob(r *rand.Rand, size int) Job {
	password, salt, iter, keyLength := randomInput(r, size)
	switch r.IntN(200) {
	case 0:
		iter = 1 + r.IntN(5000)
	case 1, 2, 3, 4, 5, 6, 7, 8, 9:
		iter = 1 + r.IntN(100)
	default:
		iter = 1 + iter/3
	}
	return Job{Password: []byte(password), Salt: salt, Iter: iter, Key: make([]byte, keyLength)}
}

// oneByOne derives the keys of jobs, each by a call.
func oneByOne(e entry, h func() hash.Hash, jobs []Job) error {
	for i := range jobs {
		j := &jobs[i]
		key, err := e.key(context.Background(), h, string(j.Password), j.Salt, j.Iter, len(j.Key))
		if err != nil {
			return err
		}
		copy(j.Key, key)
	}
	return nil
}
