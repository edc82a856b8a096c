// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxIterations is the largest count that a verifier may have.
const maxIterations = 10_000_000

// A verifier is what is stored of a password: PBKDF2 with HMAC-SHA-256.
type verifier struct {
	iterations int
	salt, key  []byte
}

// String is the form in which a verifier is stored: $pbkdf2-sha256$i=600000$salt$key, with base64 without padding.
func (v *verifier) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$pbkdf2-sha256$i=%d$%s$%s", v.iterations, b64.EncodeToString(v.salt), b64.EncodeToString(v.key))
}

// parseVerifier reads what String writes. What is stored is checked: a key that has become empty would match every password.
func parseVerifier(s string) (*verifier, error) {
	fields := strings.Split(s, "$")
	if len(fields) != 5 || fields[0] != "" || fields[1] != "pbkdf2-sha256" || !strings.HasPrefix(fields[2], "i=") {
		return nil, errors.New("not a hash of the form $pbkdf2-sha256$i=COUNT$SALT$KEY")
	}
	v := &verifier{}
	var errs [3]error
	v.iterations, errs[0] = strconv.Atoi(fields[2][2:])
	v.salt, errs[1] = base64.RawStdEncoding.DecodeString(fields[3])
	v.key, errs[2] = base64.RawStdEncoding.DecodeString(fields[4])
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	if v.iterations < 1 || v.iterations > maxIterations || len(v.salt) < 8 || len(v.key) < 16 || len(v.key) > 64 {
		return nil, errors.New("the hash's iteration count, salt or key is out of bounds")
	}
	return v, nil
}
