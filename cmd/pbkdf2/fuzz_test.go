// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"errors"
	"strings"
	"testing"
)

// FuzzArguments gives arguments to every command's parser: it returns options
// that hold what they promise, or an error that the user can mend.
func FuzzArguments(f *testing.F) {
	for _, line := range []string{
		"", "-h", "-iter\x001\x00-salt\x00x", "-iter=5\x00-salt-hex=00\x00-password-stdin\x00-len=7\x00-out=raw",
		"-salt-base64\x00AA==\x00-hash\x00sha512/256\x00-iter\x000x10", "-target=1ms\x00-q", "-target\x00-1h",
		"-table\x00lanes,pool\x00-jobs\x001,2,3", "-format=svg\x00-from=x", "-iter=1_000\x00-pool-time=9h", "--\x00x", "-=", "-hash=\xff",
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Split(line, "\x00")
		check := func(err error) bool {
			var usage usageRequest
			if err != nil && !errors.As(err, &usage) && !isInput(err) {
				t.Errorf("%q: %v", args, err)
			}
			return err == nil
		}
		if o, err := parseDerive(args); check(err) {
			if o.iter < 1 || o.length < 1 || o.length > maxKey || o.hash.new == nil || o.encode == nil || o.salt.from == "" {
				t.Errorf("%q: %+v", args, o)
			}
			if o.salt.from != "salt-file" {
				_, err := o.salt.read()
				check(err)
			}
		}
		if o, err := parseCalibrate(args); check(err) {
			if o.target < minTarget || o.target > maxTarget || o.length < 1 || o.hash.new == nil {
				t.Errorf("%q: %+v", args, o)
			}
		}
		if o, err := parseBench(args); check(err) {
			if o.from == "" && len(o.tasks()) == 0 || o.spec.Iter < 1 || o.spec.Repeat < 1 || len(o.spec.Jobs) == 0 || o.spec.Cell <= 0 {
				t.Errorf("%q: %+v", args, o)
			}
		}
	})
}
