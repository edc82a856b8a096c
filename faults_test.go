// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"crypto/sha3"
	"errors"
	"flag"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/hashtest"
)

// The tests here and elsewhere whose names begin with TestFault each try a fault that other libraries have had: doc/faults.md has the list.

// random is n bytes.
func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// derived fails unless each of the jobs is done and has the key that is wanted.
func derived(t testing.TB, jobs []Job, want [][]byte) {
	t.Helper()
	for i, j := range jobs {
		if !j.Done || !bytes.Equal(j.Key, want[i]) {
			t.Fatalf("job %d of %d, %d iterations: done %v, got %x, want %x", i, len(jobs), j.Iter, j.Done, j.Key, want[i])
		}
	}
}

// A cut is another hash with digest and block sizes that nobody has.
type cut struct {
	hash.Hash
	size, block int
}

func (c cut) Size() int      { return c.size }
func (c cut) BlockSize() int { return c.block }
func (c cut) Sum(p []byte) []byte {
	return append(p, c.Hash.Sum(nil)[:c.size]...)
}

func TestFaultUnknownHash(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 0))
	others := slices.Clone(foreign)
	for range few(30) {
		of := hashes[r.IntN(len(hashes))]
		size, block := 1+r.IntN(of().Size()), 1+r.IntN(200)
		others = append(others, func() hash.Hash { return &cut{of(), size, block} })
	}
	for _, h := range others {
		for range few(8) {
			password, salt, iter, keyLength := randomInput(r, h().Size())
			equal(t, h, password, salt, iter*iter, keyLength)
		}
	}
}

// Another password, salt, iteration count or block gives other bytes, whichever bit it is and in whichever lane.
func TestFaultInputIgnored(t *testing.T) {
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		pin(t, v, k.name)
		password, salt := []byte("twenty bytes of text"), []byte("sixteen bytes...")
		jobs := []Job{{Password: password, Salt: salt, Iter: 3}, {Password: password, Salt: salt, Iter: 4}}
		flip := func(p []byte, bit int) []byte {
			p = bytes.Clone(p)
			p[bit/8] ^= 1 << (bit % 8)
			return p
		}
		for bit := range 8 * len(password) {
			jobs = append(jobs, Job{Password: flip(password, bit), Salt: salt, Iter: 3})
		}
		for bit := range 8 * len(salt) {
			jobs = append(jobs, Job{Password: password, Salt: flip(salt, bit), Iter: 3})
		}
		for i := range jobs {
			jobs[i].Key = make([]byte, 2*v.size)
		}
		if err := Batch(t.Context(), hashes[v.id], jobs, nil); err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{string(make([]byte, v.size)): true}
		for i, j := range jobs {
			for block := range slices.Chunk(j.Key, v.size) {
				if seen[string(block)] {
					t.Errorf("job %d: block %x is not the first of its kind", i, block)
				}
				seen[string(block)] = true
			}
		}
	})
}

// Every length is a prefix of a longer key, and nothing around a key is written.
func TestFaultKeyLength(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		lengths := []int{80, 100, 256, 480, 1024}
		for n := range 3*v.size + 1 {
			lengths = append(lengths, n+1)
		}
		const password, iter, canary = "password", 3, 32
		salt := []byte("salt")
		long := reference(t, h, password, salt, iter, 1024)
		var jobs []Job
		var memory, want [][]byte
		for _, n := range lengths {
			for _, e := range lengthEntries {
				if got, err := e.key(t.Context(), h, password, salt, iter, n); err != nil || !bytes.Equal(got, long[:n]) {
					t.Errorf("%s, %d bytes: %x, %v, want %x", e.name, n, got, err, long[:n])
				}
			}
			around := bytes.Repeat([]byte{0xA5}, canary+n+canary)
			memory = append(memory, around)
			jobs = append(jobs, Job{Password: []byte(password), Salt: salt, Iter: iter, Key: around[canary : canary+n]})
			want = append(want, long[:n])
		}
		if err := Batch(t.Context(), h, jobs, nil); err != nil {
			t.Fatal(err)
		}
		derived(t, jobs, want)
		canaries := bytes.Repeat([]byte{0xA5}, canary)
		for i, m := range memory {
			if !bytes.HasPrefix(m, canaries) || !bytes.HasSuffix(m, canaries) {
				t.Errorf("key of %d bytes: written around it", lengths[i])
			}
		}
	})
}

