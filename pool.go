// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"container/list"
	"context"
	"fmt"
	"hash"
	"runtime"
	"sync"
)

// A Pool lets derivations that run at the same time on many goroutines share the lanes of the CPU's vector registers: for servers, where every
// log-in is a derivation of its own. Its zero value is ready to use. A Pool must not be copied after first use, and its fields not be changed then.
//
// A Pool owns no goroutine. The callers that wait do the work, up to Workers of them at a time, for all that wait, and hand over when their own key is
// done. Every second lane that gets free is for a derivation that ends within about 3 ms, the others are given first come, first served; a derivation that
// has had its lane for about 3 ms gives it up if others wait, and hashes take turns. A single caller gets its key about as fast as from [Key].
type Pool struct {
	Workers    int // callers that work at a time; 0, or less, is GOMAXPROCS
	MaxIter    int // an iteration count above it is refused with ErrIterations; 0, or less, is no limit
	MaxPending int // calls beyond so many, waiting or running, are refused with ErrBusy; 0, or less, is no limit

	mu      sync.Mutex
	pending int       // calls
	working int       // callers that work
	waiting list.List // of calls whose callers could work
	hashes  [numHashes]poolHash
}

// A poolHash is a pool's chains of one hash.
type poolHash struct {
	short, long list.List // of poolChains without a lane: those that end in the time that a chain may keep one, and the others
	turn        bool      // the next lane is for one of long
	chains      int       // with and without a lane
}

// A call is a call of Pool.Key that has work to share. The pool's mutex guards it once it is in.
type call struct {
	derivation
	chains  []poolChain
	lanes   int           // chains that workers have
	waits   *list.Element // of Pool.waiting
	works   bool          // its caller counts in Pool.working
	ended   bool          // finished, or given up by its caller
	changed chan struct{} // a message that one of these has changed; has room for one
}

// A poolChain is a chain that a pool's workers pass on to each other.
type poolChain struct {
	chain
	call   *call
	queued *list.Element // of short or long
	since  int           // the worker's slice in which it got its lane
}

// fairSlices is how many slices, of about 100 µs, a chain may keep its lane while others wait for one.
const fairSlices = 30

// Key is [KeyContext] in a pool: it returns what [Key] returns for the same arguments.
//
// Besides the errors of [KeyContext] it returns one that wraps [ErrIterations] for an iteration count above MaxIter, and [ErrBusy] when there are MaxPending
// calls already; both at once and before any work. It may be called from any number of goroutines. A hash that is left to the standard library is
// computed by its caller alone.
func (p *Pool) Key(ctx context.Context, h func() hash.Hash, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	if err := checkArguments(h, iter, p.MaxIter, keyLength); err != nil {
		return nil, err
	}
	if !p.enter() {
		return nil, fmt.Errorf("%w: the pool's limit is %d", ErrBusy, p.MaxPending)
	}
	defer p.exit()
	if iter == 1 { // nothing to share
		return KeyContext(ctx, h, password, salt, iter, keyLength)
	}
	stop := stopOn(ctx)
	if err := stop.check(); err != nil {
		return nil, err
	}
	if standardOnly() {
		return KeyContext(ctx, h, password, salt, iter, keyLength)
	}
	d, err := makeHash(h, keyLength)
	if err != nil {
		return nil, err
	}
	v := identify(d)
	if v == nil || !v.isNew(d, new([maxSize]byte)) {
		return derivePassedOn(stop, handOn(d, h), password, salt, iter, keyLength)
	}
	c := &call{changed: make(chan struct{}, 1)}
	key := make([]byte, keyLength)
	if err := c.start(stop, v, readOnly(password), salt, iter, key); err != nil {
		c.wipe()
		return nil, err
	}
	c.chains = make([]poolChain, min(c.blocks, len(v.kernels().plans)))
	for i := range c.chains {
		c.chains[i].call = c
		c.chains[i].owner = &c.chains[i]
		c.derivation.chain(&c.chains[i].chain)
	}
	if err := p.run(c); err != nil {
		return nil, err
	}
	return key, nil
}

