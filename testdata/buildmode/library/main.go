// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command library is what .ci/builds makes a plugin and a C library of.
package main

import "C"

import (
	"bytes"
	"context"
	"crypto/md5"
	stdpbkdf2 "crypto/pbkdf2"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"os"
	"unsafe"

	"github.com/fastkdf/pbkdf2"
)

// Key derives a key with HMAC-SHA-256.
func Key(password string, salt []byte, iter, keyLength int) ([]byte, error) {
	return pbkdf2.Key(sha256.New, password, salt, iter, keyLength)
}

// Implementation is what Key runs on.
func Implementation() string { return pbkdf2.Implementation(sha256.New) }

// Check compares Key, Batch and Pool with crypto/pbkdf2, for every hash and every number of chains that a plan is made for.
func Check() error {
	for _, h := range []func() hash.Hash{md5.New, sha1.New, sha256.New224, sha256.New, sha512.New384, sha512.New, sha512.New512_224, sha512.New512_256} {
		var pool pbkdf2.Pool
		size := h().Size()
		for n := 1; n <= 130; n++ {
			want, err := stdpbkdf2.Key(h, "password", []byte("salt"), 3, n*size)
			if err != nil {
				return err
			}
			key, err := pbkdf2.Key(h, "password", []byte("salt"), 3, n*size-1)
			if err != nil || !bytes.Equal(key, want[:n*size-1]) {
				return fmt.Errorf("Key, %T, %d blocks: %x, %v, want %x", h(), n, key, err, want)
			}
			key, err = pool.Key(context.Background(), h, "password", []byte("salt"), 3, n*size)
			if err != nil || !bytes.Equal(key, want) {
				return fmt.Errorf("Pool, %T, %d blocks: %x, %v, want %x", h(), n, key, err, want)
			}
			jobs := make([]pbkdf2.Job, n)
			for i := range jobs {
				jobs[i] = pbkdf2.Job{Password: []byte("password"), Salt: []byte("salt"), Iter: 3, Key: make([]byte, size)}
			}
			if err := pbkdf2.Batch(context.Background(), h, jobs, &pbkdf2.BatchOptions{Workers: 1}); err != nil {
				return err
			}
			for i, j := range jobs {
				if !bytes.Equal(j.Key, want[:size]) {
					return fmt.Errorf("Batch, %T, job %d of %d: %x, want %x", h(), i, n, j.Key, want[:size])
				}
			}
		}
	}
	return nil
}

//export pbkdf2_hmac_sha256
func pbkdf2_hmac_sha256(password *C.char, salt *C.char, iter C.int, key *C.uchar, keyLength C.int) C.int {
	k, err := Key(C.GoString(password), []byte(C.GoString(salt)), int(iter), int(keyLength))
	if err != nil {
		return 1
	}
	copy(unsafe.Slice((*byte)(key), keyLength), k)
	return 0
}

//export pbkdf2_check
func pbkdf2_check() C.int {
	if err := Check(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func main() {}