func TestFaultPasswordAroundBlock(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		for _, n := range append([]int{piece - 1, piece, piece + 1, 3*piece + 77}, edges...) {
			equal(t, h, strings.Repeat("p", n), []byte("salt"), 3, v.size+1)
		}
	})
}

func TestFaultSaltAroundPadding(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		salt := random(rand.New(rand.NewPCG(11, 0)), max(4*piece, few(1<<20)))
		var jobs []Job
		var want [][]byte
		lengths := append([]int{piece - 1, piece, piece + 1, len(salt)}, edges...)
		for n := range 301 {
			lengths = append(lengths, n)
		}
		for _, n := range lengths {
			key := reference(t, h, "password", salt[:n], 2, 3*v.size)
			e := lengthEntries[n%len(lengthEntries)]
			if got, err := e.key(t.Context(), h, "password", salt[:n], 2, 3*v.size); err != nil || !bytes.Equal(got, key) {
				t.Fatalf("%s, salt of %d bytes: %x, %v, want %x", e.name, n, got, err, key)
			}
			jobs = append(jobs, Job{Password: []byte("password"), Salt: salt[:n], Iter: 2, Key: make([]byte, 3*v.size)})
			want = append(want, key)
		}
		if err := Batch(t.Context(), h, jobs, nil); err != nil {
			t.Fatal(err)
		}
		derived(t, jobs, want)
	})
}

func TestFaultEmptyInput(t *testing.T) {
	for _, h := range allHashes {
		for _, password := range []string{"", "\x00", "password"} {
			for _, salt := range [][]byte{nil, {}, {0}} {
				for iter := range 3 {
					equal(t, h, password, salt, 1+iter, 100)
				}
			}
		}
		jobs := []Job{{Iter: 2, Key: make([]byte, 100)}, {Password: []byte{}, Salt: []byte{}, Iter: 2, Key: make([]byte, 100)}}
		if err := Batch(t.Context(), h, jobs, nil); err != nil || !bytes.Equal(jobs[0].Key, jobs[1].Key) {
			t.Errorf("nil and empty: %x, %x, %v", jobs[0].Key, jobs[1].Key, err)
		}
	}
}

// Inputs in memory that cannot be written, nor read behind its end.
func TestFaultInputModified(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 0))
	for _, n := range []int{0, 1, 7, 64, 65, 129, 200, 4096, piece + 5} {
		password, salt := hashtest.ReadOnly(t, random(r, n)), hashtest.ReadOnly(t, random(r, n))
		for _, h := range allHashes {
			equal(t, h, text(password), salt, 2, h().Size()+1)
		}
	}
}

// What callers do with their inputs after a call has returned, cancelled or not, matters to nobody. The race detector looks on, if it is there.
func TestFaultInputReadLater(t *testing.T) {
	forceSlice(t, 2)
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		pool := &Pool{Workers: 2}
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				r := rand.New(rand.NewPCG(13, uint64(g)))
				for i := range 20 {
					jobs, want := randomJobs(t, r, v.id, 5)
					ctx, cancel := context.WithCancel(t.Context())
					if r.IntN(2) == 0 {
						time.AfterFunc(time.Duration(r.IntN(50))*time.Microsecond, cancel)
					}
					if i%2 == 0 {
						Batch(ctx, h, jobs, &BatchOptions{Workers: 2})
					} else {
						for i := range jobs {
							j := &jobs[i]
							key, err := pool.Key(ctx, h, text(j.Password), j.Salt, j.Iter, len(j.Key))
							j.Done = err == nil
							copy(j.Key, key)
							clear(key)
						}
					}
					for i, j := range jobs {
						if j.Done && !bytes.Equal(j.Key, want[i]) {
							t.Errorf("got %x, want %x", j.Key, want[i])
						}
						for _, p := range [][]byte{j.Password, j.Salt, j.Key} {
							for i := range p {
								p[i] ^= 0xFF
							}
						}
						jobs[i] = Job{}
					}
					cancel()
				}
			})
		}
		wg.Wait()
		idle(t, pool)
	})
}

