// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"crypto/sha512"
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/fastkdf/pbkdf2"
	"github.com/tyler-smith/go-bip39"
	"golang.org/x/text/unicode/norm"
)

// seedJob is the derivation of a mnemonic's seed, as BIP-39 defines it. The vectors' Japanese sentences are not normalised yet.
func seedJob(mnemonic, passphrase string) pbkdf2.Job {
	nfkd := norm.NFKD.Bytes
	return pbkdf2.Job{Password: nfkd([]byte(mnemonic)), Salt: nfkd([]byte("mnemonic" + passphrase)), Iter: 2048, Key: make([]byte, 64)}
}

func TestBIP39Module(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 0))
	for _, size := range []int{16, 20, 24, 28, 32} {
		mnemonic, err := bip39.NewMnemonic(random(r, size))
		if err != nil {
			t.Fatal(err)
		}
		j := []pbkdf2.Job{seedJob(mnemonic, "TREZOR"), seedJob(mnemonic, "")}
		derive(t, sha512.New, j)
		same(t, mnemonic, j[0].Key, bip39.NewSeed(mnemonic, "TREZOR"))
		same(t, mnemonic, j[1].Key, bip39.NewSeed(mnemonic, ""))
	}
}

// TestBIP39Vectors has the official vectors.
func TestBIP39Vectors(t *testing.T) {
	const file = "../../shared/vectors/bip39/vectors.json"
	content, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("%s is not here", file)
	}
	var languages map[string][][]string // entropy, mnemonic, seed, master key
	if err := json.Unmarshal(content, &languages); err != nil {
		t.Fatal(err)
	}
	var all []pbkdf2.Job
	var seeds []string
	for _, vectors := range languages {
		for _, v := range vectors {
			all = append(all, seedJob(v[1], "TREZOR"))
			seeds = append(seeds, v[2])
		}
	}
	derive(t, sha512.New, all)
	for i, j := range all {
		same(t, string(j.Password), j.Key, unhex(t, []byte(seeds[i])))
	}
	t.Logf("%d seeds", len(all))
}
