// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Command model writes doc/arm64-model.md: what the arm64 kernels take by LLVM's models of some CPUs (llvm-mca), beside what bounds them, and beside the standard library's block
// functions. It needs LLVM's llvm-mc and llvm-mca, best of version 22.
package main

import (
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// The CPUs.
var cpus = []struct{ name, lacks, text string }{
	{"neoverse-n1", "sha512", "Graviton 2, Ampere Altra. It has no SHA512"},
	{"neoverse-v2", "", "Graviton 4, Grace, Axion"},
	{"apple-m1", "", "LLVM has no model of its own for it and takes that of Apple's Cyclone of 2013, in which additions of registers take two cycles: scalar rows look twice as slow as they are"},
	{"cortex-a72", "sha512", "Raspberry Pi 4, where SHA1 and SHA2 are switched off, and the first Graviton. It has no SHA512"},
}

// A term is an instruction's latency, n times.
type term struct {
	n    int
	insn string
}

// Instructions of the chains, in LLVM's spelling.
const (
	sha1c   = "sha1c q0, s1, v2.4s"
	sha256h = "sha256h q0, q1, v2.4s"
	sha512h = "sha512h q0, q1, v2.2d"
	vadd    = "add v0.4s, v1.4s, v2.4s"
	vext    = "ext v0.16b, v1.16b, v2.16b, #8"
	vshl    = "shl v0.4s, v1.4s, #7"
	eor     = "eor w0, w1, w2"
)

// A row is one kernel.
type row struct {
	pkg, isa, symbol string
	lanes            int
	chain            []term // of a compression
	conflicts        int    // cycles that the chain's instructions wait because others of the same lane have the unit, if it is the only one for the chain's first
	std              string
}

var (
	md5Scalar  = []term{{282, eor}}
	md5NEON    = []term{{191, vadd}, {120, vshl}}
	sha1Chain  = []term{{20, sha1c}, {1, vadd}}
	sha2Chain  = []term{{16, sha256h}, {1, vadd}}
	sha5Chain  = []term{{40, sha512h}, {40, vext}, {1, vext}, {1, vadd}}
	sha1Scalar = []term{{160, eor}}
	sha1NEON   = []term{{82, vadd}, {160, vshl}}
	sha2NEON   = []term{{258, vadd}, {128, vshl}}
)

var rows = []row{
	{"md5", "scalar", "IterateScalar", 1, md5Scalar, 0, "md5"},
	{"md5", "scalarx2", "IterateScalarx2", 2, md5Scalar, 0, "md5"},
	{"md5", "scalarx3", "IterateScalarx3", 3, md5Scalar, 0, "md5"},
	{"md5", "neonx4", "IterateNEONx4", 4, md5NEON, 0, "md5"},
	{"md5", "neonx8", "IterateNEONx8", 8, md5NEON, 0, "md5"},
	{"md5", "neonx12", "IterateNEONx12", 12, md5NEON, 0, "md5"},
	{"md5", "neonx16", "IterateNEONx16", 16, md5NEON, 0, "md5"},
	{"md5", "neonx24", "IterateNEONx24", 24, md5NEON, 0, "md5"},
	{"sha1", "sha1", "IterateSHA1", 1, sha1Chain, 0, "sha1"},
	{"sha1", "sha1x2", "IterateSHA1x2", 2, sha1Chain, 0, "sha1"},
	{"sha1", "scalar", "IterateScalar", 1, sha1Scalar, 0, "sha1 generic"},
	{"sha1", "neonx4", "IterateNEONx4", 4, sha1NEON, 0, "sha1 generic"},
	{"sha256", "sha2", "IterateSHA2", 1, sha2Chain, 15, "sha256"},
	{"sha256", "sha2x2", "IterateSHA2x2", 2, sha2Chain, 0, "sha256"},
	{"sha256", "scalar", "IterateScalar", 1, []term{{64 * 5, eor}}, 0, "sha256 generic"},
	{"sha256", "neonx4", "IterateNEONx4", 4, sha2NEON, 0, "sha256 generic"},
	{"sha512", "sha512", "IterateSHA512", 1, sha5Chain, 20, "sha512"},
	{"sha512", "sha512x2", "IterateSHA512x2", 2, sha5Chain, 0, "sha512"},
	{"sha512", "scalar", "IterateScalar", 1, []term{{80 * 5, eor}}, 0, "sha512 generic"},
}

// A standard is one of the standard library's block functions.
type standard struct {
	source, symbol string
	trips          []int // of each loop for one block
}

var standards = map[string]standard{
	"md5":            {"md5/md5block_arm64.s", "model.block", []int{1}},
	"sha1":           {"sha1/sha1block_arm64.s", "model.sha1block", []int{1}},
	"sha256":         {"internal/fips140/sha256/sha256block_arm64.s", "model.blockSHA2", []int{1}},
	"sha512":         {"internal/fips140/sha512/sha512block_arm64.s", "model.blockSHA512", []int{1}},
	"sha1 generic":   {"crypto/sha1", "sha1.blockGeneric", []int{16, 16, 4, 20, 20, 20, 0}},
	"sha256 generic": {"crypto/internal/fips140/sha256", "sha256.blockGeneric", []int{0, 0, 16, 48, 0}},
	"sha512 generic": {"crypto/internal/fips140/sha512", "sha512.blockGeneric", []int{0, 0, 16, 64, 0}},
}

// path is the source of s for functions.
func (s standard) path() string {
	if strings.HasSuffix(s.source, ".s") {
		return filepath.Join(goroot(), "src", "crypto", s.source)
	}
	return s.source
}

//go:embed preface.md
var preface string

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

func write() error {
	fmt.Print(preface)
	stdCode := map[string]map[string][]uint32{}
	code := map[string]map[string][]uint32{}
	for _, cpu := range cpus {
		std := map[string]float64{}
		for name, s := range standards {
			source := s.path()
			if err := load(stdCode, source); err != nil {
				return err
			}
			ls := loops(stdCode[source][s.symbol])
			if len(ls) != len(s.trips) {
				return fmt.Errorf("%s has %d loops in this version of Go; look at it again", s.symbol, len(ls))
			}
			for i, l := range ls {
				if s.trips[i] == 0 {
					continue
				}
				p, err := l.model(cpu.name)
				if err != nil {
					return err
				}
				std[name] += float64(s.trips[i]) * p.cycles
			}
		}
		fmt.Printf("\n## %s\n\n%s.\n\n", cpu.name, cpu.text)
		fmt.Println("| kernel | cycles | per lane | chain | conflicts | units | reached | standard library | faster |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|")
		for _, r := range rows {
			if strings.TrimSuffix(r.isa, "x2") == cpu.lacks {
				continue
			}
			source := filepath.Join("..", "internal", r.pkg, r.isa+"_arm64.s")
			if err := load(code, source); err != nil {
				return err
			}
			ls := loops(code[source]["model."+r.symbol])
			if len(ls) != 1 {
				return fmt.Errorf("%s has %d loops", r.symbol, len(ls))
			}
			p, err := ls[0].model(cpu.name)
			if err != nil {
				return err
			}
			chain, conflicts := 0.0, r.conflicts
			for i, t := range r.chain {
				latency, every, err := latency(cpu.name, t.insn)
				if err != nil {
					return err
				}
				chain += float64(t.n) * latency
				if i == 0 && every < 1 { // there are several units
					conflicts = 0
				}
			}
			cycles, units, lanes := p.cycles/2, p.units/2, float64(r.lanes)
			bound := max(chain+float64(conflicts), units)
			fmt.Printf("| %s/%s | %.0f | %.1f | %.0f | %d | %.0f | %.0f %% | %.0f | %.1f |\n", r.pkg, r.isa, cycles, cycles/lanes, chain, conflicts, units, 100*bound/cycles,
				std[r.std], std[r.std]/(cycles/lanes))
		}
	}
	return nil
}

// load reads the functions of source unless they are there.
func load(code map[string]map[string][]uint32, source string) error {
	if code[source] != nil {
		return nil
	}
	fns, err := functions(source)
	code[source] = fns
	return err
}
