// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command mutate tests the tests of the kernels: it plants faults in the generated assembly, one at a time for each kernel, and fails unless that kernel's own test
// finds each of them. Those that change nothing that can be observed are in equivalent.txt, each with the reason; that list must be exact.
//
// It needs Linux on amd64, qemu-aarch64 for the arm64 kernels, and Bochs for those with AVX-512 where the CPU lacks it (scripts/bochs-run.sh installs it).
package main

import (
	_ "embed"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// root is the library's.
var root string

//go:embed equivalent.txt
var equivalentText string

func main() {
	short := flag.Bool("short", false, "only the kernels that run on this CPU")
	run := flag.String("run", "", "only the kernels whose file:symbol matches this")
	each := flag.Int("each", 1, "mutants of each kind in each kernel")
	seed := flag.Uint64("seed", 1, "chooses the mutants")
	verbose := flag.Bool("v", false, "list every mutant")
	list := flag.String("judge", "", "for Bochs")
	binary := flag.String("binary", "", "for Bochs")
	timeout := flag.Duration("timeout", 0, "for Bochs")
	flag.Parse()
	if *list != "" {
		check(judgeList(*list, *binary, *timeout))
		return
	}
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		check(fmt.Errorf("runs on linux/amd64 only"))
	}
	dir, err := filepath.Abs("..") // go run -C asm
	check(err)
	root = dir
	only, err := regexp.Compile(*run)
	check(err)
	whole := *each == 1 && *seed == 1
	ok, err := mutateAll(*short, *each, *seed, only, whole, *verbose)
	check(err)
	if !ok {
		os.Exit(1)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
}

// mutateAll reports whether exactly the equivalent mutants survived. If whole, they are the mutants that the list is for.
func mutateAll(short bool, each int, seed uint64, only *regexp.Regexp, whole, verbose bool) (bool, error) {
	start := time.Now()
	sources, err := readSources(root)
	if err != nil {
		return false, err
	}
	equivalent, err := parseEquivalent(equivalentText)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)

	var kernels []*kernel
	for _, s := range sources {
		for _, k := range s.kernels {
			if only.MatchString(s.path + ":" + k.Name) {
				kernels = append(kernels, k)
			}
		}
	}
	if len(kernels) == 0 {
		return false, fmt.Errorf("no kernel in %s", root)
	}
	where, err := place(dir, kernels, short)
	if err != nil {
		return false, err
	}

	var mutants []*mutant
	discarded := 0
	for _, s := range sources {
		if !slices.ContainsFunc(s.kernels, func(k *kernel) bool { return where[k] != nil }) {
			continue
		}
		chosen, n, err := choose(s, each, seed)
		if err != nil {
			return false, err
		}
		discarded += n
		for _, m := range chosen {
			if where[m.kernel] != nil {
				mutants = append(mutants, m)
			}
		}
	}
	fmt.Printf("%d mutants of %d kernels; %d more were refused by the assembler (%.0f s)\n", len(mutants), len(where), discarded, time.Since(start).Seconds())

	for _, arch := range []string{"amd64", "arm64"} {
		list := slices.DeleteFunc(slices.Clone(mutants), func(m *mutant) bool { return m.kernel.source.arch != arch })
		for n, batch := range batches(list) {
			begin := time.Now()
			binary, err := build(dir, arch, batch)
			if err != nil {
				return false, err
			}
			built := time.Since(begin)
			if err := judgeBatch(binary, batch, where); err != nil {
				return false, err
			}
			alive := 0
			for _, m := range batch {
				if !m.verdict.killed() {
					alive++
				}
			}
			fmt.Printf("%s batch %d: %d mutants, %d alive, built in %.0f s, run in %.0f s\n", arch, n+1, len(batch), alive, built.Seconds(), (time.Since(begin) - built).Seconds())
		}
	}
	ok := summary(os.Stdout, mutants, equivalent, where, whole && only.String() == "" && !short, verbose)
	fmt.Printf("%.0f s\n", time.Since(start).Seconds())
	return ok, nil
}

// place finds the machine for each kernel: its test passes there when nothing is changed. With short there is the native one only, and kernels that it lacks are left out.
func place(dir string, kernels []*kernel, short bool) (map[*kernel]*machine, error) {
	where := map[*kernel]*machine{}
	for _, m := range machines {
		var list []*kernel
		for _, k := range kernels {
			if k.source.arch == m.arch && where[k] == nil {
				list = append(list, k)
			}
		}
		if len(list) == 0 || short && m.name != "native" {
			continue
		}
		begin := time.Now()
		binary, err := build(dir, m.arch, nil)
		if err != nil {
			return nil, err
		}
		cases := make([]testCase, len(list))
		for i, k := range list {
			cases[i].Tests = []string{k.test}
		}
		if err := m.judge(m, binary, cases); err != nil {
			return nil, err
		}
		for i, c := range cases {
			switch c.Verdict {
			case passed:
				where[list[i]] = m
			case skipped:
			default:
				return nil, fmt.Errorf("without a mutant: %s %s", list[i].test, c.Verdict)
			}
		}
		fmt.Printf("without mutants on %s: %.0f s\n", m.name, time.Since(begin).Seconds())
	}
	for _, k := range kernels {
		if where[k] == nil && !short {
			return nil, fmt.Errorf("%s:%s runs nowhere", k.source.path, k.Name)
		}
	}
	if n := len(kernels) - len(where); n > 0 {
		fmt.Printf("%d kernels are left out, which this CPU does not run\n", n)
	}
	return where, nil
}

