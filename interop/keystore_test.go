// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/keystore"
	"github.com/ethereum/go-ethereum/crypto"
	"golang.org/x/crypto/sha3"
)

// TestEthereumKeystore has go-ethereum open a keystore of version 3 (the Web3 Secret Storage Definition) that was made with our key.
func TestEthereumKeystore(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 0))
	for i, password := range []string{"testpassword", "", "pässword\x00with more than a block of bytes, which is sixty-four of them"} {
		secret, salt, iv := random(r, 32), random(r, 32), random(r, 16)
		iter := 1000 * (i + 1)
		k := key(t, sha256.New, password, salt, iter, 32)
		data := ctr(t, k[:16], iv, secret)
		mac := sha3.NewLegacyKeccak256()
		mac.Write(k[16:])
		mac.Write(data)
		file, err := json.Marshal(map[string]any{
			"version": 3,
			"id":      "3198bc9c-6672-5ab3-d995-4942343ae5b6",
			"crypto": map[string]any{
				"cipher":       "aes-128-ctr",
				"cipherparams": map[string]any{"iv": fmt.Sprintf("%x", iv)},
				"ciphertext":   fmt.Sprintf("%x", data),
				"kdf":          "pbkdf2",
				"kdfparams":    map[string]any{"c": iter, "dklen": 32, "prf": "hmac-sha256", "salt": fmt.Sprintf("%x", salt)},
				"mac":          fmt.Sprintf("%x", mac.Sum(nil)),
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		opened, err := keystore.DecryptKey(file, password)
		if err != nil {
			t.Fatalf("go-ethereum: %v", err)
		}
		if got := crypto.FromECDSA(opened.PrivateKey); !bytes.Equal(got, secret) {
			t.Errorf("go-ethereum opens %x, want %x", got, secret)
		}
		if _, err := keystore.DecryptKey(file, password+"x"); err != keystore.ErrDecrypt {
			t.Errorf("with a wrong password: %v", err)
		}
	}
}
