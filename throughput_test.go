// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// inTurn runs each function in turn, so many times, and returns how long each took: the median of its fastest quarter, since what shares a core with a
// virtual CPU makes some runs slower and none faster.
func inTurn(turns int, fs ...func()) []time.Duration {
	all := make([][]time.Duration, len(fs))
	for range turns {
		for i, f := range fs {
			start := time.Now()
			f()
			all[i] = append(all[i], time.Since(start))
		}
	}
	var took []time.Duration
	for _, s := range all {
		slices.Sort(s)
		took = append(took, median(s[:(len(s)+3)/4]))
	}
	return took
}

// rowSets are the names of a hash's rows, by what a benchmark or a test forces: all that the CPU has, those of one lane, or one kind of vector.
func rowSets(v *variant) map[string][]string {
	sets := map[string][]string{}
	for _, k := range v.kernels().kernels {
		sets["all"] = append(sets["all"], k.name)
		if k.lanes == 1 {
			sets["one lane"] = append(sets["one lane"], k.name)
		}
		for _, isa := range []string{"avx2", "avx512", "neon"} {
			if strings.HasPrefix(k.name, v.name+"/"+isa) {
				sets[isa] = append(sets[isa], k.name)
			}
		}
	}
	return sets
}

// manyJobs are jobs whose keys are one block, of the counts that iter returns.
func manyJobs(v *variant, count int, iter func(i int) int) []Job {
	jobs := make([]Job, count)
	for i := range jobs {
		jobs[i] = Job{Password: fmt.Append(nil, "password", i), Salt: fmt.Append(nil, "salt of job ", i), Iter: iter(i), Key: make([]byte, v.size)}
	}
	return jobs
}

