// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	"crypto"
	"crypto/md5"
	stdpbkdf2 "crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha3"
	"errors"
	"fmt"
	"hash"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
)

// An entry is one of the exported functions that derive keys, called as if it derived one.
type entry struct {
	name string
	key  func(ctx context.Context, h func() hash.Hash, password string, salt []byte, iter, keyLength int) ([]byte, error)
}

// lengthEntries are those that take the key's length as a number, contextEntries those that take a context, entries all.
var (
	keyEntry = entry{"Key", func(_ context.Context, h func() hash.Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
		return Key(h, password, salt, iter, keyLength)
	}}
	keyContextEntry = entry{"KeyContext", KeyContext[hash.Hash]}
	poolEntry       = entry{"Pool", func(ctx context.Context, h func() hash.Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
		return new(Pool).Key(ctx, h, password, salt, iter, keyLength)
	}}
	batchEntry = entry{"Batch", func(ctx context.Context, h func() hash.Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
		jobs := []Job{{Password: readOnly(password), Salt: salt, Iter: iter, Key: make([]byte, keyLength)}}
		err := Batch(ctx, h, jobs, nil)
		if jobs[0].Done != (err == nil) {
			return jobs[0].Key, fmt.Errorf("done: %v, error: %w", jobs[0].Done, err)
		}
		if err != nil && bytes.Equal(jobs[0].Key, make([]byte, keyLength)) {
			return nil, err
		}
		return jobs[0].Key, err
	}}

	lengthEntries  = []entry{keyEntry, keyContextEntry, poolEntry}
	contextEntries = []entry{keyContextEntry, poolEntry, batchEntry}
	entries        = []entry{keyEntry, keyContextEntry, poolEntry, batchEntry}
)

// reference is what crypto/pbkdf2 derives.
func reference[H hash.Hash](t testing.TB, h func() H, password string, salt []byte, iter, keyLength int) []byte {
	t.Helper()
	key, err := stdpbkdf2.Key(h, password, salt, iter, keyLength)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// equal compares what every entry derives with what crypto/pbkdf2 does.
func equal(t testing.TB, h func() hash.Hash, password string, salt []byte, iter, keyLength int) {
	t.Helper()
	want := reference(t, h, password, salt, iter, keyLength)
	for _, e := range entries {
		got, err := e.key(t.Context(), h, password, salt, iter, keyLength)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: password of %d, salt of %d, %d iterations, key of %d bytes:\ngot  %x, %v\nwant %x",
				e.name, len(password), len(salt), iter, keyLength, got, err, want)
		}
	}
}

// eachHash runs a test for each of the eight hashes.
func eachHash(t *testing.T, test func(t *testing.T, v *variant, h func() hash.Hash)) {
	for id, h := range hashes {
		t.Run(variants[id].name, func(t *testing.T) { test(t, variants[id], h) })
	}
}

// foreign are hashes that are none of the eight, allHashes those and the eight.
var (
	foreign = []func() hash.Hash{
		func() hash.Hash { return sha3.New256() },
		func() hash.Hash { return struct{ hash.Hash }{sha256.New()} },
		func() hash.Hash { h := sha256.New(); h.Write([]byte("not empty")); return h },
	}
	allHashes = slices.Concat(foreign, hashes[:])
)

// takesLonger tells whether code takes several times its usual time: under an emulator, the race detector or another sanitizer.
var takesLonger = sync.OnceValue(func() bool {
	least := time.Hour
	for range 5 {
		start := time.Now()
		stdpbkdf2.Key(sha256.New, "password", nil, 2000, 32)
		least = min(least, time.Since(start))
	}
	return least > 2*time.Millisecond
})

// slow is takesLonger for a test that then does less, or nothing. Where PBKDF2_TEST_NATIVE=1 says that this is no emulator the test fails instead, unless the race detector is on.
func slow(t testing.TB) bool {
	t.Helper()
	if takesLonger() && !race && os.Getenv("PBKDF2_TEST_NATIVE") == "1" {
		t.Fatal("2000 iterations of crypto/pbkdf2 take more than 2 ms, so that this test would do less, or nothing; PBKDF2_TEST_NATIVE=1 forbids that")
	}
	return takesLonger()
}

// few is n, or less where things are slow.
func few(n int) int {
	if takesLonger() {
		return max(1, n/8)
	}
	return n
}

