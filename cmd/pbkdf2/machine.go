// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// cpuName returns what the CPU calls itself, or what the system calls it, and the numbers that tell its kind on x86: virtual machines hide the rest.
func cpuName() string {
	name := nameOr(cpuid.CPU.BrandName)
	if f := cpuid.CPU.Family; f != 0 {
		name += fmt.Sprintf(" (family %d, model %d)", f, cpuid.CPU.Model)
	}
	return name
}

func nameOr(brand string) string {
	if name := strings.TrimSpace(brand); name != "" {
		return name
	}
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			key, value, _ := strings.Cut(s.Text(), ":")
			if key = strings.TrimSpace(key); key == "model name" || key == "cpu model" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown " + runtime.GOARCH
}

// system returns the platform and how many CPUs the program may use.
func system() string {
	return fmt.Sprintf("%s/%s, GOMAXPROCS=%d", runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))
}
