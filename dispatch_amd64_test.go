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
		knights  = haswell | cpu.AVX512F // Knights Landing
		skylakeX = knights | cpu.AVX512VL
		zen4     = skylakeX | cpu.SHA
		zen5     = zen4 | cpu.AVX512Wide
	)
	for _, c := range []struct {
		name                      string
		has                       cpu.Features
		md5, sha1, sha256, sha512 string
	}{
		{"nothing", 0, "md5/scalar", "sha1/generic", "sha256/generic", "sha512/generic"},
		{"Nehalem", nehalem, "md5/scalar", "sha1/generic", "sha256/generic", "sha512/generic"},
		{"Goldmont: SHA without AVX", goldmont, "md5/scalar", "sha1/shani", "sha256/shani", "sha512/generic"},
		{"SHA without SSE4.1", cpu.SHA | cpu.SSSE3, "md5/scalar", "sha1/generic", "sha256/generic", "sha512/generic"},
		{"AVX2 without BMI2", haswell &^ (cpu.BMI1 | cpu.BMI2), "md5/scalar", "sha1/generic", "sha256/generic", "sha512/generic"},
		{"BMI2 without AVX", nehalem | cpu.BMI1 | cpu.BMI2, "md5/scalar", "sha1/generic", "sha256/generic", "sha512/generic"},
		{"Haswell", haswell, "md5/scalar", "sha1/bmi2", "sha256/bmi2", "sha512/bmi2"},
		{"Zen 3", zen3, "md5/scalar", "sha1/shani", "sha256/shani", "sha512/bmi2"},
		{"Knights Landing: AVX-512 without VL", knights, "md5/scalar", "sha1/bmi2", "sha256/bmi2", "sha512/bmi2"},
		{"Knights Landing with cpu.bmi2=off", knights &^ cpu.BMI2, "md5/scalar", "sha1/generic", "sha256/generic", "sha512/generic"},
		{"Skylake-X", skylakeX, "md5/scalar", "sha1/bmi2", "sha256/bmi2", "sha512/bmi2"},
		{"Skylake-X with cpu.bmi2=off", skylakeX &^ cpu.BMI2, "md5/scalar", "sha1/generic", "sha256/avx512vlx8", "sha512/avx512vlx4"},
		{"Zen 4", zen4, "md5/scalar", "sha1/shani", "sha256/shani", "sha512/bmi2"},
		{"Zen 5", zen5, "md5/scalar", "sha1/shani", "sha256/shani", "sha512/bmi2"},
		{"Zen 5 with cpu.bmi2=off", zen5 &^ cpu.BMI2, "md5/scalar", "sha1/shani", "sha256/shani", "sha512/avx512x8"},
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
	const (
		haswell  = cpu.SSSE3 | cpu.SSE41 | cpu.AVX | cpu.AVX2 | cpu.BMI1 | cpu.BMI2
		zen3     = haswell | cpu.SHA
		knights  = haswell | cpu.AVX512F // Knights Landing
		skylakeX = knights | cpu.AVX512VL
		zen4     = skylakeX | cpu.SHA
		zen5     = zen4 | cpu.AVX512Wide
	)
	for _, c := range []struct {
		has    cpu.Features
		id     hashID
		chains int
		want   string
	}{
		{0, idMD5, 2, "md5/scalarx2"},
		{haswell, idMD5, 3, "md5/avx2x8"},
		{haswell, idMD5, 32, "md5/avx2x32"},
		{haswell, idSHA1, 2, "sha1/bmi2 sha1/bmi2"},
		{haswell, idSHA1, 16, "sha1/avx2x16"},
		{haswell, idSHA256, 8, "sha256/avx2x8"},
		{zen3, idSHA1, 2, "sha1/shanix2"}, // WPA2, Kerberos
		{zen3, idSHA1, 16, "sha1/shanix4 sha1/shanix4 sha1/shanix4 sha1/shanix4"},
		{zen3, idSHA224, 2, "sha224/shanix2"},
		{zen3, idSHA256, 2, "sha256/shanix2"}, // Gitea, Grafana
		{zen3, idSHA256, 3, "sha256/shanix3"}, // Ansible Vault
		{zen3, idSHA256, 8, "sha256/shanix4 sha256/shanix4"},
		{zen3, idSHA512, 2, "sha512/bmi2 sha512/bmi2"},
		{zen3, idSHA512, 4, "sha512/avx2x4"},
		{zen3, idSHA512_256, 1, "sha512_256/bmi2"},
		{knights, idMD5, 3, "md5/avx2x8"},
		{knights, idSHA1, 3, "sha1/avx2x8"},
		{knights, idSHA256, 3, "sha256/avx512x16"},
		{knights, idSHA512, 4, "sha512/avx2x4"},
		{skylakeX, idMD5, 3, "md5/avx512vlx8"},
		{skylakeX, idMD5, 9, "md5/avx512x16"},
		{skylakeX, idSHA1, 3, "sha1/avx512vlx8"},
		{skylakeX, idSHA224, 2, "sha224/avx512vlx8"},
		{skylakeX, idSHA256, 8, "sha256/avx512vlx8"},
		{skylakeX, idSHA256, 16, "sha256/avx512x16"},
		{skylakeX, idSHA1, 8, "sha1/avx512vlx8"},
		{skylakeX, idSHA1, 9, "sha1/avx512vlx8 sha1/bmi2"},
		{skylakeX, idSHA1, 10, "sha1/avx512x16"},
		{zen4, idMD5, 16, "md5/avx512x16"},
		{zen4, idSHA1, 4, "sha1/shanix4"},
		{zen4, idSHA1, 8, "sha1/avx512vlx8"},
		{zen4, idSHA1, 16, "sha1/avx512x16"},
		{zen4, idSHA256, 16, "sha256/shanix4 sha256/shanix4 sha256/shanix4 sha256/shanix4"},
		{zen4, idSHA256, 8, "sha256/shanix4 sha256/shanix4"},
		{zen4, idSHA512, 2, "sha512/avx512vlx4"},
		{zen4, idSHA384, 4, "sha384/avx512vlx4"},
		{zen4, idSHA512_224, 3, "sha512_224/avx512vlx4"},
		{zen4, idSHA512_256, 2, "sha512_256/avx512vlx4"},
		{zen4, idSHA512, 8, "sha512/avx512x8"},
		{zen5, idMD5, 112, "md5/avx512x112"},
		{zen5, idMD5, 8, "md5/avx512x16"},
		{zen5, idSHA1, 8, "sha1/avx512x16"},
		{zen5, idSHA1, 48, "sha1/avx512x48"},
		{zen5, idSHA256, 4, "sha256/shanix4"},
		{zen5, idSHA256, 16, "sha256/avx512x16"},
		{zen5, idSHA384, 24, "sha384/avx512x24"},
		{zen5, idSHA512, 2, "sha512/avx512x8"},
		{zen3, idSHA512_224, 4, "sha512_224/avx2x4"},
		{zen5, idSHA512_256, 8, "sha512_256/avx512x8"},
	} {
		if got := selected(c.id, c.has, c.chains); got != c.want {
			t.Errorf("%d chains of %s on a CPU with %v: %s, want %s", c.chains, variants[c.id].name, c.has, got, c.want)
		}
	}
}
