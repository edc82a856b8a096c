// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command branches reads the generated assembly and lists every branch and every conditional instruction in it, with the instruction that sets its condition and where the
// numbers in that come from; and every condition of the kernels in Go. It fails if a branch or an address depends on what state or message hold; see analyse and analyseGo.
package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/fastkdf/pbkdf2/asm/internal/assembly"
)

func main() {
	root := ".."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	files, err := filepath.Glob(filepath.Join(root, "internal/*/*.s"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("there is no assembly below %s", root)
	}
	bad := 0
	for _, name := range files {
		text, readErr := os.ReadFile(name)
		if readErr != nil {
			err = readErr
			break
		}
		file, parseErr := assembly.Parse(string(text))
		if parseErr != nil {
			err = fmt.Errorf("%s:%w", name, parseErr)
			break
		}
		for _, f := range file.Functions {
			r := analyse(f, archOf(name))
			for _, line := range append(r.branches, r.conditional...) {
				fmt.Printf("%s:%s\n", name, line)
			}
			for _, line := range r.errors {
				fmt.Printf("%s:%s\n", name, line)
				bad++
			}
		}
	}
	packages, goErr := goKernels(root)
	for _, hash := range slices.Sorted(maps.Keys(packages)) {
		r, analyseErr := analyseGo(packages[hash])
		if analyseErr != nil {
			goErr = analyseErr
			break
		}
		for _, line := range append(r.branches, r.errors...) {
			fmt.Println(line)
		}
		bad += len(r.errors)
	}
	if err = errors.Join(err, goErr); err != nil || bad > 0 {
		fmt.Fprintf(os.Stderr, "%d errors, %v\n", bad, err)
		os.Exit(1)
	}
}
