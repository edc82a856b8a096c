// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"math/rand/v2"
	"sync"
	"testing"
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
		if q := &p.hashes[id]; q.chains != 0 || q.fresh.Len() != 0 || q.again.Len() != 0 {
			t.Errorf("%s: %d chains, %d + %d queued", variants[id].name, q.chains, q.fresh.Len(), q.again.Len())
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
