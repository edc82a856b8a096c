// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"context"
	"fmt"
	"hash"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// onEveryCore runs load on as many goroutines as there are processors, and look beside them. Load ends when its context is done.
func onEveryCore(load func(ctx context.Context), look func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() { load(ctx) })
	}
	time.Sleep(2 * time.Millisecond)
	look()
	cancel()
	wg.Wait()
}

// loads keep a processor busy: each of the functions with 10^8 iterations, and Key, which cannot be cancelled, with some milliseconds' worth of them
// again and again.
func loads(v *variant) map[string]func(ctx context.Context) {
	h, pool := hashes[v.id], new(Pool)
	all := map[string]func(context.Context){
		"Key": func(ctx context.Context) {
			for ctx.Err() == nil {
				Key(h, "password", nil, 300*v.kernels().plans[0].slice(), v.size)
			}
		},
	}
	for _, e := range []entry{keyContextEntry, {"Batch", batchOne}, {"Pool", pool.Key}} {
		all[e.name] = func(ctx context.Context) { e.key(ctx, h, "password", nil, 1e8, 3*v.size) }
	}
	return all
}

// batchOne is a batch of one worker.
func batchOne(ctx context.Context, h func() hash.Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	return nil, Batch(ctx, h, []Job{{Password: readOnly(password), Salt: salt, Iter: iter, Key: make([]byte, keyLength)}}, &BatchOptions{Workers: 1})
}

// spin is a load of Go's own.
func spin(ctx context.Context) {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	for x := uint64(1); !stop.Load(); {
		x = mix(x)
	}
}

// yield is spin that lets others run about as often as the functions with a context do. Where other processes want the processors too, that alone makes
// collections wait.
func yield(ctx context.Context) {
	for x := uint64(1); ctx.Err() == nil; runtime.Gosched() {
		for range 400 {
			x = mix(x)
		}
	}
}

// mix is not inlined: without signals (GODEBUG=asyncpreemptoff=1) the runtime stops goroutines only where functions begin.
//
//go:noinline
func mix(x uint64) uint64 {
	for i := range 1000 {
		x = x*6364136223846793005 + uint64(i)
	}
	return x
}

// A measurement is how long something took. For the 99th percentile those samples do not count in which the system has given a processor of ours
// to somebody else. On a busy machine hardly any are left; then the first quartile of all must do, also for what it is compared with.
type measurement struct {
	p99, p25       time.Duration
	quiet, samples int // how many
}

// isQuiet tells whether a percentile of the samples that count means anything.
func (m measurement) isQuiet() bool { return m.quiet >= 20 }

// figure is what a measurement comes to.
func (m measurement) figure(quiet bool) time.Duration {
	if quiet {
		return m.p99
	}
	return m.p25
}

func (m measurement) String() string {
	return fmt.Sprintf("%v (p99 of %d of %d samples; p25 of all is %v)", m.p99, m.quiet, m.samples, m.p25)
}

// measure takes samples for a while, beside load on every core.
func measure(load func(ctx context.Context), while time.Duration, sample func() time.Duration) measurement {
	var all, quiet []time.Duration
	onEveryCore(load, func() {
		for start := time.Now(); time.Since(start) < while || len(all) < 5; {
			before := switches()
			took := sample()
			all = append(all, took)
			if switches() == before {
				quiet = append(quiet, took)
			}
		}
	})
	percentile := func(times []time.Duration, n int) time.Duration {
		if len(times) == 0 {
			return 0
		}
		slices.Sort(times)
		return times[len(times)*n/100]
	}
	return measurement{percentile(quiet, 99), percentile(all, 25), len(quiet), len(all)}
}

// tick is the least step that the clock makes.
func tick() time.Duration {
	least := time.Hour
	for range 5 {
		for start := time.Now(); ; {
			if step := time.Since(start); step > 0 {
				least = min(least, step)
				break
			}
		}
	}
	return least
}

