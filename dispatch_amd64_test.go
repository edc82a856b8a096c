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
	const (
		nehalem  = cpu.SSSE3 | cpu.SSE41
		goldmont = nehalem | cpu.SHA
		sandy    = nehalem | cpu.AVX
		haswell  = sandy | cpu.AVX2 | cpu.BMI1 | cpu.BMI2
		zen3     = haswell | cpu.SHA
		skylakeX = haswell | cpu.AVX512F | cpu.AVX512VL
		zen5     = skylakeX | cpu.SHA
	)
	for _, c := range []struct {
		name                      string
		has                       cpu.Features
		md5, sha1, sha256, sha512 string
	}{
		{"nothing", 0, "md5/scalar", "crypto/pbkdf2", "crypto/pbkdf2", "crypto/pbkdf2"},
		{"Nehalem", nehalem, "md5/scalar", "crypto/pbkdf2", "crypto/pbkdf2", "crypto/pbkdf2"},
		{"Goldmont: SHA without AVX", goldmont, "md5/scalar", "sha1/shani", "sha256/shani", "crypto/pbkdf2"},
		{"SHA without SSE4.1", cpu.SHA | cpu.SSSE3, "md5/scalar", "crypto/pbkdf2", "crypto/pbkdf2", "crypto/pbkdf2"},
		{"AVX2 without BMI2", haswell &^ (cpu.BMI1 | cpu.BMI2), "md5/scalar", "crypto/pbkdf2", "crypto/pbkdf2", "crypto/pbkdf2"},
		{"BMI2 without AVX", nehalem | cpu.BMI1 | cpu.BMI2, "md5/scalar", "crypto/pbkdf2", "crypto/pbkdf2", "crypto/pbkdf2"},
		{"Haswell", haswell, "md5/scalar", "sha1/bmi2", "sha256/bmi2", "sha512/bmi2"},
		{"Zen 3", zen3, "md5/scalar", "sha1/shani", "sha256/shani", "sha512/bmi2"},
		{"Skylake-X", skylakeX, "md5/scalar", "sha1/bmi2", "sha256/bmi2", "sha512/bmi2"},
		{"Zen 5", zen5, "md5/scalar", "sha1/shani", "sha256/shani", "sha512/bmi2"},
	} {
		for id, want := range map[hashID]string{idMD5: c.md5, idSHA1: c.sha1, idSHA256: c.sha256, idSHA512: c.sha512} {
			if got := selected(id, c.has, 1); got != want {
				t.Errorf("%s: one chain of %s runs on %s, want %s", c.name, variants[id].name, got, want)
			}
		}
	}
}
