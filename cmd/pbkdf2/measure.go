// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/fastkdf/pbkdf2/cmd/pbkdf2/internal/report"
)

// A spec tells a child process what to measure. It is sent as JSON.
type spec struct {
	Table      string
	Hashes     []string
	Iter       int
	Repeat     int
	Jobs       []int         // sizes of batches
	Goroutines []int         // numbers of concurrent callers
	PoolIter   []int         // iteration counts of their calls
	Cell       time.Duration // to spend on one cell of the pool table
	Limit      time.Duration // a cell that needs more is left out
}

// An event is what a child process says, one in a line of JSON.
type event struct {
	Step bool       `json:"step,omitempty"` // some work is done
	Row  report.Row `json:"row,omitempty"`  // a row of the table
	Note string     `json:"note,omitempty"` // something that the reader of the table should know
	Go   string     `json:"go,omitempty"`   // the version of Go that the child was built with
}

// A benchTable is one of the things that bench can measure.
type benchTable struct {
	name    string
	builds  bool                                          // measured in each build, not only in release
	steps   func(s *spec) int                             // how many steps measure reports
	measure func(m *meter) error                          // runs in the child
	table   func(s *spec, rows []report.Row) report.Table // runs in the parent
}

var benchTables = []benchTable{
	{"debug", true, timingSteps, measureTimings, timingTable},
	{"lanes", false, laneSteps, measureLanes, laneTable},
	{"pool", false, poolSteps, measurePool, poolTable},
}

// lookupTable finds a table by name.
func lookupTable(name string) (*benchTable, error) {
	var names []string
	for i := range benchTables {
		if benchTables[i].name == name {
			return &benchTables[i], nil
		}
		names = append(names, benchTables[i].name)
	}
	return nil, badInput("unknown table %q; there are %s", name, strings.Join(names, ", "))
}

// A meter is the child's side of a measurement.
type meter struct {
	ctx context.Context
	spec
	hashes []hashInfo
	out    *json.Encoder
}

// say reports an event, and an error once the measurement is to stop.
func (m *meter) say(e event) error {
	if err := m.ctx.Err(); err != nil {
		return err
	}
	return m.out.Encode(e)
}

// step reports a step done.
func (m *meter) step() error { return m.say(event{Step: true}) }

// runMeasure is the command measure, which bench runs in child processes: it
// reads a spec from standard input and writes events to standard output.
func runMeasure(c *cli, args []string) error {
	if len(args) > 0 {
		return badInput("this command is for 'pbkdf2 bench'; it has no flags")
	}
	m := &meter{ctx: c.ctx, out: json.NewEncoder(c.stdout)}
	if err := json.NewDecoder(c.stdin).Decode(&m.spec); err != nil {
		return badInput("standard input: %v", err)
	}
	t, err := lookupTable(m.Table)
	if err != nil {
		return err
	}
	if m.hashes, err = lookupHashes(strings.Join(m.Hashes, ",")); err != nil {
		return err
	}
	if err := m.say(event{Go: runtime.Version()}); err != nil {
		return err
	}
	return t.measure(m)
}

// measureWith runs exe as a child that measures s, and hands its events on.
func measureWith(ctx context.Context, exe string, s *spec, on func(event)) error {
	in, err := json.Marshal(s)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, exe, "measure")
	cmd.Stdin = bytes.NewReader(in)
	cmd.WaitDelay = 5 * time.Second
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	d := json.NewDecoder(out)
	for {
		var e event
		if err = d.Decode(&e); err != nil {
			break
		}
		on(e)
	}
	if err != io.EOF { // it might wait for us to read on
		cmd.Process.Kill()
	}
	if waitErr := cmd.Wait(); waitErr != nil {
		return errors.Join(ctx.Err(), fmt.Errorf("the measuring process failed: %w\n%s", waitErr, bytes.TrimSpace(complaint.Bytes())))
	}
	if err != io.EOF {
		return fmt.Errorf("the measuring process said something strange: %w", err)
	}
	return nil
}