// 64 goroutines with every hash and every function. One of the functions h returns the same instance to all.
func TestFaultConcurrency(t *testing.T) {
	pool := new(Pool)
	shared := sha256.New()
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(14, uint64(g)))
			for range 20 {
				h := allHashes[r.IntN(len(allHashes))]
				password, salt, iter, keyLength := randomInput(r, h().Size())
				want := reference(t, h, password, salt, iter, keyLength)
				e := append(entries, entry{"one Pool", pool.Key})[r.IntN(len(entries)+1)]
				got, err := e.key(t.Context(), h, password, salt, iter, keyLength)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: got %x, %v, want %x", e.name, got, err, want)
				}
				if standardOnly() || variants[idSHA256].kernels().standard {
					continue
				}
				want = reference(t, sha256.New, password, salt, iter, keyLength)
				got, err = e.key(t.Context(), func() hash.Hash { return shared }, password, salt, iter, keyLength)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s, shared instance: got %x, %v, want %x", e.name, got, err, want)
				}
			}
		})
	}
	wg.Wait()
	idle(t, pool)
}

// Every number of jobs around a kernel's lanes, each with its own count and length; then in another order. The vector registers have been used by
// another hash before.
func TestFaultRareLane(t *testing.T) {
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		pin(t, v, k.name)
		r := rand.New(rand.NewPCG(15, uint64(v.id)))
		jobs, want := randomJobs(t, r, v.id, 3*k.lanes+1)
		other := (int(v.id) + 3) % int(numHashes)
		for n := range 3*k.lanes + 2 {
			if testing.Short() && n > 3 && (n+1)%k.lanes > 2 {
				continue
			}
			forceSlice(t, n%4)
			if _, err := Key(hashes[other], "password", nil, 3, 300); err != nil {
				t.Fatal(err)
			}
			for i := range jobs {
				clear(jobs[i].Key)
			}
			if err := Batch(t.Context(), hashes[v.id], jobs[:n], &BatchOptions{Workers: 1}); err != nil {
				t.Fatal(err)
			}
			derived(t, jobs[:n], want[:n])
			r.Shuffle(n, func(i, j int) {
				jobs[i], jobs[j] = jobs[j], jobs[i]
				want[i], want[j] = want[j], want[i]
			})
		}
	})
}

// Three blocks of every hash, so that no constant of one can be another's: the vectors of another implementation in testdata have them, and here
// no two hashes agree.
func TestFaultConstants(t *testing.T) {
	seen := map[string]string{}
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		equal(t, h, "password", []byte("salt"), 2, 3*v.size)
		key, err := Key(h, "password", []byte("salt"), 2, 16)
		if other, twice := seen[string(key)]; twice || err != nil {
			t.Errorf("the same as %s, %v", other, err)
		}
		seen[string(key)] = v.name
	})
}

// A pool refuses what a hostile peer asks for.
func TestFaultHostileCount(t *testing.T) {
	p := &Pool{MaxIter: 1000}
	for _, h := range allHashes {
		want := reference(t, h, "password", nil, 1000, 20)
		if key, err := p.Key(t.Context(), h, "password", nil, 1000, 20); err != nil || !bytes.Equal(key, want) {
			t.Errorf("at the limit: %x, %v", key, err)
		}
		refused(t, entry{"Pool", p.Key}, func() hash.Hash { panic("called") }, 1001, 1<<26, 1001, ErrIterations)
	}
	idle(t, p)
}

