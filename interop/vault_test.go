// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const vaultHeader = "$ANSIBLE_VAULT;1.1;AES256\n"

// vaultKeys are the keys for the cipher and the HMAC, and the counter's first value.
func vaultKeys(t *testing.T, password string, salt []byte) (encrypt, authenticate, counter []byte) {
	t.Helper()
	k := key(t, sha256.New, password, salt, 10000, 80)
	return k[:32], k[32:64], k[64:]
}

// TestAnsibleVault opens a file that ansible-vault made, and has it open ours.
func TestAnsibleVault(t *testing.T) {
	ansibleVault := program(t, "ansible-vault")
	says(t, ansibleVault, "--version")
	dir := t.TempDir()
	t.Setenv("ANSIBLE_HOME", filepath.Join(dir, "home"))
	t.Setenv("ANSIBLE_LOCAL_TEMP", filepath.Join(dir, "temp"))
	const password, text = "correct horse", "user: alice\nsecret: battery staple\n"
	passwordFile, file := filepath.Join(dir, "password"), filepath.Join(dir, "vault.yml")
	if err := os.WriteFile(passwordFile, []byte(password), 0o600); err != nil {
		t.Fatal(err)
	}

	run(t, strings.NewReader(text), ansibleVault, "encrypt", "--vault-password-file", passwordFile, "--output", file, "-")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	body, ok := bytes.CutPrefix(content, []byte(vaultHeader))
	if !ok {
		t.Fatalf("the file is %s", content)
	}
	fields := bytes.Split(unhex(t, bytes.ReplaceAll(body, []byte("\n"), nil)), []byte("\n"))
	if len(fields) != 3 {
		t.Fatalf("%d fields", len(fields))
	}
	encrypt, authenticate, counter := vaultKeys(t, password, unhex(t, fields[0]))
	data := unhex(t, fields[2])
	same(t, "HMAC", mac(sha256.New, authenticate, string(data)), unhex(t, fields[1]))
	plain := ctr(t, encrypt, counter, data)
	if !strings.HasPrefix(string(plain), text) {
		t.Errorf("opened: %q", plain)
	}

	salt := []byte("0123456789abcdef0123456789abcdef")
	encrypt, authenticate, counter = vaultKeys(t, password, salt)
	padding := aes.BlockSize - len(text)%aes.BlockSize
	data = ctr(t, encrypt, counter, append([]byte(text), bytes.Repeat([]byte{byte(padding)}, padding)...))
	ours := fmt.Sprintf("%s%x\n", vaultHeader, fmt.Sprintf("%x\n%x\n%x", salt, mac(sha256.New, authenticate, string(data)), data))
	if err := os.WriteFile(file, []byte(ours), 0o600); err != nil {
		t.Fatal(err)
	}
	theirs := run(t, nil, ansibleVault, "decrypt", "--vault-password-file", passwordFile, "--output", "-", file)
	same(t, "opened by ansible-vault", []byte(text), theirs)
}

func unhex(t *testing.T, digits []byte) []byte {
	t.Helper()
	b := make([]byte, hex.DecodedLen(len(digits)))
	if _, err := hex.Decode(b, digits); err != nil {
		t.Fatalf("%q: %v", digits, err)
	}
	return b
}

// ctr encrypts or decrypts with AES in counter mode.
func ctr(t *testing.T, key, counter, data []byte) []byte {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	out := make([]byte, len(data))
	cipher.NewCTR(block, counter).XORKeyStream(out, data)
	return out
}
