// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"errors"
	"sync"
	"testing"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
)

// A fuzzed job is seven bytes: the length of the password, of the salt, the iterations (2), the key length (2), and how to go about it.
const fuzzed = 7

// fuzzedJobs makes jobs of what a fuzzer has found. Passwords and salts are cut from text, over and over again.
func fuzzedJobs(data, text []byte) (jobs []Job, how []byte) {
	cut := func(n int) []byte {
		p := make([]byte, n)
		for i := range p {
			if len(text) > 0 {
				p[i] = text[(i+len(jobs))%len(text)]
			}
		}
		return p
	}
	for ; len(data) >= fuzzed && len(jobs) < 80; data = data[fuzzed:] {
		jobs = append(jobs, Job{
			Password: cut(int(data[0])), Salt: cut(int(data[1])),
			Iter: 1 + (int(data[2])|int(data[3])<<8)%100, Key: make([]byte, 1+(int(data[4])|int(data[5])<<8)%300),
		})
		how = append(how, data[6])
	}
	return jobs, how
}

// Key, KeyContext and errors against crypto/pbkdf2, for every hash, with every int as an iteration count and a key length.
func FuzzKey(f *testing.F) {
	f.Add(byte(0), "password", []byte("salt"), 1, 20, 0)
	f.Add(byte(5), "", []byte(nil), 0, -1, 7)
	f.Fuzz(func(t *testing.T, id byte, password string, salt []byte, iter, keyLength, slice int) {
		h := allHashes[int(id)%len(allHashes)]
		if iter > 0 {
			iter = 1 + iter%1000
		}
		if keyLength > 0 {
			keyLength = 1 + keyLength%3000
		}
		forceSlice(t, max(0, slice%20))
		var want []byte
		if iter > 0 && keyLength > 0 {
			want = reference(t, h, password, salt, iter, keyLength)
		}
		for _, e := range lengthEntries {
			key, err := e.key(t.Context(), h, password, salt, iter, keyLength)
			if (err == nil) != (want != nil) || !bytes.Equal(key, want) ||
				err != nil && !errors.Is(err, ErrIterations) && !errors.Is(err, ErrKeyLength) {
				t.Errorf("%s: %x, %v, want %x", e.name, key, err, want)
			}
		}
	})
}

// Batches of jobs of all kinds, also cancelled somewhere.
func FuzzBatch(f *testing.F) {
	f.Add(byte(3), []byte("1234567abcdefgABCDEFG"), []byte("text"), 2, 3, uint64(0))
	f.Fuzz(func(t *testing.T, id byte, data, text []byte, workers, slice int, stop uint64) {
		h := allHashes[int(id)%len(allHashes)]
		jobs, _ := fuzzedJobs(data, text)
		forceSlice(t, max(0, slice%20))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		last := uint64(0)
		err := Batch(ctx, h, jobs, &BatchOptions{Workers: min(workers, 10), Progress: func(done, total uint64) {
			if done < last || done > total {
				t.Errorf("progress %d of %d after %d", done, total, last)
			}
			if last = done; stop > 0 && done >= stop {
				cancel()
			}
		}})
		if err != nil && (err != context.Canceled || stop == 0) {
			t.Fatal(err)
		}
		for i, j := range jobs {
			want := make([]byte, len(j.Key))
			if j.Done {
				want = reference(t, h, string(j.Password), j.Salt, j.Iter, len(j.Key))
			}
			if err == nil && !j.Done || !bytes.Equal(j.Key, want) {
				t.Errorf("job %d of %d, %v: %+v, want %x", i, len(jobs), err, j, want)
			}
		}
	})
}

// Calls of all kinds in a pool at the same time, some cancelled, of any hash.
func FuzzPool(f *testing.F) {
	f.Add([]byte("1234567abcdefgABCDEFG"), []byte("text"), 2, 3)
	f.Fuzz(func(t *testing.T, data, text []byte, workers, slice int) {
		jobs, how := fuzzedJobs(data, text)
		forceSlice(t, max(0, slice%20))
		pool := &Pool{Workers: min(workers, 10)}
		var wg sync.WaitGroup
		for i, j := range jobs {
			h := allHashes[int(how[i])%len(allHashes)]
			want, err := stdpbkdf2.Key(h, string(j.Password), j.Salt, j.Iter, len(j.Key))
			if err != nil {
				t.Fatal(err)
			}
			wg.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				given := how[i] >= 200
				if given {
					go cancel()
				}
				key, err := pool.Key(ctx, h, string(j.Password), j.Salt, j.Iter, len(j.Key))
				if err == nil && !bytes.Equal(key, want) || err != nil && (key != nil || err != context.Canceled || !given) {
					t.Errorf("call %d of %d: %x, %v, want %x", i, len(jobs), key, err, want)
				}
			})
		}
		wg.Wait()
		idle(t, pool)
	})
}

// Every kernel against the reference: on a state that is data over and over again, in two calls.
func FuzzKernel(f *testing.F) {
	type row struct {
		v *variant
		kernel
	}
	var all []row
	for v, k := range tableKernels() {
		for _, data := range []string{"\x00", "\xff", "0123456789abcdefghijklmnopqrstuvw"} {
			f.Add(byte(len(all)), byte(1), byte(2), []byte(data))
		}
		all = append(all, row{v, k})
	}
	f.Fuzz(func(t *testing.T, i, first, rest byte, data []byte) {
		k := all[int(i)%len(all)]
		if lacks := k.needs &^ features; lacks != 0 {
			t.Skipf("%s: this CPU lacks %v", k.name, lacks)
		}
		h := hashtest.Hashes[k.v.id]
		state := make([]uint64, h.StateLen(k.lanes)+1)
		repeat(bytesOf(state), data)
		hashtest.CheckIterate(t, h, k.lanes, k.iterate, state, int(i)%2, int(first)%9, int(rest)%9)
	})
}

// Every compression function against the standard library's: on a state and a message that are data over and over again.
func FuzzCompressor(f *testing.F) {
	type row struct {
		id hashID
		compressor
	}
	var all []row
	for _, c := range compressors {
		for _, id := range c.hashes {
			f.Add(byte(len(all)), byte(2), []byte("\xff"), []byte("0123456789abcdefghijklmnopqrstuvw"))
			all = append(all, row{id, c})
		}
	}
	f.Fuzz(func(t *testing.T, i, blocks byte, data, message []byte) {
		c := all[int(i)%len(all)]
		if lacks := c.needs &^ features; lacks != 0 {
			t.Skipf("%s/%s: this CPU lacks %v", variants[c.id].name, c.isa, lacks)
		}
		state := make([]uint64, maxWords+1)
		repeat(bytesOf(state), data)
		p := make([]byte, int(blocks)%9*variants[c.id].block())
		repeat(p, message)
		hashtest.CheckCompress(t, hashtest.Hashes[c.id], c.compress, state, int(blocks)%2*(len(state)-maxWords), p)
	})
}

// repeat fills p with data over and over again.
func repeat(p, data []byte) {
	for n := 0; len(data) > 0 && n < len(p); {
		n += copy(p[n:], data)
	}
}
