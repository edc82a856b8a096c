// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"hash"
	"strings"
	"testing"
	"time"
)

// TestAnswer has the exchanges of RFC 5802 §5 and RFC 7677 §3.
func TestAnswer(t *testing.T) {
	rfc5802 := challenge{
		salt:       []byte("\x41\x25\xc2\x47\xe4\x3a\xb1\xe9\x3c\x6d\xff\x76"),
		iterations: 4096,
		authMessage: "n=user,r=fyko+d2lbbFgONRv9qkxdawL," +
			"r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j,s=QSXCR+Q6sek8bf92,i=4096," +
			"c=biws,r=fyko+d2lbbFgONRv9qkxdawL3rfcNHYJY1ZVvWVs7j",
	}
	for _, test := range []struct {
		name             string
		h                func() hash.Hash
		c                challenge
		proof, signature string
	}{
		{"SCRAM-SHA-1", sha1.New, rfc5802, "v0X8v3Bz2T0CJGbJQyF0X+HI4Ts=", "rmF9pqV8S7suAoZWja4dJRkFsKQ="},
		{"SCRAM-SHA-256", sha256.New, rfc7677, "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="},
	} {
		proof, signature, err := answer(context.Background(), test.h, "pencil", test.c)
		if err != nil {
			t.Fatal(err)
		}
		if got := base64.StdEncoding.EncodeToString(proof); got != test.proof {
			t.Errorf("%s: proof %s, want %s", test.name, got, test.proof)
		}
		if got := base64.StdEncoding.EncodeToString(signature); got != test.signature {
			t.Errorf("%s: signature %s, want %s", test.name, got, test.signature)
		}
	}
}

// TestGreedyServer has a server that asks for too much, and one that the client has not the time for.
func TestGreedyServer(t *testing.T) {
	c := rfc7677
	c.iterations = maxIterations + 1
	if _, _, err := answer(context.Background(), sha256.New, "pencil", c); err == nil {
		t.Error("no error for too many iterations")
	}
	c.iterations = maxIterations
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	if _, _, err := answer(ctx, sha256.New, "pencil", c); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the error is %v", err)
	}
}

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(&out, 4096); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"SCRAM-SHA-256, 4096 iterations", "dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=", "crypto/pbkdf2", "times as fast"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, &out)
		}
	}
	t.Logf("\n%s", &out)
}
