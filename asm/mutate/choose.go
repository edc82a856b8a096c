// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A mutant is one fault in one kernel.
type mutant struct {
	kernel  *kernel
	kind    string
	edits   []edit
	number  int       // how many lines of the kernel are the same up to the first edit's, itself included
	touches []*kernel // those that it may change: more than one if it is in a table
	verdict verdict
}

// String is what equivalent.txt has of a mutant. Changes elsewhere in the kernel leave it as it is.
func (m *mutant) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\t%s", m.kernel.source.path, m.kernel.Name)
	for n, e := range m.edits {
		b.WriteString("\t" + e.old)
		if n == 0 && m.number > 1 {
			fmt.Fprintf(&b, " (%d)", m.number)
		}
		b.WriteString(" => " + e.text())
	}
	return b.String()
}

func (e edit) text() string {
	if e.new == "" {
		return "nothing"
	}
	return e.new
}

// tests are those that may find the mutant, its own kernel's first.
func (m *mutant) tests() []string {
	list := []string{m.kernel.test}
	for _, k := range m.touches {
		if k != m.kernel {
			list = append(list, k.test)
		}
	}
	return list
}

// choose plants each faults of every kind in every kernel of a file, if so many can be, no two in one line. What the assembler refuses is discarded. The choice
// depends on nothing but the seed and the file.
func choose(s *source, each int, seed uint64) (chosen []*mutant, discarded int, err error) {
	used := map[int]bool{}
	var streams []*stream
	for _, k := range s.kernels {
		for _, kind := range kinds {
			streams = append(streams, newStream(k, kind, seed))
		}
	}
	for {
		for _, st := range streams {
			for st.chosen < each {
				m := st.next(used)
				if m == nil {
					break
				}
				st.chosen++
				chosen = append(chosen, m)
			}
		}
		refused, err := assemble(s, chosen)
		if err != nil {
			return nil, 0, err
		}
		if len(refused) == 0 {
			return chosen, discarded, nil
		}
		discarded += len(refused)
		chosen = slices.DeleteFunc(chosen, func(m *mutant) bool {
			if !refused[m] {
				return false
			}
			for _, st := range streams {
				if st.kernel == m.kernel && st.kind.name == m.kind {
					st.chosen--
				}
			}
			return true
		})
	}
}

// A stream has the possible mutants of a kind in a kernel, in random order.
type stream struct {
	kernel *kernel
	kind   kind
	sites  []site
	chosen int
}

// A site is a line where a fault may be. Its rank and its random numbers depend on its text, so that other lines' changes do not move the choice.
type site struct {
	rank   uint64
	r      *rand.Rand
	at     int
	data   *insn // in a table; else at is the instruction
	number int
}

func newStream(k *kernel, kind kind, seed uint64) *stream {
	st := &stream{kernel: k, kind: kind}
	seen := map[string]int{}
	add := func(at int, i, data *insn) {
		text := i.String()
		seen[text]++
		h := fnv.New64a()
		fmt.Fprint(h, k.source.path, " ", k.Name, " ", kind.name, " ", text, " ", seen[text])
		r := rand.New(rand.NewPCG(seed, h.Sum64()))
		st.sites = append(st.sites, site{r.Uint64(), r, at, data, seen[text]})
	}
	for at, i := range k.Code[:k.clearing] {
		add(at, i, nil)
	}
	if kind.name == "constant" {
		for _, d := range k.source.data {
			if k.reads(d) {
				add(0, d, d)
			}
		}
	}
	slices.SortFunc(st.sites, func(a, b site) int { return cmp.Compare(a.rank, b.rank) })
	return st
}

// next is a mutant in lines that are not used yet, or nil.
func (st *stream) next(used map[int]bool) *mutant {
	for len(st.sites) > 0 {
		s := st.sites[0]
		st.sites = st.sites[1:]
		m := &mutant{kernel: st.kernel, kind: st.kind.name, number: s.number, touches: []*kernel{st.kernel}}
		if s.data != nil {
			m.edits, m.touches = dataConstant(s.data, s.r), st.kernel.source.readers(s.data)
		} else {
			m.edits = st.kind.plant(st.kernel, s.at, s.r)
		}
		if m.edits == nil || slices.ContainsFunc(m.edits, func(e edit) bool { return used[e.line] }) {
			continue
		}
		for _, e := range m.edits {
			used[e.line] = true
		}
		return m
	}
	return nil
}

// mutate is the text of a file with mutants in it.
func mutate(s *source, mutants []*mutant) []byte {
	lines := slices.Clone(s.lines)
	for _, m := range mutants {
		for _, e := range m.edits {
			lines[e.line-1] = e.new
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

var errorLine = regexp.MustCompile(`mutant\.s:(\d+)`)

// assemble returns the mutants that the assembler refuses when all are in one file.
func assemble(s *source, mutants []*mutant) (refused map[*mutant]bool, err error) {
	dir, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "mutant.s")
	if err := os.WriteFile(path, mutate(s, mutants), 0o644); err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	include := filepath.Join(strings.TrimSpace(string(goroot)), "pkg", "include")
	object := filepath.Join(dir, "mutant.o") // not os.DevNull: the assembler removes it if it fails
	cmd := exec.Command("go", "tool", "asm", "-p", "mutant", "-e", "-I", include, "-o", object, path)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+s.arch)
	output, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) {
		return nil, err
	}
	refused = map[*mutant]bool{}
	for _, match := range errorLine.FindAllSubmatch(output, -1) {
		line, _ := strconv.Atoi(string(match[1]))
		for _, m := range mutants {
			if slices.ContainsFunc(m.edits, func(e edit) bool { return e.line == line }) {
				refused[m] = true
			}
		}
	}
	if len(refused) == 0 {
		return nil, fmt.Errorf("%s: %w\n%s", s.path, err, bytes.TrimSpace(output))
	}
	return refused, nil
}

// batches packs mutants so that in each batch no two may change the same kernel: then they share one build, and each has its verdict from its own tests.
func batches(mutants []*mutant) [][]*mutant {
	var list [][]*mutant
	var taken []map[*kernel]bool
next:
	for _, m := range mutants {
		for n := range list {
			if !slices.ContainsFunc(m.touches, func(k *kernel) bool { return taken[n][k] }) {
				list[n] = append(list[n], m)
				for _, k := range m.touches {
					taken[n][k] = true
				}
				continue next
			}
		}
		list = append(list, []*mutant{m})
		taken = append(taken, map[*kernel]bool{})
		for _, k := range m.touches {
			taken[len(taken)-1][k] = true
		}
	}
	return list
}
