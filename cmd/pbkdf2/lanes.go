// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	stdpbkdf2 "crypto/pbkdf2"
	"fmt"
	"time"

	"github.com/fastkdf/pbkdf2"
	"github.com/fastkdf/pbkdf2/cmd/pbkdf2/internal/report"
)

// laneSteps: one per hash for the check, one per repetition.
func laneSteps(s *spec) int { return len(s.Hashes) * (1 + s.Repeat) }

// measureLanes times batches of several sizes on one core, and crypto/pbkdf2
// on one core, in turn.
func measureLanes(m *meter) error {
	for _, h := range m.hashes {
		if err := checkBatches(m, h); err != nil {
			return err
		}
		if err := m.step(); err != nil {
			return err
		}
		var std []float64
		batches := make([][]float64, len(m.Jobs))
		for range m.Repeat {
			start := time.Now()
			if _, err := stdpbkdf2.Key(h.new, benchPassword, benchSalt, m.Iter, h.size); err != nil {
				return err
			}
			std = append(std, millionsPerSecond(1, m.Iter, time.Since(start)))
			for i, n := range m.Jobs {
				iter := laneIter(n, m.Iter)
				jobs := newJobs(n, iter, h.size)
				start := time.Now()
				if err := pbkdf2.Batch(m.ctx, h.new, jobs, &pbkdf2.BatchOptions{Workers: 1}); err != nil {
					return err
				}
				batches[i] = append(batches[i], millionsPerSecond(n, iter, time.Since(start)))
			}
			if err := m.step(); err != nil {
				return err
			}
		}
		row := report.Row{"hash": h.name, "std": quantile(std, fastestQuarter)}
		best := 0.0
		for i, n := range m.Jobs {
			rate := quantile(batches[i], fastestQuarter)
			row[jobsKey(n)] = rate
			best = max(best, rate)
		}
		row["best"] = best / quantile(std, fastestQuarter)
		if err := m.say(event{Row: row}); err != nil {
			return err
		}
	}
	return nil
}

// fastestQuarter is the quantile in the middle of the fastest quarter of rates.
// Whatever else the machine does only makes runs slower.
const fastestQuarter = 0.875

// laneIter is the number of iterations of each job in a batch of n. Large
// batches have fewer, so that no run is much more likely to be interrupted
// than others.
func laneIter(n, iter int) int {
	return min(iter, max(500, int(16*int64(iter)/int64(n))))
}

// jobsKey is the column of batches of n jobs.
func jobsKey(n int) string { return fmt.Sprintf("jobs_%d", n) }

// newJobs returns n jobs that differ in password and salt.
func newJobs(n, iter, size int) []pbkdf2.Job {
	jobs := make([]pbkdf2.Job, n)
	for i := range jobs {
		jobs[i] = pbkdf2.Job{
			Password: fmt.Appendf(nil, "%s %d", benchPassword, i),
			Salt:     fmt.Appendf(nil, "%s %d", benchSalt, i),
			Iter:     iter,
			Key:      make([]byte, size),
		}
	}
	return jobs
}

// checkBatches compares batches of every size with crypto/pbkdf2: all jobs
// with few iterations, the first one with all.
func checkBatches(m *meter, h hashInfo) error {
	for _, n := range m.Jobs {
		full := laneIter(n, m.Iter)
		for _, iter := range []int{min(full, 3), full} {
			jobs := newJobs(n, iter, h.size)
			if err := pbkdf2.Batch(m.ctx, h.new, jobs, &pbkdf2.BatchOptions{Workers: 1}); err != nil {
				return err
			}
			if iter == full {
				jobs = jobs[:1]
			}
			for _, j := range jobs {
				err := sameKeys(h,
					func() ([]byte, error) { return stdpbkdf2.Key(h.new, string(j.Password), j.Salt, iter, h.size) },
					func() ([]byte, error) { return j.Key, nil })
				if err != nil {
					return fmt.Errorf("batch of %d jobs: %w", n, err)
				}
			}
		}
	}
	return nil
}

// millionsPerSecond is the rate of n derivations of iter iterations each.
func millionsPerSecond(n, iter int, d time.Duration) float64 {
	return float64(n) * float64(iter) / 1e6 / max(d, 1).Seconds()
}

// laneTable makes the table of batches.
func laneTable(s *spec, rows []report.Row) report.Table {
	t := report.Table{
		Name:  "lanes",
		Title: "Millions of iterations per second on one core, Batch by number of jobs",
		Columns: []report.Column{
			{Key: "hash", Head: "Hash"},
			{Key: "std", Head: "crypto/pbkdf2", Digits: 2},
		},
		Rows: rows,
		Notes: []string{
			fmt.Sprintf("Fastest quarter of %d batches each, with one worker, of %d iterations per job (fewer in batches of", s.Repeat, s.Iter),
			"more than 16 jobs), crypto/pbkdf2 in turn. Best: the best batch over crypto/pbkdf2.",
		},
	}
	bars := []string{"std"}
	for _, n := range s.Jobs {
		head := fmt.Sprintf("%d jobs", n)
		if n == 1 {
			head = "1 job"
		}
		t.Columns = append(t.Columns, report.Column{Key: jobsKey(n), Head: head, Digits: 2})
		bars = append(bars, jobsKey(n))
	}
	t.Columns = append(t.Columns, report.Column{Key: "best", Head: "Best", Unit: "x", Digits: 1})
	t.Charts = []report.Chart{{Title: "Millions of iterations per second on one core, longer is better", Group: "hash", Bars: bars}}
	return t
}
