// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package cycles measures code in clock cycles of the core it runs on, whatever its clock does meanwhile. It is for benchmarks only.
package cycles

import (
	"math"
	"time"
)

// PerN is what Adds(1) takes, in cycles.
const PerN = 100

// FreePerN is the number of additions that FreeAdds(1) and WideAdds(1) do.
const FreePerN = 96

// Of returns what run takes, in cycles: the fastest of rounds runs, over the fastest of as many chains of additions timed in turn with them.
// A run should take between 10 µs and 500 µs. Where there is no such chain, Of returns NaN.
func Of(rounds int, run func()) float64 {
	if !Known {
		return math.NaN()
	}
	const n = 500
	best, ruler := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for range rounds {
		start := time.Now()
		Adds(n)
		middle := time.Now()
		run()
		end := time.Now()
		ruler = min(ruler, middle.Sub(start))
		best = min(best, end.Sub(middle))
	}
	return float64(best) / float64(ruler) * n * PerN
}
