// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package cycles

import (
	"math"
	"testing"
)

// TestOf measures the ruler with itself.
func TestOf(t *testing.T) {
	got := Of(2000, func() { Adds(1000) })
	if !Known {
		if !math.IsNaN(got) {
			t.Errorf("%v cycles, without a ruler", got)
		}
		return
	}
	if want := 1000.0 * PerN; math.Abs(got-want) > 0.2*want {
		t.Errorf("a chain of %v additions took %.0f cycles", want, got)
	}
	// Some CPUs do more than one addition in a cycle, none more than eight.
	if rate := 1000 * FreePerN / Of(2000, func() { FreeAdds(1000) }); rate < 0.5 || rate > 8 {
		t.Errorf("%.2f independent additions in a cycle", rate)
	}
}
