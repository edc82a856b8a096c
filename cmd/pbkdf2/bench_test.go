// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fastkdf/pbkdf2/cmd/pbkdf2/internal/report"
)

var update = flag.Bool("update", false, "write the golden files in testdata")

// A tiny measurement of all three builds, which really are built.
func TestBench(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the command three times")
	}
	status, stdout, stderr := runWith(t, "", "bench", "-table", "debug", "-hash", "sha256,md5", "-iter", "10", "-repeat", "2", "-format", "json")
	if status != exitOK || stderr != "" { // no progress bar without a terminal
		t.Fatalf("status %d, stderr %s", status, stderr)
	}
	r, err := report.Read(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Tables) != 1 || r.CPU == "" || r.Go != runtime.Version() || !strings.Contains(r.Command, "bench -table debug -hash sha256,md5 -iter 10") {
		t.Fatalf("%+v", r)
	}
	var got []string
	for _, row := range r.Tables[0].Rows {
		got = append(got, row["build"].(string)+" "+row["hash"].(string))
		for _, key := range []string{"std_ms", "own_ms", "time", "speed", "speed_median", "speed_fastest", "to_release"} {
			if v, _ := row[key].(float64); v <= 0 {
				t.Errorf("%v %v: %s is %v", row["build"], row["hash"], key, row[key])
			}
		}
	}
	want := []string{"release SHA-256", "release MD5", "debug SHA-256", "debug MD5"}
	if notes := strings.Join(r.Notes, "\n"); strings.Contains(notes, "The race build is left out") {
		t.Log(notes)
	} else {
		want = append(want, "race SHA-256", "race MD5")
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows %q, want %q", got, want)
	}
}

// The debug build is a debug build.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the command")
	}
	b, err := newBuilder(t.Context(), "")
	if err != nil {
		t.Skip(err)
	}
	exe, err := b.build(t.Context(), builds[1], t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range info.Settings {
		if s.Key == "-gcflags" && s.Value == "all=-N -l" {
			return
		}
	}
	t.Errorf("-gcflags not in %v", info.Settings)
}

// A build that fails is an error with the compiler's words.
func TestBuildFails(t *testing.T) {
	b, err := newBuilder(t.Context(), "")
	if err != nil {
		t.Skip(err)
	}
	_, err = b.build(t.Context(), build{"strange", []string{"-gcflags=-nonsense"}}, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "-nonsense") {
		t.Errorf("%v", err)
	}
}