// enter counts a call in, if there is room.
func (p *Pool) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.MaxPending > 0 && p.pending >= p.MaxPending {
		return false
	}
	p.pending++
	return true
}

func (p *Pool) exit() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending--
}

// run returns when c is finished, or with its context's error.
func (p *Pool) run(c *call) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	stop := c.stop // end clears c's
	q := &p.hashes[c.v.id]
	for i := range c.chains {
		q.chains++
		c.chains[i].toBack(q)
	}
	c.waits = p.waiting.PushBack(c)
	p.staff()
	for !c.ended || c.works { // it may be ended by others before its caller begins to work
		if c.works {
			p.work(c)
			continue
		}
		if err := stop.check(); err != nil {
			p.leave(c)
			return err
		}
		p.mu.Unlock()
		select {
		case <-c.changed:
		case <-stop.done:
		}
		p.mu.Lock()
	}
	return nil
}

// staff puts callers that wait to work while there are chains without a lane: the one that came last first, since it has the most to wait for.
func (p *Pool) staff() {
	limit := p.Workers
	if limit < 1 {
		limit = runtime.GOMAXPROCS(0)
	}
	queued := false
	for i := range p.hashes {
		q := &p.hashes[i]
		queued = queued || q.waiting() > 0
	}
	for queued && p.working < limit && p.waiting.Len() > 0 {
		c := p.waiting.Remove(p.waiting.Back()).(*call)
		c.waits = nil
		c.works = true
		p.working++
		c.tell()
	}
}

// tell wakes the call's caller.
func (c *call) tell() {
	select {
	case c.changed <- struct{}{}:
	default: // it has not seen the last message yet, and will look at everything then
	}
}

// leave gives up a call whose caller does not work.
func (p *Pool) leave(c *call) {
	q := &p.hashes[c.v.id]
	for i := range c.chains {
		if pc := &c.chains[i]; pc.queued != nil {
			q.short.Remove(pc.queued) // one of the two has it
			q.long.Remove(pc.queued)
			q.chains--
		}
	}
	p.end(c)
}

// end is the end of a call, finished or not. Its memory is cleared when no worker has a chain of it any more.
func (p *Pool) end(c *call) {
	c.ended = true
	if c.waits != nil {
		p.waiting.Remove(c.waits)
		c.waits = nil
	}
	if c.lanes == 0 {
		c.wipe()
	}
	c.tell()
}

// wipe clears what depends on the password; the result of a call that was given up, too.
func (c *call) wipe() {
	if c.pending > 0 {
		clear(c.result)
	}
	clear(c.chains)
	c.derivation = derivation{}
}

// A poolWorker is what a caller works with.
type poolWorker struct {
	teams  [numHashes]team
	turn   int // the hash of the last slice
	slices int // so far
}

var poolWorkers = sync.Pool{New: func() any { return new(poolWorker) }}

// work advances everybody's chains until c is finished or its context done, or until there are no lanes to fill. Called and left with
// the mutex held.
func (p *Pool) work(c *call) {
	if p.pending > 1 && !c.ended && c.stop.check() == nil {
		// Some may be about to add chains, as those whose calls have just ended: 3 % more of 15 000 iterations of MD5 with 64 callers on two cores of a Zen 4.
		p.mu.Unlock()
		runtime.Gosched()
		p.mu.Lock()
	}
	w := poolWorkers.Get().(*poolWorker)
	for !c.ended && c.stop.check() == nil {
		for id := range p.hashes {
			p.fill(w, hashID(id))
		}
		t := w.next()
		if t == nil {
			break
		}
		w.slices++
		p.mu.Unlock()
		t.run()
		p.mu.Lock()
		if ended := p.collect(t); !c.ended && (ended || w.slices%(betweenPauses/sliceTime) == 0) {
			p.mu.Unlock()
			runtime.Gosched() // for the callers whose call has ended, among others
			p.mu.Lock()
		}
	}
	for id := range w.teams {
		t := &w.teams[id]
		for lane, c := range t.lanes {
			switch {
			case c == nil:
			case c.owner.(*poolChain).call.ended: // its caller has left since fill
				p.drop(t, lane)
			default:
				p.giveBack(t, lane).toFront(&p.hashes[id])
			}
		}
		t.wipe()
	}
	poolWorkers.Put(w)
	c.works = false
	p.working--
	if !c.ended && c.stop.check() == nil {
		c.waits = p.waiting.PushBack(c)
	}
	p.staff()
}

