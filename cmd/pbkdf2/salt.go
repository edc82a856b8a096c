// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"encoding/base64"
	"encoding/hex"
	"flag"
	"os"
	"strings"
)

// saltFlags are the ways to give a salt; exactly one must be used.
type saltFlags struct {
	from   string // the flag that was used
	text   string
	hex    string
	base64 string
	file   string
}

// define adds the flags to fs.
func (s *saltFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&s.text, "salt", "", "the salt is this `TEXT`")
	fs.StringVar(&s.hex, "salt-hex", "", "the salt, in `HEX`")
	fs.StringVar(&s.base64, "salt-base64", "", "the salt, in `BASE64`, standard or URL-safe, padded or not")
	fs.StringVar(&s.file, "salt-file", "", "the salt is all bytes of `FILE`, a newline at its end included")
}

// check must be called after parsing.
func (s *saltFlags) check(fs *flag.FlagSet) error {
	for _, name := range []string{"salt", "salt-hex", "salt-base64", "salt-file"} {
		switch {
		case !given(fs, name):
		case s.from != "":
			return badInput("-%s and -%s both give a salt; use one", s.from, name)
		default:
			s.from = name
		}
	}
	if s.from == "" {
		return badInput("no salt; use one of -salt, -salt-hex, -salt-base64, -salt-file")
	}
	return nil
}

// read returns the salt.
func (s *saltFlags) read() ([]byte, error) {
	switch s.from {
	case "salt-hex":
		b, err := hex.DecodeString(s.hex)
		if err != nil {
			return nil, badInput("-salt-hex: %v", err)
		}
		return b, nil
	case "salt-base64":
		encoding := base64.RawStdEncoding
		if strings.HasSuffix(s.base64, "=") {
			encoding = base64.StdEncoding
		}
		b, err := encoding.Strict().DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(s.base64))
		if err != nil {
			return nil, badInput("-salt-base64: %v", err)
		}
		return b, nil
	case "salt-file":
		b, err := os.ReadFile(s.file)
		if err != nil {
			return nil, badInput("-salt-file: %v", err)
		}
		return b, nil
	}
	return []byte(s.text), nil
}
