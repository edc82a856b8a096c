// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Migrate shows how a program comes to this package from the standard library and from golang.org/x/crypto. Keys stay the same, so what is
// stored stays valid.
//
// From crypto/pbkdf2 only the import changes:
//
//	import "crypto/pbkdf2"
//	import "github.com/fastkdf/pbkdf2"
//
// From golang.org/x/crypto/pbkdf2 the arguments change their order, the password becomes a string, and there is an error to look at:
//
//	key := pbkdf2.Key(password, salt, 4096, 32, sha256.New)
//	key, err := pbkdf2.Key(sha256.New, string(password), salt, 4096, 32)
//
// An iteration count below 1, which both take for 1, is an error here, and so is a key length of 0, which is an empty key with older versions of
// golang.org/x/crypto. A program with many calls of the old shape may keep them, with a function like [keyXCrypto].
package main

import (
	stdpbkdf2 "crypto/pbkdf2"
	"crypto/sha256"
	"fmt"
	"hash"
	"log"

	"github.com/fastkdf/pbkdf2"
)

// before is a program's way to its keys with the standard library.
func before(password string, salt []byte) ([]byte, error) {
	return stdpbkdf2.Key(sha256.New, password, salt, 4096, 32)
}

// after is the same with this package.
func after(password string, salt []byte) ([]byte, error) {
	return pbkdf2.Key(sha256.New, password, salt, 4096, 32)
}

// keyXCrypto has the signature of golang.org/x/crypto/pbkdf2.Key. Where the arguments are the program's own, errors do not happen; where an iteration count
// or a length comes from outside, call pbkdf2.Key or pbkdf2.KeyContext.
func keyXCrypto(password, salt []byte, iter, keyLen int, h func() hash.Hash) []byte {
	key, err := pbkdf2.Key(h, string(password), salt, iter, keyLen)
	if err != nil {
		panic(err)
	}
	return key
}

func main() {
	password, salt := "correct horse", []byte("battery staple")
	for _, f := range []func(string, []byte) ([]byte, error){
		before,
		after,
		func(password string, salt []byte) ([]byte, error) {
			return keyXCrypto([]byte(password), salt, 4096, 32, sha256.New), nil
		},
	} {
		key, err := f(password, salt)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%x\n", key)
	}
}
