// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/x509/pkix"
	"encoding/asn1"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// The structures of PKCS #8 (RFC 5958 §3) and PBES2 (RFC 8018 §A.4 and §A.2).
type (
	encryptedPrivateKeyInfo struct {
		Algorithm struct {
			ID     asn1.ObjectIdentifier
			Params pbes2
		}
		Data []byte
	}
	pbes2 struct {
		KDF struct {
			ID     asn1.ObjectIdentifier
			Params struct {
				Salt   []byte
				Iter   int
				Length int                      `asn1:"optional"`
				PRF    pkix.AlgorithmIdentifier `asn1:"optional"` // HMAC with SHA-1
			}
		}
		Cipher struct {
			ID asn1.ObjectIdentifier
			IV []byte
		}
	}
)

var (
	oidPBES2     = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 13}
	oidPBKDF2    = asn1.ObjectIdentifier{1, 2, 840, 113549, 1, 5, 12}
	oidAES256CBC = asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 1, 42}
)

// TestOpenSSLPKCS8 opens private keys that openssl encrypted, and has it open ours.
func TestOpenSSLPKCS8(t *testing.T) {
	openssl := program(t, "openssl")
	says(t, openssl, "version")
	dir := t.TempDir()
	plainFile, file := filepath.Join(dir, "plain.pem"), filepath.Join(dir, "key.der")
	run(t, nil, openssl, "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", plainFile)
	plain := run(t, nil, openssl, "pkcs8", "-topk8", "-nocrypt", "-in", plainFile, "-outform", "DER")
	const password = "correct horse"
	for i, name := range []string{"SHA1", "SHA224", "SHA256", "SHA384", "SHA512", "SHA512-224", "SHA512-256"} { // RFC 8018 §B.1.2
		t.Run(name, func(t *testing.T) {
			h, prf := hashNamed(t, name), asn1.ObjectIdentifier{1, 2, 840, 113549, 2, 7 + i}
			encrypted := run(t, nil, openssl, "pkcs8", "-topk8", "-in", plainFile, "-outform", "DER", "-v2", "aes-256-cbc",
				"-v2prf", "hmacWith"+name, "-iter", fmt.Sprint(1000+i), "-passout", "pass:"+password)
			var info encryptedPrivateKeyInfo
			if rest, err := asn1.Unmarshal(encrypted, &info); err != nil || len(rest) > 0 {
				t.Fatalf("%x after the structure, %v", rest, err)
			}
			params := &info.Algorithm.Params
			kdf := &params.KDF.Params
			if !info.Algorithm.ID.Equal(oidPBES2) || !params.KDF.ID.Equal(oidPBKDF2) || !params.Cipher.ID.Equal(oidAES256CBC) || kdf.Iter != 1000+i {
				t.Fatalf("%+v", info)
			}
			if !kdf.PRF.Algorithm.Equal(prf) && (name != "SHA1" || kdf.PRF.Algorithm != nil) {
				t.Fatalf("the PRF is %v, want %v", kdf.PRF.Algorithm, prf)
			}
			got := make([]byte, len(info.Data))
			cbc(t, key(t, h.new, password, kdf.Salt, kdf.Iter, 32), params.Cipher.IV, cipher.NewCBCDecrypter).CryptBlocks(got, info.Data)
			padding := int(got[len(got)-1])
			if padding < 1 || padding > aes.BlockSize {
				t.Fatalf("the padding is %d: the key is wrong", padding)
			}
			same(t, "opened", got[:len(got)-padding], plain)

			kdf.Salt, kdf.Iter = []byte("our own salt, longer than theirs"), 2000+i
			padding = aes.BlockSize - len(plain)%aes.BlockSize
			padded := append(bytes.Clone(plain), bytes.Repeat([]byte{byte(padding)}, padding)...)
			info.Data = make([]byte, len(padded))
			cbc(t, key(t, h.new, password, kdf.Salt, kdf.Iter, 32), params.Cipher.IV, cipher.NewCBCEncrypter).CryptBlocks(info.Data, padded)
			kdf.PRF = pkix.AlgorithmIdentifier{Algorithm: prf, Parameters: asn1.NullRawValue}
			ours, err := asn1.Marshal(info)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, ours, 0o600); err != nil {
				t.Fatal(err)
			}
			theirs := run(t, nil, openssl, "pkcs8", "-inform", "DER", "-in", file, "-passin", "pass:"+password, "-topk8", "-nocrypt", "-outform", "DER")
			same(t, "opened by openssl", plain, theirs)
		})
	}
}

func cbc(t *testing.T, key, iv []byte, mode func(cipher.Block, []byte) cipher.BlockMode) cipher.BlockMode {
	t.Helper()
	block, err := aes.NewCipher(key)
	if err != nil {
		t.Fatal(err)
	}
	return mode(block, iv)
}
