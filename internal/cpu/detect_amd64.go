// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package cpu

import (
	"github.com/klauspost/cpuid/v2"
	"golang.org/x/sys/cpu"
)

// detect asks x/sys/cpu, which looks at what the operating system saves too, and cpuid for SHA, which x/sys/cpu does not have for x86.
func detect() Features {
	x := &cpu.X86
	return flag(x.HasSSSE3, SSSE3) |
		flag(x.HasSSE41, SSE41) |
		flag(x.HasAVX, AVX) |
		flag(x.HasAVX2, AVX2) |
		flag(x.HasBMI1, BMI1) |
		flag(x.HasBMI2, BMI2) |
		flag(cpuid.CPU.Supports(cpuid.SHA), SHA) |
		flag(x.HasAVX512F, AVX512F) |
		flag(x.HasAVX512VL, AVX512VL) |
		flag(x.HasAVX512F && wide(cpuid.CPU.VendorID, cpuid.CPU.Family), AVX512Wide)
}

// wide tells a CPU by its maker's family number, as there is no flag for how wide its units are. The Zen 5s for laptops have the server's number and
// half its width: they are taken for wide ones, whose plans are good for them too, if not the best.
func wide(vendor cpuid.Vendor, family int) bool { return vendor == cpuid.AMD && family >= 0x1a }
