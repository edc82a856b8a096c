// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"flag"
	"fmt"
	"math"
	"time"

	"github.com/fastkdf/pbkdf2"
)

const calibrateAbout = `
Usage: pbkdf2 calibrate [flags]

Finds how many iterations one derivation can have on this machine within a
given time, and prints that beside public guidance. The number is rounded down
to three digits. Run it on the machine that will check the passwords, as idle
or as busy as that will be.
`

// Bounds of -target.
const (
	minTarget = time.Microsecond
	maxTarget = time.Hour
)

// calibrateOptions is what the command line of calibrate says.
type calibrateOptions struct {
	hash   hashInfo
	target time.Duration
	length int
	quiet  bool
}

// parseCalibrate parses calibrate's flags.
func parseCalibrate(args []string) (*calibrateOptions, error) {
	o := new(calibrateOptions)
	fs := flag.NewFlagSet("calibrate", flag.ContinueOnError)
	hashName := fs.String("hash", "sha256", "the `HASH`: "+hashFlags())
	fs.DurationVar(&o.target, "target", 250*time.Millisecond, "the `TIME` that one derivation may take, such as 250ms or 1s")
	fs.IntVar(&o.length, "len", 0, "the key's length in `BYTES` (default: that of the hash; longer keys take longer)")
	fs.BoolVar(&o.quiet, "q", false, "print the number only")
	if err := parse(fs, calibrateAbout, args); err != nil {
		return nil, err
	}
	var err error
	if o.hash, err = lookupHash(*hashName); err != nil {
		return nil, err
	}
	if o.target < minTarget || o.target > maxTarget {
		return nil, badInput("-target %v is not from %v to %v", o.target, minTarget, maxTarget)
	}
	if !given(fs, "len") {
		o.length = o.hash.size
	}
	if o.length < 1 || o.length > maxKey {
		return nil, badInput("-len %d is not from 1 to %d", o.length, maxKey)
	}
	return o, nil
}

// A stopwatch times one derivation of n iterations.
type stopwatch func(n int) (time.Duration, error)

// runCalibrate is the command calibrate.
func runCalibrate(c *cli, args []string) error {
	o, err := parseCalibrate(args)
	if err != nil {
		return err
	}
	salt := []byte("0123456789abcdef")
	return o.report(c, func(n int) (time.Duration, error) {
		start := time.Now()
		_, err := pbkdf2.KeyContext(c.ctx, o.hash.new, "correct horse battery", salt, n, o.length)
		return time.Since(start), err
	})
}

// report calibrates and prints what came out.
func (o *calibrateOptions) report(c *cli, timeOf stopwatch) error {
	n, err := calibrate(o.target, timeOf)
	if err != nil {
		return err
	}
	least, known := owaspMinimum[o.hash.flag]
	if o.quiet {
		fmt.Fprintln(c.stdout, n)
	} else {
		took, err := medianTime(timeOf, n, 3)
		if err != nil {
			return err
		}
		fmt.Fprintf(c.stdout, "Hash:        %s (%s)\n", o.hash.name, pbkdf2.Implementation(o.hash.new))
		fmt.Fprintf(c.stdout, "Target:      %v\n", o.target)
		fmt.Fprintf(c.stdout, "Iterations:  %d, which took %.3g ms (median of 3)\n", n, ms(took))
		if known {
			fmt.Fprintf(c.stdout, "Guidance:    at least %d with %s\n", least, o.hash.name)
		} else {
			fmt.Fprintf(c.stdout, "Guidance:    none with %s; at least %d with SHA-256\n", o.hash.name, owaspMinimum["sha256"])
		}
		fmt.Fprintf(c.stdout, "             (%s, %s)\n", guidanceName, guidanceURL)
	}
	if known && n < least {
		fmt.Fprintf(c.stderr, "pbkdf2 calibrate: warning: %d iterations are fewer than the %d that guidance asks for; allow more time, or use Argon2id\n", n, least)
	}
	if o.hash.flag == "md5" || o.hash.flag == "sha1" {
		fmt.Fprintf(c.stderr, "pbkdf2 calibrate: warning: %s is for old data only; do not choose it for new passwords\n", o.hash.name)
	}
	return nil
}

// calibrate returns the iteration count that takes the target time, at least 1.
//
// It doubles the count until a derivation takes long enough to be timed well,
// taking the fastest of three so that an interruption does not end the search
// early, and then scales the median of seven.
func calibrate(target time.Duration, timeOf stopwatch) (int, error) {
	enough := min(max(target/4, 20*time.Millisecond), 250*time.Millisecond)
	n := 1
	for ; n <= math.MaxInt/2; n *= 2 {
		fastest := time.Duration(math.MaxInt64)
		for range 3 {
			d, err := timeOf(n)
			if err != nil {
				return 0, err
			}
			if fastest = min(fastest, d); fastest < enough {
				break
			}
		}
		if fastest >= enough {
			break
		}
	}
	took, err := medianTime(timeOf, n, 7)
	if err != nil {
		return 0, err
	}
	return roundDown(scale(n, target, took)), nil
}

// medianTime returns the median of several runs.
func medianTime(timeOf stopwatch, n, runs int) (time.Duration, error) {
	var times []time.Duration
	for range runs {
		d, err := timeOf(n)
		if err != nil {
			return 0, err
		}
		times = append(times, d)
	}
	return median(times), nil
}

// scale returns how many iterations fit into the target time if n took that
// long: from 1 to the largest int, whatever an int's size.
func scale(n int, target, took time.Duration) int {
	fit := float64(n) * (float64(target) / float64(max(took, 1)))
	switch {
	case fit < 1:
		return 1
	case fit >= math.MaxInt:
		return math.MaxInt
	}
	return int(fit)
}

// roundDown keeps the first three digits of n.
func roundDown(n int) int {
	unit := 1
	for n/unit >= 1000 {
		unit *= 10
	}
	return n / unit * unit
}
