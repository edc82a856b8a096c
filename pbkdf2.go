// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package pbkdf2 implements the key derivation function PBKDF2 with HMAC (RFC 8018 §5.2, NIST SP 800-132), as fast as the CPU can.
//
// [Key] is a drop-in replacement for [crypto/pbkdf2.Key]: the same signature and the same results. [KeyContext] can be cancelled, [Batch]
// derives many keys at once, and a [Pool] lets the callers of a server share the CPU's vector lanes.
//
// The inner loop is assembly for MD5, SHA-1, SHA-224, SHA-256, SHA-384, SHA-512, SHA-512/224 and SHA-512/256 on amd64 and arm64, and takes
// as long in a debug or race build as in a release build. Elsewhere, and with the build tag purego, it is Go; where the standard library
// has assembly and this package has none, the standard library runs. Every other hash, and every hash in FIPS 140-3 mode (see
// [crypto/fips140]), is left to the standard library too. [Implementation] tells what is used.
//
// MD5 and SHA-1 are here for the protocols that prescribe them. New designs that store passwords should prefer a memory-hard function,
// such as Argon2id, where they have the choice.
//
// # Safety
//
// Inputs are never modified, nor kept after a call. No branch or memory address depends on a password, a salt or anything derived from them,
// their lengths apart. Buffers of this package that held such data are cleared before a call returns; the results are the caller's to clear,
// and copies that the Go runtime makes of a stack, or registers that it or the operating system saves, are out of reach.
package pbkdf2

import (
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"errors"
	"fmt"
	"hash"
	"math"
	"unsafe"
)

// The errors about arguments. Those that are returned wrap one of these, with the value that was refused.
var (
	ErrIterations = errors.New("pbkdf2: invalid iteration count") // below 1, or above the MaxIter of a Pool
	ErrKeyLength  = errors.New("pbkdf2: invalid key length")      // below 1, or above (2^32 - 1) times the hash's size
	ErrHash       = errors.New("pbkdf2: no hash")                 // a nil function, or one that returns nil
	ErrBusy       = errors.New("pbkdf2: too many calls")          // a Pool has MaxPending of them already
)

// Key derives a key of keyLength bytes from password and salt with iter iterations of HMAC over the hash that h makes, as
// [crypto/pbkdf2.Key] does (RFC 8018 §5.2).
//
// For AES-256 with HMAC-SHA-256:
//
//	key, err := pbkdf2.Key(sha256.New, password, salt, 600_000, 32)
//
// Iter is at least 1, and keyLength at least 1 and at most (2^32 - 1) times the hash's size; anything else is an error that wraps
// [ErrIterations] or [ErrKeyLength], and a nil h or hash is [ErrHash]. Password and salt may be empty, and a nil salt is an empty one. There are no other
// errors, except those of the standard library in FIPS 140-3 mode.
//
// Key may be called from any number of goroutines at once. It works on the caller's goroutine; each call gives the garbage collector and the
// scheduler a chance to interrupt it about every 100 µs. Blocks of a long key are computed side by side.
//
// The differences from the standard library: that takes an iteration count below 1 for 1, and it panics when h returns the same
// instance twice, which works here unless [Implementation] is "crypto/pbkdf2".
func Key[H hash.Hash](h func() H, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	return derive(stopper{}, h, password, salt, iter, keyLength)
}

// KeyContext is [Key] that ends when ctx is done, and then returns ctx's error and no key. A context that is done already lets it do no work.
//
// The context is looked at about every 100 µs, and for a hash that is left to the standard library after every few iterations; in FIPS 140-3 mode
// only before and after the whole derivation.
//
// A client that takes the iteration count from a server or a token should put a limit on it, or on the time.
func KeyContext[H hash.Hash](ctx context.Context, h func() H, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	return derive(stopOn(ctx), h, password, salt, iter, keyLength)
}

