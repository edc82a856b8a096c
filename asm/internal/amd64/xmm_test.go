// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package amd64

import (
	"math/rand/v2"
	"testing"

	"github.com/mmcloughlin/avo/reg"
)

// TestMoveXMM carries out what MoveXMM writes, for random permutations and for the ones that are a ring.
func TestMoveXMM(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		f := NewFile()
		f.Text("f", "func()", "f")
		all := XMM()
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		n := r.IntN(len(all)) // one is left as room
		from, pool := all[:n:n], NewPool(all[n:]...)
		to := XMM()
		if n%2 == 0 {
			to = append([]reg.VecPhysical(nil), from...)
		}
		r.Shuffle(len(to), func(i, j int) { to[i], to[j] = to[j], to[i] })
		to = to[:n]

		f.MoveXMM(pool, from, to)

		value := map[reg.Register]reg.Register{}
		for _, x := range XMM() {
			value[x] = x
		}
		file, err := f.Result()
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range file.Functions()[0].Instructions() {
			value[in.Operands[1].(reg.Register)] = value[in.Operands[0].(reg.Register)]
		}
		for i := range from {
			if value[to[i]] != from[i] {
				t.Fatalf("from %v to %v: %v is in %v", from, to, value[to[i]], to[i])
			}
		}
		free := map[reg.Register]bool{}
		for range len(all) - n {
			free[pool.Take()] = true
		}
		for _, x := range to {
			if free[x] {
				t.Fatalf("from %v to %v: %v is taken and free", from, to, x)
			}
		}
		if len(free) != len(all)-n {
			t.Fatalf("from %v to %v: a register is free twice", from, to)
		}
	}
}
