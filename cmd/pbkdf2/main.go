// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command pbkdf2 derives keys with github.com/fastkdf/pbkdf2, measures how
// fast that is beside crypto/pbkdf2, tells which implementation this CPU gets,
// and finds an iteration count for a given time.
//
//	pbkdf2 derive -hash sha256 -iter 600000 -salt-hex 00112233445566778899aabbccddeeff
//	pbkdf2 bench
//	pbkdf2 info
//	pbkdf2 calibrate -hash sha256 -target 250ms
//
// Each command prints its usage with -h. Results go to standard output,
// everything else to standard error. The exit status is 0 for success, 2 for
// bad input (flags, values, files that can't be read) and 1 for other failures.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	c := &cli{ctx: ctx, stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(c.run(os.Args[1:]))
}
