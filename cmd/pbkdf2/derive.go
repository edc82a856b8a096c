// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/base64"
	"encoding/hex"
	"flag"
	"io"

	"github.com/fastkdf/pbkdf2"
)

const deriveAbout = `
Usage: pbkdf2 derive -iter N -salt TEXT [flags]

Derives a key from a password with PBKDF2-HMAC and prints it.

The password is asked for at the terminal, or read from -password-file or
-password-stdin. Of what is read, one newline at the end ("\n" or "\r\n") is not
part of the password, so that 'echo secret | pbkdf2 derive -password-stdin …'
does what it looks like; -keep-newline keeps it.

  pbkdf2 derive -iter 600000 -salt-hex 00112233445566778899aabbccddeeff
  pbkdf2 derive -hash sha1 -iter 4096 -len 32 -salt MyNet -password-file wifi
`

// maxKey is the longest key that derive makes.
const maxKey = 1 << 30

// deriveOptions is what the command line of derive says.
type deriveOptions struct {
	hash     hashInfo
	iter     int
	length   int
	salt     saltFlags
	password passwordFlags
	encode   func(io.Writer, []byte) error
}

// encodings are the ways to print a key.
var encodings = map[string]func(io.Writer, []byte) error{
	"hex": func(w io.Writer, key []byte) error {
		return writeLine(w, hex.AppendEncode(nil, key))
	},
	"base64": func(w io.Writer, key []byte) error {
		return writeLine(w, base64.StdEncoding.AppendEncode(nil, key))
	},
	"raw": func(w io.Writer, key []byte) error {
		_, err := w.Write(key)
		return err
	},
}

// writeLine writes secret text and a newline, and clears the text.
func writeLine(w io.Writer, text []byte) error {
	defer clear(text)
	if _, err := w.Write(text); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// parseDerive parses derive's flags.
func parseDerive(args []string) (*deriveOptions, error) {
	o := new(deriveOptions)
	fs := flag.NewFlagSet("derive", flag.ContinueOnError)
	hashName := fs.String("hash", "sha256", "the `HASH`: "+hashFlags())
	fs.IntVar(&o.iter, "iter", 0, "the number `N` of iterations; there is no default, it is part of the key's definition")
	fs.IntVar(&o.length, "len", 0, "the key's length in `BYTES` (default: that of the hash)")
	out := fs.String("out", "hex", "the `ENCODING` of the output: hex or base64 and a newline, or raw bytes")
	o.salt.define(fs)
	o.password.define(fs)
	if err := parse(fs, deriveAbout, args); err != nil {
		return nil, err
	}
	var err error
	if o.hash, err = lookupHash(*hashName); err != nil {
		return nil, err
	}
	if !given(fs, "iter") {
		return nil, badInput("no -iter; 'pbkdf2 calibrate' finds a number for new passwords")
	}
	if o.iter < 1 {
		return nil, badInput("-iter %d is less than 1", o.iter)
	}
	if !given(fs, "len") {
		o.length = o.hash.size
	}
	if o.length < 1 || o.length > maxKey {
		return nil, badInput("-len %d is not from 1 to %d", o.length, maxKey)
	}
	if o.encode = encodings[*out]; o.encode == nil {
		return nil, badInput("unknown -out %q; there are hex, base64, raw", *out)
	}
	if err := o.salt.check(fs); err != nil {
		return nil, err
	}
	return o, o.password.check(fs)
}

// runDerive is the command derive.
func runDerive(c *cli, args []string) error {
	o, err := parseDerive(args)
	if err != nil {
		return err
	}
	salt, err := o.salt.read()
	if err != nil {
		return err
	}
	password, err := o.password.read(c)
	if err != nil {
		return err
	}
	// Batch takes the password as bytes, which can be cleared; Key takes a string.
	jobs := []pbkdf2.Job{{Password: password, Salt: salt, Iter: o.iter, Key: make([]byte, o.length)}}
	defer clear(jobs[0].Key)
	err = pbkdf2.Batch(c.ctx, o.hash.new, jobs, nil)
	clear(password)
	if err != nil {
		return err
	}
	return o.encode(c.stdout, jobs[0].Key)
}
