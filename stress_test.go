// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	"errors"
	"hash"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A trouble is what a program may do to the calls of this package that are under way; it ends with its context.
type trouble = func(ctx context.Context)

// stress calls everything at random, on several goroutines, for a second and until each outcome has been seen, or for a minute with PBKDF2_TEST_LONG=1. Some calls are cancelled at a random time, some have an h or a Progress that panics, and all
// others must give what crypto/pbkdf2 does. In the end no goroutine and nothing in the pool is left.
func stress(t *testing.T, troubles ...trouble) {
	t.Helper()
	interruptible(t)
	while := time.Second
	if os.Getenv("PBKDF2_TEST_LONG") == "1" {
		while = time.Minute
	}
	before, start := runtime.NumGoroutine(), time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), while+time.Minute)
	defer cancel()
	pool := &Pool{Workers: 3}
	var did [numOutcomes]atomic.Int64
	var wg sync.WaitGroup
	for _, trouble := range troubles {
		wg.Go(func() { trouble(ctx) })
	}
	for g := range 4 {
		wg.Go(func() {
			defer cancel()
			r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), uint64(g)))
			for ctx.Err() == nil && !t.Failed() {
				did[stressOne(t, r, pool)].Add(1)
				if time.Since(start) > while && did[right].Load() > 0 && did[cancelled].Load() > 0 && did[panicking].Load() > 0 {
					cancel()
				}
			}
		})
	}
	wg.Wait()
	if after := goroutines(before); after > before {
		t.Errorf("%d goroutines, before %d", after, before)
	}
	idle(t, pool)
	t.Logf("%d right, %d cancelled, %d panics", did[right].Load(), did[cancelled].Load(), did[panicking].Load())
	for outcome := range did {
		if did[outcome].Load() == 0 {
			t.Errorf("none of outcome %d", outcome)
		}
	}
}

// An outcome is how a call of stressOne ends.
type outcome int

const (
	right outcome = iota
	cancelled
	panicking
	numOutcomes
)

// stressOne makes one call, of a random kind.
func stressOne(t *testing.T, r *rand.Rand, pool *Pool) outcome {
	h := allHashes[r.IntN(len(allHashes))]
	e := append(entries, entry{"one Pool", pool.Key})[r.IntN(len(entries)+1)]
	password, salt, iter, keyLength := randomInput(r, h().Size())
	iter *= 1 + r.IntN(50)
	switch r.IntN(4) {
	case 0:
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Duration(r.IntN(3000))*time.Microsecond, cancel)
		e = append(contextEntries, entry{"one Pool", pool.Key})[r.IntN(len(contextEntries)+1)]
		if key, err := e.key(ctx, h, password, salt, 1e9, keyLength); key != nil || err != context.Canceled {
			t.Errorf("%s, cancelled: %x, %v", e.name, key, err)
		}
		return cancelled
	case 1:
		failed := errors.New("h")
		if got := panics(func() { e.key(t.Context(), func() hash.Hash { panic(failed) }, password, salt, iter, keyLength) }); got != failed {
			t.Errorf("%s: panic %v", e.name, got)
		}
		var calls atomic.Int64
		most, jobs := int64(r.IntN(3)), untouched(5, keyLength)
		got := panics(func() { // the first call is for the hash's size, later ones are the workers', for hashes of others
			Batch(t.Context(), func() hash.Hash {
				if calls.Add(1) > most {
					panic(failed)
				}
				return foreign[0]()
			}, jobs, &BatchOptions{Workers: 2, Progress: func(_, _ uint64) { panic(failed) }})
		})
		if got != failed {
			t.Errorf("Batch: panic %v", got)
		}
		for i, j := range jobs {
			if !j.Done && touched(j) || j.Done && !bytes.Equal(j.Key, reference(t, foreign[0], string(j.Password), j.Salt, j.Iter, keyLength)) {
				t.Errorf("job %d, done: %v, key %x", i, j.Done, j.Key)
			}
		}
		return panicking
	case 2:
		id := hashID(r.IntN(int(numHashes)))
		jobs, want := randomJobs(t, r, id, 1+r.IntN(20))
		if err := Batch(t.Context(), hashes[id], jobs, &BatchOptions{Workers: r.IntN(4)}); err != nil {
			t.Error(err)
		}
		derived(t, jobs, want)
		return right
	}
	want := reference(t, h, password, salt, iter, keyLength)
	if got, err := e.key(t.Context(), h, password, salt, iter, keyLength); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s, %d iterations, key of %d bytes:\ngot  %x, %v\nwant %x", e.name, iter, keyLength, got, err, want)
	}
	return right
}

// The garbage collector never rests, so that stacks are scanned, moved and shrunk all the time.
func TestStressCollector(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	before := collections()
	stress(t, garbage)
	if n := collections() - before; n < 3 {
		t.Errorf("%d collections", n)
	}
}

// Memory is short: the limit is what is in use already.
func TestStressMemoryLimit(t *testing.T) {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(int64(stats.Sys - stats.HeapReleased)))
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // nothing but the limit makes it collect
	before := collections()
	stress(t, garbage)
	if n := collections() - before; n < 3 {
		t.Errorf("%d collections", n)
	}
}

// garbage allocates memory in pieces of many sizes.
func garbage(ctx context.Context) {
	var kept [64][]byte
	for i := 0; ctx.Err() == nil; i++ {
		kept[i%len(kept)] = make([]byte, 1<<(i%17))
		if i%256 == 0 {
			time.Sleep(100 * time.Microsecond)
		}
	}
	runtime.KeepAlive(&kept)
}

// collections is how many garbage collections there have been.
func collections() uint32 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.NumGC
}

// All that looks at goroutines while they run, at once and at a high rate: the tracer and the profiles of CPU, mutexes and blocking.
func TestStressProfiles(t *testing.T) {
	alone(t, "", func() {
		runtime.SetCPUProfileRate(2000) // StartCPUProfile then warns that it cannot set its own
		var cpu, events, mutex, block bytes.Buffer
		if err := pprof.StartCPUProfile(&cpu); err != nil {
			t.Skip(err)
		}
		if err := trace.Start(&events); err != nil {
			t.Fatal(err)
		}
		defer runtime.SetMutexProfileFraction(runtime.SetMutexProfileFraction(1))
		runtime.SetBlockProfileRate(1)
		stress(t, func(ctx context.Context) {
			for ctx.Err() == nil { // all stacks
				pprof.Lookup("goroutine").WriteTo(new(bytes.Buffer), 2)
				time.Sleep(time.Millisecond)
			}
		})
		trace.Stop()
		pprof.StopCPUProfile()
		pprof.Lookup("mutex").WriteTo(&mutex, 0)
		pprof.Lookup("block").WriteTo(&block, 0)
		runtime.SetBlockProfileRate(0)
		for name, profile := range map[string]*bytes.Buffer{"CPU": &cpu, "trace": &events, "mutex": &mutex, "block": &block} {
			if profile.Len() < 200 {
				t.Errorf("%s: %d bytes", name, profile.Len())
			}
		}
	})
}