// allocated is how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// refused checks that arguments are refused by an error that wraps want and says the value, before work: h is called for its size at most, and
// no key allocated.
func refused(t *testing.T, e entry, h func() hash.Hash, iter, keyLength, value int, want error) {
	t.Helper()
	calls := 0
	counted := func() hash.Hash { calls++; return h() }
	var key []byte
	var err error
	took := allocated(func() { key, err = e.key(t.Context(), counted, "a secret password", []byte("a salt"), iter, keyLength) })
	switch {
	case key != nil || !errors.Is(err, want) || !strings.Contains(err.Error(), strconv.Itoa(value)):
		t.Errorf("%s, %d iterations, key of %d bytes: key %x, error %v, want %v", e.name, iter, keyLength, key, err, want)
	case calls > 1:
		t.Errorf("%s, %d iterations, key of %d bytes: h was called %d times", e.name, iter, keyLength, calls)
	case took > 1<<20:
		t.Errorf("%s, %d iterations, key of %d bytes: %d bytes were allocated", e.name, iter, keyLength, took)
	case strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "salt"):
		t.Errorf("%s: an error with an input in it: %v", e.name, err)
	}
}

func TestFaultIterationsBelowOne(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		for _, iter := range []int{0, -1, math.MinInt32, math.MinInt} {
			for _, e := range lengthEntries {
				refused(t, e, h, iter, 1<<26, iter, ErrIterations)
			}
			refused(t, batchEntry, h, iter, v.size, iter, ErrIterations)
		}
	})
}

func TestFaultKeyLengthOverflow(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		lengths := []int{0, -1, -v.size, math.MinInt32, math.MinInt, math.MaxInt, math.MaxInt - 1, math.MaxInt - v.size + 1}
		if limit := math.MaxUint32 * uint64(v.size); limit < math.MaxInt {
			lengths = append(lengths, int(limit+1), int(limit)+v.size)
		}
		for _, n := range lengths {
			for _, e := range lengthEntries {
				refused(t, e, h, 1, n, n, ErrKeyLength)
				refused(t, e, h, 1000, n, n, ErrKeyLength)
			}
		}
		refused(t, batchEntry, h, 1, 0, 0, ErrKeyLength)
	})
}

// A key of (2^32 - 1) times the hash's size is allowed. Nothing is derived here: the context is done.
func TestKeyLengthLimit(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("no such length fits into an int")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		limit := uint64(math.MaxUint32)
		for _, n := range []uint64{limit, limit + 1, limit * uint64(v.size)} {
			for _, e := range []entry{keyContextEntry, poolEntry} {
				if _, err := e.key(ctx, h, "", nil, 2, int(n)); err != context.Canceled {
					t.Errorf("%s: key of %d bytes: %v", e.name, n, err)
				}
			}
			if err := checkSize(int(n), v.size); err != nil {
				t.Error(err)
			}
		}
	})
}

// A Key that is too long, in memory that cannot be touched.
func TestBatchKeyTooLong(t *testing.T) {
	if strconv.IntSize < 64 {
		t.Skip("no such length fits into an int")
	}
	n := uint64(math.MaxUint32*md5.Size + 1)
	jobs := []Job{{Iter: 1, Key: []byte{0xA5}}, {Iter: 1, Key: hashtest.Inaccessible(t, int(n))}}
	err := Batch(t.Context(), md5.New, jobs, nil)
	if !errors.Is(err, ErrKeyLength) || !strings.Contains(err.Error(), "job 1") || jobs[0].Key[0] != 0xA5 || jobs[0].Done || jobs[1].Done {
		t.Errorf("%v, %+v", err, jobs[0])
	}
}

func TestNoHash(t *testing.T) {
	none := func() hash.Hash { return nil }
	for _, h := range []func() hash.Hash{nil, none} {
		for _, e := range entries {
			for _, iter := range []int{1, 2} {
				if key, err := e.key(t.Context(), h, "password", []byte("salt"), iter, 32); key != nil || !errors.Is(err, ErrHash) {
					t.Errorf("%s: %x, %v", e.name, key, err)
				}
			}
		}
		if got := Implementation(h); got != "crypto/pbkdf2" {
			t.Error(got)
		}
	}
	var concrete func() *sha3.SHA3
	if _, err := Key(concrete, "", nil, 1, 1); !errors.Is(err, ErrHash) {
		t.Error(err)
	}
	if err := Batch(t.Context(), concrete, nil, nil); !errors.Is(err, ErrHash) {
		t.Error(err)
	}
}

