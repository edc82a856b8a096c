// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package interop

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"hash"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/fastkdf/pbkdf2"
)

// A hashName is a hash and what others call it.
type hashName struct {
	new     func() hash.Hash
	openssl string // Python and Node.js have the same names, in lower case
	size    int
}

var hashes = []hashName{
	{md5.New, "MD5", 16},
	{sha1.New, "SHA1", 20},
	{sha256.New224, "SHA224", 28},
	{sha256.New, "SHA256", 32},
	{sha512.New384, "SHA384", 48},
	{sha512.New, "SHA512", 64},
	{sha512.New512_224, "SHA512-224", 28},
	{sha512.New512_256, "SHA512-256", 32},
}

// hashNamed is the hash of this name, in OpenSSL's or Go's spelling or in lower case.
func hashNamed(t *testing.T, name string) hashName {
	t.Helper()
	for _, h := range hashes {
		if strings.EqualFold(h.openssl, name) {
			return h
		}
	}
	t.Fatalf("no hash %q", name)
	return hashName{}
}

// program finds the counterpart, or skips the test.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if path, err = exec.LookPath("/usr/sbin/" + name); err != nil {
			missing(t, name)
		}
	}
	return path
}

// missing skips the test of a counterpart that is not there, or fails it where all must be.
func missing(t *testing.T, name string) {
	t.Helper()
	if os.Getenv("PBKDF2_TEST_INTEROP") == "all" {
		t.Fatalf("%s is not installed", name)
	}
	t.Skipf("%s is not installed", name)
}

// run runs a program and returns what it writes.
func run(t *testing.T, in io.Reader, program string, args ...string) []byte {
	t.Helper()
	var out, status bytes.Buffer
	c := exec.CommandContext(t.Context(), program, args...)
	c.Stdin, c.Stdout, c.Stderr = in, &out, &status
	if err := c.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", c, err, &out, &status)
	}
	return out.Bytes()
}

// says logs the first line that a program writes, usually its version.
func says(t *testing.T, program string, args ...string) {
	t.Helper()
	line, _, _ := strings.Cut(string(run(t, nil, program, args...)), "\n")
	t.Log(line)
}

// key is pbkdf2.Key, which must work.
func key(t *testing.T, h func() hash.Hash, password string, salt []byte, iter, keyLength int) []byte {
	t.Helper()
	k, err := pbkdf2.Key(h, password, salt, iter, keyLength)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// same fails if two results differ.
func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\nours  %x\ntheirs %x", what, got, want)
	}
}

// random is some bytes, the same in each run.
func random(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// mac is HMAC.
func mac(h func() hash.Hash, key []byte, message string) []byte {
	m := hmac.New(h, key)
	io.WriteString(m, message)
	return m.Sum(nil)
}

// jobs makes derivations for a hash: passwords, salts and keys around the edges of a block, and some longer iteration counts.
func jobs(h hashName) []pbkdf2.Job {
	r := rand.New(rand.NewPCG(5, uint64(h.size)))
	var all []pbkdf2.Job
	add := func(password, salt, iter, keyLength int) {
		all = append(all, pbkdf2.Job{Password: random(r, password), Salt: random(r, salt), Iter: iter, Key: make([]byte, keyLength)})
	}
	add(8, 8, 1, h.size)
	add(1, 1, 2, 1)
	add(64, 51, 3, 2*h.size+3)
	add(65, 60, 100, h.size)
	add(128, 123, 7, h.size+1)
	add(129, 124, 8, 5*h.size)
	add(300, 1000, 5, 20)
	add(20, 16, 1000, 3*h.size-1)
	add(12, 16, 4096, h.size)
	return all
}

// derive sets the Key of each job, by Key, Batch and a Pool's concurrent callers, which must agree.
func derive(t *testing.T, h func() hash.Hash, jobs []pbkdf2.Job) {
	t.Helper()
	if err := pbkdf2.Batch(t.Context(), h, jobs, nil); err != nil {
		t.Fatal(err)
	}
	var pool pbkdf2.Pool
	var callers sync.WaitGroup
	for i, j := range jobs {
		same(t, fmt.Sprintf("Key and Batch, job %d", i), key(t, h, string(j.Password), j.Salt, j.Iter, len(j.Key)), j.Key)
		callers.Go(func() {
			k, err := pool.Key(context.Background(), h, string(j.Password), j.Salt, j.Iter, len(j.Key))
			if err != nil || !bytes.Equal(k, j.Key) {
				t.Errorf("Pool and Batch, job %d: %x, %v, %x", i, k, err, j.Key)
			}
		})
	}
	callers.Wait()
}