// next returns the team of the next hash that has chains, or nil.
func (w *poolWorker) next() *team {
	for range w.teams {
		w.turn = (w.turn + 1) % len(w.teams)
		if t := &w.teams[w.turn]; t.live > 0 {
			return t
		}
	}
	return nil
}

// fill gives a worker its share of the chains of one hash.
func (p *Pool) fill(w *poolWorker, id hashID) {
	t, q := &w.teams[id], &p.hashes[id]
	if q.chains == 0 {
		return
	}
	t.v = variants[id]
	for lane, c := range t.lanes {
		if c != nil && c.owner.(*poolChain).call.ended {
			p.drop(t, lane)
		}
	}
	plans := t.v.kernels().plans
	share := min(len(plans), (q.chains+p.working-1)/p.working)
	for t.live < share {
		c := q.pop()
		if c == nil {
			break
		}
		w.take(t, c)
	}
	if t.live > share && plans[share-1].cost < plans[t.live-1].cost { // others have joined
		for lane := 0; t.live > share; lane++ {
			if t.lanes[lane] != nil {
				p.giveBack(t, lane).toFront(q)
			}
		}
		p.staff()
	}
	waiting := q.waiting()
	for lane := 0; lane < len(t.lanes) && waiting > 0; lane++ {
		if c := t.lanes[lane]; c != nil && w.slices-c.owner.(*poolChain).since >= fairSlices {
			p.giveBack(t, lane).toBack(q)
			w.take(t, q.pop())
			waiting--
		}
	}
}

// take gives c a lane.
func (w *poolWorker) take(t *team, c *poolChain) {
	c.since = w.slices
	c.call.lanes++
	t.add(&c.chain)
}

// giveBack takes a lane from its chain.
func (p *Pool) giveBack(t *team, lane int) *poolChain {
	c := t.remove(lane).owner.(*poolChain)
	c.call.lanes--
	return c
}

// drop forgets the chain in a lane: it is finished or not wanted any more.
func (p *Pool) drop(t *team, lane int) {
	c := p.giveBack(t, lane)
	p.hashes[t.v.id].chains--
	if c.call.ended && c.call.lanes == 0 {
		c.call.wipe()
	}
}

// collect takes the results of the chains that have no iterations left, and tells whether a call has ended. A chain goes on with the next block of its call's
// key, if there is one.
func (p *Pool) collect(t *team) (ended bool) {
	for lane, c := range t.lanes {
		if c == nil || c.left > 0 {
			continue
		}
		call := c.owner.(*poolChain).call
		if call.ended {
			continue // fill drops it
		}
		t.store(lane)
		call.finish(c)
		switch {
		case call.next < call.blocks:
			call.derivation.chain(c)
			t.load(lane)
		default:
			p.drop(t, lane)
			if call.pending == 0 {
				p.end(call)
				ended = true
			}
		}
	}
	return ended
}

// waiting is how many chains have no lane.
func (q *poolHash) waiting() int { return q.short.Len() + q.long.Len() }

// pop takes the chain that is to have the next lane, or nil: a short one and a long one in turn.
func (q *poolHash) pop() *poolChain {
	from, other := &q.short, &q.long
	if q.turn {
		from, other = other, from
	}
	if from.Len() == 0 {
		from = other
	}
	if from.Len() == 0 {
		return nil
	}
	q.turn = from == &q.short
	c := from.Remove(from.Front()).(*poolChain)
	c.queued = nil
	return c
}

// list is where c waits for a lane.
func (c *poolChain) list(q *poolHash) *list.List {
	plans := c.call.v.kernels().plans
	if c.left <= fairSlices*plans[len(plans)-1].slice() {
		return &q.short
	}
	return &q.long
}

func (c *poolChain) toFront(q *poolHash) { c.queued = c.list(q).PushFront(c) }

func (c *poolChain) toBack(q *poolHash) { c.queued = c.list(q).PushBack(c) }
