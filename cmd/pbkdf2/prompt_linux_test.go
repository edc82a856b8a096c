// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// At a terminal the password is asked for and not shown; an interrupt gives
// the terminal its echo back.
func TestPrompt(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	for _, tt := range []struct {
		name           string
		typed          string // nothing: an interrupt
		status         int
		stdout, stderr string
	}{
		{"typed", "password\n", 0, "0c60c80f961f0e71f3a9b524af6012062fe037a6\n", "Password: \n"},
		{"interrupted", "", 1, "", "Password: \npbkdf2 derive: interrupted\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			master, slave := openTerminal(t)
			cmd := exec.CommandContext(t.Context(), exe, "derive", "-hash", "sha1", "-iter", "1", "-salt", "salt")
			cmd.Env = append(os.Environ(), "PBKDF2_TEST_COMMAND=1")
			var stdout, stderr bytes.Buffer
			cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			waitFor(t, "the echo to go off", func() bool { return !echoes(t, slave) })
			if tt.typed != "" {
				master.WriteString(tt.typed)
			} else {
				cmd.Process.Signal(os.Interrupt)
			}
			cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != tt.status || stdout.String() != tt.stdout || stderr.String() != tt.stderr {
				t.Errorf("status %d, stdout %q, stderr %q", got, &stdout, &stderr)
			}
			if !echoes(t, slave) {
				t.Error("the terminal stays mute")
			}
			shown := make([]byte, 100)
			master.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			if n, _ := master.Read(shown); bytes.Contains(shown[:n], []byte("pass")) {
				t.Errorf("the terminal showed %q", shown[:n])
			}
		})
	}
}

// A terminal shows how far it is, anything else does not.
func TestProgress(t *testing.T) {
	master, slave := openTerminal(t)
	var nothing bytes.Buffer
	for _, w := range []io.Writer{&nothing, slave} {
		bar := newProgress(w, 3)
		bar.show("counting")
		bar.step(1)
		var shown bytes.Buffer
		if w == slave {
			waitFor(t, "the bar", func() bool {
				p := make([]byte, 4096)
				master.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
				n, _ := master.Read(p)
				shown.Write(p[:n])
				return strings.Contains(shown.String(), "counting") && strings.Contains(shown.String(), "33")
			})
		}
		bar.step(2)
		bar.finish()
	}
	if nothing.Len() > 0 {
		t.Errorf("no terminal, and still %q", &nothing)
	}
}

// openTerminal returns both sides of a new terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	master = os.NewFile(uintptr(fd), "/dev/ptmx")
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Skip(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Skip(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { slave.Close() })
	return master, slave
}

// echoes reports whether a terminal shows what is typed.
func echoes(t *testing.T, f *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// waitFor waits until something is so.
func waitFor(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}
