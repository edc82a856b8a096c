// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2_test

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha3"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/fastkdf/pbkdf2"
)

// The vector of RFC 7914 §11.
func ExampleKey() {
	key, err := pbkdf2.Key(sha256.New, "Password", []byte("NaCl"), 80_000, 64)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%x\n", key)
	// Output: 4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
}

// A client of SCRAM, whose server chooses the iteration count, limits it, and the time too.
func ExampleKeyContext() {
	const limit = 10_000_000
	saltedPassword := func(ctx context.Context, password string, salt []byte, iter int) ([]byte, error) {
		if iter > limit {
			return nil, fmt.Errorf("the server wants %d iterations; the limit is %d", iter, limit)
		}
		ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		return pbkdf2.KeyContext(ctx, sha256.New, password, salt, iter, sha256.Size)
	}

	key, err := saltedPassword(context.Background(), "pencil", []byte("salt"), 4096)
	fmt.Println(len(key), err)
	_, err = saltedPassword(context.Background(), "pencil", []byte("salt"), 2_000_000_000)
	fmt.Println(err)
	// Output:
	// 32 <nil>
	// the server wants 2000000000 iterations; the limit is 10000000
}

// Many derivations at once: the keys of a WPA2 network for three passphrases.
func ExampleBatch() {
	network := []byte("IEEE")
	passphrases := []string{"password", "ThisIsAPassword", "letmein1"}
	jobs := make([]pbkdf2.Job, len(passphrases))
	for i, p := range passphrases {
		jobs[i] = pbkdf2.Job{Password: []byte(p), Salt: network, Iter: 4096, Key: make([]byte, 32)}
	}
	if err := pbkdf2.Batch(context.Background(), sha1.New, jobs, nil); err != nil {
		panic(err)
	}
	for _, j := range jobs {
		fmt.Printf("%x… %v\n", j.Key[:8], j.Done)
	}
	// Output:
	// f42c6fc52df0ebef… true
	// 4804531c3dece0f6… true
	// 91b8ed969faf361a… true
}

// Goroutines of a server that check passwords at the same time.
func ExamplePool() {
	pool := pbkdf2.Pool{MaxIter: 1_000_000, MaxPending: 10_000}
	var users sync.WaitGroup
	for _, name := range []string{"ann", "bob", "eve"} {
		users.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
			defer cancel()
			key, err := pool.Key(ctx, sha256.New, name+"'s password", []byte("salt of "+name), 15_000, 32)
			if err != nil || len(key) != 32 {
				panic(err)
			}
		})
	}
	users.Wait()

	_, err := pool.Key(context.Background(), sha256.New, "password", []byte("salt"), 2_000_000, 32)
	fmt.Println(errors.Is(err, pbkdf2.ErrIterations), err)
	// Output: true pbkdf2: invalid iteration count: 2000000 is above the pool's limit, 1000000
}

func ExampleImplementation() {
	name := pbkdf2.Implementation(sha256.New) // "sha256/shani" on a CPU with SHA-NI
	fmt.Println(strings.HasPrefix(name, "sha256/") || name == "crypto/pbkdf2")
	fmt.Println(pbkdf2.Implementation(sha3.New256)) // no hash of ours
	// Output:
	// true
	// crypto/pbkdf2
}
