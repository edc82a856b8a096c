// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	stdpbkdf2 "crypto/pbkdf2"
	"fmt"
	"slices"
	"time"

	"github.com/fastkdf/pbkdf2"
	"github.com/fastkdf/pbkdf2/cmd/pbkdf2/internal/report"
)

// What is derived from in all tables.
const benchPassword = "correct horse battery staple"

var benchSalt = []byte("sixteen bytes ok")

// timingSteps: one per hash for the check, one per pair.
func timingSteps(s *spec) int { return len(s.Hashes) * (1 + s.Repeat) }

// measureTimings times single derivations, crypto/pbkdf2 and Key in turn.
func measureTimings(m *meter) error {
	for _, h := range m.hashes {
		std := func() ([]byte, error) { return stdpbkdf2.Key(h.new, benchPassword, benchSalt, m.Iter, h.size) }
		own := func() ([]byte, error) { return pbkdf2.Key(h.new, benchPassword, benchSalt, m.Iter, h.size) }
		if err := sameKeys(h, std, own); err != nil { // and both are warm now
			return err
		}
		if err := m.step(); err != nil {
			return err
		}
		var stds, owns []time.Duration
		var speeds []float64
		for i := range m.Repeat {
			first, second := std, own
			if i%2 == 1 {
				first, second = own, std
			}
			a, b := timed(first), timed(second)
			if i%2 == 1 {
				a, b = b, a
			}
			stds, owns, speeds = append(stds, a), append(owns, b), append(speeds, ratio(a, b))
			if err := m.step(); err != nil {
				return err
			}
		}
		row := report.Row{
			"hash":           h.name,
			"std_ms":         ms(mean(stds)),
			"std_median_ms":  ms(median(stds)),
			"std_fastest_ms": ms(slices.Min(stds)),
			"own_ms":         ms(mean(owns)),
			"own_median_ms":  ms(median(owns)),
			"own_fastest_ms": ms(slices.Min(owns)),
			"time":           100 / ratio(mean(stds), mean(owns)),
			"speed":          ratio(mean(stds), mean(owns)),
			"speed_fastest":  ratio(slices.Min(stds), slices.Min(owns)),
			"speed_median":   median(speeds),
			"speed_q1":       quantile(speeds, 0.25),
			"speed_q3":       quantile(speeds, 0.75),
			"implementation": pbkdf2.Implementation(h.new),
		}
		if err := m.say(event{Row: row}); err != nil {
			return err
		}
	}
	return nil
}

// sameKeys runs derivations that must give the same key.
func sameKeys(h hashInfo, first func() ([]byte, error), others ...func() ([]byte, error)) error {
	want, err := first()
	if err != nil {
		return err
	}
	for _, f := range others {
		got, err := f()
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("%s: the results differ: crypto/pbkdf2 has %x, here it is %x", h.name, want, got)
		}
	}
	return nil
}

// timed returns how long f takes. It has run without an error before.
func timed(f func() ([]byte, error)) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// ratio returns a/b. No duration is taken as less than one nanosecond.
func ratio(a, b time.Duration) float64 { return float64(max(a, 1)) / float64(max(b, 1)) }

// timingTable makes the table of single derivations.
func timingTable(s *spec, rows []report.Row) report.Table {
	release := map[any]float64{} // fastest time of Key by hash
	for _, r := range rows {
		if r["build"] == "release" {
			release[r["hash"]] = number(r, "own_fastest_ms")
		}
	}
	noisy := 0
	for _, r := range rows {
		if t := release[r["hash"]]; t > 0 {
			r["to_release"] = number(r, "own_fastest_ms") / t
		}
		if number(r, "speed_q3") > 1.2*number(r, "speed_q1") {
			noisy++
		}
	}
	t := report.Table{
		Name:  "debug",
		Title: fmt.Sprintf("Time for one derivation of %d iterations, by build", s.Iter),
		Columns: []report.Column{
			{Key: "build", Head: "Build"},
			{Key: "hash", Head: "Hash"},
			{Key: "std_ms", Head: "crypto/pbkdf2", Unit: " ms", Digits: 3},
			{Key: "std_median_ms", Head: "crypto/pbkdf2, median", Unit: " ms", Digits: 3, Detail: true},
			{Key: "std_fastest_ms", Head: "crypto/pbkdf2, fastest", Unit: " ms", Digits: 3, Detail: true},
			{Key: "own_ms", Head: "Key", Unit: " ms", Digits: 3},
			{Key: "own_median_ms", Head: "Key, median", Unit: " ms", Digits: 3, Detail: true},
			{Key: "own_fastest_ms", Head: "Key, fastest", Unit: " ms", Digits: 3, Detail: true},
			{Key: "time", Head: "Time", Unit: " %", Digits: 1},
			{Key: "speed", Head: "Speed", Unit: "x", Digits: 2},
			{Key: "speed_fastest", Head: "Fastest", Unit: "x", Digits: 2},
			{Key: "speed_median", Head: "Median", Unit: "x", Digits: 2, Detail: true},
			{Key: "speed_q1", Head: "Q1", Unit: "x", Digits: 2},
			{Key: "speed_q3", Head: "Q3", Unit: "x", Digits: 2},
			{Key: "to_release", Head: "Key/release", Digits: 2},
			{Key: "implementation", Head: "Implementation"},
		},
		Rows:   rows,
		Charts: []report.Chart{{Title: fmt.Sprintf("One derivation of %d iterations: time, shorter is better", s.Iter), Panel: []string{"build"}, Group: "hash", Bars: []string{"std_ms", "own_ms"}}},
		Notes: []string{
			fmt.Sprintf("Average of %d derivations each, of a key as long as the hash, crypto/pbkdf2 and Key in turn.", s.Repeat),
			"Time: Key's in percent of crypto/pbkdf2's. Speed: crypto/pbkdf2's time over Key's; Fastest: of the",
			"fastest run of each; Q1, Q3: quartiles of the pairs. Key/release: Key's fastest run over its fastest",
			"in the release build. golang.org/x/crypto/pbkdf2 needs no column: since v0.51.0 it calls crypto/pbkdf2.",
		},
	}
	if noisy > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("The machine was busy: in %d of %d lines the quartiles are more than 20 %% apart.", noisy, len(rows)))
	}
	return t
}

// number returns a number in a row, or 0.
func number(r report.Row, key string) float64 {
	v, _ := r[key].(float64)
	return v
}
