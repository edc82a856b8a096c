// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/fastkdf/pbkdf2"
)

// A cli is what a command may touch of the world around it.
type cli struct {
	ctx            context.Context
	stdin          io.Reader
	stdout, stderr io.Writer
}

// A command is one of the words that may come first.
type command struct {
	name, brief string
	run         func(c *cli, args []string) error
}

// commands are in the order of the help text. The one without a brief is for
// child processes, not for people.
func commands() []command {
	return []command{
		{"derive", "derive a key from a password", runDerive},
		{"bench", "measure it beside crypto/pbkdf2 on this machine", runBench},
		{"info", "tell what this CPU has and which implementation it gets", runInfo},
		{"calibrate", "find the iteration count for a given time", runCalibrate},
		{"measure", "", runMeasure},
	}
}

// Exit statuses.
const (
	exitOK      = 0
	exitFailure = 1
	exitInput   = 2
)

// run runs the command line and returns the exit status.
func (c *cli) run(args []string) int {
	if len(args) == 0 {
		io.WriteString(c.stderr, help())
		return exitInput
	}
	name, args := args[0], args[1:]
	switch name {
	case "help", "-h", "-help", "--help":
		if len(args) == 0 {
			io.WriteString(c.stdout, help())
			return exitOK
		}
		name, args = args[0], []string{"-h"}
	}
	for _, cmd := range commands() {
		if cmd.name == name {
			return c.status(name, cmd.run(c, args))
		}
	}
	fmt.Fprintf(c.stderr, "pbkdf2: there is no command %q\nRun 'pbkdf2 help' for those that there are.\n", name)
	return exitInput
}

// status reports err and returns the exit status for it.
func (c *cli) status(name string, err error) int {
	var usage usageRequest
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		io.WriteString(c.stdout, string(usage))
		return exitOK
	case c.ctx.Err() != nil:
		fmt.Fprintf(c.stderr, "pbkdf2 %s: interrupted\n", name)
		return exitFailure
	case isInput(err):
		fmt.Fprintf(c.stderr, "pbkdf2 %s: %v\nRun 'pbkdf2 %s -h' for usage.\n", name, err, name)
		return exitInput
	default:
		fmt.Fprintf(c.stderr, "pbkdf2 %s: %v\n", name, err)
		return exitFailure
	}
}

// help returns the text of 'pbkdf2 help'.
func help() string {
	var b strings.Builder
	b.WriteString("pbkdf2 derives keys from passwords with PBKDF2 (RFC 8018), fast.\n\nUsage: pbkdf2 COMMAND [flags]\n\n")
	for _, cmd := range commands() {
		if cmd.brief != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", cmd.name, cmd.brief)
		}
	}
	b.WriteString("\n'pbkdf2 COMMAND -h' prints a command's flags. The exit status is 0 for success,\n2 for bad input and 1 for other failures.\n")
	return b.String()
}

// A usageRequest is the "error" of a command that was asked for its usage.
type usageRequest string

func (usageRequest) Error() string { return "usage requested" }

// An inputError is the user's to mend.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// badInput makes an inputError.
func badInput(format string, args ...any) error {
	return inputError{fmt.Errorf(format, args...)}
}

// isInput reports whether err is the user's to mend, be it found here or in
// the library.
func isInput(err error) bool {
	var input inputError
	return errors.As(err, &input) || errors.Is(err, pbkdf2.ErrIterations) || errors.Is(err, pbkdf2.ErrKeyLength)
}

// parse parses a command's flags. about comes before the flags in the usage.
func parse(fs *flag.FlagSet, about string, args []string) error {
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		var b bytes.Buffer
		b.WriteString(strings.TrimPrefix(about, "\n") + "\nFlags:\n")
		fs.SetOutput(&b)
		fs.PrintDefaults()
		return usageRequest(b.String())
	case err != nil:
		return inputError{err}
	case fs.NArg() > 0:
		return badInput("unexpected argument %q", fs.Arg(0))
	}
	return nil
}

// given reports whether a flag was set, even to its default value.
func given(fs *flag.FlagSet, name string) bool {
	found := false
	fs.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// terminal returns the file descriptor of a stream that is a terminal.
func terminal(stream any) (fd int, ok bool) {
	f, ok := stream.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}
