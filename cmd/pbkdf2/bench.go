// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fastkdf/pbkdf2/cmd/pbkdf2/internal/report"
)

const benchAbout = `
Usage: pbkdf2 bench [flags]

Measures the library beside crypto/pbkdf2, in turn, and prints tables:

  debug  time for one derivation, in a release build, in a debug build
         (-gcflags='all=-N -l') and in a race build (-race)
  lanes  iterations per second on one core, for batches of several sizes
  pool   calls per second and latency of many goroutines, with a Pool

The builds are made from this command's own source with the go tool, and
measured in processes of their own. Results are compared before they are timed.
All of it takes about two minutes, most of them for the pool table, which has
SHA-256 only, unless -hash is used.

  pbkdf2 bench -table debug
  pbkdf2 bench -table lanes,pool -format json >results.json
  pbkdf2 bench -from results.json -table lanes -format svg >lanes.svg
`

// benchOptions is what the command line of bench says.
type benchOptions struct {
	tables   []*benchTable // none: all that are in the file from
	builds   []build
	format   string
	from     string
	source   string
	spec     spec
	poolHash []string
	command  string // the command line
}

// parseBench parses bench's flags.
func parseBench(args []string) (*benchOptions, error) {
	o := &benchOptions{command: strings.Join(append([]string{programName(), "bench"}, args...), " ")}
	fs := flag.NewFlagSet("bench", flag.ContinueOnError)
	tables := fs.String("table", "debug,lanes,pool", "the `TABLES` to make: a list of these")
	buildNames := fs.String("build", "release,debug,race", "the `BUILDS` to measure in the table debug: a list of these")
	hashNames := fs.String("hash", "md5,sha1,sha256,sha512", "the `HASHES`: a list of "+hashFlags())
	fs.StringVar(&o.format, "format", "text", "the output `FORMAT`: "+strings.Join(report.Formats, ", "))
	fs.StringVar(&o.from, "from", "", "measure nothing, print the results in `FILE`, which bench wrote with -format json")
	fs.StringVar(&o.source, "source", "", "the `DIRECTORY` of this command's source, if it isn't found by itself")
	fs.IntVar(&o.spec.Iter, "iter", 10_000, "the number `N` of iterations in the tables debug and lanes")
	fs.IntVar(&o.spec.Repeat, "repeat", 10, "measure everything in the tables debug and lanes `N` times")
	jobs := fs.String("jobs", "1,2,4,8,16,64,256", "the sizes of batches, a list of `NUMBERS`")
	goroutines := fs.String("goroutines", "1,2,4,8,16,32,64,256", "how many goroutines use a pool, a list of `NUMBERS`")
	poolIter := fs.String("pool-iter", "4096,15000,600000", "the iterations of their calls, a list of `NUMBERS`")
	fs.DurationVar(&o.spec.Cell, "pool-time", time.Second, "the `TIME` to measure each figure of the pool table")
	fs.DurationVar(&o.spec.Limit, "pool-limit", 30*time.Second, "leave out lines of the pool table where one call by each goroutine needs more `TIME`")
	if err := parse(fs, benchAbout, args); err != nil {
		return nil, err
	}
	if !slices.Contains(report.Formats, o.format) {
		return nil, badInput("unknown -format %q; there are %s", o.format, strings.Join(report.Formats, ", "))
	}
	if o.from == "" || given(fs, "table") {
		for name := range strings.SplitSeq(*tables, ",") {
			t, err := lookupTable(name)
			if err != nil {
				return nil, err
			}
			if slices.Contains(o.tables, t) {
				return nil, badInput("-table has %s twice", name)
			}
			o.tables = append(o.tables, t)
		}
	}
	for name := range strings.SplitSeq(*buildNames, ",") {
		i := slices.IndexFunc(builds, func(b build) bool { return b.name == name })
		if i < 0 {
			return nil, badInput("unknown build %q; there are release, debug, race", name)
		}
		if slices.ContainsFunc(o.builds, func(b build) bool { return b.name == name }) {
			return nil, badInput("-build has %s twice", name)
		}
		o.builds = append(o.builds, builds[i])
	}
	hs, err := lookupHashes(*hashNames)
	if err != nil {
		return nil, err
	}
	for _, h := range hs {
		o.spec.Hashes = append(o.spec.Hashes, h.flag)
	}
	o.poolHash = o.spec.Hashes
	if !given(fs, "hash") {
		o.poolHash = []string{"sha256"}
	}
	if err := errors.Join(
		inRange("iter", o.spec.Iter, math.MaxInt32),
		inRange("repeat", o.spec.Repeat, 1e6),
		numbers("jobs", *jobs, 1e6, &o.spec.Jobs),
		numbers("goroutines", *goroutines, 1e5, &o.spec.Goroutines),
		numbers("pool-iter", *poolIter, math.MaxInt32, &o.spec.PoolIter),
	); err != nil {
		return nil, err
	}
	if o.spec.Cell <= 0 || o.spec.Limit <= 0 {
		return nil, badInput("-pool-time and -pool-limit must be more than nothing")
	}
	return o, nil
}

// inRange checks that a flag's value is from 1 to most.
func inRange(name string, n, most int) error {
	if n < 1 || n > most {
		return badInput("-%s %d is not from 1 to %d", name, n, most)
	}
	return nil
}

// numbers parses a list of different numbers from 1 to most.
func numbers(name, list string, most int, to *[]int) error {
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return badInput("-%s: %q is not a number", name, word)
		}
		if err := inRange(name, n, most); err != nil {
			return err
		}
		if slices.Contains(*to, n) {
			return badInput("-%s has %d twice", name, n)
		}
		*to = append(*to, n)
	}
	return nil
}

