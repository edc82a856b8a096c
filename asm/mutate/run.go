// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A verdict is how a test ended.
type verdict string

const (
	passed  verdict = "passed"
	failed  verdict = "failed"
	crashed verdict = "crashed"
	hung    verdict = "hung"
	skipped verdict = "skipped" // the CPU lacks what the kernel needs
)

// killed tells whether a test has found the fault.
func (v verdict) killed() bool { return v == failed || v == crashed || v == hung }

// judge runs tests of a test binary, each in a process of its own, until one finds a fault. wrapper is the emulator's command, if any.
func judge(wrapper []string, binary string, tests []string, timeout time.Duration) (verdict, error) {
	for _, test := range tests {
		v, err := judgeOne(wrapper, binary, test, timeout)
		if err != nil || v != passed {
			return v, err
		}
	}
	return passed, nil
}

func judgeOne(wrapper []string, binary, test string, timeout time.Duration) (verdict, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	pattern := "^" + strings.ReplaceAll(test, "/", "$/^") + "$"
	args := append(slices.Clone(wrapper), binary, "-test.short", "-test.v", "-test.run", pattern)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	cmd.WaitDelay = time.Second
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "PBKDF2_TEST_") })
	err := cmd.Run()
	exit := (*exec.ExitError)(nil)
	switch {
	case ctx.Err() != nil:
		return hung, nil
	case err != nil && !errors.As(err, &exit):
		return "", err
	case bytes.Contains(output.Bytes(), []byte("--- FAIL: "+test+" ")):
		return failed, nil
	case err != nil && bytes.Contains(output.Bytes(), []byte("=== RUN   "+test+"\n")):
		return crashed, nil
	case err == nil && bytes.Contains(output.Bytes(), []byte("--- SKIP: "+test+" ")):
		return skipped, nil
	case err == nil && bytes.Contains(output.Bytes(), []byte("--- PASS: "+test+" ")):
		return passed, nil
	}
	return "", fmt.Errorf("%s did not run: %v\n%s", test, err, output.Bytes())
}

// A case is tests of one binary; in JSON it goes to another process of this program and comes back with the verdict.
type testCase struct {
	Tests   []string
	Verdict verdict
	Error   string
}

// A machine runs tests of a binary.
type machine struct {
	name    string
	arch    string
	timeout time.Duration
	judge   func(m *machine, binary string, cases []testCase) error
}

var machines = []*machine{
	{"native", "amd64", 10 * time.Second, here(nil)},
	{"qemu", "arm64", 60 * time.Second, here([]string{"qemu-aarch64", "-cpu", "max"})},
	{"bochs", "amd64", 20 * time.Second, inBochs}, // of its own clock
}

// here judges in this process.
func here(wrapper []string) func(*machine, string, []testCase) error {
	return func(m *machine, binary string, cases []testCase) error {
		for i := range cases {
			v, err := judge(wrapper, binary, cases[i].Tests, m.timeout)
			if err != nil {
				return err
			}
			cases[i].Verdict = v
		}
		return nil
	}
}

const resultMark = "mutate: result "

// inBochs starts this program on the emulated machine, once for all cases.
func inBochs(m *machine, binary string, cases []testCase) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := filepath.Dir(binary)
	input, err := json.Marshal(cases)
	if err != nil {
		return err
	}
	list := filepath.Join(dir, "cases.json")
	if err := os.WriteFile(list, input, 0o644); err != nil {
		return err
	}
	cmd := exec.Command(filepath.Join(root, "scripts", "bochs-run.sh"), "-n", "avx512f,avx512vl", "-t", "3600", "-f", binary, "-f", list,
		self, "-judge", list, "-binary", binary, "-timeout", m.timeout.String())
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	scanner := bufio.NewScanner(bytes.NewReader(output))
	n := 0
	for ; scanner.Scan(); n++ {
		text, ok := strings.CutPrefix(scanner.Text(), resultMark)
		if !ok || n == len(cases) {
			return fmt.Errorf("bochs: %v\n%s", err, output)
		}
		if err := json.Unmarshal([]byte(text), &cases[n]); err != nil {
			return fmt.Errorf("bochs: %w\n%s", err, output)
		}
		if cases[n].Error != "" {
			return fmt.Errorf("bochs: %s", cases[n].Error)
		}
	}
	if err != nil || n != len(cases) {
		return fmt.Errorf("bochs: %d results of %d, %v\n%s", n, len(cases), err, output)
	}
	return nil
}

// judgeList is the other side of inBochs.
func judgeList(list, binary string, timeout time.Duration) error {
	input, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	var cases []testCase
	if err := json.Unmarshal(input, &cases); err != nil {
		return err
	}
	for _, c := range cases {
		c.Verdict, err = judge(nil, binary, c.Tests, timeout)
		if err != nil {
			c.Error = err.Error()
		}
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		fmt.Printf("%s%s\n", resultMark, text)
	}
	return nil
}

// build makes the library's test binary with mutants in it. The tree is not touched.
func build(dir, arch string, mutants []*mutant) (binary string, err error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	bySource := map[*source][]*mutant{}
	for _, m := range mutants {
		bySource[m.kernel.source] = append(bySource[m.kernel.source], m)
	}
	for s, list := range bySource {
		path := filepath.Join(dir, strings.ReplaceAll(s.path, "/", "_"))
		if err := os.WriteFile(path, mutate(s, list), 0o644); err != nil {
			return "", err
		}
		overlay.Replace[filepath.Join(root, filepath.FromSlash(s.path))] = path
	}
	text, err := json.Marshal(overlay)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), text, 0o644); err != nil {
		return "", err
	}
	binary = filepath.Join(dir, "pbkdf2.test")
	cmd := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", filepath.Join(dir, "overlay.json"), "-o", binary, ".")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+arch)
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, output)
	}
	return binary, nil
}