// BenchmarkBatch times a Batch of 1024 jobs of 10 000 iterations on one worker and crypto/pbkdf2 in turn, for the rows that the CPU has and for its vector
// rows alone: nanoseconds per iteration and lane, and how many times as fast as crypto/pbkdf2. Mixed/equal is the throughput of counts from 1 to 20 000 over
// that of equal ones; one/key is what a batch of one takes over what Key takes.
func BenchmarkBatch(b *testing.B) {
	const count, iter = 1024, 10_000
	for _, id := range []hashID{idMD5, idSHA1, idSHA224, idSHA256, idSHA384, idSHA512} {
		v, h := variants[id], hashes[id]
		sets := rowSets(v)
		for _, set := range []string{"all", "avx2", "avx512", "neon"} {
			if sets[set] == nil {
				continue
			}
			b.Run(fmt.Sprintf("hash=%s/rows=%s", v.name, set), func(b *testing.B) {
				pin(b, v, sets[set]...)
				run := func(jobs []Job) func() {
					return func() {
						if err := Batch(context.Background(), h, jobs, &BatchOptions{Workers: 1}); err != nil {
							b.Fatal(err)
						}
					}
				}
				equal := manyJobs(v, count, func(int) int { return iter })
				total := 0
				mixed := manyJobs(v, count, func(i int) int { // 1 to 20 000, evenly spread and in no order
					n := 1 + i*397%count*(2*iter-1)/(count-1)
					total += n
					return n
				})
				salt := []byte("salt of 16 bytes")
				standard := func() { stdpbkdf2.Key(h, "password", salt, iter, v.size) }
				key := func() { Key(h, "password", salt, iter, v.size) }
				took := inTurn(8, standard, run(equal), run(mixed))
				single := inTurn(100, key, run(manyJobs(v, 1, func(int) int { return iter })))
				for b.Loop() {
				}
				perLane := float64(took[1].Nanoseconds()) / (count * iter)
				b.ReportMetric(perLane, "ns/iter")
				b.ReportMetric(float64(took[0].Nanoseconds())/iter/perLane, "std/batch")
				b.ReportMetric(perLane/(float64(took[2].Nanoseconds())/float64(total)), "mixed/equal")
				b.ReportMetric(float64(single[1])/float64(single[0]), "one/key")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// BenchmarkBatchFew has 256 jobs of so few iterations that set-up counts: what a loop over Key takes over what a Batch on one worker takes.
func BenchmarkBatchFew(b *testing.B) {
	for id, h := range hashes {
		for _, iter := range []int{1, 2, 10, 100} {
			v := variants[id]
			b.Run(fmt.Sprintf("hash=%s/iter=%d", v.name, iter), func(b *testing.B) {
				jobs := manyJobs(v, 256, func(int) int { return iter })
				took := inTurn(100,
					func() {
						for _, j := range jobs {
							Key(h, string(j.Password), j.Salt, j.Iter, len(j.Key))
						}
					},
					func() { Batch(context.Background(), h, jobs, &BatchOptions{Workers: 1}) })
				for b.Loop() {
				}
				b.ReportMetric(float64(took[0])/float64(took[1]), "key/batch")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// A poolMeasurement is what 64 goroutines with a Pool come to: its throughput over that of a Batch of as many jobs with as many workers, and over that of as many goroutines that call
// crypto/pbkdf2 and Key; and the latencies that one call in a hundred exceeds, from when its goroutine could run.
type poolMeasurement struct {
	batch, std, key float64
	p99, stdP99     time.Duration
}

// measurePool times all of them in turn.
func measurePool(v *variant) (m poolMeasurement) {
	const goroutines, calls, iter = 64, 4, 15_000
	h := hashes[v.id]
	var pool Pool
	var latencies [2][]time.Duration
	each := func(which int, key func(salt []byte)) func() {
		return func() {
			var all [goroutines][]time.Duration
			var wg sync.WaitGroup
			for g := range goroutines {
				wg.Go(func() {
					for range calls {
						start := time.Now()
						runtime.Gosched() // a request that arrives has its goroutine wait for its turn to run
						key([]byte{byte(g)})
						all[g] = append(all[g], time.Since(start))
					}
				})
			}
			wg.Wait()
			if which >= 0 {
				latencies[which] = append(latencies[which], slices.Concat(all[:]...)...)
			}
		}
	}
	jobs := manyJobs(v, goroutines*calls, func(int) int { return iter })
	took := inTurn(4,
		each(0, func(salt []byte) { pool.Key(context.Background(), h, "password", salt, iter, v.size) }),
		func() { Batch(context.Background(), h, jobs, &BatchOptions{Workers: runtime.GOMAXPROCS(0)}) },
		each(1, func(salt []byte) { stdpbkdf2.Key(h, "password", salt, iter, v.size) }),
		each(-1, func(salt []byte) { Key(h, "password", salt, iter, v.size) }))
	ratio := func(i int) float64 { return float64(took[i]) / float64(took[0]) }
	p99 := func(l []time.Duration) time.Duration { slices.Sort(l); return l[len(l)*99/100] }
	return poolMeasurement{ratio(1), ratio(2), ratio(3), p99(latencies[0]), p99(latencies[1])}
}

// BenchmarkPool reports what measurePool measures. GODEBUG=cpu.sha=off and the like give other rows.
func BenchmarkPool(b *testing.B) {
	for _, v := range variants {
		b.Run("hash="+v.name, func(b *testing.B) {
			m := measurePool(v)
			for b.Loop() {
			}
			b.ReportMetric(m.batch, "pool/batch")
			b.ReportMetric(m.std, "pool/std")
			b.ReportMetric(m.key, "pool/key")
			b.ReportMetric(float64(m.p99.Microseconds())/1000, "pool-p99-ms")
			b.ReportMetric(float64(m.stdP99.Microseconds())/1000, "std-p99-ms")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// TestPoolRates checks what a server relies on, on two processors: a Pool with 64 callers keeps 85 % of a Batch's throughput, answers sooner than crypto/pbkdf2 and is not slower than Key, also where
// there are rows of one lane only, so that it can gain nothing (5 % of that comparison is noise); and one caller alone waits hardly longer than for Key.
func TestPoolRates(t *testing.T) {
	if os.Getenv("PBKDF2_TEST_RATIOS") != "check" {
		t.Skip("`make bench-check` runs this: it takes minutes, and the machine for itself")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(min(2, runtime.GOMAXPROCS(0))))
	for _, v := range variants {
		sets := rowSets(v)
		for set, least := range map[string]float64{"all": 1, "one lane": 0.95} {
			t.Run(v.name+"/"+set, func(t *testing.T) {
				if set == "all" && len(sets[set]) == len(sets["one lane"]) {
					t.Skip("there is no row of several lanes")
				}
				pin(t, v, sets[set]...)
				within(t, func() (bool, string) {
					m := measurePool(v)
					return m.batch >= 0.85 && m.key >= least && m.p99 < m.stdP99,
						fmt.Sprintf("%.3f of Batch, %.2f of Key, %.2f of crypto/pbkdf2; p99 %v, crypto/pbkdf2 %v", m.batch, m.key, m.std, m.p99, m.stdP99)
				})
			})
		}
		t.Run(v.name+"/alone", func(t *testing.T) {
			within(t, func() (bool, string) {
				took := poolAlone(v, 15_000)
				return took[0] <= took[1]*105/100+20*time.Microsecond, fmt.Sprintf("%v, Key %v", took[0], took[1])
			})
		})
	}
}

// poolAlone is how long a call of a Pool that nobody else uses takes, and a call of Key.
func poolAlone(v *variant, iter int) []time.Duration {
	var pool Pool
	h, salt := hashes[v.id], []byte("salt of 16 bytes")
	return inTurn(max(9, min(400, 1_000_000/iter)),
		func() { pool.Key(context.Background(), h, "password", salt, iter, v.size) },
		func() { Key(h, "password", salt, iter, v.size) })
}

// BenchmarkPoolAlone is what a call of a Pool that nobody else uses takes over what Key takes, and how many microseconds it takes more.
func BenchmarkPoolAlone(b *testing.B) {
	for _, v := range variants {
		for _, iter := range []int{2, 1000, 4096, 15_000, 600_000} {
			b.Run(fmt.Sprintf("hash=%s/iter=%d", v.name, iter), func(b *testing.B) {
				took := poolAlone(v, iter)
				for b.Loop() {
				}
				b.ReportMetric(float64(took[0])/float64(took[1]), "pool/key")
				b.ReportMetric(float64((took[0]-took[1]).Nanoseconds())/1000, "more-µs")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}
