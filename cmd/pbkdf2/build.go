// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Import paths, which are module paths too.
const (
	libraryPath = "github.com/fastkdf/pbkdf2"
	commandPath = libraryPath + "/cmd/pbkdf2"
)

// A build is a way to compile this command.
type build struct {
	name  string
	flags []string // for go build
}

var builds = []build{
	{"release", nil},
	{"debug", []string{"-gcflags=all=-N -l"}},
	{"race", []string{"-race"}},
}

// A builder compiles this command from the source that it was made of.
type builder struct {
	goTool string            // path of the go command
	source string            // directory of this package
	env    map[string]string // what 'go env' says
	flags  []string          // that this binary was built with
	target []string          // environment for the same platform
}

// newBuilder finds the go tool and the source. The error tells what is missing.
func newBuilder(ctx context.Context, source string) (*builder, error) {
	b := &builder{env: map[string]string{}}
	var err error
	if b.goTool, err = exec.LookPath("go"); err != nil {
		return nil, errors.New("there is no go tool in PATH to build them with")
	}
	if b.source, err = findSource(ctx, b.goTool, source); err != nil {
		return nil, err
	}
	b.target = []string{"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-tags":
				b.flags = append(b.flags, "-tags="+s.Value)
			case "GOAMD64", "GOARM64", "GO386", "GOARM", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOEXPERIMENT", "GOFIPS140":
				b.target = append(b.target, s.Key+"="+s.Value)
			}
		}
	}
	cmd := b.command(ctx, "env", "-json", "CC", "GOVERSION")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("'go env' failed: %w", err)
	}
	return b, json.Unmarshal(out, &b.env)
}

// command makes a go command that works in the source's directory.
func (b *builder) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.goTool, args...)
	cmd.Dir = b.source
	cmd.Env = append(os.Environ(), b.target...)
	return cmd
}

// findSource returns the directory that holds the source of this command.
func findSource(ctx context.Context, goTool, given string) (string, error) {
	if given != "" {
		dir, err := filepath.Abs(given)
		if err != nil {
			return "", err
		}
		if !isSource(dir) {
			return "", badInput("-source: %s is not the directory of %s", dir, commandPath)
		}
		return dir, nil
	}
	_, file, _, _ := runtime.Caller(0) // not a path if built with -trimpath
	dir := filepath.Dir(file)
	if filepath.IsAbs(dir) && isSource(dir) {
		return dir, nil
	}
	out, err := exec.CommandContext(ctx, goTool, "list", "-f", "{{.Dir}}", commandPath).Output()
	if dir := string(bytes.TrimSpace(out)); err == nil && isSource(dir) {
		return dir, nil
	}
	return "", fmt.Errorf("the source of this command is not where it was built (%s) nor known to the module in the working directory; run 'go run ./cmd/pbkdf2 bench' in a checkout, or name the directory with -source", dir)
}

// isSource reports whether dir is the root of this command's module.
func isSource(dir string) bool {
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && slices.Contains(strings.Split(strings.ReplaceAll(string(mod), "\r", ""), "\n"), "module "+commandPath)
}

// A skipError tells why a build is left out where it can't be made.
type skipError string

func (e skipError) Error() string { return string(e) }

// build compiles the command into dir and returns the path of the binary.
func (b *builder) build(ctx context.Context, how build, dir string) (string, error) {
	exe := filepath.Join(dir, "pbkdf2-"+how.name)
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	cmd := b.command(ctx, slices.Concat([]string{"build", "-o", exe}, b.flags, how.flags, []string{"."})...)
	if how.name == "race" && runtime.GOOS != "darwin" { // where the race detector needs cgo
		compiler, _, _ := strings.Cut(b.env["CC"], " ")
		if _, err := exec.LookPath(compiler); err != nil {
			return "", skipError(fmt.Sprintf("there is no C compiler (%s), which -race needs", dash(compiler)))
		}
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1")
	}
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return exe, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case bytes.Contains(out, []byte("-race is not supported")) || bytes.Contains(out, []byte("-race is only supported")):
		return "", skipError(string(bytes.TrimSpace(out)))
	}
	return "", fmt.Errorf("'%s' in %s: %w\n%s", strings.Join(cmd.Args, " "), b.source, err, bytes.TrimSpace(out))
}

// ownRelease returns this very binary if it is a release build.
func ownRelease() (string, error) {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "-race" || s.Key == "-gcflags" {
				return "", fmt.Errorf("this binary is no release build but has %s", s.Key)
			}
		}
	}
	exe, err := os.Executable()
	if errors.Is(err, fs.ErrNotExist) {
		err = errors.New("this binary was deleted while it ran")
	}
	return exe, err
}
