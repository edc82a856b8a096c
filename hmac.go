// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"context"
	"encoding/binary"
	"runtime"
	"unsafe"
)

// A chain is one output block on its way: the words that a one-lane kernel works on, [inner | outer | u | t], packed, and what is left to do.
// T is finished when left is 0.
type chain struct {
	state [4 * maxWords]uint64
	left  int // iterations
	block int // of the key, from 0
	owner any // whose block it is, for a source
}

// The parts of a chain's state.
const (
	partInner = iota
	partOuter
	partU
	partT
)

// part returns the bytes of one part.
func (c *chain) part(v *variant, part int) []byte {
	n := v.stateBytes()
	return bytesOf(c.state[:])[part*n : (part+1)*n]
}

func bytesOf(p []uint64) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p))), 8*len(p))
}

// A derivation is one key on its way: what all its blocks have in common.
type derivation struct {
	v            *variant
	stop         stopper
	iter         int
	inner, outer packed // midstates: the compressed block key^ipad, key^opad (RFC 2104)
	prefix       packed // inner after the salt's whole blocks
	// tail is the end of U_1's inner message: what is left of the salt, the block's number (at tail[number]), and the padding.
	tail    [2 * maxBlock]byte
	number  int
	tailEnd int
	result  []byte // the finished blocks' bytes go here
	blocks  int    // of result
	next    int    // the first block that is not made into a chain yet
	pending int    // blocks that are not finished

	scratch packed
	message [maxBlock]byte
}

// start computes the midstates and absorbs the salt's whole blocks. Its only error is stop's.
func (d *derivation) start(stop stopper, v *variant, password, salt []byte, iter int, result []byte) error {
	d.v, d.stop, d.iter, d.result = v, stop, iter, result
	d.blocks = (len(result)-1)/v.size + 1
	d.next, d.pending = 0, d.blocks

	block := v.block()
	key := d.message[:block]
	if len(password) > block { // RFC 2104 §2: a key that is longer than a block is hashed first
		d.scratch = v.iv
		whole := len(password) - len(password)%block
		if err := absorb(stop, v, &d.scratch, password[:whole]); err != nil {
			return err
		}
		end := v.padTail(&d.tail, copy(d.tail[:], password[whole:]), uint64(len(password)))
		v.compress(&d.scratch, d.tail[:end])
		clear(key)
		v.digest(key, &d.scratch)
	} else {
		clear(key[copy(key, password):])
	}
	for i := range key {
		key[i] ^= 0x36
	}
	d.inner = v.iv
	v.compress(&d.inner, key)
	for i := range key {
		key[i] ^= 0x36 ^ 0x5c
	}
	d.outer = v.iv
	v.compress(&d.outer, key)

	d.prefix = d.inner
	whole := len(salt) - len(salt)%block
	if err := absorb(stop, v, &d.prefix, salt[:whole]); err != nil {
		return err
	}
	d.number = copy(d.tail[:], salt[whole:])
	d.tailEnd = v.padTail(&d.tail, d.number+4, uint64(block+len(salt)+4))
	v.pad(d.message[:block], v.size, uint64(block+v.size))
	return nil
}

// chain makes c the chain of d's next block, with U_1 done.
func (d *derivation) chain(c *chain) {
	v := d.v
	c.block, c.left = d.next, d.iter-1
	d.next++
	binary.BigEndian.PutUint32(d.tail[d.number:], uint32(d.next))
	h := &d.scratch
	*h = d.prefix
	v.compress(h, d.tail[:d.tailEnd])
	v.digest(d.message[:v.size], h)
	*h = d.outer
	v.compress(h, d.message[:v.block()])
	copy(c.part(v, partInner), bytesOf(d.inner[:]))
	copy(c.part(v, partOuter), bytesOf(d.outer[:]))
	copy(c.part(v, partU), bytesOf(h[:]))
	copy(c.part(v, partT), bytesOf(h[:]))
}

// fill, finish and advanced make a derivation the source of a worker that has nothing else to do.
func (d *derivation) fill(c *chain) (bool, error) {
	if d.next == d.blocks {
		return false, nil
	}
	d.chain(c)
	return true, nil
}

// finish writes the block of a finished chain into the result.
func (d *derivation) finish(c *chain) {
	copy(bytesOf(d.scratch[:]), c.part(d.v, partT))
	d.v.digest(d.result[c.block*d.v.size:], &d.scratch)
	d.pending--
}

func (d *derivation) advanced(_ int, pause bool) error {
	if pause {
		return d.stop.err()
	}
	return d.stop.check()
}

// padTail pads the message of length bytes whose end is the first used bytes of tail, and returns how many bytes of tail it takes.
func (v *variant) padTail(tail *[2 * maxBlock]byte, used int, length uint64) int {
	end := v.block()
	if used+1+v.lengthBytes() > end {
		end *= 2
	}
	v.pad(tail[:end], used, length)
	return end
}

// piece bounds what is compressed at a time, in bytes: at most 100 µs or so of it, since assembly cannot be preempted.
const piece = 16 << 10

// absorb compresses p, whole blocks, piece by piece.
func absorb(stop stopper, v *variant, h *packed, p []byte) error {
	for len(p) > piece {
		v.compress(h, p[:piece])
		p = p[piece:]
		if err := stop.err(); err != nil {
			return err
		}
	}
	if len(p) > 0 {
		v.compress(h, p)
	}
	return nil
}

// compress is the compression function on whole blocks. It is not inlined, so that its prologue is a point of preemption.
//
//go:noinline
func (v *variant) compress(h *packed, p []byte) { v.kernels().compress(&h[0], p) }

// A stopper tells whether work is to end early. The zero value never does.
type stopper struct {
	ctx  context.Context
	done <-chan struct{}
}

// stopOn returns the stopper that follows ctx.
func stopOn(ctx context.Context) stopper { return stopper{ctx, ctx.Done()} }

// err is the context's error once it is done. With a context that can be done it lets other goroutines run first, timers among them.
func (s stopper) err() error {
	if s.done == nil {
		return nil
	}
	runtime.Gosched()
	return s.check()
}

// check is err without the pause.
func (s stopper) check() error {
	select {
	case <-s.done:
		return s.ctx.Err()
	default:
		return nil
	}
}
