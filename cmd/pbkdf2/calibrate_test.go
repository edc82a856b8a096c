// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// machine is a stopwatch of a machine where an iteration takes that long,
// with noise: up to that fraction more, and sometimes ten times as much.
func machine(iteration time.Duration, noise float64) stopwatch {
	rng := rand.New(rand.NewPCG(1, 2))
	return func(n int) (time.Duration, error) {
		d := float64(n) * float64(iteration) * (1 + noise*rng.Float64())
		if noise > 0 && rng.IntN(10) == 0 {
			d *= 10
		}
		return time.Duration(min(d, math.MaxInt64/2)), nil
	}
}

func TestCalibrate(t *testing.T) {
	for _, tt := range []struct {
		target, iteration time.Duration
		noise             float64
		least, most       int
	}{
		{100 * time.Millisecond, 100, 0, 999_000, 1_000_000},
		{time.Second, 250, 0, 4_000_000, 4_000_000},
		{time.Microsecond, 100, 0, 10, 10},
		{time.Microsecond, time.Millisecond, 0, 1, 1},
		{time.Millisecond, time.Second, 0, 1, 1},
		{time.Hour, 100, 0, 1_000_000, math.MaxInt},
		{250 * time.Millisecond, 100, 0.2, 1_900_000, 2_500_000},
		{10 * time.Millisecond, 400, 0.2, 19_000, 25_000},
	} {
		n, err := calibrate(tt.target, machine(tt.iteration, tt.noise))
		if err != nil || n < tt.least || n > tt.most {
			t.Errorf("%v at %v per iteration, noise %v: %d, %v, want %d to %d", tt.target, tt.iteration, tt.noise, n, err, tt.least, tt.most)
		}
	}
}

// More time never gives fewer iterations.
func TestCalibrateMonotone(t *testing.T) {
	last := 0
	for target := minTarget; target < maxTarget; target += target/3 + 1 {
		n, err := calibrate(target, machine(171, 0))
		if err != nil {
			t.Fatal(err)
		}
		if n < last || n < 1 {
			t.Fatalf("%v: %d after %d", target, n, last)
		}
		last = n
	}
}

// A clock that stands still ends the search, and nothing overflows.
func TestCalibrateInfinitelyFast(t *testing.T) {
	most := 0
	n, err := calibrate(time.Hour, func(n int) (time.Duration, error) {
		if n < 1 {
			t.Fatalf("timed %d iterations", n)
		}
		most = max(most, n)
		return 0, nil
	})
	if err != nil || n < math.MaxInt/1000 {
		t.Errorf("%d, %v", n, err)
	}
	if most < math.MaxInt/2 {
		t.Errorf("gave up at %d", most)
	}
}

// A single interruption does not end the search.
func TestCalibrateInterruption(t *testing.T) {
	calls := 0
	n, err := calibrate(100*time.Millisecond, func(n int) (time.Duration, error) {
		calls++
		if calls%3 == 1 {
			return time.Second, nil
		}
		return time.Duration(n) * 100, nil
	})
	if err != nil || n < 990_000 || n > 1_000_000 {
		t.Errorf("%d, %v", n, err)
	}
}

func TestCalibrateError(t *testing.T) {
	fails := errors.New("fails")
	for _, after := range []int{0, 5, 55, 60, 65} {
		calls := 0
		_, err := calibrate(time.Second, func(n int) (time.Duration, error) {
			if calls++; calls > after {
				return 0, fails
			}
			return time.Duration(n) * 100, nil
		})
		if after < 30 && err != fails {
			t.Errorf("after %d calls: %v", after, err)
		}
	}
}

// An error is returned wherever in calibrating and reporting it comes.
func TestCalibrateReportError(t *testing.T) {
	o, err := parseCalibrate(nil)
	if err != nil {
		t.Fatal(err)
	}
	fails := errors.New("fails")
	for after := 0; ; after++ {
		calls := 0
		err := o.report(&cli{ctx: t.Context(), stdout: io.Discard, stderr: io.Discard}, func(n int) (time.Duration, error) {
			if calls++; calls > after {
				return 0, fails
			}
			return time.Duration(n) * 100, nil
		})
		if err == nil && calls == after && after > 0 {
			break
		}
		if err != fails {
			t.Fatalf("after %d calls: %v", after, err)
		}
	}
}

