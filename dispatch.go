// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"runtime"
	"slices"

	"github.com/fastkdf/pbkdf2/internal/cpu"
)

// A kernel is one way to iterate: a row of the kernel table.
type kernel struct {
	name    string // hash/isa, with the number of lanes when it is not 1
	lanes   int
	cost    int // of one compression on all lanes, in cycles
	needs   cpu.Features
	iterate iterate
}

// iterate does n iterations on word-major state [inner | outer | u | t][word][lane].
type iterate = func(state *uint64, n int)

// A row is a kernel for one hash, or the kernels for a hash and its truncated forms: those differ in their padding only.
type row struct {
	isa     string
	lanes   int
	costs   costs
	needs   cpu.Features
	iterate [numHashes]iterate // nil where there is none
}

// costs are what one compression on all lanes costs, in cycles: on most CPUs and, where that is known and another number, on those with cpu.AVX512Wide.
type costs [2]int

func (c costs) on(has cpu.Features) int {
	if c[1] != 0 && has&cpu.AVX512Wide != 0 {
		return c[1]
	}
	return c[0]
}

// A compressor is a compression function, for set-up.
type compressor struct {
	isa      string
	needs    cpu.Features
	compress func(h *uint64, p []byte)
	hashes   []hashID
}

// A table is what one hash runs on.
type table struct {
	kernels  []kernel
	compress func(h *uint64, p []byte)
	plans    []plan // for 1, 2, … chains
	standard bool   // there is only the compiler's code here, and the standard library has assembly
}

// features is what kernels are chosen by.
var features = cpu.Detect()

// kernels returns what v runs on.
func (v *variant) kernels() *table {
	v.once.Do(func() {
		if v.table == nil {
			v.table = newTable(v.id, rows, compressors, features, !purego && slices.Contains(standardAssembly[v.id], runtime.GOARCH))
		}
	})
	return v.table
}

// newTable selects, for one hash, the rows that run on a CPU with the features has. The pure-Go rows come last and need nothing.
func newTable(id hashID, rows []row, compressors []compressor, has cpu.Features, standardAssembly bool) *table {
	t := &table{}
	for _, r := range rows {
		if r.iterate[id] != nil && r.needs&^has == 0 {
			t.kernels = append(t.kernels, kernel{variants[id].name + "/" + r.isa, r.lanes, r.costs.on(has), r.needs, r.iterate[id]})
		}
	}
	for _, c := range compressors {
		if c.needs&^has == 0 && slices.Contains(c.hashes, id) {
			t.compress = c.compress
			break
		}
	}
	t.plans = newPlans(t.kernels)
	t.standard = standardAssembly && t.plans[0].kernels[0].isGeneric()
	return t
}

// isGeneric tells the compiler's code from assembly.
func (k *kernel) isGeneric() bool {
	return k.needs == 0 && k.name[len(k.name)-len("/generic"):] == "/generic"
}

// standardAssembly has the architectures for which the standard library of Go 1.26 has assembly, by hash; with the tag purego it has none. amd64 is
// left out for the hashes whose kernels here need AVX2 and BMI2: on a CPU without AVX2 the standard library runs compiled Go for short messages, and that was
// slower than ours.
var standardAssembly = [numHashes][]string{
	idMD5:        {"386", "amd64", "arm", "arm64", "loong64", "ppc64", "ppc64le", "riscv64", "s390x"},
	idSHA1:       {"386", "arm", "arm64", "loong64", "s390x"},
	idSHA224:     sha256Assembly,
	idSHA256:     sha256Assembly,
	idSHA384:     sha512Assembly,
	idSHA512:     sha512Assembly,
	idSHA512_224: sha512Assembly,
	idSHA512_256: sha512Assembly,
}

var (
	sha256Assembly = []string{"386", "arm64", "loong64", "ppc64", "ppc64le", "riscv64", "s390x"}
	sha512Assembly = []string{"arm64", "loong64", "ppc64", "ppc64le", "riscv64", "s390x"}
)

//go:generate go run -C asm . -out ..
