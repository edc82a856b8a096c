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
				jobs := newJobs(n, m.Iter, h.size)
				start := time.Now()
				if err := pbkdf2.Batch(m.ctx, h.new, jobs, &pbkdf2.BatchOptions{Workers: 1}); err != nil {
					return err
				}
				batches[i] = append(batches[i], millionsPerSecond(n, m.Iter, time.Since(start)))
			}
			if err := m.step(); err != nil {
				return err
			}
		}
		row := report.Row{"hash": h.name, "std": median(std)}
		best := 0.0
		for i, n := range m.Jobs {
			rate := median(batches[i])
			row[jobsKey(n)] = rate
			best = max(best, rate)
		}
		row["best"] = best / median(std)
		if err := m.say(event{Row: row}); err != nil {
			return err
		}
	}
	return nil
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
		for _, iter := range []int{min(m.Iter, 3), m.Iter} {
			jobs := newJobs(n, iter, h.size)
			if err := pbkdf2.Batch(m.ctx, h.new, jobs, &pbkdf2.BatchOptions{Workers: 1}); err != nil {
				return err
			}
			if iter == m.Iter {
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
			fmt.Sprintf("Median of %d batches each, of %d iterations per job, with one worker, crypto/pbkdf2 in turn.", s.Repeat, s.Iter),
			"Best: the best batch over crypto/pbkdf2.",
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
