// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bufio"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
)

// instructionSets has the generators' names for what kernels need; 0 is what every amd64 CPU has.
var instructionSets = map[string]cpu.Features{
	"SSE": 0, "SSE2": 0,
	"SSSE3": cpu.SSSE3, "SSE4.1": cpu.SSE41, "AVX": cpu.AVX, "AVX2": cpu.AVX2, "BMI": cpu.BMI1, "BMI2": cpu.BMI2, "SHA": cpu.SHA,
	"AVX512F": cpu.AVX512F, "AVX512VL": cpu.AVX512VL,
	"ASIMD": cpu.ASIMD, "SHA1": cpu.SHA1, "SHA2": cpu.SHA2, "SHA512": cpu.SHA512,
}

// mnemonicSets has the instructions of arm64 that not every CPU has, by the start of their names.
var mnemonicSets = []struct {
	prefix string
	needs  cpu.Features
}{
	{"SHA512", cpu.SHA512}, {"SHA256", cpu.SHA2}, {"SHA1", cpu.SHA1}, {"VRAX1", ^cpu.Features(0)}, {"VXAR", ^cpu.Features(0)},
	{"VEOR3", ^cpu.Features(0)}, {"VBCAX", ^cpu.Features(0)}, {"V", cpu.ASIMD}, {"F", cpu.ASIMD},
}

// assemblyNeeds reads what each assembly function of this architecture needs, by "package.Function": on amd64 from the line that
// avo prints over it, on arm64 from its instructions.
func assemblyNeeds(t *testing.T) map[string]cpu.Features {
	t.Helper()
	text := regexp.MustCompile(`^TEXT ·(\w+)\(SB\)`)
	mnemonic := regexp.MustCompile(`^\t([A-Z][A-Z0-9.]*)`)
	files, err := filepath.Glob("internal/*/*_" + runtime.GOARCH + ".s")
	if err != nil {
		t.Fatal(err)
	}
	needs := map[string]cpu.Features{}
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		var function string
		var required cpu.Features
		for lines := bufio.NewScanner(file); lines.Scan(); {
			line := lines.Text()
			if list, ok := strings.CutPrefix(line, "// Requires: "); ok {
				required = 0
				for _, set := range strings.Split(list, ", ") {
					f, ok := instructionSets[set]
					if !ok {
						t.Fatalf("%s needs %s, which is no feature of ours", name, set)
					}
					required |= f
				}
			}
			if m := text.FindStringSubmatch(line); m != nil {
				function = filepath.Base(filepath.Dir(name)) + "." + m[1]
				needs[function] = required
				required = 0
			}
			if m := mnemonic.FindStringSubmatch(line); m != nil && runtime.GOARCH == "arm64" {
				for _, set := range mnemonicSets {
					if strings.HasPrefix(m[1], set.prefix) {
						needs[function] |= set.needs
						break
					}
				}
			}
		}
	}
	return needs
}

// TestNeeds compares what each row says that it needs with what its code needs: all of that, and nothing else but what that builds on.
func TestNeeds(t *testing.T) {
	needs := assemblyNeeds(t)
	check := func(name string, f any, has cpu.Features) {
		symbol := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		symbol = symbol[strings.LastIndexByte(symbol, '/')+1:]
		required, ok := needs[symbol]
		if !ok {
			if !strings.HasSuffix(name, "/generic") {
				t.Errorf("%s: no assembly for %s", name, symbol)
			}
			return
		}
		if lacks := required &^ has; lacks != 0 {
			t.Errorf("%s: %s needs %v", name, symbol, lacks)
		}
	}
	for _, r := range rows {
		for id, iterate := range r.iterate {
			if iterate != nil {
				check(variants[id].name+"/"+r.isa, iterate, r.needs)
			}
		}
	}
	for _, c := range compressors {
		for _, id := range c.hashes {
			check(variants[id].name+"/"+c.isa, c.compress, c.needs)
		}
	}
}

// TestTable checks what every row must have.
func TestTable(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows {
		if r.lanes < 1 || r.costs[0] < 1 || r.costs[1] < 0 {
			t.Errorf("%s: %d lanes, costs %d", r.isa, r.lanes, r.costs)
		}
		for id, iterate := range r.iterate {
			if name := variants[id].name + "/" + r.isa; iterate != nil {
				if seen[name] {
					t.Errorf("%s is there twice", name)
				}
				seen[name] = true
			}
		}
	}
	for id, v := range variants {
		last := newTable(hashID(id), rows, compressors, 0, false)
		if k := last.kernels[len(last.kernels)-1]; k.name != v.name+"/generic" {
			t.Errorf("%s: the last row is %s", v.name, k.name)
		}
		if v.id != hashID(id) {
			t.Errorf("%s has the id %d", v.name, v.id)
		}
	}
}

// selected returns the kernels for a number of chains, sorted, on a CPU with the features has, or the standard library.
func selected(id hashID, has cpu.Features, chains int) string {
	t := newTable(id, rows, compressors, has, !purego && slices.Contains(standardAssembly[id], runtime.GOARCH))
	if t.standard {
		return "crypto/pbkdf2"
	}
	var names []string
	for _, k := range t.plans[chains-1].kernels {
		names = append(names, k.name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// TestNamedInCI checks that CI's lists of kernels that must run have every row: .ci/kernels those of this machine's architecture, amd64, and .ci/cross
// what an emulator can run.
func TestNamedInCI(t *testing.T) {
	list := ".ci/kernels"
	if runtime.GOARCH != "amd64" {
		list = ".ci/cross"
	}
	named := func(file string) (rows []string) { // as hash/isa, from calls such as: rows 'sha224 sha256' shani shanix2
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all := "md5 sha1 sha224 sha256 sha384 sha512 sha512_224 sha512_256"
		expand := strings.NewReplacer("$1", all, "$sha2", "sha224 sha256 sha384 sha512 sha512_224 sha512_256")
		for _, call := range regexp.MustCompile(`rows (?:'([^']*)'|"([^"]*)"|(\w+)) ([\w ]+)`).FindAllStringSubmatch(string(text), -1) {
			for _, hash := range strings.Fields(expand.Replace(call[1] + call[2] + call[3])) {
				for _, isa := range strings.Fields(call[4]) {
					rows = append(rows, hash+"/"+isa)
				}
			}
		}
		return rows
	}
	here, cross := named(list), named(".ci/cross")
	for _, r := range rows {
		for id, iterate := range r.iterate {
			if iterate == nil {
				continue
			}
			name := variants[id].name + "/" + r.isa
			if !slices.Contains(here, name) {
				t.Errorf("%s is not in %s", name, list)
			}
			// qemu's amd64 has neither AVX-512 nor SHA.
			if r.needs&(cpu.AVX512F|cpu.SHA) == 0 && !slices.Contains(cross, name) {
				t.Errorf("%s is not in .ci/cross", name)
			}
		}
	}
}