// within fails unless one of a few tries passes: others may be using the CPU. A try tells what it has measured.
func within(t *testing.T, try func() (ok bool, measured string)) {
	t.Helper()
	for range 3 {
		ok, measured := try()
		if ok {
			t.Log(measured)
			return
		}
		t.Logf("failed: %s", measured)
	}
	t.Error("failed three times")
}

// goroutines waits a moment for their number to fall to n, and returns it.
func goroutines(n int) int {
	for range 100 {
		if runtime.NumGoroutine() <= n {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// A call of 10^9 iterations ends within 10 ms of being cancelled, and leaves nothing behind.
func TestFaultCancel(t *testing.T) {
	interruptible(t)
	most := 10 * time.Millisecond
	if slow(t) && !race {
		most = time.Second // an emulator takes longer for a slice than a CPU
	}
	pool := new(Pool)
	before := runtime.NumGoroutine()
	for _, e := range append(contextEntries, entry{"one Pool", pool.Key}) {
		for i, h := range allHashes {
			if testing.Short() && i%3 > 0 {
				continue
			}
			t.Run(fmt.Sprintf("%s/%d", e.name, i), func(t *testing.T) {
				within(t, func() (bool, string) {
					ctx, cancel := context.WithCancel(t.Context())
					var at time.Time
					timer := time.AfterFunc(5*time.Millisecond, func() { at = time.Now(); cancel() })
					defer timer.Stop()
					key, err := e.key(ctx, h, "password", []byte("salt"), 1e9, 3*h().Size())
					took := time.Since(at)
					if key != nil || err != context.Canceled {
						t.Errorf("%x, %v", key, err)
					}
					return took <= most, fmt.Sprint(took)
				})
			})
		}
	}
	if after := goroutines(before); after > before {
		t.Errorf("%d goroutines, before %d", after, before)
	}
	idle(t, pool)
}

// Of the keys of a batch that is cancelled, each is complete or has not been touched.
func TestBatchCancelled(t *testing.T) {
	forceSlice(t, 3)
	for i, h := range allHashes {
		r := rand.New(rand.NewPCG(16, uint64(i)))
		for range few(8) {
			jobs := untouched(40, 1+r.IntN(3*h().Size()))
			for i := range jobs {
				jobs[i].Iter = 1 + r.IntN(20)*r.IntN(20)
			}
			ctx, cancel := context.WithCancel(t.Context())
			stop := uint64(r.IntN(4000))
			err := Batch(ctx, func() hash.Hash {
				if stop < 10 {
					cancel()
				}
				return h()
			}, jobs, &BatchOptions{Workers: 1 + r.IntN(3), Progress: func(done, _ uint64) {
				if done >= stop {
					cancel()
				}
			}})
			cancel()
			if err != nil && err != context.Canceled {
				t.Fatal(err)
			}
			for i, j := range jobs {
				if !j.Done && (touched(j) || err == nil) || j.Done && !bytes.Equal(j.Key, reference(t, h, string(j.Password), j.Salt, j.Iter, len(j.Key))) {
					t.Fatalf("job %d, done: %v, key %x, %v", i, j.Done, j.Key, err)
				}
			}
		}
	}
}

// Counts around every edge of a slice.
func TestFaultSliceEdges(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		for _, forced := range []int{7, 2, 1, 0}[:2+few(2)] {
			forceSlice(t, forced)
			plans := v.kernels().plans
			for _, chains := range []int{1, min(3, len(plans)), len(plans)} {
				slice := plans[chains-1].slice()
				for _, iter := range []int{slice - 1, slice, slice + 1, slice + 2, 2*slice + 1, 2*slice + 2} {
					if iter > 0 {
						equal(t, h, "password", []byte("salt"), iter, chains*v.size)
					}
				}
			}
		}
	})
}

// One worker is the caller's goroutine, and n are n - 1 more.
func TestFaultEveryCore(t *testing.T) {
	forceSlice(t, 1)
	for _, h := range allHashes {
		for _, workers := range []int{1, 2} {
			before := runtime.NumGoroutine()
			most := 0
			look := func() { most = max(most, runtime.NumGoroutine()) }
			jobs := untouched(8, 20)
			for i := range jobs {
				jobs[i].Iter = 300
			}
			if err := Batch(t.Context(), h, jobs, &BatchOptions{Workers: workers, Progress: func(_, _ uint64) { look() }}); err != nil {
				t.Fatal(err)
			}
			if most > before+workers-1 {
				t.Errorf("%d workers: %d goroutines, before %d", workers, most, before)
			}
			goroutines(before)
		}
	}
}

// A panicky hash panics when it has been used a number of times.
type panicky struct {
	hash.Hash
	left *int
}

func (p panicky) Write(b []byte) (int, error) {
	if *p.left--; *p.left < 0 {
		panic("hash")
	}
	return p.Hash.Write(b)
}

// panics returns what f panics with.
func panics(f func()) (value any) {
	defer func() { value = recover() }()
	f()
	return nil
}

// A panic of h, of its hash or of Progress reaches the caller, with nothing left behind, and does not harm what comes after.
func TestPanics(t *testing.T) {
	before := runtime.NumGoroutine()
	pool := new(Pool)
	for _, e := range append(entries, entry{"one Pool", pool.Key}) {
		for _, iter := range []int{1, 100} {
			if got := panics(func() { e.key(t.Context(), func() hash.Hash { panic("h") }, "", nil, iter, 20) }); got != "h" {
				t.Errorf("%s: %v", e.name, got)
			}
			left := 5
			h := func() hash.Hash { return panicky{sha256.New(), &left} }
			if got := panics(func() { e.key(t.Context(), h, "", nil, iter, 100) }); got != "hash" {
				t.Errorf("%s: %v", e.name, got)
			}
		}
	}
	if got := panics(func() { Implementation(func() hash.Hash { panic("h") }) }); got != "h" && !standardOnly() {
		t.Errorf("Implementation: %v", got)
	}
	forceSlice(t, 1)
	for _, workers := range []int{1, 2, 5} {
		for _, h := range allHashes {
			for at := range 4 {
				jobs := untouched(20, 40)
				for i := range jobs {
					jobs[i].Iter = 300
				}
				var mu sync.Mutex
				calls := 0
				got := panics(func() {
					Batch(t.Context(), func() hash.Hash {
						mu.Lock()
						defer mu.Unlock()
						if calls++; calls > at {
							panic("h")
						}
						return h()
					}, jobs, &BatchOptions{Workers: workers, Progress: func(_, _ uint64) { panic("progress") }})
				})
				if got != "h" && (got != "progress" || at == 0) {
					t.Errorf("%d workers: %v", workers, got)
				}
				for i, j := range jobs {
					if !j.Done && touched(j) || j.Done && !bytes.Equal(j.Key, reference(t, h, string(j.Password), j.Salt, j.Iter, len(j.Key))) {
						t.Fatalf("job %d, done: %v, key %x", i, j.Done, j.Key)
					}
				}
			}
		}
	}
	if after := goroutines(before); after > before {
		t.Errorf("%d goroutines, before %d", after, before)
	}
	idle(t, pool)
	for _, h := range allHashes {
		equal(t, h, "password", nil, 10, 100)
	}
}

// A Progress that ends its goroutine, as t.Fatal does, ends the batch; so does an h, in whichever worker.
func TestBatchGoexit(t *testing.T) {
	forceSlice(t, 10)
	before := runtime.NumGoroutine()
	var calls atomic.Int64
	for name, c := range map[string]struct {
		h        func() hash.Hash
		progress func(done, total uint64)
	}{
		"Progress": {sha256.New, func(_, _ uint64) { runtime.Goexit() }},
		"h": {func() hash.Hash {
			if calls.Add(1) == 4 { // the first was for the hash's size
				runtime.Goexit()
			}
			return foreign[0]()
		}, nil},
	} {
		var wg sync.WaitGroup
		wg.Go(func() {
			jobs := untouched(100, 40)
			for i := range jobs {
				jobs[i].Iter = 20000
			}
			Batch(t.Context(), c.h, jobs, &BatchOptions{Workers: 4, Progress: c.progress})
			t.Errorf("%s: Batch returned", name)
		})
		wg.Wait()
		if after := goroutines(before); after > before {
			t.Errorf("%s: %d goroutines, before %d", name, after, before)
		}
	}
}

// Nothing of a pool is left when no call runs, and nothing waits for the clock: in a bubble, time passes only when everything waits.
func TestPoolSynctest(t *testing.T) {
	forceSlice(t, 3)
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		pool := &Pool{Workers: 2}
		var wg sync.WaitGroup
		for g := range 32 {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+g)*time.Hour)
				defer cancel()
				h := allHashes[g%len(allHashes)]
				want := reference(t, h, "password", nil, 100+g, 3*h().Size())
				if got, err := pool.Key(ctx, h, "password", nil, 100+g, 3*h().Size()); err != nil || !bytes.Equal(got, want) {
					t.Errorf("got %x, %v, want %x", got, err, want)
				}
			})
		}
		wg.Wait()
		idle(t, pool)
		if took := time.Since(start); took > 0 {
			t.Errorf("everybody waited, for %v", took)
		}
	})
}

