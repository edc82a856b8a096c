// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"context"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
)

// A secret is some bytes that must not stay in memory. It is kept inverted, so that it is not there itself.
type secret struct {
	name     string
	inverted []byte
}

// secretsOf are what a password turns into on its way: itself and its HMAC keys, as far as they go into a block, and the midstates.
func secretsOf(v *variant, which string, password []byte) []secret {
	var d derivation
	if err := d.start(stopper{}, v, password, nil, 2, make([]byte, v.size)); err != nil {
		panic(err)
	}
	n, of := v.stateBytes(), v.name+"/"+which+" "
	secrets := []secret{
		{of + "password", inverted(password, 0xFF)},
		{of + "inner key", inverted(password, 0xFF^0x36)},
		{of + "outer key", inverted(password, 0xFF^0x5c)},
		{of + "inner midstate", inverted(bytesOf(d.inner[:])[:n], 0xFF)},
		{of + "outer midstate", inverted(bytesOf(d.outer[:])[:n], 0xFF)},
	}
	d = derivation{}
	return secrets
}

func inverted(p []byte, mask byte) []byte {
	q := make([]byte, len(p))
	for i, b := range p {
		q[i] = b ^ mask
	}
	return q
}

// elsewhere is a text in memory that is not on Go's heap, where it has been.
func elsewhere(t *testing.T, s string) []byte {
	defer clear(readOnly(s))
	return hashtest.ReadOnly(t, readOnly(s))
}

// found are the names of the secrets in the memory that Go manages, what is not in use any more but has not been collected yet included.
func found(t *testing.T, secrets []secret) (names []string) {
	f, err := os.Create(filepath.Join(t.TempDir(), "heap"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	debug.WriteHeapDump(f.Fd())
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	const overlap = 256 // no secret is longer
	var b [overlap + 1<<18]byte
	defer clear(b[:])
	for n := 0; err != io.EOF; {
		n, err = io.ReadFull(f, b[overlap:])
		if err == io.ErrUnexpectedEOF {
			err = io.EOF
		}
		if err != nil && err != io.EOF {
			t.Fatal(err)
		}
		for i := range b[overlap:][:n] {
			b[overlap+i] ^= 0xFF
		}
		for _, s := range secrets {
			if bytes.Contains(b[:overlap+n], s.inverted) && !slices.Contains(names, s.name) {
				names = append(names, s.name)
			}
		}
		copy(b[:overlap], b[n:])
	}
	return names
}

// overwriteRegisters lets the runtime forget the vector registers that it has saved. When it interrupts a goroutine it stores them in a structure of the processor's (runtime.p.xRegs, from
// Go 1.26 on), which is on the heap, and they stay there until it interrupts another one on that processor. Registers also keep what a function has left in them until
// something else needs them. So every processor runs all that leaves secrets in registers, with other numbers and no memory of the library's, and is interrupted.
func overwriteRegisters() {
	onEveryCore(func(ctx context.Context) {
		state, block := make([]uint64, 4*maxWords*128), make([]byte, maxBlock)
		for ctx.Err() == nil {
			for _, v := range variants {
				for _, k := range v.kernels().kernels {
					k.iterate(&state[0], 1)
				}
				v.compress((*packed)(state), block)
				state[0] ^= mix(1) // the runtime can interrupt this, not a kernel
			}
		}
	}, func() {
		var stats runtime.MemStats
		for range 100 {
			runtime.ReadMemStats(&stats) // stops the world
			time.Sleep(100 * time.Microsecond)
		}
	})
}

// After each kind of call, whether it came to an end or was given up, nothing of what a password had turned into is in memory: neither in what is kept
// for the next call nor in garbage. The passwords themselves are not on Go's heap here. Words of lanes are not next to each other, but each
// was a chain before. U and T are looked for by TestWorkersAtRest.
func TestSecretsInMemory(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no memory outside of Go's heap")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // garbage is to stay
	forceSlice(t, 5)
	var secrets []secret
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		if standardOnly() || v.kernels().standard {
			t.Skip("the standard library does not clear what it has used")
		}
		short, long := elsewhere(t, "a password for "+v.name), elsewhere(t, strings.Repeat("a long password for "+v.name, 4000))
		secrets = append(secrets, secretsOf(v, "short", short)...)
		secrets = append(secrets, secretsOf(v, "long", long)[3:]...)
		salt := make([]byte, 2*piece)

		pool := new(Pool)
		for _, password := range [][]byte{short, long} {
			for _, keyLength := range []int{v.size, 5*v.size + 1} {
				for _, e := range append(entries, entry{"one Pool", pool.Key}) {
					if _, err := e.key(t.Context(), h, text(password), salt[:8], 20, keyLength); err != nil {
						t.Fatal(err)
					}
				}
				for _, e := range append(contextEntries, entry{"one Pool", pool.Key}) {
					for _, after := range []time.Duration{0, time.Millisecond} { // given up during set-up or later
						ctx, cancel := context.WithCancel(t.Context())
						e.key(ctx, func() hash.Hash {
							if after == 0 {
								cancel()
							}
							time.AfterFunc(after, cancel)
							return h()
						}, text(password), salt, 1e6, keyLength)
						cancel()
					}
				}
			}
		}
		jobs := untouched(100, v.size+1)
		for i := range jobs {
			jobs[i].Password = [][]byte{short, long}[i%2]
		}
		if err := Batch(t.Context(), h, jobs, &BatchOptions{Workers: 3}); err != nil {
			t.Fatal(err)
		}
	})
	if len(secrets) == 0 {
		return
	}
	names := found(t, secrets)
	for again := 0; len(names) > 0 && again < 20; again++ { // what is in memory of ours stays there
		t.Logf("%v may be in a register that the runtime has saved", names)
		overwriteRegisters()
		names = found(t, secrets)
	}
	if len(names) > 0 {
		t.Errorf("still in memory: %v", names)
	}
	planted := inverted(secrets[3].inverted, 0xFF)
	if names := found(t, secrets); !slices.Contains(names, secrets[3].name) {
		t.Errorf("a planted %s: found %v", secrets[3].name, names)
	}
	clear(planted)
}