// Implementation names what a derivation of one block with h runs on, on this machine and in this process: the hash and the instruction set, such as
// "sha256/shani" or "md5/generic", or "crypto/pbkdf2" where the standard library does the work, by that package or by its HMAC (also for a nil h, which the
// other functions refuse).
func Implementation[H hash.Hash](h func() H) string {
	const standard = "crypto/pbkdf2"
	if h == nil || standardOnly() {
		return standard
	}
	d := h()
	if any(d) == nil {
		return standard
	}
	v := identify(d)
	if v == nil || !v.isNew(d, new([maxSize]byte)) {
		return standard
	}
	return v.kernels().plans[0].kernels[0].name
}

// derive is Key until stop says otherwise.
func derive[H hash.Hash](stop stopper, h func() H, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	if err := checkArguments(h, iter, 0, keyLength); err != nil {
		return nil, err
	}
	if err := stop.check(); err != nil {
		return nil, err
	}
	first, err := makeHash(h, keyLength)
	if err != nil {
		return nil, err
	}
	if standardOnly() {
		key, err := stdpbkdf2.Key(handOn(first, h), password, salt, iter, keyLength)
		if err := stop.err(); err != nil {
			clear(key)
			return nil, err
		}
		return key, err
	}
	d := hash.Hash(first)
	if v := identify(d); v != nil {
		if key, isNew, err := v.derive(stop, d, readOnly(password), salt, iter, keyLength); isNew {
			return key, err
		}
	}
	return derivePassedOn(stop, handOn(first, h), password, salt, iter, keyLength)
}

// derive is the same for v, of which d is an instance: if that is not new, as it must be, nothing else happens.
func (v *variant) derive(stop stopper, d hash.Hash, password, salt []byte, iter, keyLength int) (key []byte, isNew bool, err error) {
	w := workers.Get().(*worker)
	defer w.release()
	if !v.isNew(d, &w.sum) {
		return nil, false, nil
	}
	key = make([]byte, keyLength)
	src := &w.key
	if err := src.start(stop, v, password, salt, iter, key); err != nil {
		return nil, true, err
	}
	if err := w.run(v, src.blocks, src); err != nil {
		clear(key)
		return nil, true, err
	}
	return key, true, nil
}

// derivePassedOn leaves the work to the standard library's HMAC, in slices.
func derivePassedOn[H hash.Hash](stop stopper, h func() H, password string, salt []byte, iter, keyLength int) ([]byte, error) {
	key := make([]byte, keyLength)
	var pace foreignPace
	look := func(iterations int) error {
		if pace.passed(iterations) > 0 {
			return stop.err()
		}
		return stop.check()
	}
	if err := overHMAC(func() hash.Hash { return h() }, readOnly(password), salt, iter, key, look); err != nil {
		return nil, err
	}
	return key, nil
}

// readOnly is the string's bytes, which must not be written.
func readOnly(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// checkArguments checks what can be without calling h, in the order in which errors are found. Above 0, maxIter is a pool's limit.
func checkArguments[H hash.Hash](h func() H, iter, maxIter, keyLength int) error {
	if err := checkIterations(iter); err != nil {
		return err
	}
	if maxIter > 0 && iter > maxIter {
		return fmt.Errorf("%w: %d is above the pool's limit, %d", ErrIterations, iter, maxIter)
	}
	if keyLength < 1 {
		return fmt.Errorf("%w: %d is below 1", ErrKeyLength, keyLength)
	}
	if h == nil {
		return fmt.Errorf("%w: the function is nil", ErrHash)
	}
	return nil
}

func checkIterations(iter int) error {
	if iter < 1 {
		return fmt.Errorf("%w: %d is below 1", ErrIterations, iter)
	}
	return nil
}

// makeHash calls h, and checks what it makes and the key's length against that.
func makeHash[H hash.Hash](h func() H, keyLength int) (H, error) {
	d := h()
	if hash.Hash(d) == nil {
		return d, fmt.Errorf("%w: the function returned nil", ErrHash)
	}
	return d, checkSize(keyLength, d.Size())
}

// checkSize checks the key's length against the size of the hash. Rounding up to whole blocks must not overflow either.
func checkSize(keyLength, size int) error {
	if uint64(keyLength) > math.MaxUint32*uint64(size) || keyLength > math.MaxInt-size {
		return fmt.Errorf("%w: %d is above (2^32 - 1) times the hash's size, %d", ErrKeyLength, keyLength, size)
	}
	return nil
}