// A call that is given up while another caller has its chains in lanes, and just ends its own work, leaves nothing in the pool.
func TestPoolGivenUp(t *testing.T) {
	interruptible(t)
	r := rand.New(rand.NewPCG(17, 0))
	pool := &Pool{Workers: 1}
	slice := variants[idSHA256].kernels().plans[0].slice()
	for range few(200) {
		var wg sync.WaitGroup
		for range 2 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(r.IntN(300))*time.Microsecond)
			defer cancel()
			wg.Go(func() { pool.Key(ctx, sha256.New, "password", nil, 1e9, 3*sha256.Size) })
		}
		iter := slice/2 + r.IntN(slice)
		key, err := pool.Key(t.Context(), sha256.New, "password", nil, iter, 20)
		if want := reference(t, sha256.New, "password", nil, iter, 20); err != nil || !bytes.Equal(key, want) {
			t.Fatalf("got %x, %v, want %x", key, err, want)
		}
		wg.Wait()
		if idle(t, pool); t.Failed() {
			return
		}
	}
}

// isAlone is an environment variable with the name of a test that runs alone.
const isAlone = "PBKDF2_TEST_ALONE"

// alone runs a test in a process of its own, with more settings of GODEBUG.
func alone(t *testing.T, godebug string, test func()) {
	t.Helper()
	if os.Getenv(isAlone) == t.Name() {
		test()
		return
	}
	if strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") {
		t.Skip("the emulator that needs GODEBUG=asyncpreemptoff=1 cannot start a process")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, "-test.v", "-test.run=^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", fmt.Sprint("-test.short=", testing.Short()),
		"-test.gocoverdir="+flag.Lookup("test.gocoverdir").Value.String())
	cmd.Env = append(os.Environ(), isAlone+"="+t.Name(), "GODEBUG="+os.Getenv("GODEBUG")+","+godebug)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Skipf("no other process can be started here: %v", err)
	case bytes.Contains(out, []byte("--- SKIP: "+t.Name()+" (")):
		t.Skipf("%s", out)
	case err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name()+" (")):
		t.Errorf("%v\n%s", err, out)
	}
}

