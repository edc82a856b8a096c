// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package interop tests github.com/fastkdf/pbkdf2 against programs, services and modules that are not part of it, run for real:
//
//	OpenSSL            openssl kdf, and PKCS #8 files encrypted with each PRF, both ways
//	Python             hashlib.pbkdf2_hmac
//	Node.js            crypto.pbkdf2Sync
//	wpa_supplicant     wpa_passphrase
//	PostgreSQL         SCRAM-SHA-256: a private server, psql and github.com/lib/pq log in; so does github.com/xdg-go/scram on our keys
//	cryptsetup         LUKS1 and LUKS2 headers: key slots opened, digests checked
//	Ansible            vault files, both ways
//	go-ethereum        opens our keystores
//	go-bip39           seeds, and the vectors of ../../shared/vectors where they are
//	golang.org/x/crypto/pbkdf2, and github.com/xdg-go/scram by way of ../shim/xdg-go-pbkdf2
//
// A test whose program is missing is skipped, by name, or fails if PBKDF2_TEST_INTEROP is "all". All of them run with Debian's packages
//
//	apt-get install openssl python3 nodejs wpasupplicant postgresql cryptsetup-bin ansible-core
//
// and `make interop`. The tests need no privileges, listen on no network, and leave nothing behind.
package interop
