// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	"crypto/fips140"
	stdpbkdf2 "crypto/pbkdf2"
	"crypto/sha256"
	"crypto/sha3"
	"errors"
	"hash"
	"os"
	"runtime"
	"testing"
)

// In FIPS 140-3 mode everything is the standard library's work, results, errors and all, and nothing panics, MD5 and package initialization
// included. Each mode has a process of its own.
func TestFaultFIPS(t *testing.T) {
	switch { // as crypto/internal/fips140 has it
	case purego, boringcrypto, asan, runtime.GOARCH == "wasm", runtime.GOOS == "windows" && runtime.GOARCH == "386", runtime.GOOS == "openbsd", runtime.GOOS == "aix":
		t.Skip("there is no such mode here")
	}
	for _, mode := range []string{"on", "only"} {
		t.Run(mode, func(t *testing.T) {
			alone(t, "fips140="+mode, func() {
				if !fips140.Enabled() {
					t.Fatal("the mode is off")
				}
				for _, h := range allHashes {
					underFIPS(t, h)
				}
				underFIPS(t, sha3.New256)
				kernelInfo(t)
				for _, e := range entries {
					for _, h := range []func() hash.Hash{nil, func() hash.Hash { return nil }} {
						if key, err := e.key(t.Context(), h, "password", make([]byte, 16), 2, 32); key != nil || !errors.Is(err, ErrHash) {
							t.Errorf("%s, no hash: %x, %v", e.name, key, err)
						}
					}
				}
			})
		})
	}
}

// A build that has FIPS 140-3 mode from its start (GOFIPS140), or BoringCrypto, leaves everything to the standard library, like that mode does.
func TestFaultStandardOnly(t *testing.T) {
	if !standardOnly() {
		if os.Getenv("PBKDF2_TEST_STANDARD") != "" {
			t.Fatal("this build should be one")
		}
		t.Skip("this is no such build; .ci/builds makes them")
	}
	for _, h := range allHashes {
		underFIPS(t, h)
	}
	underFIPS(t, sha3.New256)
}

// interruptible skips a test of what crypto/pbkdf2 cannot do: where nothing else may run, a context is looked at only between derivations, as
// KeyContext says.
func interruptible(t *testing.T) {
	t.Helper()
	if standardOnly() {
		t.Skip("crypto/pbkdf2 cannot be interrupted")
	}
}

func underFIPS[H hash.Hash](t *testing.T, h func() H) {
	if got := Implementation(h); got != "crypto/pbkdf2" {
		t.Error(got)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	general := func() hash.Hash { return h() }
	for _, c := range []struct{ password, salt, iter, keyLength int }{
		{8, 16, 1, 32}, {8, 16, 2, 32}, {8, 16, 1000, 100}, {0, 0, 3, 14}, {300, 15, 3, 14}, {8, 16, 3, 13}, {8, 300, 3, 14}, {8, 16, 3, 1},
	} {
		password, salt := string(make([]byte, c.password)), make([]byte, c.salt)
		want, wantErr := stdpbkdf2.Key(h, password, salt, c.iter, c.keyLength)
		same := func(name string, key []byte, err error) {
			if !bytes.Equal(key, want) || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("%s, %T, %+v: %x, %v, want %x, %v", name, h(), c, key, err, want, wantErr)
			}
		}
		key, err := Key(h, password, salt, c.iter, c.keyLength)
		same("generic Key", key, err)
		for _, e := range entries {
			key, err := e.key(t.Context(), general, password, salt, c.iter, c.keyLength)
			same(e.name, key, err)
		}
		for _, e := range contextEntries {
			if key, err := e.key(ctx, general, password, salt, c.iter, c.keyLength); key != nil || err != context.Canceled {
				t.Errorf("%s, cancelled: %x, %v", e.name, key, err)
			}
		}
		late, cancelLate := context.WithCancel(t.Context())
		if key, err := KeyContext(late, func() H { cancelLate(); return h() }, password, salt, c.iter, c.keyLength); key != nil || err != context.Canceled {
			t.Errorf("KeyContext, cancelled by h: %x, %v", key, err)
		}

		jobs := untouched(3, 32)
		for i := range jobs {
			jobs[i].Salt = append(jobs[i].Salt, salt...)
		}
		last, of := uint64(0), uint64(0)
		err = Batch(t.Context(), h, jobs, &BatchOptions{Workers: 2, Progress: func(done, total uint64) { last, of = done, total }})
		for _, j := range jobs {
			want, wantErr := stdpbkdf2.Key(h, "password", j.Salt, j.Iter, len(j.Key))
			if (err == nil) != (wantErr == nil) || j.Done != (err == nil) || j.Done && !bytes.Equal(j.Key, want) || !j.Done && touched(j) {
				t.Errorf("Batch, %T: %+v, %v, want %x, %v", h(), j, err, want, wantErr)
			}
		}
		stopped, stop := context.WithCancel(t.Context())
		calls := 0
		stopErr := Batch(stopped, func() H {
			if calls++; calls == 2 { // the first one is for the hash's size
				stop()
			}
			return h()
		}, jobs, &BatchOptions{Workers: 1})
		if err == nil && (stopErr != context.Canceled || !jobs[0].Done || jobs[1].Done) {
			t.Errorf("Batch, %T, cancelled in the first job: %v, %v, %v", h(), stopErr, jobs[0].Done, jobs[1].Done)
		}
		if blocks := 31/h().Size() + 1; err == nil && (last != of || of != uint64(9*blocks)) {
			t.Errorf("%T: progress %d of %d at the end, want %d", h(), last, of, 9*blocks)
		}
	}
	for _, e := range entries {
		refused(t, e, general, 0, 32, 0, ErrIterations)
		refused(t, e, general, 2, 0, 0, ErrKeyLength)
	}
	for _, e := range lengthEntries {
		refused(t, e, general, 2, int(^uint(0)>>1), int(^uint(0)>>1), ErrKeyLength)
	}
	pool := &Pool{MaxIter: 10}
	if _, err := pool.Key(t.Context(), general, "", nil, 11, 32); !errors.Is(err, ErrIterations) {
		t.Error(err)
	}
}

// What is imported is one thing, what runs another: nothing of ours is made of a hash before somebody calls.
func TestFaultInit(t *testing.T) {
	alone(t, "fips140=off", func() {
		for _, v := range variants {
			if v.table != nil {
				t.Errorf("%s: the kernels were chosen without a call", v.name)
			}
		}
		equal(t, sha256.New, "password", nil, 2, 32)
	})
}