// Features that are switched off are not used.
func TestFaultFeatureUnusable(t *testing.T) {
	for _, off := range append(strings.Fields(needed().String()), "all") {
		t.Run(off, func(t *testing.T) {
			if os.Getenv(isAlone) == "" && off != "all" && slow(t) {
				t.Skip("processes start slowly here")
			}
			alone(t, "cpu."+off+"=off", func() {
				for _, f := range strings.Fields(features.String()) {
					if f == off || off == "all" {
						t.Errorf("%s is on", f)
					}
				}
				eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
					for _, k := range v.kernels().kernels {
						if k.needs&^features != 0 {
							t.Errorf("%s needs more than %v", k.name, features)
						}
					}
					equal(t, h, "password", []byte("salt"), 1000, 5*v.size)
				})
				kernelInfo(t)
			})
		})
	}
}

// needed are the features that some row or compression function of this architecture needs.
func needed() (all cpu.Features) {
	for _, r := range rows {
		all |= r.needs
	}
	for _, c := range compressors {
		all |= c.needs
	}
	return all
}

// Whatever set of features a CPU may have, no row and no compression function is selected that needs more; there is always one of each.
func TestFaultSelection(t *testing.T) {
	for has := needed(); ; has = (has - 1) & needed() { // all subsets
		for id := range numHashes {
			selected := newTable(id, rows, compressors, has, false)
			for _, k := range selected.kernels {
				if k.needs&^has != 0 {
					t.Errorf("%s with %v", k.name, has)
				}
			}
			if len(selected.plans) == 0 || selected.compress == nil {
				t.Errorf("%s: nothing to run on with %v", variants[id].name, has)
			}
		}
		if has == 0 {
			break
		}
	}
}