// A worker that waits for its next call has forgotten everything: chains, lanes, U and T too. So has a key that another hash was given up with.
func TestWorkersAtRest(t *testing.T) {
	var mu sync.Mutex
	var all []*worker
	var pools []*poolWorker
	defer func(w, p func() any) { workers.New, poolWorkers.New = w, p }(workers.New, poolWorkers.New)
	for range 1000 { // those from before
		workers.Get()
		poolWorkers.Get()
	}
	workers.New = func() any {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, new(worker))
		return all[len(all)-1]
	}
	poolWorkers.New = func() any {
		mu.Lock()
		defer mu.Unlock()
		pools = append(pools, new(poolWorker))
		return pools[len(pools)-1]
	}
	forceSlice(t, 2)
	eachHash(t, func(t *testing.T, v *variant, h func() hash.Hash) {
		if standardOnly() || v.kernels().standard {
			t.Skip("the standard library runs here")
		}
		pool := &Pool{Workers: 3}
		var wg sync.WaitGroup
		for g := range 12 {
			wg.Go(func() {
				for _, e := range append(entries, entry{"one Pool", pool.Key}) {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(g%4)*time.Millisecond)
					e.key(ctx, h, strings.Repeat("password", 50), nil, 20+g*100, (1+g)*v.size)
					cancel()
				}
				panics(func() {
					jobs := untouched(5, v.size)
					jobs[4].Iter = 3000
					Batch(t.Context(), h, jobs, &BatchOptions{Workers: 2, Progress: func(_, _ uint64) { panic("progress") }})
				})
			})
		}
		wg.Wait()
		if len(all) == 0 || len(pools) == 0 {
			t.Errorf("%d workers, %d of pools", len(all), len(pools))
		}
		for _, w := range all {
			if what := remains(reflect.ValueOf(w).Elem()); what != "" {
				t.Errorf("a worker has %s", what)
			}
		}
		for _, w := range pools {
			if what := remains(reflect.ValueOf(&w.teams).Elem()); what != "" {
				t.Errorf("a pool's worker has %s", what)
			}
		}
		if t.Failed() {
			return
		}
		w, p := all[slices.IndexFunc(all, func(w *worker) bool { return cap(w.chains) > 0 })], pools[0]
		plantWord(t, w, "team.state", spare(&w.team.state))
		plantWord(t, w, "chains.", &w.chains[:1][0].state[maxWords])
		plantWord(t, w, "key.outer", &w.key.outer[maxWords-1])
		w.team.lanes = append(w.team.lanes, new(chain))
		plantWord(t, w, "team.lanes.0.state", &w.team.lanes[0].state[0])
		w.team.wipe()
		plantWord(t, &p.teams, fmt.Sprint(int(v.id), ".state"), spare(&p.teams[v.id].state))
	})
}

