// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"testing"

	"github.com/fastkdf/pbkdf2"
)

// Example has three times the same key.
func Example() {
	main()
	// Output:
	// 148a2c0431e2c3fbb714416ef1c1ea334b1900af5cbd92eddfab3e9d20991f7e
	// 148a2c0431e2c3fbb714416ef1c1ea334b1900af5cbd92eddfab3e9d20991f7e
	// 148a2c0431e2c3fbb714416ef1c1ea334b1900af5cbd92eddfab3e9d20991f7e
}

func TestSame(t *testing.T) {
	for _, password := range []string{"", "password", "pass\x00word \xff"} {
		salt := []byte("salt")
		want, err := before(password, salt)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := after(password, salt); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%q: got %x, %v, want %x", password, got, err, want)
		}
		if got := keyXCrypto([]byte(password), salt, 4096, 32, sha256.New); !bytes.Equal(got, want) {
			t.Errorf("%q: got %x, want %x", password, got, want)
		}
	}
}

func TestRefused(t *testing.T) {
	defer func() {
		if err, ok := recover().(error); !ok || !errors.Is(err, pbkdf2.ErrIterations) {
			t.Errorf("the panic is %v", err)
		}
	}()
	keyXCrypto(nil, nil, 0, 32, sha256.New)
}
