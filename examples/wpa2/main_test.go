// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestRun has the test vectors of IEEE 802.11 §J.4.2, and words that are too short or too long.
func TestRun(t *testing.T) {
	for _, test := range []struct{ ssid, words, want string }{
		{"IEEE", "short\npassword\n" + strings.Repeat("x", 64), "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e password\n"},
		{"ThisIsASSID", "ThisIsAPassword", "0dc0d6eb90555ed6419756b9a15ec3e3209b63df707dd508d14581f8982721af ThisIsAPassword\n"},
		{"ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n",
			"becb93866bb8c3832cb777c2f559807c8c59afcb6eae734885001300a981cc62 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n"},
		{"empty", "", ""},
	} {
		var out, status strings.Builder
		if err := run(context.Background(), strings.NewReader(test.words), &out, &status, test.ssid); err != nil {
			t.Fatal(err)
		}
		if out.String() != test.want {
			t.Errorf("%s: got\n%swant\n%s", test.ssid, &out, test.want)
		}
	}
}

func TestProgress(t *testing.T) {
	var words, out, status strings.Builder
	for i := range 100 {
		fmt.Fprintf(&words, "password%d\n", i)
	}
	if err := run(context.Background(), strings.NewReader(words.String()), &out, &status, "IEEE"); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "\n"); n != 100 {
		t.Errorf("%d lines", n)
	}
	for _, want := range []string{"0 keys and 100 % of 100 more", "\r100 keys, on "} {
		if !strings.Contains(status.String(), want) {
			t.Errorf("no %q in %q", want, &status)
		}
	}
}

func TestErrors(t *testing.T) {
	var out, status strings.Builder
	if err := run(context.Background(), strings.NewReader("password"), &out, &status, ""); err == nil {
		t.Error("no error for an empty name")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := run(ctx, strings.NewReader("password"), &out, &status, "IEEE"); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("interrupted: %v, %q", err, &out)
	}
}
