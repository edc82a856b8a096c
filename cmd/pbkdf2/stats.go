// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"slices"
	"time"
)

// quantile returns the value that the fraction q of the values does not
// exceed, interpolated between neighbours. There must be a value.
func quantile[T ~int64 | ~float64](values []T, q float64) T {
	sorted := slices.Sorted(slices.Values(values))
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + T((at-float64(i))*float64(sorted[i+1]-sorted[i]))
}

// median returns the middle value. There must be a value.
func median[T ~int64 | ~float64](values []T) T { return quantile(values, 0.5) }

// mean returns the average. There must be a value.
func mean(values []time.Duration) time.Duration {
	var sum time.Duration
	for _, v := range values {
		sum += v
	}
	return sum / time.Duration(len(values))
}

// ms returns d in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
