// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/output"
	"github.com/fastkdf/pbkdf2/asm/internal/spec"
)

// A kernel is one generated assembly file: internal/<pkg>/<isa>_<arch>.s.
type kernel struct {
	pkg, isa, arch string
	print          func() ([]byte, []output.Func, error)
}

// kernels is the list of all of them.
var kernels = []kernel{
	onAMD64("cycles", "adds", addsAMD64),
	onAMD64("sha1", "bmi2", sha1BMI2),
	onAMD64("sha1", "shani", sha1SHANI(1)),
	onAMD64("sha1", "shanix2", sha1SHANI(2)),
	onAMD64("sha1", "shanix3", sha1SHANI(3)),
	onAMD64("sha1", "shanix4", sha1SHANI(4)),
	onAMD64("sha256", "shani", sha256SHANI(1)),
	onAMD64("sha256", "shanix2", sha256SHANI(2)),
	onAMD64("sha256", "shanix3", sha256SHANI(3)),
	onAMD64("sha256", "shanix4", sha256SHANI(4)),
	onAMD64("md5", "scalar", md5Scalar),
	onAMD64("md5", "scalarx2", md5Scalarx2),
	onAMD64("sha256", "bmi2", sha256BMI2),
	onAMD64("sha512", "bmi2", sha512BMI2),
	onAMD64("sha1", "avx2x8", sha1AVX2(1, 3)),
	onAMD64("sha1", "avx2x16", sha1AVX2(2, 0)),
	onAMD64("sha1", "avx512vlx8", sha1AVX512VL),
	onAMD64("sha1", "avx512x16", sha1AVX512(1, 16)),
	onAMD64("sha1", "avx512x32", sha1AVX512(2, 3)),
	onAMD64("sha1", "avx512x48", sha1AVX512(3, 3)),
	onAMD64("md5", "avx2x8", md5AVX2(1)),
	onAMD64("md5", "avx2x16", md5AVX2(2)),
	onAMD64("md5", "avx2x24", md5AVX2(3)),
	onAMD64("md5", "avx2x32", md5AVX2(4)),
	onAMD64("md5", "avx512vlx8", md5AVX512VL),
	onAMD64("md5", "avx512x16", md5AVX512(1)),
	onAMD64("md5", "avx512x32", md5AVX512(2)),
	onAMD64("md5", "avx512x48", md5AVX512(3)),
	onAMD64("md5", "avx512x64", md5AVX512(4)),
	onAMD64("md5", "avx512x96", md5AVX512(6)),
	onAMD64("md5", "avx512x112", md5AVX512(7)),
	onAMD64("sha256", "avx2x8", sha256AVX2),
	onAMD64("sha256", "avx512vlx8", sha256AVX512VL),
	onAMD64("sha256", "avx512x16", sha256AVX512(1)),
	onAMD64("sha256", "avx512x32", sha256AVX512(2)),
	onAMD64("sha256", "avx512x48", sha256AVX512(3)),
	onAMD64("sha512", "avx2x4", sha512AVX2),
	onAMD64("sha512", "avx512vlx4", sha512AVX512VL),
	onAMD64("sha512", "avx512x8", sha512AVX512(1)),
	onAMD64("sha512", "avx512x16", sha512AVX512(2)),
	onAMD64("sha512", "avx512x24", sha512AVX512(3)),

	onARM64("md5", "scalar", md5ARMScalar(1)),
	onARM64("md5", "scalarx2", md5ARMScalar(2)),
	onARM64("md5", "scalarx3", md5ARMScalar(3)),
	onARM64("md5", "neonx4", md5NEON(1)),
	onARM64("md5", "neonx8", md5NEON(2)),
	onARM64("md5", "neonx12", md5NEON(3)),
	onARM64("md5", "neonx16", md5NEON(4)),
	onARM64("md5", "neonx24", md5NEON(6)),
	onARM64("sha1", "sha1", sha1SHA1(1)),
	onARM64("sha1", "sha1x2", sha1SHA1(2)),
	onARM64("sha1", "scalar", sha1ARMScalar),
	onARM64("sha1", "neonx4", sha1NEON),
	onARM64("sha256", "sha2", sha256SHA2(1)),
	onARM64("sha256", "sha2x2", sha256SHA2(2)),
	onARM64("sha256", "scalar", sha2ARMScalar(spec.SHA256, spec.SHA224)),
	onARM64("sha256", "neonx4", sha256NEON),
	onARM64("sha512", "scalar", sha2ARMScalar(spec.SHA512, spec.SHA384, spec.SHA512_256, spec.SHA512_224)),
	onARM64("sha512", "sha512", sha512SHA512(1)),
	onARM64("sha512", "sha512x2", sha512SHA512(2)),
}

// onAMD64 is the kernel that write makes on avo.
func onAMD64(pkg, isa string, write func(*amd64.File)) kernel {
	return kernel{pkg, isa, "amd64", func() ([]byte, []output.Func, error) {
		f := amd64.NewFile()
		write(f)
		return f.Print()
	}}
}
