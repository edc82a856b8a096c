// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command model prints a table of what the arm64 kernels take by LLVM's models of some CPUs (llvm-mca).
package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
)

func main() {
	pat := regexp.MustCompile(os.Args[1])
	cpus := []string{"neoverse-n1", "neoverse-v1", "neoverse-v2", "apple-m1", "cortex-a72"}
	for _, p := range os.Args[2:] {
		fns, err := functions(p)
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		var names []string
		for n := range fns {
			if pat.MatchString(n) {
				names = append(names, n)
			}
		}
		slices.Sort(names)
		for _, n := range names {
			for i, l := range loops(fns[n]) {
				fmt.Printf("%-40s %d %5d", n, i, len(l))
				for _, c := range cpus {
					x, err := l.cycles(c)
					if err != nil {
						fmt.Println(err)
						continue
					}
					fmt.Printf(" %8.1f", x)
				}
				fmt.Println()
			}
		}
	}
}