// fineClock skips a test that cannot do with longer ticks of the clock: those of the one that Go reads on Windows are 0.5 to 15 ms. Where PBKDF2_TEST_NATIVE=1, as in .ci/run on Linux, it fails instead.
func fineClock(t *testing.T, most time.Duration) {
	t.Helper()
	ticks := tick()
	if ticks <= most {
		return
	}
	says := fmt.Sprintf("the clock ticks every %v, too seldom for what is measured here: that needs %v", ticks, most)
	if os.Getenv("PBKDF2_TEST_NATIVE") == "1" {
		t.Fatal(says + "; PBKDF2_TEST_NATIVE=1 forbids to skip it")
	}
	t.Skip(says)
}

// stopping is how long a forced garbage collection waits for all goroutines to stop.
func stopping() time.Duration {
	s := []metrics.Sample{{Name: "/sched/pauses/stopping/gc:seconds"}}
	metrics.Read(s)
	before := slices.Clone(s[0].Value.Float64Histogram().Counts)
	runtime.GC()
	metrics.Read(s)
	after := s[0].Value.Float64Histogram()
	for i := len(before) - 1; i > 0; i-- {
		if after.Counts[i] > before[i] {
			return time.Duration(after.Buckets[i] * 1e9) // the lower bound: the last upper one is infinite
		}
	}
	return 0
}

// A garbage collection that is forced while derivations run on every core waits for them hardly longer than for Go's own code.
func TestFaultCollectorWaits(t *testing.T) {
	interruptible(t)
	const while, most = 150 * time.Millisecond, 300 * time.Microsecond
	if runtime.GOARCH == "wasm" {
		t.Skip("nothing interrupts a goroutine here")
	}
	if slow(t) && !race {
		t.Skip("an emulator or a sanitizer takes longer for a slice than a CPU")
	}
	fineClock(t, most/5)
	test := func(t *testing.T, load, other func(context.Context)) {
		within(t, func() (bool, string) {
			control, ours := measure(other, while, stopping), measure(load, while, stopping)
			quiet := control.isQuiet() && ours.isQuiet()
			return ours.figure(quiet) <= control.figure(quiet)+most, fmt.Sprintf("collections waited %v; for Go's own loop %v; quiet: %v", ours, control, quiet)
		})
	}
	for name, load := range loads(variants[idSHA256]) {
		other := yield
		if name == "Key" {
			other = spin
		}
		t.Run(name, func(t *testing.T) { test(t, load, other) })
	}
	if !testing.Short() {
		eachKernel(t, func(t *testing.T, v *variant, k kernel) {
			pin(t, v, k.name)
			test(t, loads(v)["Key"], spin)
		})
	}
}

// Timers, tickers and deadlines are on time beside a KeyContext, a Batch and a Pool that keep every core busy.
func TestFaultTimersWait(t *testing.T) {
	interruptible(t)
	if slow(t) && !race {
		t.Skip("an emulator or a sanitizer takes longer for a slice than a CPU")
	}
	const most = 2 * time.Millisecond
	fineClock(t, most/5)
	for name, load := range loads(variants[idSHA256]) {
		if name == "Key" {
			continue // it lets the scheduler interrupt it, no more
		}
		ticker := time.NewTicker(time.Millisecond)
		defer ticker.Stop()
		for what, late := range map[string]func() time.Duration{
			"sleep": func() time.Duration {
				start := time.Now()
				time.Sleep(time.Millisecond)
				return time.Since(start) - time.Millisecond
			},
			"ticker": func() time.Duration { // its second tick
				ticker.Reset(time.Millisecond)
				start := time.Now()
				<-ticker.C
				<-ticker.C
				return time.Since(start) - 2*time.Millisecond
			},
			"deadline": func() time.Duration {
				deadline := time.Now().Add(time.Millisecond)
				ctx, cancel := context.WithDeadline(context.Background(), deadline)
				defer cancel()
				<-ctx.Done()
				return time.Since(deadline)
			},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				within(t, func() (bool, string) {
					late := measure(load, 300*time.Millisecond, late)
					return late.figure(late.isQuiet()) < most, fmt.Sprintf("late by %v", late)
				})
			})
		}
	}
}