// A go tool that cannot do what is asked of it, and a child that babbles.
func TestStrangeTools(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "plan9" || runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no shell scripts")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	tool := filepath.Join(dir, "go")
	script := func(text string) {
		if err := os.WriteFile(tool, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	script("exit 1")
	if _, err := newBuilder(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "go env") {
		t.Errorf("go env fails: %v", err)
	}
	script("echo >&2 -race is not supported on an abacus; exit 1")
	b := &builder{goTool: tool, source: dir, env: map[string]string{"CC": "sh -x"}}
	var skip skipError
	if _, err := b.build(t.Context(), builds[2], dir); !errors.As(err, &skip) || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("no -race: %v", err)
	}
	script("echo babble")
	if err := measureWith(t.Context(), tool, &spec{}, nil); err == nil || !strings.Contains(err.Error(), "the measuring process") {
		t.Errorf("a child that babbles: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.build(ctx, builds[0], dir); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := newBuilder(t.Context(), dir); !isInput(err) || !strings.Contains(err.Error(), "-source") {
		t.Errorf("-source of something else: %v", err)
	}
}

// Without a go tool this very binary serves as the release build, if it is one.
func TestBenchWithoutGo(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("PBKDF2_TEST_COMMAND", "1") // for the child
	status, stdout, stderr := runWith(t, "", "bench", "-table", "debug", "-hash", "sha1", "-iter", "5", "-repeat", "1")
	if _, err := ownRelease(); err != nil {
		if status != exitFailure || !strings.Contains(stderr, "no go tool") || !strings.Contains(stderr, "no release build") {
			t.Errorf("status %d, stderr %s", status, stderr)
		}
		return
	}
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, stderr %s", status, stderr)
	}
	for _, want := range []string{
		"release  SHA-1",
		"The release build is this very binary.",
		"The debug build is left out: there is no go tool in PATH",
		"The race build is left out: there is no go tool in PATH",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// Without a C compiler there is no race build, and its name says so.
func TestBenchWithoutC(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the race detector needs no C compiler here")
	}
	t.Setenv("CC", "no-such-compiler")
	status, stdout, stderr := runWith(t, "", "bench", "-table", "debug", "-build", "race")
	if status != exitFailure || stdout != "" || !strings.Contains(stderr, "The race build is left out: there is no C compiler (no-such-compiler)") {
		t.Errorf("status %d, stdout %q, stderr %s", status, stdout, stderr)
	}
}

func TestBenchBadInput(t *testing.T) {
	empty := t.TempDir()
	for _, tt := range []struct{ args, stderr string }{
		{"-table x", `unknown table "x"`},
		{"-table debug,debug", "twice"},
		{"-table=", `unknown table ""`},
		{"-build fast", `unknown build "fast"`},
		{"-build debug,debug", "twice"},
		{"-format xml", `-format "xml"`},
		{"-hash sha1,x", `unknown hash "x"`},
		{"-hash sha1,SHA-1", "twice"},
		{"-iter 0", "-iter 0"},
		{"-repeat 0", "-repeat 0"},
		{"-jobs 1,x", `-jobs: "x"`},
		{"-jobs 1,0", "-jobs 0"},
		{"-jobs 1,1", "-jobs has 1 twice"},
		{"-jobs 1000001", "-jobs 1000001"},
		{"-goroutines -1", "-goroutines -1"},
		{"-pool-iter=", `-pool-iter: ""`},
		{"-pool-time 0", "-pool-time"},
		{"-pool-limit -1s", "-pool-limit"},
		{"-source " + empty, "is not the directory of"},
		{"-from " + filepath.Join(empty, "x"), "-from: open"},
		{"-from bench_test.go", "not a report in JSON"},
		{"x", `unexpected argument "x"`},
	} {
		status, stdout, stderr := runWith(t, "", append([]string{"bench"}, strings.Fields(tt.args)...)...)
		if status != exitInput || stdout != "" || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("%s: status %d, stdout %q, stderr %q, want %q", tt.args, status, stdout, stderr, tt.stderr)
		}
	}
}

// measured runs the child's side here and returns what it says.
func measured(t *testing.T, s spec) (rows []report.Row, steps int, notes []string) {
	t.Helper()
	in, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	status, stdout, stderr := runWith(t, string(in), "measure")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, stderr %s", status, stderr)
	}
	for d := json.NewDecoder(strings.NewReader(stdout)); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			return rows, steps, notes
		} else if err != nil {
			t.Fatal(err)
		}
		if e.Row != nil {
			rows = append(rows, e.Row)
		}
		if e.Step {
			steps++
		}
		if e.Note != "" {
			notes = append(notes, e.Note)
		}
	}
}

// Each table is measured for every hash, with as many steps as announced, and
// has a column for everything that was measured.
func TestMeasure(t *testing.T) {
	for i := range benchTables {
		bt := &benchTables[i]
		t.Run(bt.name, func(t *testing.T) {
			s := spec{
				Table: bt.name, Iter: 20, Repeat: 2, Jobs: []int{1, 3, 17},
				Goroutines: []int{1, 5}, PoolIter: []int{10, 20}, Cell: time.Millisecond, Limit: time.Minute,
			}
			for _, h := range hashes {
				s.Hashes = append(s.Hashes, h.flag)
			}
			rows, steps, notes := measured(t, s)
			want := len(hashes)
			if bt.name == "pool" {
				want *= len(s.Goroutines) * len(s.PoolIter)
			}
			if len(rows) != want || steps != bt.steps(&s) || len(notes) > 0 {
				t.Errorf("%d rows, want %d; %d steps, want %d; notes %q", len(rows), want, steps, bt.steps(&s), notes)
			}
			table := bt.table(&s, rows)
			for _, row := range rows {
				for key, v := range row {
					if !slices.ContainsFunc(table.Columns, func(c report.Column) bool { return c.Key == key }) {
						t.Errorf("no column %s", key)
					}
					if f, ok := v.(float64); ok && f <= 0 {
						t.Errorf("%s is %v", key, f)
					}
				}
			}
			for _, c := range table.Charts {
				for _, key := range slices.Concat(c.Bars, c.Panel, []string{c.Group}) {
					if _, ok := rows[0][key]; !ok && key != "build" { // which the parent adds
						t.Errorf("no %s for the chart", key)
					}
				}
			}
		})
	}
}

// errFull is the error of a writer that takes so many writes and no more.
var errFull = errors.New("full")

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left == 0 {
		return 0, errFull
	}
	f.left--
	return len(p), nil
}

