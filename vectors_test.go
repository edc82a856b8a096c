// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A vector is a derivation whose result is known. Where no such derivation is possible, valid is false.
type vector struct {
	hash           hashID
	password, salt []byte
	iter, length   int
	key            []byte
	valid          bool
}

// cost is about how long a vector takes.
func (v *vector) cost() int { return v.iter * (1 + v.length/variants[v.hash].size) }

// hashNamed is the hash of a name as in a kernel's.
func hashNamed(t testing.TB, name string) hashID {
	for id, v := range variants {
		if v.name == name {
			return hashID(id)
		}
	}
	t.Fatalf("there is no hash %q", name)
	return 0
}

// unhex decodes what test vectors have.
func unhex(t testing.TB, s string) []byte {
	b, err := hex.DecodeString(strings.TrimPrefix(s, "-"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// shared reads a JSON file of vectors that are not part of this repository, and skips the test where there are none. One file that is missing among others fails it.
func shared(t testing.TB, name string, to any) {
	folder := filepath.Join("..", "shared", "vectors")
	b, err := os.ReadFile(filepath.Join(folder, name))
	if _, none := os.Stat(folder); errors.Is(none, fs.ErrNotExist) {
		t.Skipf("%s is not read: there is no folder %s with public test vectors", name, folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, to); err != nil {
		t.Fatal(err)
	}
}

// check derives the vectors of few iterations with the functions in turn, and then all in batches, the cheapest first. Those of many iterations are left
// out by -short; what has not come to an end after some seconds stays undone, unless PBKDF2_TEST_LONG is 1.
func check(t *testing.T, vectors []vector) {
	ctx, budget := t.Context(), 10*time.Second
	if os.Getenv("PBKDF2_TEST_LONG") != "1" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, budget)
		defer cancel()
	}
	slices.SortStableFunc(vectors, func(x, y vector) int { return cmp.Compare(x.cost(), y.cost()) })
	var jobs [2][numHashes][]Job // those of millions of iterations after the others of all hashes
	var want [2][numHashes][][]byte
	left, many := 0, few(5000)
	for i, v := range vectors {
		if v.iter <= many {
			e := entries[i%len(entries)]
			key, err := e.key(t.Context(), hashes[v.hash], text(v.password), v.salt, v.iter, v.length)
			if !v.valid && err == nil || v.valid && (err != nil || !bytes.Equal(key, v.key)) {
				t.Errorf("%s: %+v: %x, %v", e.name, v, key, err)
			}
		}
		switch {
		case !v.valid:
		case testing.Short() && v.iter > many:
			left++
		default:
			last := 0
			if v.iter > 1_000_000 {
				last = 1
			}
			jobs[last][v.hash] = append(jobs[last][v.hash], Job{Password: v.password, Salt: v.salt, Iter: v.iter, Key: make([]byte, v.length)})
			want[last][v.hash] = append(want[last][v.hash], v.key)
		}
	}
	for last := range jobs {
		for id, h := range hashes {
			jobs, want := jobs[last][id], want[last][id]
			if err := Batch(ctx, h, jobs, nil); err != nil && err != context.DeadlineExceeded {
				t.Error(err)
			}
			for i, j := range jobs {
				if !j.Done {
					left++
				} else if !bytes.Equal(j.Key, want[i]) {
					t.Errorf("%s, %d iterations: got %x, want %x", variants[id].name, j.Iter, j.Key, want[i])
				}
			}
		}
	}
	t.Logf("%d vectors; %d of many iterations left to a run without -short and with PBKDF2_TEST_LONG=1", len(vectors), left)
}

// testdata/hashlib.txt says how it was made.
func TestVectorsHashlib(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "hashlib.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var vectors []vector
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if f[0] == "#" {
			continue
		}
		v := vector{hash: hashNamed(t, f[0]), password: unhex(t, f[2]), salt: unhex(t, f[3]), key: unhex(t, f[4]), valid: true}
		v.length = len(v.key)
		if err := json.Unmarshal([]byte(f[1]), &v.iter); err != nil {
			t.Fatal(err)
		}
		vectors = append(vectors, v)
	}
	check(t, vectors)
}

func TestVectorsWycheproof(t *testing.T) {
	for _, name := range []string{"sha1", "sha224", "sha256", "sha384", "sha512"} {
		t.Run(name, func(t *testing.T) {
			var file struct {
				NumberOfTests int
				TestGroups    []struct {
					Tests []struct {
						Password, Salt, DK    string
						IterationCount, DKLen int
						Result                string
					}
				}
			}
			shared(t, "wycheproof/pbkdf2_hmac"+name+"_test.json", &file)
			var vectors []vector
			for _, g := range file.TestGroups {
				for _, c := range g.Tests {
					vectors = append(vectors, vector{hashNamed(t, name), unhex(t, c.Password), unhex(t, c.Salt),
						c.IterationCount, c.DKLen, unhex(t, c.DK), c.Result != "invalid"})
				}
			}
			if len(vectors) != file.NumberOfTests {
				t.Errorf("%d vectors of %d", len(vectors), file.NumberOfTests)
			}
			check(t, vectors)
		})
	}
}

func TestVectorsAntiWeakpasswords(t *testing.T) {
	var file struct {
		Vectors []struct {
			Hash, Password, Salt, DK string
			Iter, DKLen              int
		}
	}
	shared(t, "anti-weakpasswords/vectors.json", &file)
	var vectors []vector
	for _, c := range file.Vectors {
		vectors = append(vectors, vector{hashNamed(t, c.Hash), unhex(t, c.Password), unhex(t, c.Salt), c.Iter, c.DKLen, unhex(t, c.DK), true})
	}
	check(t, vectors)
}

func TestVectorsBIP39(t *testing.T) {
	var file map[string][][4]string // by language: entropy, sentence, seed, a key
	shared(t, "bip39/vectors.json", &file)
	var vectors []vector // the text is in the form NFKD except for Japanese spaces
	for _, language := range file {
		for _, c := range language {
			vectors = append(vectors, vector{idSHA512, []byte(strings.ReplaceAll(c[1], "\u3000", " ")), []byte("mnemonic" + "TREZOR"), 2048, 64, unhex(t, c[2]), true})
		}
	}
	check(t, vectors)
}
