// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package pbkdf2 is github.com/fastkdf/pbkdf2 under the name and with the signature of github.com/xdg-go/pbkdf2. A program that uses that module, mostly
// through github.com/xdg-go/scram before v1.2.0, as go.mongodb.org/mongo-driver v1.17 and its v2.0 to v2.4 do, gets this one with a line in its go.mod:
//
//	replace github.com/xdg-go/pbkdf2 => github.com/fastkdf/pbkdf2/shim/xdg-go-pbkdf2 VERSION
//
// That is all once these modules are published (interop's TestOneLine tries it out). From a copy of the repository it takes two lines, since the
// replace line in this directory's go.mod does not count in another module:
//
//	replace github.com/xdg-go/pbkdf2 => ../pbkdf2/shim/xdg-go-pbkdf2
//	replace github.com/fastkdf/pbkdf2 => ../pbkdf2
//
// From v1.2.0 on, github.com/xdg-go/scram uses crypto/pbkdf2 of the standard library with Go 1.24 and later, which no such line can
// replace.
package pbkdf2

import (
	"hash"

	"github.com/fastkdf/pbkdf2"
)

// Key derives a key of keyLen bytes from a password and a salt. It has the same results as the original: an iterCount below 1 is taken for
// 1, and the key of length 0 is empty. It panics where the original does, for a negative length or a nil function, and for a length above
// (2^32 - 1) times the hash's size.
func Key(password, salt []byte, iterCount, keyLen int, h func() hash.Hash) []byte {
	if keyLen == 0 && h != nil {
		return []byte{}
	}
	key, err := pbkdf2.Key(h, string(password), salt, max(iterCount, 1), keyLen)
	if err != nil {
		panic(err)
	}
	return key
}
