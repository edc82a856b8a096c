// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package cpu

import (
	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// detect takes what either source sees. Neither sees all: x/sys/cpu reads the kernel's vector, system calls or registers on Linux, Android,
// macOS, Windows and the BSDs; cpuid knows other names of macOS's settings, and nothing on Windows.
func detect() Features {
	x := &cpu.ARM64
	return either(arm64{x.HasASIMD, x.HasSHA1, x.HasSHA2, x.HasSHA512},
		arm64{cpuid.CPU.Supports(cpuid.ASIMD), cpuid.CPU.Supports(cpuid.SHA1), cpuid.CPU.Supports(cpuid.SHA2), cpuid.CPU.Supports(cpuid.SHA512)})
}

// An arm64 is what one source sees.
type arm64 struct{ asimd, sha1, sha2, sha512 bool }

func either(x, y arm64) Features {
	return flag(x.asimd || y.asimd, ASIMD) | flag(x.sha1 || y.sha1, SHA1) | flag(x.sha2 || y.sha2, SHA2) | flag(x.sha512 || y.sha512, SHA512)
}
