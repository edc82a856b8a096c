// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A long key needs its own memory and a fixed set: 1 GiB, or 64 MiB with -short and on 32 bits, and less where things are slow.
func TestMemoryOfLongKey(t *testing.T) {
	keyLength := 1 << 30
	switch {
	case slow(t):
		keyLength = 4 << 20
	case testing.Short() || strconv.IntSize == 32:
		keyLength = 64 << 20
	}
	password, salt := "password", []byte("salt")
	const id = idSHA512
	if variants[id].kernels().standard || standardOnly() {
		t.Skip("the standard library runs here")
	}
	for _, e := range []entry{keyEntry, keyContextEntry} {
		if testing.Short() && e.name != "Key" {
			continue
		}
		var key []byte
		var err error
		took := allocated(func() { key, err = e.key(t.Context(), hashes[id], password, salt, 1, keyLength) })
		if err != nil {
			t.Fatal(err)
		}
		if more := took - uint64(keyLength); more > 64<<10 {
			t.Errorf("%s: %d bytes beside the key", e.name, more)
		}
		size := variants[id].size
		for _, block := range []int{1, 2, 1000, keyLength/size - 1, keyLength / size} {
			mac := hmac.New(hashes[id], []byte(password))
			mac.Write(salt)
			mac.Write(binary.BigEndian.AppendUint32(nil, uint32(block)))
			if want, got := mac.Sum(nil), key[(block-1)*size:][:size]; !bytes.Equal(got, want) {
				t.Errorf("%s: block %d is %x, want %x", e.name, block, got, want)
			}
		}
		key = nil
		runtime.GC()
	}
}

// A million jobs, or 100 000 with -short, need nothing of ours each. Keys of several blocks are kept aside, but no more of them than there are lanes.
func TestMemoryOfManyJobs(t *testing.T) {
	count := 1_000_000
	switch {
	case slow(t):
		count = 10_000
	case testing.Short():
		count = 100_000
	}
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		if standardOnly() || v.kernels().standard {
			t.Skip("the standard library runs here")
		}
		if v.id != idSHA1 && v.id != idSHA512 && testing.Short() {
			t.Skip("not with -short")
		}
		for _, blocks := range []int{1, 2} {
			count := count / blocks
			keyLength := blocks*v.size - 1
			jobs := make([]Job, count)
			keys := make([]byte, count*keyLength)
			salts := make([]byte, 4*count)
			for i := range jobs {
				salt := salts[4*i:][:4]
				binary.BigEndian.PutUint32(salt, uint32(i))
				jobs[i] = Job{Salt: salt, Iter: 1 + i%2, Key: keys[i*keyLength:][:keyLength:keyLength]}
			}
			took := allocated(func() {
				if err := Batch(context.Background(), h, jobs, &BatchOptions{Workers: 2}); err != nil {
					t.Fatal(err)
				}
			})
			t.Logf("%d jobs of %d blocks: %d bytes", count, blocks, took)
			if took > 1<<20 {
				t.Errorf("%d jobs of %d blocks: %d bytes", count, blocks, took)
			}
			for i := 0; i < count; i += count / 100 {
				j := jobs[i]
				if want := reference(t, h, "", j.Salt, j.Iter, keyLength); !j.Done || !bytes.Equal(j.Key, want) {
					t.Fatalf("job %d: %x, %v, want %x", i, j.Key, j.Done, want)
				}
			}
		}
	})
}

// A pool that has as many calls as it takes refuses the next one at once, before h is called.
func TestPoolFull(t *testing.T) {
	interruptible(t)
	pool := &Pool{MaxPending: 3}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	for range pool.MaxPending {
		wg.Go(func() {
			if _, err := pool.Key(ctx, sha256.New, "password", nil, 1e9, 32); err != context.Canceled {
				t.Errorf("a call that was taken ended with %v", err)
			}
		})
	}
	for full := false; !full; {
		runtime.Gosched()
		pool.mu.Lock()
		full = pool.pending == pool.MaxPending
		pool.mu.Unlock()
	}
	refuse := func() {
		key, err := pool.Key(t.Context(), func() hash.Hash { panic("called") }, "password", nil, 1e9, 32)
		if !errors.Is(err, ErrBusy) || key != nil {
			t.Errorf("got %x, %v", key, err)
		}
	}
	if refuse(); !slow(t) {
		within(t, func() (bool, string) {
			const times = 1000
			start := time.Now()
			for range times {
				refuse()
			}
			each := time.Since(start) / times
			return each < 100*time.Microsecond, fmt.Sprintf("a refusal takes %v", each)
		})
	}
	cancel()
	wg.Wait()
	idle(t, pool)
}

// Many more calls at once than a pool takes: the excess is refused, the rest right, and costs a few kilobytes a call at most. doc/architecture.md has the figure.
func TestPoolOverload(t *testing.T) {
	calls := few(10_000)
	pool := &Pool{MaxPending: calls / 10}
	iter := few(2400)
	jobs := make([]Job, calls)
	for i := range jobs {
		jobs[i] = Job{Password: []byte("password"), Salt: fmt.Append(nil, "salt ", i), Iter: iter, Key: make([]byte, 32)}
	}
	if err := Batch(t.Context(), sha256.New, jobs, nil); err != nil { // which other tests compare with the reference
		t.Fatal(err)
	}
	var busy, right atomic.Int64
	var wg sync.WaitGroup
	start := make(chan struct{})
	for _, j := range jobs {
		wg.Go(func() {
			<-start
			switch key, err := pool.Key(context.Background(), sha256.New, "password", j.Salt, iter, 32); {
			case errors.Is(err, ErrBusy) && key == nil:
				busy.Add(1)
			case err == nil && bytes.Equal(key, j.Key):
				right.Add(1)
			default:
				t.Errorf("got %x, %v, want %x", key, err, j.Key)
			}
		})
	}
	took := allocated(func() { close(start); wg.Wait() })
	t.Logf("%d calls of %d at once: %d right, %d refused; %d bytes allocated", calls, pool.MaxPending, right.Load(), busy.Load(), took)
	// In FIPS mode a call does not wait for others, so that there are only as many at a time as processors; under an emulator one may be done before the next begins.
	if busy.Load() == 0 && !standardOnly() && !slow(t) {
		t.Error("no call was refused")
	}
	if most := uint64(right.Load())*8<<10 + 1<<20; took > most {
		t.Errorf("%d bytes, want at most %d", took, most)
	}
	if right.Load() < int64(pool.MaxPending) {
		t.Errorf("%d calls were taken, the limit is %d at once", right.Load(), pool.MaxPending)
	}
	idle(t, pool)
}
