// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// maxPassword is more than anybody's password; it stops a wrong file early.
const maxPassword = 1 << 20

// passwordFlags are the ways to give a password. There is none to give it as an
// argument, which every user of the machine could read.
type passwordFlags struct {
	file        string
	stdin       bool
	keepNewline bool
}

// define adds the flags to fs.
func (p *passwordFlags) define(fs *flag.FlagSet) {
	fs.StringVar(&p.file, "password-file", "", "read the password from `FILE`, without the newline at its end")
	fs.BoolVar(&p.stdin, "password-stdin", false, "read the password from standard input, without the newline at its end")
	fs.BoolVar(&p.keepNewline, "keep-newline", false, "a newline at the end of the file or of standard input belongs to the password")
}

// check must be called after parsing.
func (p *passwordFlags) check(fs *flag.FlagSet) error {
	if given(fs, "password-file") && p.stdin {
		return badInput("-password-file and -password-stdin both give a password; use one")
	}
	if given(fs, "password-file") && p.file == "" {
		return badInput("-password-file needs the name of a file")
	}
	return nil
}

// read returns the password. The caller clears it after use.
func (p *passwordFlags) read(c *cli) ([]byte, error) {
	switch {
	case p.file != "":
		f, err := os.Open(p.file)
		if err != nil {
			return nil, badInput("-password-file: %v", err)
		}
		defer f.Close()
		return p.readFrom(f, "-password-file")
	case p.stdin:
		return p.readFrom(c.stdin, "-password-stdin")
	}
	fd, ok := terminal(c.stdin)
	if !ok {
		return nil, badInput("no password: standard input is no terminal to ask at; use -password-stdin or -password-file")
	}
	return prompt(c.ctx, fd, c.stderr)
}

// readFrom reads r to its end and takes off one newline, "\n" or "\r\n".
func (p *passwordFlags) readFrom(r io.Reader, source string) ([]byte, error) {
	b, err := readSecret(r, maxPassword)
	if err != nil {
		return nil, badInput("%s: %v", source, err)
	}
	if !p.keepNewline {
		if cut, ok := bytes.CutSuffix(b, []byte("\n")); ok {
			b = bytes.TrimSuffix(cut, []byte("\r"))
		}
	}
	return b, nil
}

// readSecret reads r to its end, up to limit bytes, and leaves no copies
// behind in memory.
func readSecret(r io.Reader, limit int) ([]byte, error) {
	b := make([]byte, 0, 512)
	for {
		if len(b) == cap(b) {
			grown := make([]byte, len(b), 2*cap(b))
			copy(grown, b)
			clear(b)
			b = grown
		}
		n, err := r.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case len(b) > limit:
			err = fmt.Errorf("longer than %d bytes", limit)
		case err == io.EOF:
			return b, nil
		}
		if err != nil {
			clear(b)
			return nil, err
		}
	}
}

// prompt asks for a password at the terminal fd, which shows nothing of it.
func prompt(ctx context.Context, fd int, stderr io.Writer) ([]byte, error) {
	state, err := term.GetState(fd)
	if err != nil {
		return nil, err
	}
	type answer struct {
		password []byte
		err      error
	}
	answered := make(chan answer, 1)
	io.WriteString(stderr, "Password: ")
	go func() {
		password, err := term.ReadPassword(fd)
		answered <- answer{password, err}
	}()
	select {
	case a := <-answered:
		io.WriteString(stderr, "\n")
		if a.err != nil {
			return nil, badInput("no password: %v", a.err)
		}
		return a.password, nil
	case <-ctx.Done():
		// The read goes on until the process ends; the terminal must not stay mute.
		term.Restore(fd, state)
		io.WriteString(stderr, "\n")
		return nil, ctx.Err()
	}
}