func TestScale(t *testing.T) {
	for _, tt := range []struct {
		n            int
		target, took time.Duration
		want         int
	}{
		{1000, time.Second, time.Second, 1000},
		{1000, 0, time.Second, 1},
		{1, 1, math.MaxInt64, 1},
		{1000, 1, 0, 1000},
		{math.MaxInt, math.MaxInt64, 1, math.MaxInt},
		{math.MaxInt, 2, 1, math.MaxInt},
	} {
		if got := scale(tt.n, tt.target, tt.took); got != tt.want {
			t.Errorf("scale(%d, %d, %d) = %d, want %d", tt.n, tt.target, tt.took, got, tt.want)
		}
	}
}

func TestRoundDown(t *testing.T) {
	for n, want := range map[int]int{1: 1, 999: 999, 1000: 1000, 1001: 1000, 1009: 1000, 1010: 1010, 123456: 123000, math.MaxInt32: 2140000000} {
		if got := roundDown(n); got != want {
			t.Errorf("roundDown(%d) = %d, want %d", n, got, want)
		}
	}
	if got := roundDown(math.MaxInt); got > math.MaxInt || got < math.MaxInt/1000*990 {
		t.Errorf("roundDown(MaxInt) = %d", got)
	}
}

func TestCalibrateReport(t *testing.T) {
	for _, tt := range []struct {
		args    string
		machine stopwatch
		stdout  []string
		stderr  string // "" is nothing
	}{
		{"-target 200ms", machine(100, 0), []string{"SHA-256", "Iterations:  2000000, which took 200 ms", "at least 600000 with SHA-256", "OWASP"}, ""},
		{"-target 20ms", machine(100, 0), []string{"Iterations:  200000"}, "200000 iterations are fewer than the 600000"},
		{"-target 20ms -q", machine(100, 0), []string{"200000\n"}, "fewer than the 600000"},
		{"-hash sha1 -target 1s", machine(100, 0), []string{"at least 1400000 with SHA-1"}, "for old data only"},
		{"-hash sha512", machine(500, 0), []string{"Iterations:  500000", "at least 220000 with SHA-512"}, ""},
		{"-hash sha384", machine(500, 0), []string{"none with SHA-384; at least 600000 with SHA-256"}, ""},
		{"-hash md5", machine(500, 0), []string{"none with MD5"}, "for old data only"},
	} {
		o, err := parseCalibrate(strings.Fields(tt.args))
		if err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		c := &cli{ctx: context.Background(), stdout: &stdout, stderr: &stderr}
		if err := o.report(c, tt.machine); err != nil {
			t.Fatal(err)
		}
		for _, want := range tt.stdout {
			if !strings.Contains(stdout.String(), want) {
				t.Errorf("%s: no %q in\n%s", tt.args, want, &stdout)
			}
		}
		if !holds(stderr.String(), tt.stderr) {
			t.Errorf("%s: stderr %q, want %q", tt.args, &stderr, tt.stderr)
		}
	}
}

// The whole command, on the real clock.
func TestCalibrateReal(t *testing.T) {
	status, stdout, _ := runWith(t, "", "calibrate", "-target", "2ms", "-q")
	if status != exitOK || strings.Trim(stdout, "0123456789") != "\n" || stdout == "0\n" {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

func TestCalibrateBadInput(t *testing.T) {
	for _, tt := range []struct{ args, stderr string }{
		{"-target 0", "-target 0s"},
		{"-target -1s", "-target -1s"},
		{"-target 2h", "-target 2h0m0s"},
		{"-target 5", "-target"},
		{"-hash x", `unknown hash "x"`},
		{"-len 0", "-len 0"},
		{"x", `unexpected argument "x"`},
	} {
		status, stdout, stderr := runWith(t, "", append([]string{"calibrate"}, strings.Fields(tt.args)...)...)
		if status != exitInput || stdout != "" || !strings.Contains(stderr, tt.stderr) {
			t.Errorf("%s: status %d, stdout %q, stderr %q", tt.args, status, stdout, stderr)
		}
	}
}
