// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"hash"
	"slices"
	"strings"
)

// A hashInfo is a hash that the command knows by name.
type hashInfo struct {
	flag string // as the user writes it
	name string // as people write it
	new  func() hash.Hash
	size int // of a digest, in bytes
}

var hashes = []hashInfo{
	{"md5", "MD5", md5.New, md5.Size},
	{"sha1", "SHA-1", sha1.New, sha1.Size},
	{"sha224", "SHA-224", sha256.New224, sha256.Size224},
	{"sha256", "SHA-256", sha256.New, sha256.Size},
	{"sha384", "SHA-384", sha512.New384, sha512.Size384},
	{"sha512", "SHA-512", sha512.New, sha512.Size},
	{"sha512-224", "SHA-512/224", sha512.New512_224, sha512.Size224},
	{"sha512-256", "SHA-512/256", sha512.New512_256, sha512.Size256},
}

// hashFlags are the hashes' names, for usage texts.
func hashFlags() string {
	var names []string
	for _, h := range hashes {
		names = append(names, h.flag)
	}
	return strings.Join(names, ", ")
}

// lookupHash finds a hash by name: "sha256", "SHA-256", "sha512/256" …
func lookupHash(name string) (hashInfo, error) {
	simple := func(s string) string {
		return strings.NewReplacer("-", "", "_", "", "/", "").Replace(strings.ToLower(s))
	}
	for _, h := range hashes {
		if simple(name) == simple(h.flag) {
			return h, nil
		}
	}
	return hashInfo{}, badInput("unknown hash %q; there are %s", name, hashFlags())
}

// lookupHashes finds the different hashes of a list like "md5,sha1".
func lookupHashes(list string) ([]hashInfo, error) {
	var hs []hashInfo
	for name := range strings.SplitSeq(list, ",") {
		h, err := lookupHash(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(hs, func(x hashInfo) bool { return x.flag == h.flag }) {
			return nil, badInput("hash %s is there twice", h.flag)
		}
		hs = append(hs, h)
	}
	return hs, nil
}
