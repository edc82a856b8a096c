// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestMain lets the test binary stand in for the command, for tests that need
// a real process.
func TestMain(m *testing.M) {
	if os.Getenv("PBKDF2_TEST_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// runWith runs a command line that reads stdin.
func runWith(t *testing.T, stdin string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	c := &cli{ctx: context.Background(), stdin: strings.NewReader(stdin), stdout: &out, stderr: &err}
	status = c.run(args)
	return status, out.String(), err.String()
}

func TestUsage(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		stdout string // a part of it; "" is nothing at all
		stderr string
	}{
		{"", exitInput, "", "Usage: pbkdf2 COMMAND"},
		{"help", exitOK, "calibrate", ""},
		{"-h", exitOK, "Usage: pbkdf2 COMMAND", ""},
		{"--help", exitOK, "Usage: pbkdf2 COMMAND", ""},
		{"help derive", exitOK, "-password-stdin", ""},
		{"derive -h", exitOK, "Usage: pbkdf2 derive", ""},
		{"derive --help", exitOK, "Usage: pbkdf2 derive", ""},
		{"bench -h", exitOK, "-gcflags='all=-N -l'", ""},
		{"info -h", exitOK, "Usage: pbkdf2 info", ""},
		{"calibrate -h", exitOK, "-target", ""},
		{"help nothing", exitInput, "", `no command "nothing"`},
		{"derives", exitInput, "", `no command "derives"`},
		{"info extra", exitInput, "", `unexpected argument "extra"`},
		{"measure -x", exitInput, "", "for 'pbkdf2 bench'"},
		{"measure", exitInput, "", "standard input"},
	} {
		t.Run(tt.args, func(t *testing.T) {
			status, stdout, stderr := runWith(t, "", strings.Fields(tt.args)...)
			if status != tt.status || !holds(stdout, tt.stdout) || !holds(stderr, tt.stderr) {
				t.Errorf("status %d, want %d\nstdout %q, want %q\nstderr %q, want %q", status, tt.status, stdout, tt.stdout, stderr, tt.stderr)
			}
		})
	}
}

// holds reports whether text contains part; no part means no text.
func holds(text, part string) bool {
	return part == "" && text == "" || part != "" && strings.Contains(text, part)
}

// The help text has no line that is too long for a terminal, and does not
// mention what is not for people.
func TestHelpText(t *testing.T) {
	if strings.Contains(help(), "\n  measure") {
		t.Error("help mentions the hidden command")
	}
	for _, about := range []string{help(), deriveAbout, benchAbout, infoAbout, calibrateAbout} {
		for line := range strings.Lines(about) {
			if len([]rune(line)) > 81 {
				t.Errorf("line of %d characters: %s", len([]rune(line)), line)
			}
		}
	}
}

func TestInfo(t *testing.T) {
	status, stdout, stderr := runWith(t, "", "info")
	if status != exitOK || stderr != "" {
		t.Fatalf("status %d, stderr %q", status, stderr)
	}
	for _, want := range []string{"CPU:", "Go:", "FIPS 140:", "SHA-512/256"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
}

// A CPU without a name of its own gets one.
func TestCPUName(t *testing.T) {
	if got := nameOr(" Zuse Z3 "); got != "Zuse Z3" {
		t.Errorf("got %q", got)
	}
	if nameOr(" ") == "" {
		t.Error("no name")
	}
}

// In FIPS 140-3 mode, which begins with the process, info says so.
func TestInfoFIPS(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(exe, "info")
	cmd.Env = append(os.Environ(), "PBKDF2_TEST_COMMAND=1", "GODEBUG=fips140=on")
	stdout, err := cmd.Output()
	for _, want := range []string{"FIPS 140:", " on\n", "GODEBUG:", "only the standard library may run"} {
		if err != nil || !bytes.Contains(stdout, []byte(want)) {
			t.Errorf("%v, no %q in\n%s", err, want, stdout)
		}
	}
}