// spare is the last element of what a slice has room for, of one at least.
func spare(s *[]uint64) *uint64 {
	if cap(*s) == 0 {
		*s = make([]uint64, 1)[:0]
	}
	return &(*s)[:cap(*s)][cap(*s)-1]
}

// plantWord checks that a word of v that is not 0 is found, in the place that begins so.
func plantWord[T any](t *testing.T, v *T, place string, word *uint64) {
	t.Helper()
	*word = 0x1234
	if what := remains(reflect.ValueOf(v).Elem()); !strings.HasPrefix(what, place) || !strings.HasSuffix(what, fmt.Sprint(0x1234)) {
		t.Errorf("planted in %s: found %q", place, what)
	}
	*word = 0
}

// remains names a number in v that is not 0, the spare elements of slices and the chains in lanes included. What other pointers lead to, variants and plans, is not v's own.
func remains(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if what := remains(v.Field(i)); what != "" {
				return v.Type().Field(i).Name + "." + what
			}
		}
	case reflect.Slice:
		v = v.Slice(0, v.Cap())
		fallthrough
	case reflect.Array:
		for i := range v.Len() {
			if what := remains(v.Index(i)); what != "" {
				return fmt.Sprint(i, ".", what)
			}
		}
	case reflect.Int, reflect.Uint8, reflect.Uint64:
		if !v.IsZero() {
			return fmt.Sprint(v)
		}
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*chain]() && !v.IsNil() {
			return remains(v.Elem())
		}
	case reflect.Interface, reflect.String, reflect.Chan, reflect.Bool:
	default:
		panic(v.Kind())
	}
	return ""
}

// A key of another hash that was given up is cleared too.
func TestGivenUpOverHMAC(t *testing.T) {
	for _, h := range foreign {
		key, looks := make([]byte, 100), 0
		err := overHMAC(h, []byte("password"), nil, betweenLooks, key, func(int) error {
			if looks++; looks == 3 {
				return errEnded
			}
			return nil
		})
		if err != errEnded || !bytes.Equal(key, make([]byte, len(key))) {
			t.Errorf("key %x, %v", key, err)
		}
	}
}

// A chain that leaves its lane, since its call has ended or others wait, leaves nothing there: the worker may go on for long.
func TestLaneLeft(t *testing.T) {
	eachKernel(t, func(t *testing.T, v *variant, k kernel) {
		if k.lanes == 1 {
			t.Skip("works on the chain itself")
		}
		pin(t, v, k.name)
		chains := make([]chain, k.lanes)
		team := team{v: v}
		for i := range chains {
			for j := range chains[i].state {
				chains[i].state[j] = ^uint64(i)
			}
			chains[i].left = 2
			team.add(&chains[i])
		}
		forceSlice(t, 1)
		team.run()
		for lane := range k.lanes {
			team.remove(lane)
		}
		for i, word := range team.state {
			if word != 0 {
				t.Fatalf("word %d is %x after all chains have left", i, word)
			}
		}
	})
}