// programName returns how this program was called.
func programName() string {
	exe, err := os.Executable()
	if err != nil || strings.Contains(exe, "go-build") {
		return "go run ./cmd/pbkdf2"
	}
	return strings.TrimSuffix(filepath.Base(exe), ".exe")
}

// runBench is the command bench.
func runBench(c *cli, args []string) error {
	o, err := parseBench(args)
	if err != nil {
		return err
	}
	var r *report.Report
	if o.from != "" {
		r, err = o.load()
	} else {
		r, err = o.measure(c)
	}
	if err != nil {
		return err
	}
	return report.Write(c.stdout, r, o.format)
}

// load reads an earlier report.
func (o *benchOptions) load() (*report.Report, error) {
	f, err := os.Open(o.from)
	if err != nil {
		return nil, badInput("-from: %v", err)
	}
	defer f.Close()
	r, err := report.Read(f)
	if err != nil {
		return nil, badInput("-from %s: %v", o.from, err)
	}
	if len(o.tables) == 0 {
		return r, nil
	}
	all := r.Tables
	r.Tables = nil
	for _, t := range o.tables {
		i := slices.IndexFunc(all, func(x report.Table) bool { return x.Name == t.name })
		if i < 0 {
			return nil, badInput("-from %s: there is no table %s", o.from, t.name)
		}
		r.Tables = append(r.Tables, all[i])
	}
	return r, nil
}

// A task is one table to be measured in one build.
type task struct {
	table *benchTable
	spec  spec
	build build
}

// tasks returns what is to be done, in order.
func (o *benchOptions) tasks() []task {
	var ts []task
	for _, t := range o.tables {
		s := o.spec
		s.Table = t.name
		if t.name == "pool" {
			s.Hashes = o.poolHash
		}
		in := o.builds
		if !t.builds {
			in = builds[:1]
		}
		for _, b := range in {
			ts = append(ts, task{t, s, b})
		}
	}
	return ts
}

// measure makes the builds and the tables.
func (o *benchOptions) measure(c *cli) (*report.Report, error) {
	dir, err := os.MkdirTemp("", "pbkdf2-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)

	tasks := o.tasks()
	steps := 0
	for _, t := range tasks {
		steps += t.table.steps(&t.spec)
	}
	bar := newProgress(c.stderr, steps)
	defer bar.finish()

	r := &report.Report{
		CPU:     cpuName(),
		System:  system(),
		Go:      runtime.Version(),
		Date:    time.Now().UTC().Format("2006-01-02 15:04 UTC"),
		Command: o.command,
	}
	made := &binaries{bench: o, dir: dir, bar: bar, r: r, exes: map[string]string{}}
	rows := map[*benchTable][]report.Row{}
	for _, t := range tasks {
		exe, err := made.get(c, t.build)
		if err != nil {
			return nil, err
		}
		if exe == "" { // left out
			bar.step(t.table.steps(&t.spec))
			continue
		}
		bar.show(fmt.Sprintf("%s, %s build", t.table.name, t.build.name))
		err = measureWith(c.ctx, exe, &t.spec, func(e event) {
			switch {
			case e.Step:
				bar.step(1)
			case e.Row != nil:
				if t.table.builds {
					e.Row["build"] = t.build.name
				}
				rows[t.table] = append(rows[t.table], e.Row)
			case e.Note != "":
				r.Notes = append(r.Notes, e.Note)
			case e.Go != "":
				r.Go = e.Go
			}
		})
		if err != nil {
			return nil, fmt.Errorf("table %s, %s build: %w", t.table.name, t.build.name, err)
		}
	}
	for _, t := range o.tables {
		if len(rows[t]) == 0 {
			continue
		}
		i := slices.IndexFunc(tasks, func(x task) bool { return x.table == t })
		r.Tables = append(r.Tables, t.table(&tasks[i].spec, rows[t]))
	}
	if len(r.Tables) == 0 {
		return nil, fmt.Errorf("nothing could be measured.\n%s", strings.Join(r.Notes, "\n"))
	}
	return r, nil
}

// binaries makes each build when it is first asked for.
type binaries struct {
	bench   *benchOptions
	dir     string
	bar     *progress
	r       *report.Report
	exes    map[string]string // by the build's name; "" if it is left out
	builder *builder
	missing error // why there is no builder
}

// get returns the binary of a build, or "" and a note in the report if it
// can't be made here.
func (b *binaries) get(c *cli, how build) (string, error) {
	if exe, ok := b.exes[how.name]; ok {
		return exe, nil
	}
	exe, err := b.make(c, how)
	var skip skipError
	if errors.As(err, &skip) {
		b.r.Notes = append(b.r.Notes, fmt.Sprintf("The %s build is left out: %v.", how.name, skip))
		exe, err = "", nil
	}
	b.exes[how.name] = exe
	return exe, err
}

// make compiles a build. Without a go tool or the source this very binary does
// for release.
func (b *binaries) make(c *cli, how build) (string, error) {
	if b.builder == nil && b.missing == nil {
		b.builder, b.missing = newBuilder(c.ctx, b.bench.source)
	}
	switch {
	case b.missing == nil:
		b.bar.show(fmt.Sprintf("compiling the %s build", how.name))
		return b.builder.build(c.ctx, how, b.dir)
	case isInput(b.missing):
		return "", b.missing
	case how.name != "release":
		return "", skipError(b.missing.Error())
	}
	exe, err := ownRelease()
	if err != nil {
		return "", skipError(fmt.Sprintf("%v, and %v", b.missing, err))
	}
	b.r.Notes = append(b.r.Notes, "The release build is this very binary.")
	return exe, nil
}
