// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package cpu

import (
	"testing"

	"github.com/klauspost/cpuid/v2"
)

func TestWide(t *testing.T) {
	for _, c := range []struct {
		name   string
		vendor cpuid.Vendor
		family int
		want   bool
	}{
		{"Zen 4", cpuid.AMD, 0x19, false},
		{"Zen 5", cpuid.AMD, 0x1a, true},
		{"Cascade Lake", cpuid.Intel, 6, false},
		{"an Intel of a higher family", cpuid.Intel, 0x1a, false},
		{"a maker that cpuid does not know", cpuid.VendorUnknown, 0x1a, false},
	} {
		if got := wide(c.vendor, c.family); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