// Whatever cannot be written is an error, wherever the output ends.
func TestOutputFails(t *testing.T) {
	outputs := map[string]func(w io.Writer) error{}
	for _, bt := range benchTables {
		in, err := json.Marshal(spec{
			Table: bt.name, Hashes: []string{"sha1"}, Iter: 2, Repeat: 1, Jobs: []int{1}, Goroutines: []int{1, 1000}, PoolIter: []int{1}, Cell: 1, Limit: time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		outputs["measure "+bt.name] = func(w io.Writer) error {
			return runMeasure(&cli{ctx: t.Context(), stdin: bytes.NewReader(in), stdout: w}, nil)
		}
	}
	for _, format := range report.Formats {
		outputs[format] = func(w io.Writer) error { return report.Write(w, goldenReport(), format) }
	}
	for name, output := range outputs {
		for n := 0; ; n++ {
			err := output(&full{n})
			if err == nil && n > 0 {
				break
			}
			if err != errFull {
				t.Fatalf("%s after %d writes: %v", name, n, err)
			}
		}
	}
	if err := report.Write(io.Discard, goldenReport(), "strange"); err == nil || !strings.Contains(err.Error(), "strange") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := runMeasure(&cli{ctx: ctx, stdin: strings.NewReader(`{"Table": "debug", "Hashes": ["strange"]}`)}, nil); !isInput(err) {
		t.Errorf("unknown hash: %v", err)
	}
	if err := runMeasure(&cli{ctx: ctx, stdin: strings.NewReader(`{"Table": "debug", "Hashes": ["md5"]}`), stdout: io.Discard}, nil); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// A table says so if the machine was busy.
func TestNoisy(t *testing.T) {
	rows := []report.Row{{"speed_q1": 1.0, "speed_q3": 1.19}, {"speed_q1": 1.0, "speed_q3": 1.21}}
	if notes := strings.Join(timingTable(&spec{}, rows).Notes, " "); !strings.Contains(notes, "in 1 of 2 lines") {
		t.Error(notes)
	}
	if notes := strings.Join(timingTable(&spec{}, rows[:1]).Notes, " "); strings.Contains(notes, "busy") {
		t.Error(notes)
	}
}

// A line of the pool table that would take too long is left out by name.
func TestMeasureLimit(t *testing.T) {
	rows, _, notes := measured(t, spec{
		Table: "pool", Hashes: []string{"sha256"}, PoolIter: []int{1000}, Goroutines: []int{1, 100_000},
		Cell: time.Millisecond, Limit: time.Second,
	})
	if len(rows) != 1 || len(notes) != 1 || !strings.Contains(notes[0], "100000 goroutines with 1000 iterations of SHA-256 are left out") {
		t.Errorf("%d rows, notes %q", len(rows), notes)
	}
}

// A wrong result is never timed.
func TestSameKeys(t *testing.T) {
	key := func(b ...byte) func() ([]byte, error) { return func() ([]byte, error) { return b, nil } }
	fails := errors.New("fails")
	fail := func() ([]byte, error) { return nil, fails }
	if err := sameKeys(hashes[0], key(1, 2), key(1, 2)); err != nil {
		t.Error(err)
	}
	if err := sameKeys(hashes[0], key(1, 2), key(1, 2), key(1, 3)); err == nil || !strings.Contains(err.Error(), "0103") {
		t.Error(err)
	}
	if err := sameKeys(hashes[0], fail, key(1)); err != fails {
		t.Error(err)
	}
	if err := sameKeys(hashes[0], key(1), fail); err != fails {
		t.Error(err)
	}
}

// A child that fails.
func TestMeasureWith(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("PBKDF2_TEST_COMMAND", "1")
	err = measureWith(t.Context(), exe, &spec{Table: "strange"}, func(event) { t.Error("an event") })
	if err == nil || !strings.Contains(err.Error(), `unknown table "strange"`) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s := &spec{Table: "debug", Hashes: []string{"md5"}, Iter: 1000, Repeat: 1e6}
	err = measureWith(ctx, exe, s, func(event) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if err := measureWith(t.Context(), filepath.Join(t.TempDir(), "none"), s, nil); err == nil {
		t.Error("no error")
	}
}

func TestLoad(t *testing.T) {
	var l load
	for range 2 {
		if err := l.run(10, 0, func() error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.latencies) != 20 {
		t.Errorf("%d calls, want one by each goroutine in each round", len(l.latencies))
	}
	fails := errors.New("fails")
	if err := l.run(3, time.Hour, func() error { return fails }); err != fails {
		t.Error(err)
	}
}

// goldenReport is a report with invented numbers.
func goldenReport() *report.Report {
	s := &spec{Iter: 10_000, Repeat: 10, Jobs: []int{1, 16}, Cell: time.Second}
	timing := func(build, hash string, std, own float64) report.Row {
		return report.Row{"build": build, "hash": hash, "std_ms": std, "std_median_ms": std, "std_fastest_ms": std, "own_ms": own, "own_median_ms": own, "own_fastest_ms": own,
			"time": 100 * own / std, "speed": std / own, "speed_fastest": std / own, "speed_median": std / own, "speed_q1": std/own - 0.01, "speed_q3": std/own + 0.01,
			"implementation": "sha256/shani"}
	}
	load := func(iter, n float64) report.Row {
		return report.Row{"hash": "SHA-256", "iterations": iter, "goroutines": n,
			"std_rate": 1000.0, "std_p50_ms": n, "std_p99_ms": 2 * n, "key_rate": 2000.0, "key_p50_ms": n / 2, "key_p99_ms": n,
			"pool_rate": 5000.0, "pool_p50_ms": n / 5, "pool_p99_ms": n / 4, "to_std": 5.0, "to_key": 2.5}
	}
	return &report.Report{
		Tables: []report.Table{
			timingTable(s, []report.Row{
				timing("release", "MD5", 2.5, 1.6), timing("release", "SHA-256", 1.75, 0.75),
				timing("debug", "MD5", 3.9, 1.6), timing("debug", "SHA-256", 4.125, 0.75),
			}),
			laneTable(s, []report.Row{
				{"hash": "SHA-1", "std": 5.6, jobsKey(1): 14.7, jobsKey(16): 120.25, "best": 21.5},
				{"hash": "SHA-512", "std": 2.25, jobsKey(1): 4.5, jobsKey(16): 26.0, "best": 11.6},
			}),
			poolTable(s, []report.Row{load(4096, 1), load(4096, 64), load(15000, 1)}),
		},
		Notes:   []string{"The race build is left out: there is no C compiler (gcc), which -race needs."},
		CPU:     "Some CPU <with> | & signs",
		System:  "linux/amd64, GOMAXPROCS=2",
		Go:      "go1.26.8",
		Date:    "2026-11-30 12:00 UTC",
		Command: "pbkdf2 bench -table debug,lanes,pool -format json -pool-time 1s -goroutines 1,64 -pool-iter 4096,15000 -jobs 1,16",
	}
}

// Every format, compared with testdata; 'go test -run Golden -update' writes it.
func TestGolden(t *testing.T) {
	golden := map[string]*bytes.Buffer{}
	for _, format := range report.Formats {
		golden[format] = new(bytes.Buffer)
		if err := report.Write(golden[format], goldenReport(), format); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(filepath.Join("testdata", "report."+format), golden[format].Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for format, b := range golden {
		path := filepath.Join("testdata", "report."+format)
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes(), want) {
			t.Errorf("%s is not what %s has:\n%s", format, path, b)
		}
		if format == "svg" {
			for d := xml.NewDecoder(bytes.NewReader(want)); ; {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("svg: %v", err)
				}
			}
		}
		// The same comes out by way of JSON.
		status, stdout, stderr := runWith(t, "", "bench", "-from", filepath.Join("testdata", "report.json"), "-format", format)
		if status != exitOK || stdout != string(want) {
			t.Errorf("-from, %s: status %d, stderr %s\n%s", format, status, stderr, stdout)
		}
	}
}

// A row without some value, and a chart of it, can be written too.
func TestMissingValues(t *testing.T) {
	r := &report.Report{Tables: []report.Table{{
		Name: "t", Columns: []report.Column{{Key: "name"}, {Key: "missing"}}, Rows: []report.Row{{"name": "one", "number": 1.5}},
		Charts: []report.Chart{{Group: "name", Bars: []string{"number", "missing"}}},
	}}}
	for format, want := range map[string]string{"text": "-", "csv": "t,one,,", "markdown": "| - |", "svg": "number"} {
		var b strings.Builder
		if err := report.Write(&b, r, format); err != nil || !strings.Contains(b.String(), want) {
			t.Errorf("%s: %v, no %q in\n%s", format, err, want, b.String())
		}
	}
}

// -table chooses among the tables of -from.
func TestFrom(t *testing.T) {
	status, stdout, _ := runWith(t, "", "bench", "-from", filepath.Join("testdata", "report.json"), "-table", "lanes")
	if status != exitOK || strings.Contains(stdout, "Build") || !strings.Contains(stdout, "16 jobs") || strings.Contains(stdout, "p99") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	path := filepath.Join(t.TempDir(), "empty.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, _, stderr := runWith(t, "", "bench", "-from", path, "-table", "lanes")
	if status != exitInput || !strings.Contains(stderr, "there is no table lanes") {
		t.Errorf("status %d, stderr %s", status, stderr)
	}
}

func TestQuantile(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		q      float64
		want   float64
	}{
		{[]float64{7}, 0.5, 7},
		{[]float64{3, 1, 2}, 0.5, 2},
		{[]float64{4, 1, 2, 3}, 0.5, 2.5},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2},
		{[]float64{1, 2, 3, 4, 5}, 1, 5},
		{[]float64{1, 2, 3, 4, 5}, 0, 1},
	} {
		if got := quantile(tt.values, tt.q); got != tt.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", tt.values, tt.q, got, tt.want)
		}
	}
}