// All kernels while the runtime looks at their stacks: traced, and profiled at a high rate.
func TestFaultFramePointer(t *testing.T) {
	alone(t, "", func() {
		runtime.SetCPUProfileRate(2000) // StartCPUProfile then warns that it cannot set its own
		if err := pprof.StartCPUProfile(new(bytes.Buffer)); err != nil {
			t.Skip(err)
		}
		defer pprof.StopCPUProfile()
		if err := trace.Start(new(bytes.Buffer)); err != nil {
			t.Skip(err)
		}
		defer trace.Stop()
		eachKernel(t, func(t *testing.T, v *variant, k kernel) {
			pin(t, v, k.name)
			password, salt := "password", []byte("salt")
			iter, keyLength := 200, k.lanes*v.size
			want := reference(t, hashes[v.id], password, salt, iter, keyLength)
			for end := time.Now().Add(15 * time.Millisecond); time.Now().Before(end); {
				if key, err := Key(hashes[v.id], password, salt, iter, keyLength); err != nil || !bytes.Equal(key, want) {
					t.Fatalf("got %x, %v, want %x", key, err, want)
				}
			}
		})
	})
}

// However h comes by its hash, it is known by what it returns.
func TestFaultFunctionPointer(t *testing.T) {
	for id, c := range [numHashes]crypto.Hash{
		idMD5: crypto.MD5, idSHA1: crypto.SHA1, idSHA224: crypto.SHA224, idSHA256: crypto.SHA256,
		idSHA384: crypto.SHA384, idSHA512: crypto.SHA512, idSHA512_224: crypto.SHA512_224, idSHA512_256: crypto.SHA512_256,
	} {
		v, want := variants[id], Implementation(hashes[id])
		reset := func() hash.Hash { h := hashes[id](); h.Write([]byte("data")); h.Reset(); return h }
		one := hashes[id]()
		for _, h := range []func() hash.Hash{c.New, func() hash.Hash { return hashes[id]() }, reset, func() hash.Hash { return one }} {
			if got := Implementation(h); got != want {
				t.Errorf("%s: %s", want, got)
			}
		}
		equal(t, c.New, "password", []byte("salt"), 5, 2*v.size)
		equal(t, reset, "password", []byte("salt"), 5, 2*v.size)
	}
}

