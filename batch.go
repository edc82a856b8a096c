// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"errors"
	"fmt"
	"hash"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// A Job is one derivation of a [Batch].
type Job struct {
	Password []byte // may be empty
	Salt     []byte // may be empty
	Iter     int    // at least 1
	// Key is where the derived key goes. Its length is the key length, from 1 to (2^32 - 1) times the hash's size. It must not overlap any Password or
	// Salt, or the Key of another job; passwords and salts may be shared.
	Key  []byte
	Done bool // set by Batch: whether Key holds the whole derived key
}

// BatchOptions are the options of a [Batch].
type BatchOptions struct {
	// Workers is the number of goroutines that work. 0, or less, is GOMAXPROCS, and 1 works in the caller's goroutine alone.
	Workers int
	// Progress, if not nil, is called on the caller's goroutine now and then, some tens of times a second, and at the end, with the iterations that
	// are done of all jobs' together. A job's count is its Iter for each block of its Key, and a block is as long as the hash's digest.
	Progress func(done, total uint64)
}

// Batch derives the keys of all jobs, side by side in the lanes of the CPU's vector registers and on several cores, and sets Done for each job whose
// Key is complete. Each Key is what [Key] would return for the same arguments. Jobs may differ in everything but the hash, and need no order; how long
// a batch takes is the least if no job is much longer than the others together. The blocks of one job are computed by one worker.
//
// All jobs are checked first: for an argument error, which names the job by its index and wraps [ErrIterations], [ErrKeyLength] or [ErrHash], nothing is
// written. When ctx is done Batch returns its error in milliseconds, and each Key is then complete and Done, or has not been touched. A nil opts is the
// default. Nothing reads or writes the jobs after Batch has returned. The working memory does not grow with the number of jobs; keys of more than
// one block are kept aside until they are complete.
//
// For a hash other than the eight, and in FIPS 140-3 mode, each job is left to the standard library (with one look at ctx before each job, in
// that mode), and h, which is called by every worker, must be safe to call from several goroutines. A panic in h or Progress reaches
// the caller after the workers have ended.
func Batch[H hash.Hash](ctx context.Context, h func() H, jobs []Job, opts *BatchOptions) error {
	if h == nil {
		return fmt.Errorf("%w: the function is nil", ErrHash)
	}
	return runBatch(ctx, func() hash.Hash { return h() }, jobs, opts)
}

func runBatch(ctx context.Context, h func() hash.Hash, jobs []Job, opts *BatchOptions) error {
	b := &batch{stop: stopOn(ctx), h: h, jobs: jobs}
	if opts == nil {
		opts = &BatchOptions{}
	}
	if len(jobs) > 0 {
		d := h()
		if d == nil {
			return fmt.Errorf("%w: the function returned nil", ErrHash)
		}
		b.size = d.Size()
		if !standardOnly() {
			if v := identify(d); v != nil && v.isNew(d, new([maxSize]byte)) {
				b.v = v
			}
		}
	}
	blocks := 0
	for i := range jobs {
		j := &jobs[i]
		if err := checkIterations(j.Iter); err != nil {
			return fmt.Errorf("job %d: %w", i, err)
		}
		if len(j.Key) == 0 {
			return fmt.Errorf("job %d: Key has length 0; allocate it: %w", i, ErrKeyLength)
		}
		if err := checkSize(len(j.Key), b.size); err != nil {
			return fmt.Errorf("job %d: %w", i, err)
		}
		b.total += b.iterations(j)
		blocks += b.blocks(j)
	}
	for i := range jobs {
		jobs[i].Done = false
	}
	if err := b.stop.check(); err != nil {
		return err
	}
	count := opts.Workers
	if count < 1 {
		count = runtime.GOMAXPROCS(0)
	}
	count = max(1, min(count, len(jobs)))
	return b.run(count, (blocks+count-1)/count, opts.Progress)
}

// A batch is one call of Batch.
type batch struct {
	stop  stopper
	h     func() hash.Hash
	v     *variant // nil: the standard library does the work
	size  int      // of the hash
	jobs  []Job
	total uint64 // iterations

	taken atomic.Int64  // jobs
	done  atomic.Uint64 // iterations
	ended atomic.Bool   // an error or a panic ends all workers
	tick  chan struct{} // progress of others than the caller
}

// blocks is the number of a job's blocks, and iterations what they take together.
func (b *batch) blocks(j *Job) int { return (len(j.Key)-1)/b.size + 1 }

func (b *batch) iterations(j *Job) uint64 { return uint64(b.blocks(j)) * uint64(j.Iter) }

// run lets count workers, the caller's goroutine among them, work on chains chains each, at most.
func (b *batch) run(count, chains int, progress func(done, total uint64)) error {
	tell := func() {}
	if progress != nil {
		tell = func() { progress(b.done.Load(), b.total) }
	}
	b.tick = make(chan struct{}, 1)
	others := make(chan error)
	for range count - 1 {
		go func() {
			err := errGoexit
			defer func() { others <- err }()
			err = b.guard(func() error {
				return b.work(chains, func() {
					select {
					case b.tick <- struct{}{}:
					default: // the caller has not seen the last one yet
					}
				})
			})
		}()
	}
	left := count - 1
	defer func() { // if progress or h has ended this goroutine
		b.ended.Store(true)
		for ; left > 0; left-- {
			<-others
		}
	}()
	err := b.guard(func() error { return b.work(chains, tell) })
	for left > 0 {
		select {
		case other := <-others:
			left--
			if _, ok := other.(panicked); ok || err == nil || err == errEnded {
				err = other
			}
		case <-b.tick:
			if err == nil {
				err = b.guard(func() error { tell(); return nil })
			}
		}
	}
	if p, ok := err.(panicked); ok {
		panic(p.value)
	}
	if err == errGoexit {
		runtime.Goexit()
	}
	if err == nil {
		tell()
	}
	return err
}

