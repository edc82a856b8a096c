// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	stdpbkdf2 "crypto/pbkdf2"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/fastkdf/pbkdf2"
	"github.com/fastkdf/pbkdf2/cmd/pbkdf2/internal/report"
)

// poolSteps: one per cell.
func poolSteps(s *spec) int { return len(s.Hashes) * len(s.PoolIter) * len(s.Goroutines) }

// A caller is a way to derive a key, as a server's handler would.
type caller struct {
	key  string // prefix of its columns
	head string
	call func(h hashInfo, iter int) ([]byte, error)
}

// callers are the ways to compare. Each cell has a Pool of its own.
func callers(m *meter) []caller {
	pool := new(pbkdf2.Pool)
	return []caller{
		{"std", "crypto/pbkdf2", func(h hashInfo, iter int) ([]byte, error) {
			return stdpbkdf2.Key(h.new, benchPassword, benchSalt, iter, h.size)
		}},
		{"key", "Key", func(h hashInfo, iter int) ([]byte, error) {
			return pbkdf2.Key(h.new, benchPassword, benchSalt, iter, h.size)
		}},
		{"pool", "Pool", func(h hashInfo, iter int) ([]byte, error) {
			return pool.Key(m.ctx, h.new, benchPassword, benchSalt, iter, h.size)
		}},
	}
}

// measurePool lets goroutines call crypto/pbkdf2, Key and a Pool, as many
// times as there is time for.
func measurePool(m *meter) error {
	for _, h := range m.hashes {
		for _, iter := range m.PoolIter {
			var calls []func() ([]byte, error)
			for _, w := range callers(m) {
				calls = append(calls, func() ([]byte, error) { return w.call(h, iter) })
			}
			if err := sameKeys(h, calls[0], calls[1:]...); err != nil {
				return err
			}
			alone := timed(calls[0])
			for _, n := range m.Goroutines {
				if err := m.cell(h, iter, n, alone); err != nil {
					return err
				}
				if err := m.step(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// cell measures n goroutines that derive keys with that many iterations;
// crypto/pbkdf2 takes the time alone for one on one core.
func (m *meter) cell(h hashInfo, iter, n int, alone time.Duration) error {
	// Every goroutine finishes the call it has begun, so this is the least:
	least := alone * time.Duration(n) / time.Duration(min(n, runtime.GOMAXPROCS(0)))
	if least > m.Limit {
		return m.say(event{Note: fmt.Sprintf("%d goroutines with %d iterations of %s are left out: crypto/pbkdf2 alone would need %v (see -pool-limit).", n, iter, h.name, least.Round(time.Second))})
	}
	// Several short rounds in turn, if they aren't short of calls.
	rounds := max(1, min(4, int(m.Cell/max(least, 1)/4)))
	row := report.Row{"hash": h.name, "iterations": float64(iter), "goroutines": float64(n)}
	ways := callers(m)
	loads := make([]load, len(ways))
	for range rounds {
		for i, w := range ways {
			if err := loads[i].run(n, m.Cell/time.Duration(rounds), func() error { _, err := w.call(h, iter); return err }); err != nil {
				return err
			}
			if err := m.ctx.Err(); err != nil {
				return err
			}
		}
	}
	rates := map[string]float64{}
	for i, w := range ways {
		rates[w.key] = float64(len(loads[i].latencies)) / max(loads[i].elapsed, 1).Seconds()
		row[w.key+"_rate"] = rates[w.key]
		row[w.key+"_p50_ms"] = ms(quantile(loads[i].latencies, 0.5))
		row[w.key+"_p99_ms"] = ms(quantile(loads[i].latencies, 0.99))
	}
	row["to_std"] = rates["pool"] / rates["std"]
	row["to_key"] = rates["pool"] / rates["key"]
	return m.say(event{Row: row})
}

// A load is what goroutines met that all made the same call over and over.
type load struct {
	latencies []time.Duration
	elapsed   time.Duration
}

// run adds n goroutines' calls. None begins after d, but each makes one.
func (l *load) run(n int, d time.Duration, call func() error) error {
	var (
		mu    sync.Mutex
		first error
		wg    sync.WaitGroup
	)
	start := time.Now()
	for range n {
		wg.Go(func() {
			var own []time.Duration
			var err error
			for err == nil && (len(own) == 0 || time.Since(start) < d) {
				begin := time.Now()
				runtime.Gosched() // a request that arrives has its goroutine wait for its turn to run
				err = call()
				own = append(own, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			l.latencies = append(l.latencies, own...)
			if first == nil {
				first = err
			}
		})
	}
	wg.Wait()
	l.elapsed += time.Since(start)
	return first
}

// poolTable makes the table of concurrent callers.
func poolTable(s *spec, rows []report.Row) report.Table {
	t := report.Table{
		Name:  "pool",
		Title: "Calls per second and latency of many goroutines that derive one key each, over and over",
		Columns: []report.Column{
			{Key: "hash", Head: "Hash"},
			{Key: "iterations", Head: "iterations"},
			{Key: "goroutines", Head: "goroutines"},
		},
		Rows: rows,
		Notes: []string{
			fmt.Sprintf("%v for each figure, on the same cores in turn. to std, to Key: Pool's rate over theirs. A latency begins when the goroutine could run, as that of a request does.", s.Cell),
		},
	}
	var rates, latencies []string
	for _, w := range callers(nil) {
		t.Columns = append(t.Columns,
			report.Column{Key: w.key + "_rate", Head: w.head, Unit: "/s", Digits: 1},
			report.Column{Key: w.key + "_p50_ms", Head: "p50", Label: w.head, Unit: " ms", Digits: 1},
			report.Column{Key: w.key + "_p99_ms", Head: "p99", Label: w.head, Unit: " ms", Digits: 1})
		rates, latencies = append(rates, w.key+"_rate"), append(latencies, w.key+"_p99_ms")
	}
	t.Columns = append(t.Columns,
		report.Column{Key: "to_std", Head: "to std", Unit: "x", Digits: 2},
		report.Column{Key: "to_key", Head: "to Key", Unit: "x", Digits: 2})
	t.Charts = []report.Chart{
		{Title: "Calls per second, longer is better", Panel: []string{"hash", "iterations"}, Group: "goroutines", Bars: rates},
		{Title: "Latency, 99th percentile, shorter is better", Panel: []string{"hash", "iterations"}, Group: "goroutines", Bars: latencies},
	}
	return t
}