// A hash that has data in it, or that only looks like one of the eight, is computed as crypto/pbkdf2 would.
func TestFilledHash(t *testing.T) {
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		filled := func() hash.Hash { d := h(); d.Write([]byte("x")); return d }
		for _, n := range []int{0, 8, 128, 129, 300} { // the data matters to a password that is hashed first
			equal(t, filled, strings.Repeat("p", n), []byte("salt"), 3, 2*v.size)
		}
		if got := Implementation(filled); got != "crypto/pbkdf2" {
			t.Error(got)
		}
	})
}

// sha3.New256 returns a concrete type.
func TestFaultConcreteType(t *testing.T) {
	want := reference(t, sha3.New256, "password", []byte("salt"), 10, 100)
	got, err := Key(sha3.New256, "password", []byte("salt"), 10, 100)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("Key: got %x, %v, want %x", got, err, want)
	}
	got, err = KeyContext(t.Context(), sha3.New256, "password", []byte("salt"), 10, 100)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("KeyContext: got %x, %v, want %x", got, err, want)
	}
	jobs := []Job{{Password: []byte("password"), Salt: []byte("salt"), Iter: 10, Key: make([]byte, 100)}}
	if err := Batch(t.Context(), sha3.New256, jobs, nil); err != nil || !bytes.Equal(jobs[0].Key, want) {
		t.Errorf("Batch: got %x, %v, want %x", jobs[0].Key, err, want)
	}
}

// Assembly keeps to the registers that Go leaves it, and leaves no upper halves of vector registers behind.
func TestFaultReservedRegister(t *testing.T) {
	files, err := filepath.Glob("internal/*/*_" + runtime.GOARCH + ".s")
	if err != nil {
		t.Fatal(err)
	}
	reserved := map[string][]string{
		"amd64": {"BP", "R15"}, // R15 is taken where plugins are built
		"arm64": {"R18", "R18_PLATFORM", "R27", "R28", "R29", "R30", "g"},
	}[runtime.GOARCH]
	wide := func(register string) bool { // than 128 bits
		return len(register) > 1 && (register[0] == 'Y' || register[0] == 'Z') && '0' <= register[1] && register[1] <= '9'
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		used, before := false, ""
		for line := range strings.Lines(string(b)) {
			line, _, _ = strings.Cut(line, "//")
			words := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(" \t\n,()[]*", r) })
			if len(words) == 0 || strings.HasSuffix(words[0], ":") { // a label is for those who do nothing
				continue
			}
			if words[0] == "TEXT" {
				used = false
			} else if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(reserved, w) }) {
				t.Errorf("%s: %s", name, line)
			}
			if words[0] == "RET" && used && before != "VZEROUPPER" {
				t.Errorf("%s: RET after %s", name, before)
			}
			used = used || runtime.GOARCH == "amd64" && slices.ContainsFunc(words, wide)
			before = words[0]
		}
	}
}

// No function for amd64 that has VEX instructions has legacy SSE instructions as well: on some CPUs each change from one to the other costs some 70 cycles.
func TestFaultSSEInVEX(t *testing.T) {
	files, err := filepath.Glob("internal/*/*_amd64.s")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	vector := regexp.MustCompile(`^\t([A-Z0-9]+).*\b[XYZ][0-9]+\b`)
	functions, legacyOnly := 0, 0
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, function := range strings.Split(string(text), "\nTEXT ")[1:] {
			vex, legacy := "", ""
			for _, line := range strings.Split(function, "\n") {
				switch m := vector.FindStringSubmatch(line); {
				case m == nil:
				case m[1][0] == 'V':
					vex = m[1]
				default:
					legacy = m[1]
				}
			}
			functions++
			if legacy != "" {
				legacyOnly++
			}
			if vex != "" && legacy != "" {
				t.Errorf("%s, %.40s: %s and %s", name, function, vex, legacy)
			}
		}
	}
	if functions < 40 || legacyOnly == 0 { // SHA-NI's are legacy SSE
		t.Errorf("%d functions, %d with legacy SSE", functions, legacyOnly)
	}
}
