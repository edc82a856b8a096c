// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2_test

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/fastkdf/pbkdf2"
	xdg "github.com/xdg-go/pbkdf2"
)

// TestKey has vectors of RFC 6070, and the arguments that the original accepts and this repository's Key refuses. interop compares with the original.
func TestKey(t *testing.T) {
	for _, test := range []struct {
		password, salt string
		iter, length   int
		want           string
	}{
		{"password", "salt", 2, 20, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"},
		{"passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25, "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"},
		{"pass\x00word", "sa\x00lt", 4096, 16, "56fa6aa75548099dcc37d7f03425e0c3"},
		{"password", "salt", 1, 20, "0c60c80f961f0e71f3a9b524af6012062fe037a6"},
		{"password", "salt", 0, 20, "0c60c80f961f0e71f3a9b524af6012062fe037a6"},
		{"password", "salt", -5, 20, "0c60c80f961f0e71f3a9b524af6012062fe037a6"},
		{"password", "salt", 1, 0, ""},
	} {
		key := xdg.Key([]byte(test.password), []byte(test.salt), test.iter, test.length, sha1.New)
		if got := hex.EncodeToString(key); got != test.want || key == nil {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

func TestPanics(t *testing.T) {
	panics := func(want error, f func()) {
		t.Helper()
		defer func() {
			if err, _ := recover().(error); !errors.Is(err, want) {
				t.Errorf("the panic is %v, want %v", err, want)
			}
		}()
		f()
	}
	panics(pbkdf2.ErrKeyLength, func() { xdg.Key(nil, nil, 1, -1, sha256.New) })
	panics(pbkdf2.ErrKeyLength, func() { xdg.Key(nil, nil, 1, 0, nil) })
	panics(pbkdf2.ErrHash, func() { xdg.Key(nil, nil, 1, 1, nil) })
}
