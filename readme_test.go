// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2_test

import (
	"context"
	"crypto/sha256"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2"
)

// TestREADME runs the README's Go code, and checks that this is that code.
func TestREADME(t *testing.T) {
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	ctx, password, salt := context.Background(), "password", []byte("salt")
	jobs := []pbkdf2.Job{{Password: []byte(password), Salt: salt, Iter: 600_000, Key: make([]byte, 32)}}
	var keys [][]byte
	for _, derive := range []func() ([]byte, error){
		func() ([]byte, error) {
			key, err := pbkdf2.Key(sha256.New, password, salt, 600_000, 32)
			return key, err
		},
		func() ([]byte, error) {
			key, err := pbkdf2.KeyContext(ctx, sha256.New, password, salt, 600_000, 32)
			return key, err
		},
		func() ([]byte, error) {
			err := pbkdf2.Batch(ctx, sha256.New, jobs, nil)
			return jobs[0].Key, err
		},
		func() ([]byte, error) {
			var pool pbkdf2.Pool
			key, err := pool.Key(ctx, sha256.New, password, salt, 600_000, 32)
			return key, err
		},
	} {
		key, err := derive()
		if err != nil {
			t.Fatal(err)
		}
		if keys = append(keys, key); string(key) != string(keys[0]) {
			t.Errorf("the keys differ: %x", keys)
		}
	}

	here, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(block) != 1 {
		t.Fatalf("the README has %d blocks of Go", len(block))
	}
	for _, line := range strings.Split(strings.TrimSpace(block[0][1]), "\n") {
		code, _, _ := strings.Cut(line, "//")
		if code = strings.TrimSpace(code); !strings.Contains(string(here), code) {
			t.Errorf("not run here: %s", code)
		}
	}
}
