// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package pbkdf2

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
)

// TestSelection checks the rows for one chain on CPUs that have all, some or none of the features.
func TestSelection(t *testing.T) {
	for _, c := range []struct {
		name                      string
		has                       cpu.Features
		md5, sha1, sha256, sha512 string
	}{
		{"an M1 on macOS, a Graviton 3", cpu.ASIMD | cpu.SHA1 | cpu.SHA2 | cpu.SHA512, "md5/scalar", "sha1/sha1", "sha256/sha2", "sha512/sha512"},
		{"a Graviton 2, Windows", cpu.ASIMD | cpu.SHA1 | cpu.SHA2, "md5/scalar", "sha1/sha1", "sha256/sha2", "sha512/scalar"},
		{"SHA2 alone", cpu.ASIMD | cpu.SHA2, "md5/scalar", "sha1/scalar", "sha256/sha2", "sha512/scalar"},
		{"SHA1 alone", cpu.ASIMD | cpu.SHA1, "md5/scalar", "sha1/sha1", "sha256/scalar", "sha512/scalar"},
		{"a Raspberry Pi 4", cpu.ASIMD, "md5/scalar", "sha1/scalar", "sha256/scalar", "sha512/scalar"},
	} {
		for id, want := range map[hashID]string{idMD5: c.md5, idSHA1: c.sha1, idSHA256: c.sha256, idSHA512: c.sha512} {
			if got := selected(id, c.has, 1); got != want {
				t.Errorf("%s: one chain of %s runs on %s, want %s", c.name, variants[id].name, got, want)
			}
		}
	}
}

// TestSelectionOfLanes checks the rows for several chains.
func TestSelectionOfLanes(t *testing.T) {
	const neon, all = cpu.ASIMD, cpu.ASIMD | cpu.SHA1 | cpu.SHA2 | cpu.SHA512
	for _, c := range []struct {
		has    cpu.Features
		id     hashID
		chains int
		want   string
	}{
		{neon, idMD5, 2, "md5/scalarx2"},
		{neon, idMD5, 24, "md5/neonx24"},
		{neon, idSHA1, 4, "sha1/neonx4"},
		{neon, idSHA256, 4, "sha256/neonx4"},
		{all, idSHA1, 2, "sha1/sha1x2"},
		{all, idSHA224, 2, "sha224/sha2x2"},
		{all, idSHA384, 2, "sha384/sha512x2"},
	} {
		if got := selected(c.id, c.has, c.chains); got != c.want {
			t.Errorf("%d chains of %s on a CPU with %v: %s, want %s", c.chains, variants[c.id].name, c.has, got, c.want)
		}
	}
}