// An argument error of a batch names the job and the remedy, and writes nothing.
func TestFaultOutputBeforeError(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		for name, c := range map[string]struct {
			spoil func(*Job)
			want  error
			says  string
		}{
			"no iterations": {func(j *Job) { j.Iter = 0 }, ErrIterations, "0"},
			"negative":      {func(j *Job) { j.Iter = math.MinInt }, ErrIterations, strconv.Itoa(math.MinInt)},
			"empty key":     {func(j *Job) { j.Key = j.Key[:0] }, ErrKeyLength, "Key has length 0; allocate it"},
			"nil key":       {func(j *Job) { j.Key = nil }, ErrKeyLength, "Key has length 0; allocate it"},
		} {
			for bad := range 4 {
				jobs := untouched(4, v.size+3)
				jobs[1].Done = true // from an earlier batch
				c.spoil(&jobs[bad])
				err := Batch(t.Context(), h, jobs, nil)
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), fmt.Sprintf("job %d: ", bad)) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s in job %d: %v", name, bad, err)
				}
				for i, j := range jobs {
					if touched(j) || j.Done != (i == 1) {
						t.Errorf("%s in job %d: job %d was written", name, bad, i)
					}
				}
			}
		}
		for _, h := range []func() hash.Hash{nil, func() hash.Hash { return nil }} {
			jobs := untouched(2, v.size)
			if err := Batch(t.Context(), h, jobs, nil); !errors.Is(err, ErrHash) || touched(jobs[0]) || touched(jobs[1]) {
				t.Error(err, jobs)
			}
		}
	})
}

// untouched returns jobs whose keys are full of 0xA5, touched tells whether one isn't any more.
func untouched(count, keyLength int) []Job {
	jobs := make([]Job, count)
	for i := range jobs {
		jobs[i] = Job{Password: []byte("password"), Salt: []byte{byte(i)}, Iter: 3, Key: bytes.Repeat([]byte{0xA5}, keyLength)}
	}
	return jobs
}

func touched(j Job) bool {
	return slices.ContainsFunc(j.Key, func(b byte) bool { return b != 0xA5 })
}

// A context that is done: its error, itself, and no work.
func TestContextDone(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("a cause"))
	late, cancelLate := context.WithTimeout(t.Context(), 0)
	defer cancelLate()
	<-late.Done()
	for ctx, want := range map[context.Context]error{cancelled: context.Canceled, late: context.DeadlineExceeded} {
		for _, h := range allHashes {
			for _, e := range contextEntries {
				calls := 0
				counted := func() hash.Hash { calls++; return h() }
				for _, iter := range []int{1, 2, math.MaxInt} {
					if key, err := e.key(ctx, counted, "password", []byte("salt"), iter, 64); key != nil || err != want {
						t.Errorf("%s, %d iterations: %x, %v, want %v", e.name, iter, key, err, want)
					}
				}
				if calls > 0 && e.name != "Batch" { // which asks for the hash's size
					t.Errorf("%s: h was called", e.name)
				}
			}
			jobs := untouched(3, 100)
			jobs[2].Done = true // from an earlier batch
			if err := Batch(ctx, h, jobs, nil); err != want {
				t.Error(err)
			}
			for i, j := range jobs {
				if touched(j) || j.Done {
					t.Errorf("job %d: touched: %v, done: %v", i, touched(j), j.Done)
				}
			}
		}
	}
}

func TestKeyAllocations(t *testing.T) {
	if race {
		t.Skip("the race detector makes sync.Pool forget")
	}
	most := 2.0
	if asan {
		most++ // atomic.Value.Load allocates then, which the Done of a context calls
	}
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		if standardOnly() || v.kernels().standard {
			t.Skip("the standard library runs here")
		}
		for _, c := range []struct{ password, salt, iter, keyLength int }{
			{8, 16, 1, v.size}, {8, 16, 10, v.size}, {300, 3000, 10, 1}, {8, 16, 3, 7*v.size + 1}, {8, 16, 2, 200 * v.size}, {40000, 40000, 1, 1000},
		} {
			password, salt := strings.Repeat("p", c.password), make([]byte, c.salt)
			for _, e := range []entry{keyEntry, keyContextEntry} {
				got := testing.AllocsPerRun(few(20), func() { e.key(t.Context(), h, password, salt, c.iter, c.keyLength) })
				if got > most {
					t.Errorf("%s, %+v: %v allocations", e.name, c, got)
				}
			}
		}
	})
}

func TestImplementation(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		got := Implementation(h)
		name, isa, _ := strings.Cut(got, "/")
		if name != v.name && got != "crypto/pbkdf2" || isa == "" {
			t.Errorf("got %s", got)
		}
		switch runtime.GOARCH {
		case "amd64", "arm64": // there are kernels
			if got == "crypto/pbkdf2" != standardOnly() && len(mustRun) > 0 {
				t.Errorf("got %s", got)
			}
		}
		if purego && got != v.name+"/generic" {
			t.Errorf("got %s with the tag purego", got)
		}
		if again := Implementation(func() hash.Hash { return h() }); again != got {
			t.Errorf("another function: %s, not %s", again, got)
		}
	})
	for i, h := range foreign {
		if got := Implementation(h); got != "crypto/pbkdf2" {
			t.Errorf("foreign %d: %s", i, got)
		}
	}
	if got := Implementation(sha3.New512); got != "crypto/pbkdf2" {
		t.Error(got)
	}
	if got, want := Implementation(crypto.SHA256.New), Implementation(sha256.New); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// No jobs, options of every kind, and more workers than jobs.
