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
	onAMD64("sha256", "shani", sha256SHANI),
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
	onARM64("sha256", "sha2", sha256SHA2(1)),
	onARM64("sha256", "sha2x2", sha256SHA2(2)),
	onARM64("sha256", "scalar", sha2ARMScalar(spec.SHA256, spec.SHA224)),
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
