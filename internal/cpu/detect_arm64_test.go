// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package cpu

import "testing"

// TestSources checks how what x/sys/cpu and cpuid see is combined. What they see on each system is by their source; no system has been asked for it.
func TestSources(t *testing.T) {
	all := arm64{true, true, true, true}
	for _, c := range []struct {
		system  string
		x, cpu  arm64
		detects Features
	}{
		{"Linux and Android, the kernel's vector: a Graviton 3", all, all, ASIMD | SHA1 | SHA2 | SHA512},
		{"the same: a Graviton 2", arm64{true, true, true, false}, arm64{true, true, true, false}, ASIMD | SHA1 | SHA2},
		{"the same: a Raspberry Pi 4", arm64{asimd: true}, arm64{asimd: true}, ASIMD},
		{"macOS, settings that x/sys/cpu reads: an M1", all, arm64{asimd: true}, ASIMD | SHA1 | SHA2 | SHA512},
		{"macOS, settings that only cpuid knows", arm64{asimd: true}, all, ASIMD | SHA1 | SHA2 | SHA512},
		{"Windows, where cpuid sees nothing", arm64{true, true, true, false}, arm64{}, ASIMD | SHA1 | SHA2},
		{"a BSD, the registers: SHA1 without SHA2", arm64{true, true, false, false}, arm64{}, ASIMD | SHA1},
		{"a system that neither knows", arm64{}, arm64{}, 0},
	} {
		if got := either(c.x, c.cpu); got != c.detects {
			t.Errorf("%s: %v, want %v", c.system, got, c.detects)
		}
	}
}
