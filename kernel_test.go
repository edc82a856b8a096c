// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	stdpbkdf2 "crypto/pbkdf2"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
)

// mustRun are the kernels that PBKDF2_TEST_KERNELS names: on this CPU they must not be skipped, nor the compression functions of these names.
var mustRun = strings.Fields(os.Getenv("PBKDF2_TEST_KERNELS"))

// tableKernels are the rows of the table, one by one for each hash that they are for, also those that the CPU lacks.
func tableKernels() iter.Seq2[*variant, kernel] {
	return func(yield func(*variant, kernel) bool) {
		for _, r := range rows {
			for id, iterate := range r.iterate {
				if iterate != nil && !yield(variants[id], kernel{variants[id].name + "/" + r.isa, r.lanes, r.costs.on(features), r.needs, iterate}) {
					return
				}
			}
		}
	}
}

// eachKernel runs a test on every row of the table for every hash that it is for. Those that the CPU lacks are skipped by name.
func eachKernel(t *testing.T, test func(t *testing.T, v *variant, k kernel)) {
	missing := slices.Clone(mustRun)
	for v, k := range tableKernels() {
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == k.name && k.needs&^features == 0 })
		t.Run(k.name, func(t *testing.T) {
			if lacks := k.needs &^ features; lacks != 0 {
				t.Skipf("this CPU lacks %v", lacks)
			}
			test(t, v, k)
		})
	}
	if len(missing) > 0 {
		t.Errorf("did not run: %v", missing)
	}
}

// TestKernelContract checks every row alone against the reference.
func TestKernelContract(t *testing.T) {
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		hashtest.Iterate(t, hashtest.Hashes[v.id], k.lanes, k.iterate)
	})
}

// TestKernelSplits checks that n iterations are a of them and then b, for every a + b = n.
func TestKernelSplits(t *testing.T) {
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		h := hashtest.Hashes[v.id]
		r := rand.New(rand.NewPCG(5, uint64(v.id)))
		for n := range few(10) {
			for a := range n + 1 {
				state := make([]uint64, h.StateLen(k.lanes))
				copy(bytesOf(state), random(r, 8*len(state)))
				hashtest.CheckIterate(t, h, k.lanes, k.iterate, state, 0, a, n-a)
			}
		}
	})
}

// TestKernelKey derives keys with every row alone, of one block to more than its lanes, through slices of several lengths.
func TestKernelKey(t *testing.T) {
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		pin(t, v, k.name)
		r := rand.New(rand.NewPCG(4, uint64(v.id)))
		for i := range 60 {
			forceSlice(t, []int{0, 1, 2, 7}[i%4])
			password, salt, iter, keyLength := randomInput(r, v.size)
			if i%3 == 0 {
				keyLength = 1 + r.IntN(3*k.lanes*v.size)
			}
			want, err := stdpbkdf2.Key(hashes[v.id], password, salt, iter, keyLength)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Key(hashes[v.id], password, salt, iter, keyLength)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("password %x, salt %x, iter %d, length %d:\ngot  %x, %v\nwant %x", password, salt, iter, keyLength, got, err, want)
			}
		}
	})
}

// TestCompressors checks every compression function against the standard library's. Each has the name of a kernel of one lane, so that CI names it by naming that: where
// the kernel must run, so must it.
func TestCompressors(t *testing.T) {
	var single, missing []string
	for _, k := range tableKernels() {
		if k.lanes == 1 {
			single = append(single, k.name)
			if slices.Contains(mustRun, k.name) {
				missing = append(missing, k.name)
			}
		}
	}
	for _, c := range compressors {
		for _, id := range c.hashes {
			name := variants[id].name + "/" + c.isa
			if !slices.Contains(single, name) {
				t.Errorf("no kernel of one lane has the name %s, so that CI cannot name this compression function", name)
			}
			missing = slices.DeleteFunc(missing, func(m string) bool { return m == name && c.needs&^features == 0 })
			t.Run(name, func(t *testing.T) {
				if lacks := c.needs &^ features; lacks != 0 {
					t.Skipf("this CPU lacks %v", lacks)
				}
				hashtest.Compress(t, hashtest.Hashes[id], c.compress)
			})
		}
	}
	if len(missing) > 0 {
		t.Errorf("did not run: %v", missing)
	}
}

// TestPlans checks the planner on tables of its own.
func TestPlans(t *testing.T) {
	one := kernel{name: "one", lanes: 1, cost: 100}
	two := kernel{name: "two", lanes: 2, cost: 120}
	four := kernel{name: "four", lanes: 4, cost: 290}
	wide := kernel{name: "wide", lanes: 16, cost: 500}
	for _, c := range []struct {
		kernels []kernel
		chains  int
		want    string
	}{
		{[]kernel{one}, 1, "one"},
		{[]kernel{one, two}, 1, "one"},
		{[]kernel{one, two}, 2, "two"},
		{[]kernel{one, four}, 1, "one"},
		{[]kernel{one, four}, 2, "one one"},
		{[]kernel{one, four}, 3, "four"},
		{[]kernel{one, two, four}, 3, "one two"},
		{[]kernel{one, two, four}, 4, "two two"},
		{[]kernel{one, two, four, wide}, 8, "two two two two"},
		{[]kernel{one, two, four, wide}, 9, "wide"},
		{[]kernel{one, two, four, wide}, 16, "wide"},
		{[]kernel{wide}, 1, "wide"},
	} {
		plans := newPlans(c.kernels)
		p := plans[c.chains-1]
		var names []string
		lanes, cost := 0, 0
		for _, k := range p.kernels {
			names = append(names, k.name)
			lanes += k.lanes
			cost += k.cost
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%d chains on %d kernels: %s, want %s", c.chains, len(c.kernels), got, c.want)
		}
		if p.lanes != lanes || p.lanes < c.chains || p.cost != cost {
			t.Errorf("%d chains: lanes %d of %d, cost %d of %d", c.chains, p.lanes, lanes, p.cost, cost)
		}
	}
}

// TestNoCliff checks on every hash's table that more chains never cost less.
func TestNoCliff(t *testing.T) {
	for _, v := range variants {
		plans := v.kernels().plans
		for n := 1; n < len(plans); n++ {
			if plans[n].cost < plans[n-1].cost {
				t.Errorf("%s: %d chains cost %d, %d cost %d", v.name, n+1, plans[n].cost, n, plans[n-1].cost)
			}
		}
	}
}

func BenchmarkKernel(b *testing.B) {
	for v, k := range tableKernels() {
		if k.needs&^features != 0 {
			continue
		}
		b.Run("kernel="+k.name, func(b *testing.B) { hashtest.BenchmarkIterate(b, hashtest.Hashes[v.id], k.lanes, k.iterate) })
	}
}