// errGoexit is the error of a worker whose goroutine h has ended: the caller's is ended too.
var errGoexit = errors.New("pbkdf2: runtime.Goexit")

// errEnded is the error of a worker that ends because another one has failed.
var errEnded = errors.New("pbkdf2: ended")

// A panicked is a panic on its way to the caller's goroutine.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprint(p.value) }

// guard calls work, turns a panic into an error, and tells the other workers of any error, and of the end of the goroutine.
func (b *batch) guard(work func() error) (err error) {
	err = errGoexit
	defer func() {
		if p := recover(); p != nil {
			err = panicked{p}
		}
		if err != nil {
			b.ended.Store(true)
		}
	}()
	return work()
}

// work takes jobs until there are none. It calls tell now and then.
func (b *batch) work(chains int, tell func()) error {
	s := &batchSource{batch: b, tell: tell}
	if b.v == nil {
		return s.overStandard()
	}
	w := workers.Get().(*worker)
	defer w.release()
	defer s.wipe()
	return w.run(b.v, chains, s)
}

// A batchSource is the source of one worker's chains.
type batchSource struct {
	*batch
	tell   func()
	pauses int // since the last tell

	current *jobDerivation
	free    []*jobDerivation
	all     []*jobDerivation // free ones and others
}

// A jobDerivation is the derivation of a job's key.
type jobDerivation struct {
	derivation
	job  *Job
	kept []byte // the blocks of a key of several, until it is complete
}

// take returns the next job, or nil.
func (b *batch) take() *Job {
	i := b.taken.Add(1) - 1
	if i >= int64(len(b.jobs)) {
		return nil
	}
	return &b.jobs[i]
}

func (s *batchSource) fill(c *chain) (bool, error) {
	if s.current == nil {
		j := s.take()
		if j == nil {
			return false, nil
		}
		d := s.derivation()
		d.job = j
		result := j.Key
		if len(result) > s.v.size {
			if cap(d.kept) < len(result) {
				clear(d.kept[:cap(d.kept)])
				d.kept = make([]byte, len(result))
			}
			result = d.kept[:len(result)]
		}
		if err := d.start(s.stop, s.v, j.Password, j.Salt, j.Iter, result); err != nil {
			return false, err
		}
		s.current = d
	}
	d := s.current
	d.chain(c)
	s.done.Add(1)
	c.owner = d
	if d.next == d.blocks {
		s.current = nil
	}
	return true, nil
}

func (s *batchSource) derivation() *jobDerivation {
	if n := len(s.free); n > 0 {
		d := s.free[n-1]
		s.free = s.free[:n-1]
		return d
	}
	d := new(jobDerivation)
	s.all = append(s.all, d)
	return d
}

func (s *batchSource) finish(c *chain) {
	d := c.owner.(*jobDerivation)
	d.finish(c)
	if d.pending == 0 {
		if d.blocks > 1 {
			copy(d.job.Key, d.result)
		}
		d.job.Done = true
		s.free = append(s.free, d)
	}
}

// betweenTells is how many pauses go by between two calls of Progress: some 25 ms, by the costs of kernels, or 16 384 iterations.
const betweenTells = 64

func (s *batchSource) advanced(iterations int, pause bool) error {
	s.done.Add(uint64(iterations))
	if s.ended.Load() {
		return errEnded
	}
	if !pause {
		return s.stop.check()
	}
	if s.pauses++; s.pauses >= betweenTells {
		s.pauses = 0
		s.tell()
	}
	if s.stop.done == nil {
		runtime.Gosched() // otherwise stop does it
	}
	return s.stop.err()
}

// wipe clears the derivations and what was kept.
func (s *batchSource) wipe() {
	for _, d := range s.all {
		clear(d.kept[:cap(d.kept)])
		*d = jobDerivation{}
	}
}

// overStandard leaves each job to the standard library.
func (s *batchSource) overStandard() error {
	var pace foreignPace
	due := 1 // pauses
	for j := s.take(); j != nil; j = s.take() {
		var key []byte
		if standardOnly() {
			if err := s.advanced(0, due > 0); err != nil {
				return err
			}
			var err error
			if key, err = stdpbkdf2.Key(s.h, text(j.Password), j.Salt, j.Iter, len(j.Key)); err != nil {
				return err
			}
			n := s.iterations(j)
			s.done.Add(n)
			due = pace.passed(int(min(n, betweenTells*betweenForeignPauses)))
			s.pauses += max(0, due-1)
		} else {
			key = make([]byte, len(j.Key))
			look := func(iterations int) error { return s.advanced(iterations, pace.passed(iterations) > 0) }
			if err := overHMAC(s.h, j.Password, j.Salt, j.Iter, key, look); err != nil {
				return err
			}
		}
		copy(j.Key, key)
		clear(key)
		j.Done = true
	}
	return nil
}

// text is p as a string, while nothing writes to p.
func text(p []byte) string { return unsafe.String(unsafe.SliceData(p), len(p)) }