func TestBatchOptions(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		for _, opts := range []*BatchOptions{nil, {}, {Workers: -1}, {Workers: 1}, {Workers: 2}, {Workers: 1000}, {Workers: math.MinInt}} {
			for _, count := range []int{0, 1, 3, 20} {
				jobs := untouched(count, v.size+1)
				if err := Batch(t.Context(), h, jobs, opts); err != nil {
					t.Fatal(err)
				}
				for _, j := range jobs {
					if !j.Done || !bytes.Equal(j.Key, reference(t, h, string(j.Password), j.Salt, j.Iter, len(j.Key))) {
						t.Fatalf("%+v, %+v", opts, j)
					}
				}
			}
		}
	})
}

// Progress is told on the caller's goroutine, never goes back, and ends with everything.
func TestBatchProgress(t *testing.T) {
	for _, h := range allHashes {
		for _, workers := range []int{1, 3} {
			forceSlice(t, 1)
			jobs := untouched(50, 2*h().Size()+1)
			for i := range jobs {
				jobs[i].Iter = 10 + i
			}
			want := uint64(3 * (50*10 + 49*50/2))
			caller, calls, last := goroutine(), 0, uint64(0)
			err := Batch(t.Context(), h, jobs, &BatchOptions{Workers: workers, Progress: func(done, total uint64) {
				calls++
				if goroutine() != caller || total != want || done < last || done > total {
					t.Errorf("progress %d of %d after %d, want %d at last", done, total, last, want)
				}
				last = done
			}})
			if err != nil || last != want || calls == 0 {
				t.Errorf("%d calls, last %d of %d, %v", calls, last, want, err)
			}
		}
	}
	called := false
	err := Batch(t.Context(), sha256.New, nil, &BatchOptions{Progress: func(done, total uint64) { called = done == 0 && total == 0 }})
	if err != nil || !called {
		t.Errorf("no jobs: %v, %v", called, err)
	}
}

// Progress is told some tens of times a second, however few iterations a job has: of 200 000 iterations, a tenth of a second or more, not at the end only.
func TestBatchProgressOften(t *testing.T) {
	for name, h := range map[string]func() hash.Hash{"sha256": sha256.New, "sha3": func() hash.Hash { return sha3.New256() }} {
		for _, iter := range []int{1, 100, 100_000} {
			jobs := untouched(200_000/iter, 32)
			for i := range jobs {
				jobs[i].Iter = iter
			}
			calls := 0
			if err := Batch(t.Context(), h, jobs, &BatchOptions{Workers: 1, Progress: func(_, _ uint64) { calls++ }}); err != nil {
				t.Fatal(err)
			}
			want := 5
			if standardOnly() { // a job at a time
				want = min(want, len(jobs))
			}
			if name == "sha3" && calls < want || calls > 1000 {
				t.Errorf("%s: %d jobs of %d iterations: %d calls of Progress", name, len(jobs), iter, calls)
			}
		}
	}
}

// goroutine is the head of the stack's text, which has the goroutine's number.
func goroutine() string {
	b := make([]byte, 64)
	name, _, _ := strings.Cut(string(b[:runtime.Stack(b, false)]), " [")
	return name
}

// MaxPending calls may be in a pool; h is called within.
func TestPoolMaxPending(t *testing.T) {
	for _, h := range allHashes {
		p := &Pool{MaxPending: 2}
		in, out := make(chan bool), make(chan bool)
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				first := true
				key, err := p.Key(t.Context(), func() hash.Hash {
					if first {
						first = false
						in <- true
						<-out
					}
					return h()
				}, "password", nil, 100, 20)
				if want := reference(t, h, "password", nil, 100, 20); err != nil || !bytes.Equal(key, want) {
					t.Errorf("got %x, %v, want %x", key, err, want)
				}
			})
		}
		<-in
		<-in
		for _, iter := range []int{1, math.MaxInt} {
			key, err := p.Key(t.Context(), func() hash.Hash { panic("called") }, "password", nil, iter, 20)
			if key != nil || !errors.Is(err, ErrBusy) {
				t.Errorf("got %x, %v", key, err)
			}
		}
		if _, err := p.Key(t.Context(), h, "password", nil, 0, 20); !errors.Is(err, ErrIterations) {
			t.Error(err)
		}
		close(out)
		wg.Wait()
		if _, err := p.Key(t.Context(), h, "password", nil, 100, 20); err != nil {
			t.Error(err)
		}
		idle(t, p)
	}
}
