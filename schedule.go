// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import "unsafe"

// sliceTime bounds what runs between two points of preemption: about 100 µs at 3.6 GHz, in cycles.
const sliceTime = 360_000

// forcedSlice is the number of iterations of every slice when a test sets it.
var forcedSlice int

// A plan is how to advance a number of chains by one iteration at the least cost: the kernels to run after one another.
type plan struct {
	kernels []*kernel
	lanes   int // of all kernels; at least the number of chains
	cost    int // of all kernels
}

// newPlans returns the plans for 1, 2, … chains, up to the number of lanes of the widest kernel.
func newPlans(kernels []kernel) []plan {
	most := 0
	for _, k := range kernels {
		most = max(most, k.lanes)
	}
	plans := make([]plan, most+1) // plans[n] is for n chains
	for n := 1; n <= most; n++ {
		var best plan
		for i := range kernels {
			k := &kernels[i]
			rest := plans[max(0, n-k.lanes)]
			if cost := k.cost + rest.cost; best.lanes == 0 || cost < best.cost {
				best = plan{append([]*kernel{k}, rest.kernels...), k.lanes + rest.lanes, cost}
			}
		}
		plans[n] = best
	}
	return plans[1:]
}

// slice is how many iterations the plan's kernels do one after another between two looks at anything else.
func (p *plan) slice() int {
	if forcedSlice > 0 {
		return forcedSlice
	}
	return max(1, sliceTime/(2*p.cost)) // an iteration is two compressions
}

// A team is chains of one hash that advance together: each has a lane of some kernel of the plan.
type team struct {
	v     *variant
	lanes []*chain // by lane over all the plan's kernels; nil is a free lane
	live  int      // chains
	plan  *plan
	state []uint64 // of the kernels of more than one lane; a single lane works on the chain itself
}

// most is the largest number of chains that a team may have.
func (t *team) most() int { return len(t.v.kernels().plans) }

// add gives c a lane. There must be fewer than most chains.
func (t *team) add(c *chain) {
	t.live++
	for i, other := range t.lanes {
		if other == nil {
			t.lanes[i] = c
			t.load(i)
			return
		}
	}
	t.lanes = append(t.lanes, c) // beyond the plan's lanes: run arranges them anew
}

// remove takes the chain in a lane out, with its state as far as it has come, of which nothing stays behind.
func (t *team) remove(lane int) *chain {
	c := t.lanes[lane]
	t.store(lane)
	t.clearLane(lane)
	t.lanes[lane] = nil
	t.live--
	return c
}

// run advances every chain by one slice, or by fewer iterations if one of them ends before, and returns their number.
// The team must have a chain.
func (t *team) run() int {
	if best := &t.v.kernels().plans[t.live-1]; t.plan == nil || len(t.lanes) > t.plan.lanes || best.cost < t.plan.cost {
		t.arrange(best)
	}
	n := t.plan.slice()
	for _, c := range t.lanes {
		if c != nil {
			n = min(n, c.left)
		}
	}
	first, state := 0, t.state
	for _, k := range t.plan.kernels {
		if k.lanes > 1 {
			advance(k, &state[0], n)
			state = state[t.size(k):]
		} else if c := t.lanes[first]; c != nil {
			advance(k, &c.state[0], n)
		}
		first += k.lanes
	}
	for _, c := range t.lanes {
		if c != nil {
			c.left -= n
		}
	}
	return n
}

// advance runs a kernel. It is a function of its own and not inlined, since its prologue is where the garbage collector and the scheduler
// can stop this goroutine: they cannot in assembly, and between two calls of it alone they hardly ever meet anything else.
//
//go:noinline
func advance(k *kernel, state *uint64, n int) { k.iterate(state, n) }

// arrange gives the chains the lanes of another plan, close together.
func (t *team) arrange(p *plan) {
	for lane, c := range t.lanes {
		if c != nil {
			t.store(lane)
		}
	}
	live := t.lanes[:0]
	for _, c := range t.lanes {
		if c != nil {
			live = append(live, c)
		}
	}
	for len(live) < p.lanes {
		live = append(live, nil)
	}
	t.plan, t.lanes = p, live
	clear(t.state)
	size := 0
	for _, k := range p.kernels {
		if k.lanes > 1 {
			size += t.size(k)
		}
	}
	if cap(t.state) < size {
		t.state = aligned(size)
	}
	t.state = t.state[:size]
	for lane, c := range t.lanes {
		if c != nil {
			t.load(lane)
		}
	}
}

// aligned makes n uint64s that begin at a cache line. Kernels do not depend on it, but unaligned vectors are loaded a little slower.
func aligned(n int) []uint64 {
	const line = 64
	s := make([]uint64, n+line/8-1)
	skip := -uintptr(unsafe.Pointer(unsafe.SliceData(s))) % line / 8
	return s[skip:][:n]
}

// size is the number of uint64s that k's lanes take in state.
func (t *team) size(k *kernel) int { return (4*t.v.stateBytes()*k.lanes + 7) / 8 }

// place finds a lane's kernel, its number there, and the kernel's part of state; no kernel for a lane beyond the plan, or a kernel of one lane.
func (t *team) place(lane int) (*kernel, int, []uint64) {
	if t.plan == nil {
		return nil, 0, nil
	}
	state := t.state
	for _, k := range t.plan.kernels {
		if lane < k.lanes {
			if k.lanes == 1 {
				return nil, 0, nil
			}
			return k, lane, state
		}
		lane -= k.lanes
		if k.lanes > 1 {
			state = state[t.size(k):]
		}
	}
	return nil, 0, nil
}

// load copies a chain's state into its lane.
func (t *team) load(lane int) {
	c := t.lanes[lane]
	k, lane, state := t.place(lane)
	if k == nil {
		return
	}
	if words := 4 * t.v.words; t.v.wordBytes == 4 {
		setLane(words32(state), words32(c.state[:])[:words], lane, k.lanes)
	} else {
		setLane(state, c.state[:words], lane, k.lanes)
	}
}

// store copies u and t of a lane back into the chain.
func (t *team) store(lane int) {
	c := t.lanes[lane]
	k, lane, state := t.place(lane)
	if k == nil {
		return
	}
	if words := t.v.words; t.v.wordBytes == 4 {
		getLane(words32(c.state[:])[partU*words:4*words], words32(state)[partU*words*k.lanes:], lane, k.lanes)
	} else {
		getLane(c.state[partU*words:4*words], state[partU*words*k.lanes:], lane, k.lanes)
	}
}

// clearLane clears a lane's state.
func (t *team) clearLane(lane int) {
	k, lane, state := t.place(lane)
	if k == nil {
		return
	}
	if words := 4 * t.v.words; t.v.wordBytes == 4 {
		setLane(words32(state), words32(noState[:])[:words], lane, k.lanes)
	} else {
		setLane(state, noState[:words], lane, k.lanes)
	}
}

// noState is a cleared lane.
var noState [4 * maxWords]uint64

func setLane[W uint32 | uint64](state, words []W, lane, lanes int) {
	for i, w := range words {
		state[i*lanes+lane] = w
	}
}

func getLane[W uint32 | uint64](words, state []W, lane, lanes int) {
	for i := range words {
		words[i] = state[i*lanes+lane]
	}
}

// wipe forgets the chains and clears the state of every lane.
func (t *team) wipe() {
	clear(t.state[:cap(t.state)])
	clear(t.lanes[:cap(t.lanes)])
	t.lanes, t.live, t.plan = t.lanes[:0], 0, nil
}
