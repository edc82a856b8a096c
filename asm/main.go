// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command asm writes every assembly kernel of the library, and the Go declarations, from the list in kernels.go.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fastkdf/pbkdf2/asm/internal/output"
)

func main() {
	flags := flag.NewFlagSet("asm", flag.ExitOnError) // avo has flags of its own in the common one
	out := flags.String("out", "..", "the library's root")
	flags.Parse(os.Args[1:])
	if err := write(*out); err != nil {
		fmt.Fprintln(os.Stderr, "asm:", err)
		os.Exit(1)
	}
}

// write makes the generated files below root the ones of the list: it writes those and removes any other.
func write(root string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	old, err := generatedBelow(root)
	if err != nil {
		return err
	}
	for _, name := range old {
		if _, ok := files[name]; !ok {
			if err := os.Remove(filepath.Join(root, name)); err != nil {
				return err
			}
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the text of every generated file by its path below the root.
func generate() (map[string][]byte, error) {
	files := map[string][]byte{}
	stubs := map[string][]output.Func{} // by path
	for _, k := range kernels {
		text, funcs, err := k.print()
		if err != nil {
			return nil, fmt.Errorf("%s/%s (%s): %w", k.pkg, k.isa, k.arch, err)
		}
		dir := filepath.Join("internal", k.pkg)
		files[filepath.Join(dir, k.isa+"_"+k.arch+".s")] = text
		stub := filepath.Join(dir, "stubs_"+k.arch+".go")
		stubs[stub] = append(stubs[stub], funcs...)
	}
	for name, funcs := range stubs {
		text, err := output.Stubs(filepath.Base(filepath.Dir(name)), funcs)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = text
	}
	return files, nil
}

// generatedBelow lists the files below root's internal directory that a run of this command has written.
func generatedBelow(root string) ([]string, error) {
	var names []string
	for _, pattern := range []string{"*.s", "stubs_*.go"} {
		found, err := filepath.Glob(filepath.Join(root, "internal", "*", pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range found {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if strings.HasPrefix(string(text), "// "+output.Header+"\n") {
				rel, err := filepath.Rel(root, name)
				if err != nil {
					return nil, err
				}
				names = append(names, rel)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}
