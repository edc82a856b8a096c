// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/xdg-go/pbkdf2"
	"github.com/xdg-go/scram"
	xpbkdf2 "golang.org/x/crypto/pbkdf2"
)

func TestXCrypto(t *testing.T) {
	for _, h := range hashes {
		all := jobs(h)
		derive(t, h.new, all)
		for i, j := range all {
			same(t, fmt.Sprintf("%s, job %d", h.openssl, i), j.Key, xpbkdf2.Key(j.Password, j.Salt, j.Iter, len(j.Key), h.new))
		}
	}
}

// TestShim compares the replacement of github.com/xdg-go/pbkdf2 that this module's go.mod names with golang.org/x/crypto/pbkdf2, which has the same
// signature.
func TestShim(t *testing.T) {
	file, _ := runtime.FuncForPC(reflect.ValueOf(pbkdf2.Key).Pointer()).FileLine(0)
	if !strings.Contains(file, "shim/xdg-go-pbkdf2") {
		t.Fatalf("not the shim, but %s", file)
	}
	for _, h := range hashes {
		for _, iter := range []int{-1, 0, 1, 2, 100} {
			for _, length := range []int{1, h.size, 2*h.size + 1} {
				same(t, fmt.Sprintf("%s, iterations %d, length %d", h.openssl, iter, length),
					pbkdf2.Key([]byte("password"), []byte("salt"), iter, length, h.new), xpbkdf2.Key([]byte("password"), []byte("salt"), iter, length, h.new))
			}
		}
	}
}

// TestScram has both sides of exchanges by github.com/xdg-go/scram v1.1.2, which derives its keys through the shim, and is so made faster by one
// line of go.mod.
func TestScram(t *testing.T) {
	for _, test := range []struct {
		name string
		h    scram.HashGeneratorFcn
		iter int
	}{{"SCRAM-SHA-1", sha1.New, 10000}, {"SCRAM-SHA-256", sha256.New, 15000}} {
		factors := scram.KeyFactors{Salt: "salt of the user", Iters: test.iter}
		var client *scram.Client
		var stored scram.StoredCredentials
		ours := fastest(func() {
			var err error
			if client, err = test.h.NewClient("user", "pencil", ""); err != nil { // it remembers its keys
				t.Fatal(err)
			}
			stored = client.GetStoredCredentials(factors)
		})
		var salted []byte
		theirs := fastest(func() {
			salted = xpbkdf2.Key([]byte("pencil"), []byte(factors.Salt), factors.Iters, test.h().Size(), test.h)
		})
		same(t, test.name+", server key", stored.ServerKey, mac(test.h, salted, "Server Key"))
		server, err := test.h.NewServer(func(string) (scram.StoredCredentials, error) { return stored, nil })
		if err != nil {
			t.Fatal(err)
		}
		c, s := client.NewConversation(), server.NewConversation()
		for message := ""; !c.Done(); {
			if message, err = c.Step(message); err != nil {
				t.Fatal(err)
			}
			if s.Done() {
				break
			}
			if message, err = s.Step(message); err != nil {
				t.Fatal(err)
			}
		}
		if !c.Valid() || !s.Valid() {
			t.Errorf("%s: valid for the client: %v, the server: %v", test.name, c.Valid(), s.Valid())
		}
		t.Logf("%s, %d iterations: %v, with golang.org/x/crypto/pbkdf2 %v", test.name, test.iter, ours, theirs)
	}
}

// fastest is the time of the fastest of a few calls.
func fastest(f func()) time.Duration {
	var least time.Duration
	for i := range 5 {
		start := time.Now()
		f()
		if d := time.Since(start); i == 0 || d < least {
			least = d
		}
	}
	return least.Round(time.Microsecond)
}
