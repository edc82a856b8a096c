// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	stdpbkdf2 "crypto/pbkdf2"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

// The vectors of RFC 6070.
func TestDeriveRFC6070(t *testing.T) {
	for _, tt := range []struct {
		password, salt string
		iter, length   int
		want           string
	}{
		{"password", "salt", 1, 20, "0c60c80f961f0e71f3a9b524af6012062fe037a6"},
		{"password", "salt", 2, 20, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"},
		{"password", "salt", 4096, 20, "4b007901b765489abead49d926f721d065a429c1"},
		{"password", "salt", 16777216, 20, "eefe3d61cd4da4e4e9945b3d6ba2158c2634e984"},
		{"passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25, "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"},
		{"pass\x00word", "sa\x00lt", 4096, 16, "56fa6aa75548099dcc37d7f03425e0c3"},
	} {
		if testing.Short() && tt.iter > 1e6 {
			continue
		}
		status, stdout, stderr := runWith(t, tt.password, "derive", "-hash", "sha1", "-iter", strconv.Itoa(tt.iter),
			"-len", strconv.Itoa(tt.length), "-salt-hex", hex.EncodeToString([]byte(tt.salt)), "-password-stdin")
		if status != exitOK || stdout != tt.want+"\n" || stderr != "" {
			t.Errorf("%q, %q, %d: status %d, stdout %q, stderr %q, want %s", tt.password, tt.salt, tt.iter, status, stdout, stderr, tt.want)
		}
	}
}

// Every hash, by each of its spellings, with the default length, in each
// encoding.
func TestDeriveHashes(t *testing.T) {
	for _, h := range hashes {
		want, err := stdpbkdf2.Key(h.new, "secret", []byte("salt"), 3, h.size)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{h.flag, h.name, strings.ToUpper(h.flag)} {
			for out, text := range map[string]string{
				"hex":    hex.EncodeToString(want) + "\n",
				"base64": base64.StdEncoding.EncodeToString(want) + "\n",
				"raw":    string(want),
			} {
				status, stdout, stderr := runWith(t, "secret\n", "derive", "-hash="+name, "-iter=3", "-salt=salt", "-password-stdin", "-out="+out)
				if status != exitOK || stdout != text || stderr != "" {
					t.Errorf("%s, %s: status %d, stdout %q, want %q, stderr %q", name, out, status, stdout, text, stderr)
				}
			}
		}
	}
}

// All ways to give the same salt and the same password give the same key.
func TestDeriveSources(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	salt := "\xfb\xff\xfe salt \n"
	b64 := base64.StdEncoding.EncodeToString([]byte(salt))
	url := base64.URLEncoding.EncodeToString([]byte(salt))
	if b64 == url || !strings.HasSuffix(b64, "=") {
		t.Fatal("the salt does not show the difference")
	}
	want := func(password, salt string) string {
		key, err := stdpbkdf2.Key(hashes[3].new, password, []byte(salt), 2, 32)
		if err != nil {
			t.Fatal(err)
		}
		return hex.EncodeToString(key) + "\n"
	}
	for _, args := range [][]string{
		{"-salt", salt},
		{"-salt-hex", hex.EncodeToString([]byte(salt))},
		{"-salt-hex", strings.ToUpper(hex.EncodeToString([]byte(salt)))},
		{"-salt-base64", b64},
		{"-salt-base64", url},
		{"-salt-base64", strings.TrimRight(b64, "=")},
		{"-salt-base64", strings.TrimRight(url, "=")},
		{"-salt-file", file("salt", salt)},
	} {
		_, stdout, stderr := runWith(t, "secret", append([]string{"derive", "-iter", "2", "-password-stdin"}, args...)...)
		if stdout != want("secret", salt) || stderr != "" {
			t.Errorf("%q: %q, %q", args, stdout, stderr)
		}
	}
	for _, args := range [][]string{{"-salt", ""}, {"-salt-hex", ""}, {"-salt-base64", ""}, {"-salt-file", file("empty", "")}} {
		_, stdout, stderr := runWith(t, "secret", append([]string{"derive", "-iter", "2", "-password-stdin"}, args...)...)
		if stdout != want("secret", "") || stderr != "" {
			t.Errorf("%q: %q, %q", args, stdout, stderr)
		}
	}
	for _, tt := range []struct {
		text, password string
		keep           bool
	}{
		{"secret", "secret", false},
		{"secret\n", "secret", false},
		{"secret\r\n", "secret", false},
		{"secret\n\n", "secret\n", false},
		{"secret\r", "secret\r", false},
		{"secret\n", "secret\n", true},
		{"secret\r\n", "secret\r\n", true},
		{"", "", false},
		{"\n", "", false},
		{strings.Repeat("long ", 1000), strings.Repeat("long ", 1000), false},
	} {
		args := []string{"derive", "-iter", "2", "-salt", "NaCl"}
		if tt.keep {
			args = append(args, "-keep-newline")
		}
		_, byStdin, stderr1 := runWith(t, tt.text, append(args, "-password-stdin")...)
		_, byFile, stderr2 := runWith(t, "", append(args, "-password-file", file("password", tt.text))...)
		if w := want(tt.password, "NaCl"); byStdin != w || byFile != w {
			t.Errorf("%.20q: %q, %q, want %q; %q, %q", tt.text, byStdin, byFile, w, stderr1, stderr2)
		}
	}
}

// Bad input: exit status 2, nothing on standard output, a message that names
// the flag.
func TestDeriveBadInput(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	for _, tt := range []struct{ args, stderr string }{
		{"", "no -iter"},
		{"-iter 1", "no salt"},
		{"-iter 1 -salt x", "no password"},
		{"-iter 1 -salt x -salt-hex 00", "-salt and -salt-hex"},
		{"-iter 1 -salt-base64 AA -salt-file x", "-salt-base64 and -salt-file"},
		{"-iter 1 -salt x -password-stdin -password-file y", "-password-file and -password-stdin"},
		{"-iter 1 -salt x -password-file=", "name of a file"},
		{"-iter 1 -salt x -password-file " + missing, "-password-file: open " + missing},
		{"-iter 1 -salt-file " + missing + " -password-stdin", "-salt-file: open " + missing},
		{"-iter 0 -salt x -password-stdin", "-iter 0"},
		{"-iter -5 -salt x -password-stdin", "-iter -5"},
		{"-iter 1e3 -salt x -password-stdin", `"1e3"`},
		{"-iter 99999999999999999999 -salt x -password-stdin", "value out of range"},
		{"-iter 1 -len 0 -salt x -password-stdin", "-len 0"},
		{"-iter 1 -len -1 -salt x -password-stdin", "-len -1"},
		{"-iter 1 -len 1073741825 -salt x -password-stdin", "-len 1073741825"},
		{"-iter 1 -salt-hex 0 -password-stdin", "-salt-hex: encoding/hex: odd length"},
		{"-iter 1 -salt-hex zz -password-stdin", "-salt-hex"},
		{"-iter 1 -salt-base64 A -password-stdin", "-salt-base64"},
		{"-iter 1 -salt-base64 AB -password-stdin", "-salt-base64"},
		{"-iter 1 -salt-base64 AA= -password-stdin", "-salt-base64"},
		{"-iter 1 -salt-base64 AAAA==== -password-stdin", "-salt-base64"},
		{"-iter 1 -salt x -out base32 -password-stdin", `-out "base32"`},
		{"-iter 1 -salt x -hash sha3 -password-stdin", `unknown hash "sha3"`},
		{"-iter 1 -salt x -hash= -password-stdin", `unknown hash ""`},
		{"-iter 1 -salt x -password-stdin secret", `unexpected argument "secret"`},
		{"-iter 1 -salt x -password secret", "not defined: -password"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			status, stdout, stderr := runWith(t, "secret", append([]string{"derive"}, strings.Fields(tt.args)...)...)
			if status != exitInput || stdout != "" || !strings.Contains(stderr, tt.stderr) || !strings.Contains(stderr, "pbkdf2 derive -h") {
				t.Errorf("status %d, stdout %q, stderr %q, want %q", status, stdout, stderr, tt.stderr)
			}
		})
	}
}

func TestDerivePasswordTooLong(t *testing.T) {
	status, stdout, stderr := runWith(t, strings.Repeat("x", maxPassword+1), "derive", "-iter", "1", "-salt", "x", "-password-stdin")
	if status != exitInput || stdout != "" || !strings.Contains(stderr, "longer than") {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// Failures that are not the user's: exit status 1.
func TestDeriveFailures(t *testing.T) {
	var stderr bytes.Buffer
	c := &cli{ctx: context.Background(), stdin: strings.NewReader("x"), stdout: failingWriter{}, stderr: &stderr}
	if status := c.run([]string{"derive", "-iter", "1", "-salt", "x", "-password-stdin"}); status != exitFailure || !strings.Contains(stderr.String(), "disk full") {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}

	stderr.Reset()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c = &cli{ctx: ctx, stdin: strings.NewReader("x"), stdout: io.Discard, stderr: &stderr}
	if status := c.run([]string{"derive", "-iter", "1", "-salt", "x", "-password-stdin"}); status != exitFailure || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("status %d, stderr %q", status, stderr.String())
	}
}

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

// readSecret returns what it reads, however it comes, and clears what it gave up.
func TestReadSecret(t *testing.T) {
	for _, n := range []int{0, 1, 511, 512, 513, 5000} {
		want := bytes.Repeat([]byte("s"), n)
		for _, r := range []io.Reader{bytes.NewReader(want), iotest.OneByteReader(bytes.NewReader(want)), iotest.DataErrReader(bytes.NewReader(want))} {
			if got, err := readSecret(r, 5000); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%d bytes: got %d, %v", n, len(got), err)
			}
		}
		if n > 0 {
			if got, err := readSecret(bytes.NewReader(want), n-1); err == nil || got != nil {
				t.Errorf("%d bytes, limit %d: got %d, %v", n, n-1, len(got), err)
			}
		}
	}
	spy := &spyReader{left: 600}
	if _, err := readSecret(spy, 1000); err != nil {
		t.Fatal(err)
	}
	if bytes.ContainsRune(spy.first, 's') {
		t.Error("the first buffer still holds the secret")
	}
	if got, err := readSecret(iotest.ErrReader(io.ErrUnexpectedEOF), 10); got != nil || err != io.ErrUnexpectedEOF {
		t.Errorf("got %q, %v", got, err)
	}
}

// A spyReader remembers the first buffer that it filled.
type spyReader struct {
	left  int
	first []byte
}

func (s *spyReader) Read(p []byte) (int, error) {
	if s.left == 0 {
		return 0, io.EOF
	}
	if s.first == nil {
		s.first = p
	}
	n := min(len(p), s.left)
	for i := range n {
		p[i] = 's'
	}
	s.left -= n
	return n, nil
}

// The exit status is that of the process too.
func TestProcess(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		args   []string
		status int
		stdout string
	}{
		{[]string{"derive", "-hash", "sha1", "-iter", "1", "-salt", "salt", "-password-stdin"}, 0, "0c60c80f961f0e71f3a9b524af6012062fe037a6\n"},
		{[]string{"derive"}, 2, ""},
	} {
		cmd := exec.Command(exe, tt.args...)
		cmd.Env = append(os.Environ(), "PBKDF2_TEST_COMMAND=1")
		cmd.Stdin = strings.NewReader("password\n")
		stdout, _ := cmd.Output()
		if got := cmd.ProcessState.ExitCode(); got != tt.status || string(stdout) != tt.stdout {
			t.Errorf("%q: status %d, stdout %q", tt.args, got, stdout)
		}
	}
}
