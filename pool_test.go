// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// idle fails when a pool that no call uses is not as new.
func idle(t testing.TB, p *Pool) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending != 0 || p.working != 0 || p.waiting.Len() != 0 {
		t.Errorf("%d calls pending, %d working, %d waiting", p.pending, p.working, p.waiting.Len())
	}
	for id := range p.hashes {
		if q := &p.hashes[id]; q.chains != 0 || q.waiting() != 0 {
			t.Errorf("%s: %d chains, %d queued", variants[id].name, q.chains, q.waiting())
		}
	}
}

func TestPoolRandom(t *testing.T) {
	forceSlice(t, 3)
	for _, workers := range []int{0, 1, 2, 5} {
		p := &Pool{Workers: workers}
		var wg sync.WaitGroup
		for g := range 64 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(3, uint64(g)))
				for range 40 {
					id := r.IntN(int(numHashes))
					password, salt, iter, keyLength := randomInput(r, variants[id].size)
					want, err := stdpbkdf2.Key(hashes[id], password, salt, iter, keyLength)
					if err != nil {
						t.Error(err)
						return
					}
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					if r.IntN(4) == 0 {
						go cancel()
					}
					got, err := p.Key(ctx, hashes[id], password, salt, iter, keyLength)
					if err == nil && !bytes.Equal(got, want) || err != nil && (err != context.Canceled || got != nil) {
						t.Errorf("%s, iter %d, length %d: got %x, %v, want %x", variants[id].name, iter, keyLength, got, err, want)
						return
					}
				}
			})
		}
		wg.Wait()
		idle(t, p)
	}
}

// A call of 1000 iterations that comes to a pool full of calls of 10^7, of its own hash or of all, is answered within 50 ms.
func TestPoolFair(t *testing.T) {
	interruptible(t)
	const short, long = 1000, 10_000_000
	limit := 50 * time.Millisecond
	if slow(t) {
		limit *= 20
	}
	callers := few(500)
	for _, others := range [][]hashID{{idMD5}, {idSHA1}, {idSHA256}, {idSHA512}, {idMD5, idSHA1, idSHA224, idSHA256, idSHA384, idSHA512, idSHA512_224, idSHA512_256}} {
		var names []string
		for _, id := range others {
			names = append(names, variants[id].name)
		}
		t.Run(strings.Join(names, "+"), func(t *testing.T) {
			for _, id := range others {
				if variants[id].kernels().standard {
					t.Skip("a caller gets its key of the standard library, alone")
				}
			}
			var pool Pool
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			for i := range callers {
				id := others[i%len(others)]
				wg.Go(func() {
					if _, err := pool.Key(ctx, hashes[id], "password", nil, long, 16); err != context.Canceled {
						t.Errorf("a long call ended with %v", err)
					}
				})
			}
			for full := false; !full; time.Sleep(time.Millisecond) {
				pool.mu.Lock()
				full = pool.pending == callers
				pool.mu.Unlock()
			}
			want := reference(t, hashes[others[0]], "password", nil, short, 16)
			within(t, func() (bool, string) {
				var took []time.Duration
				for range 20 {
					start := time.Now()
					key, err := pool.Key(t.Context(), hashes[others[0]], "password", nil, short, 16)
					took = append(took, time.Since(start))
					if err != nil || !bytes.Equal(key, want) {
						t.Errorf("got %x, %v, want %x", key, err, want)
					}
				}
				slices.Sort(took)
				most := took[len(took)*9/10] // the rest may have met what else the machine does
				return most <= limit, fmt.Sprintf("a call of %d iterations took from %v to %v, one in ten %v or more, median %v",
					short, took[0], took[len(took)-1], most, median(took))
			})
			cancel()
			wg.Wait()
			idle(t, &pool)
		})
	}
}

// A call is given up in the very slice that another caller's kernel finishes it in.
func TestPoolGivenUpInLastSlice(t *testing.T) {
	for v, k := range tableKernels() {
		if k.lanes == 1 || k.needs&^features != 0 || v.kernels().standard || standardOnly() {
			continue
		}
		pin(t, v, k.name)
		pool := &Pool{Workers: 1}
		workerCtx, endWorker := context.WithCancel(t.Context())
		ctx, giveUp := context.WithCancel(t.Context())
		started, givenUp := make(chan bool), make(chan error)
		slices := 0
		v.table.kernels[0].iterate = func(state *uint64, n int) {
			if slices++; slices == 1 {
				close(started)
			}
			pool.mu.Lock()
			both := pool.hashes[v.id].chains == 2 && pool.hashes[v.id].waiting() == 0
			pool.mu.Unlock()
			if both && ctx.Err() == nil {
				giveUp()
				if err := <-givenUp; err != context.Canceled {
					t.Errorf("%s: %v", k.name, err)
				}
				endWorker()
			}
			k.iterate(state, n)
		}
		var wg sync.WaitGroup
		wg.Go(func() { pool.Key(workerCtx, hashes[v.id], "password", nil, 1e9, 1) })
		<-started
		wg.Go(func() {
			_, err := pool.Key(ctx, hashes[v.id], "password", nil, 2, 1)
			givenUp <- err
		})
		wg.Wait()
		idle(t, pool)
		return
	}
	t.Skip("no kernel here has lanes to share")
}