func judgeBatch(binary string, batch []*mutant, where map[*kernel]*machine) error {
	for _, machine := range machines {
		list := slices.DeleteFunc(slices.Clone(batch), func(m *mutant) bool { return where[m.kernel] != machine })
		if len(list) == 0 {
			continue
		}
		cases := make([]testCase, len(list))
		for i, m := range list {
			cases[i].Tests = m.tests()
		}
		if err := machine.judge(machine, binary, cases); err != nil {
			return err
		}
		for i, c := range cases {
			if list[i].verdict = c.Verdict; c.Verdict == skipped {
				return fmt.Errorf("%s was skipped", list[i].kernel.test)
			}
		}
	}
	return nil
}

// parseEquivalent returns the reasons by mutant. A line has the mutant, then the reason, with tabs between.
func parseEquivalent(text string) (map[string]string, error) {
	list := map[string]string{}
	for n, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, '\t')
		if at < 0 || strings.Contains(line[at:], " => ") || len(line) == at+1 {
			return nil, fmt.Errorf("equivalent.txt:%d: no reason", n+1)
		}
		if list[line[:at]] != "" {
			return nil, fmt.Errorf("equivalent.txt:%d: twice", n+1)
		}
		list[line[:at]] = line[at+1:]
	}
	return list, nil
}

// summary prints what became of the mutants, and reports whether it is what it should be. If all are here, none of the equivalent ones may be missing.
func summary(w io.Writer, mutants []*mutant, equivalent map[string]string, where map[*kernel]*machine, all, verbose bool) bool {
	type count struct{ mutants, killed, equivalent int }
	byKind := map[string]count{}
	byKernel := map[*kernel]map[string]count{}
	byVerdict := map[verdict]int{}
	var total count
	ok := true
	listed := maps.Clone(equivalent)
	for _, m := range mutants {
		name := m.String()
		c := count{mutants: 1}
		_, isListed := equivalent[name]
		delete(listed, name)
		switch {
		case m.verdict.killed() && isListed:
			fmt.Fprintf(w, "STALE, is in equivalent.txt but %s: %s\n", m.verdict, name)
			ok = false
			c.killed = 1
		case m.verdict.killed():
			c.killed = 1
		case isListed:
			c.equivalent = 1
		default:
			fmt.Fprintf(w, "SURVIVOR (%s, line %d): %s\n", m.kind, m.edits[0].line, name)
			ok = false
		}
		if verbose {
			fmt.Fprintf(w, "%-8s %-12s %s\n", m.verdict, m.kind, name)
		}
		byVerdict[m.verdict]++
		if byKernel[m.kernel] == nil {
			byKernel[m.kernel] = map[string]count{}
		}
		add := func(c0 count) count {
			return count{c0.mutants + c.mutants, c0.killed + c.killed, c0.equivalent + c.equivalent}
		}
		byKind[m.kind], byKernel[m.kernel][m.kind], total = add(byKind[m.kind]), add(byKernel[m.kernel][m.kind]), add(total)
	}
	if all {
		for name := range listed {
			fmt.Fprintf(w, "STALE, is in equivalent.txt but not among the mutants: %s\n", name)
			ok = false
		}
	}

	show := func(c count) string {
		switch {
		case c.mutants == 0:
			return "-"
		case c.equivalent == 0:
			return fmt.Sprintf("%d/%d", c.killed, c.mutants)
		}
		return fmt.Sprintf("%d+%d/%d", c.killed, c.equivalent, c.mutants)
	}
	fmt.Fprintf(w, "\nkilled/mutants, or killed+equivalent/mutants\n%-30s %-24s %-6s", "file", "kernel", "on")
	for _, kind := range kinds {
		fmt.Fprintf(w, " %12s", kind.name)
	}
	fmt.Fprintln(w)
	for _, m := range mutants {
		counts := byKernel[m.kernel]
		if counts == nil {
			continue
		}
		delete(byKernel, m.kernel)
		fmt.Fprintf(w, "%-30s %-24s %-6s", strings.TrimPrefix(m.kernel.source.path, "internal/"), m.kernel.Name, where[m.kernel].name)
		for _, kind := range kinds {
			fmt.Fprintf(w, " %12s", show(counts[kind.name]))
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "%-62s", "all")
	for _, kind := range kinds {
		fmt.Fprintf(w, " %12s", show(byKind[kind.name]))
	}
	fmt.Fprintf(w, "\n%d mutants: %d killed (%d failed, %d crashed, %d hung), %d equivalent, %d survivors\n", total.mutants, total.killed,
		byVerdict[failed], byVerdict[crashed], byVerdict[hung], total.equivalent, total.mutants-total.killed-total.equivalent)
	return ok
}
