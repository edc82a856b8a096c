// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/cycles"
)

// floors are the cycles that one compression takes at least on a single lane, by the latencies of the instructions, on an AMD Zen 5 where that matters.
// BMI2 kernels have another where there are no more than four instructions in a cycle, as up to Zen 4: 155, 352 and 440.
var floors = map[string]float64{
	"md5/scalar":   281, // 16 * (5+4+4+5) - 7
	"sha1/shani":   122, // 20 SHA1RNDS4 of 6, and an addition
	"sha256/shani": 132, // 32 SHA256RNDS2 of 4, an addition and a shuffle
	"sha1/bmi2":    160, // 80 rounds, each a rotation and an addition
	"sha256/bmi2":  320, // 64 rounds, each bigSigma1 and two additions
	"sha512/bmi2":  400, // 80 such rounds
}

// perCycle is how many of the independent additions of adds, FreeAdds or WideAdds, the CPU does in a cycle.
func perCycle(adds func(n int)) float64 {
	const n = 2000
	return n * cycles.FreePerN / cycles.Of(1000, func() { adds(n) })
}

// BenchmarkUnits measures how many additions the CPU does in a cycle: in general registers four on most CPUs and five on a Zen 5, of 512 bits two on most and four
// on a Zen 5, if nobody shares the core. A kernel takes its operations over that at least: one of BMI2, or of AVX-512.
func BenchmarkUnits(b *testing.B) {
	if !cycles.Known {
		b.Skip("no chain of additions for this architecture")
	}
	run := func(registers string, adds func(n int)) {
		b.Run("registers="+registers, func(b *testing.B) {
			for b.Loop() {
			}
			b.ReportMetric(perCycle(adds), "additions/cycle")
			b.ReportMetric(0, "ns/op")
		})
	}
	run("general", cycles.FreeAdds)
	if features&cpu.AVX512F != 0 {
		run("512-bit", cycles.WideAdds)
	}
}

// TestAVX512Wide checks that a CPU with AVX-512 units of full width is known as such. The other way round cannot be told on a machine that others share: there,
// such a CPU can look like one with half as many.
func TestAVX512Wide(t *testing.T) {
	if features&cpu.AVX512F == 0 || !cycles.Known {
		t.Skip("no AVX-512, or nothing to time it with")
	}
	rate, wide := perCycle(cycles.WideAdds), features&cpu.AVX512Wide != 0
	t.Logf("%.2f additions of 512 bits in a cycle; taken for wide: %v", rate, wide)
	if rate > 4.5 || rate < 0.4 {
		t.Errorf("%.2f additions in a cycle: the measurement is wrong", rate)
	}
	if rate > 2.6 && !wide {
		t.Error("its costs are those of a CPU with half as many units")
	}
}

// BenchmarkCycles measures every kernel in cycles, by a chain of dependent additions that is timed in turn with it: the fastest of many short
// runs, for one compression of all lanes, beside the floor where one is known.
func BenchmarkCycles(b *testing.B) {
	if !cycles.Known {
		b.Skip("no chain of additions for this architecture")
	}
	for _, k := range tableKernels() {
		if k.needs&^features != 0 {
			continue
		}
		b.Run("kernel="+k.name, func(b *testing.B) {
			state := make([]uint64, 4*maxWords*k.lanes)
			n := max(1, 180_000/k.cost) // about 100 µs
			each := cycles.Of(1000, func() { k.iterate(&state[0], n) }) / float64(2*n)
			for b.Loop() {
			}
			b.ReportMetric(each, "cycles/compression")
			b.ReportMetric(each/float64(k.lanes), "cycles/lane")
			if floor := floors[k.name]; floor > 0 {
				b.ReportMetric(floor, "floor")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}
