// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/fastkdf/pbkdf2/internal/sha256"
)

// The tests here look for time that depends on secrets as dudect does (Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?", 2016): code runs on an input that is always the
// same or on a random one, by lot, and Welch's test compares the two distributions of times. asm/branches looks for the same in the code.

// A timing is code whose time is looked at. Secret is where its input goes, and with it everything else that is not constant; run does not need more.
type timing struct {
	secret []uint64
	run    func()
}

// fill makes the secret random in class 1, and each word of it pattern in class 0, by the same instructions: a branch on the class, which a compiler that does not optimise makes of an if,
// would stay in the CPU's history of branches, by which it predicts those of the code that is timed.
func (c timing) fill(r *rand.Rand, class uint64, pattern uint64) {
	mask := class - 1
	for i := range c.secret {
		c.secret[i] = r.Uint64()&^mask | pattern&mask
	}
}

// statistic is the largest |t| of so many times of each class: of all of them, and of those that are below some percentiles of all, since the slowest tell of other processes.
func (c timing) statistic(r *rand.Rand, samples int, pattern uint64) (t float64) {
	times := [2][]float64{}
	var all []float64
	for i := range 2*samples + 20 {
		class := r.Uint64() & 1
		c.fill(r, class, pattern)
		start := time.Now()
		c.run()
		took := float64(time.Since(start))
		if i >= 20 { // the first ones are slower
			times[class] = append(times[class], took)
			all = append(all, took)
		}
	}
	slices.Sort(all)
	for _, percentile := range []float64{1, 0.99, 0.95, 0.9, 0.8, 0.6, 0.4, 0.2} {
		limit := all[int(percentile*float64(len(all)-1))]
		t = max(t, math.Abs(welch(times[0], times[1], limit)))
	}
	return t
}

// welch is Welch's t of the times up to limit, or 0 if there are too few of them or all are the same.
func welch(a, b []float64, limit float64) float64 {
	moments := func(times []float64) (n, mean, variance float64) {
		for _, x := range times {
			if x <= limit {
				n++
				delta := x - mean
				mean += delta / n
				variance += delta * (x - mean)
			}
		}
		return n, mean, variance / (n - 1)
	}
	n, meanA, varianceA := moments(a)
	m, meanB, varianceB := moments(b)
	if n < 50 || m < 50 || varianceA+varianceB == 0 {
		return 0
	}
	return (meanA - meanB) / math.Sqrt(varianceA/n+varianceB/m)
}

// leaks tells whether the time depends on the secret: |t| is above 10, and again in three more measurements, each of twice as many samples as the last.
func (c timing) leaks(r *rand.Rand, samples int) (bool, string) {
	report := ""
	for _, pattern := range []uint64{0, math.MaxUint64, 0x0123456789abcdef} {
		for again := range 4 {
			t := c.statistic(r, samples<<again, pattern)
			report += fmt.Sprintf("%016x: %.1f ", pattern, t)
			if t < 10 {
				break
			}
			if again == 3 {
				return true, report
			}
		}
	}
	return false, report
}

// iterations is a timing of a kernel, on random states, for about a microsecond. The first iteration's time counts for much of that: later words are as good as random for both classes.
func iterations(v *variant, k kernel) timing {
	state := aligned(4 * v.stateBytes() * k.lanes / 8)
	n := max(1, 2000/k.cost)
	return timing{state, func() { advance(&k, &state[0], n) }}
}

// timingSamples is how many times of each class are taken at first. With PBKDF2_TEST_LONG=1 it takes a quarter of an hour.
func timingSamples(t *testing.T) int {
	if runtime.GOARCH == "wasm" || slow(t) && !race {
		t.Skip("the time of an emulator is not the CPU's")
	}
	fineClock(t, 500*time.Nanosecond) // what is timed takes a microsecond or so
	switch {
	case os.Getenv("PBKDF2_TEST_LONG") == "1":
		return 200_000
	case testing.Short():
		return 1000
	}
	return 2500
}

// Neither a kernel's time depends on the state, nor that of a derivation with it on password or salt.
func TestConstantTime(t *testing.T) {
	samples := timingSamples(t)
	r := rand.New(rand.NewPCG(20, uint64(time.Now().UnixNano())))
	check := func(t *testing.T, of string, c timing) {
		leaks, report := c.leaks(r, samples)
		if t.Logf("%s: %s", of, report); leaks {
			t.Errorf("the time depends on the %s: %s", of, report)
		}
	}
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		check(t, "state", iterations(v, k))
		pin(t, v, k.name)
		var password, salt [4]uint64
		derive := func() { Key(hashes[v.id], text(bytesOf(password[:])), bytesOf(salt[:]), 2, v.size) }
		check(t, "password", timing{password[:], derive})
		check(t, "salt", timing{salt[:], derive})
	})
	for _, c := range compressors {
		if c.needs&^features != 0 {
			continue
		}
		t.Run(variants[c.hashes[0]].name+"/"+c.isa, func(t *testing.T) {
			v := variants[c.hashes[0]]
			var state [maxWords]uint64
			message := make([]uint64, 4*v.block()/8)
			run := func() { c.compress(&state[0], bytesOf(message)) }
			check(t, "state", timing{state[:], run})
			check(t, "message", timing{message, run})
		})
	}
}

var planted uint64

// What a kernel must not do is found: a branch on a bit of the state, and a table that is read at a place that the state says.
func TestConstantTimePlanted(t *testing.T) {
	samples := timingSamples(t)
	r := rand.New(rand.NewPCG(21, uint64(time.Now().UnixNano())))
	entries := make([]uint64, 1<<18) // 2 MiB, more than the nearest cache has
	for i := range entries {
		entries[i] = mix(uint64(i))
	}
	for name, plant := range map[string]iterate{
		"branch": func(state *uint64, n int) {
			sha256.IterateGeneric(state, n)
			if *state&1 == 1 {
				for range 100 { // some 400 cycles beside 2000: found while others use the core, too
					planted = planted*6364136223846793005 + 1
				}
			}
		},
		"table": func(state *uint64, n int) {
			sha256.IterateGeneric(state, n)
			for _, w := range unsafe.Slice(state, maxWords) {
				planted += entries[w%uint64(len(entries))]
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := kernel{name: name, lanes: 1, cost: 1000, iterate: plant}
			within(t, func() (bool, string) { return iterations(variants[idSHA256], k).leaks(r, samples) })
		})
	}
}
