// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// detect takes what either source sees. Neither sees all: x/sys/cpu reads the kernel's vector, system calls or registers on Linux, Android,
// macOS, Windows and the BSDs; cpuid knows other names of macOS's settings, and nothing on Windows.
func detect() Features {
	x := &cpu.ARM64
	return flag(x.HasASIMD || cpuid.CPU.Supports(cpuid.ASIMD), ASIMD) |
		flag(x.HasSHA1 || cpuid.CPU.Supports(cpuid.SHA1), SHA1) |
		flag(x.HasSHA2 || cpuid.CPU.Supports(cpuid.SHA2), SHA2) |
		flag(x.HasSHA512 || cpuid.CPU.Supports(cpuid.SHA512), SHA512)
}
