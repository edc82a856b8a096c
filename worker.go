// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import "sync"

// A source is where a worker's chains come from and where they go.
type source interface {
	// fill makes c the next chain, with U_1 done; it is false when there is none at present.
	fill(c *chain) (bool, error)
	// finish takes the T of a chain that has no iterations left.
	finish(c *chain)
	// advanced is called between slices, after so many iterations of all chains together. If pause is set, it should let other goroutines run. Its error
	// ends the work.
	advanced(iterations int, pause bool) error
}

// A worker runs chains of one hash on one goroutine, as many side by side as pay.
type worker struct {
	team   team
	chains []chain
	free   []*chain
	key    derivation // of Key's own
	sum    [maxSize]byte
}

// workers are those at rest. They hold no key material.
var workers = sync.Pool{New: func() any { return new(worker) }}

// release clears what the worker has had to do with and lets it rest.
func (w *worker) release() {
	w.team.wipe()
	clear(w.chains)
	w.chains, w.free = w.chains[:0], w.free[:0]
	w.key = derivation{}
	clear(w.sum[:])
	workers.Put(w)
}

// betweenPauses is how long a worker goes on between two calls of runtime.Gosched, in cycles like sliceTime: 0.4 ms, as each takes 2 µs and wakes a thread that
// looks for work.
const betweenPauses = 4 * sliceTime

// setUp is what making a chain takes, in compressions, about.
const setUp = 16

// run advances chains of src, at most so many at a time, until there are none.
func (w *worker) run(v *variant, most int, src source) error {
	t := &w.team
	t.v = v
	most = min(most, t.most())
	if cap(w.chains) < most {
		w.chains = make([]chain, 0, most)
	}
	spent := 0 // cycles since the last pause
	paused := func() bool {
		if spent < betweenPauses {
			return false
		}
		spent = 0
		return true
	}
	for idle := 0; ; {
		for t.live < most {
			c := w.take()
			ok, err := src.fill(c)
			if err != nil {
				return err
			}
			if !ok {
				w.free = append(w.free, c)
				break
			}
			spent += setUp * v.kernels().plans[0].cost
			if c.left > 0 {
				t.add(c)
				continue
			}
			src.finish(c) // there was one iteration only
			w.free = append(w.free, c)
			if idle++; idle%64 == 0 {
				if err := src.advanced(0, paused()); err != nil {
					return err
				}
			}
		}
		if t.live == 0 {
			return nil
		}
		live := t.live
		n := t.run()
		spent += 2 * n * t.plan.cost
		for lane, c := range t.lanes {
			if c != nil && c.left == 0 {
				src.finish(t.remove(lane))
				w.free = append(w.free, c)
			}
		}
		if err := src.advanced(n*live, paused()); err != nil {
			return err
		}
	}
}

// take returns a chain that is not in use. There are as many as run may have at a time.
func (w *worker) take() *chain {
	if n := len(w.free); n > 0 {
		c := w.free[n-1]
		w.free = w.free[:n-1]
		return c
	}
	w.chains = w.chains[:len(w.chains)+1]
	return &w.chains[len(w.chains)-1]
}
