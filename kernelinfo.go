// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fastkdf/pbkdf2/internal/cpu"
	"github.com/fastkdf/pbkdf2/internal/kernelinfo"
)

// The command `pbkdf2 info` prints these.
func init() {
	kernelinfo.Rows = kernelRows
	kernelinfo.Features = kernelFeatures
}

// kernelRows describes every row of this architecture's table, hash by hash.
func kernelRows() []kernelinfo.Row {
	var infos []kernelinfo.Row
	for id := range numHashes {
		t := variants[id].kernels()
		for _, r := range rows {
			if r.iterate[id] == nil {
				continue
			}
			info := kernelinfo.Row{
				Name:  variants[id].name + "/" + r.isa,
				Lanes: r.lanes,
				Cost:  r.costs.on(features),
				Needs: r.needs.String(),
			}
			if missing := r.needs &^ features; missing != 0 {
				info.Reason = "no " + missing.String()
			} else {
				info.Used, info.Reason = t.useOf(info.Name)
			}
			infos = append(infos, info)
		}
	}
	return infos
}

// useOf tells for which numbers of chains a kernel is in the plan, if for any.
func (t *table) useOf(name string) (used bool, reason string) {
	switch {
	case standardOnly():
		return false, "only the standard library may run"
	case t.standard:
		return false, "the standard library has assembly"
	}
	first, last, count := 0, 0, 0
	for i, p := range t.plans {
		if slices.ContainsFunc(p.kernels, func(k *kernel) bool { return k.name == name }) {
			if count == 0 {
				first = i + 1
			}
			last = i + 1
			count++
		}
	}
	switch {
	case count == 0:
		return false, "others take less time for any number of chains"
	case last == 1:
		return true, "for a single chain"
	case count == 1:
		return true, fmt.Sprintf("for %d chains", first)
	case count == last-first+1:
		return true, fmt.Sprintf("for %d to %d chains", first, last)
	}
	return true, fmt.Sprintf("for some numbers of chains from %d to %d", first, last)
}

// kernelFeatures describes the features that some row or compression function of this architecture needs, or that costs depend on.
func kernelFeatures() []kernelinfo.Feature {
	var needed cpu.Features
	for _, r := range rows {
		needed |= r.needs
		if r.costs[1] != 0 {
			needed |= cpu.AVX512Wide
		}
	}
	for _, c := range compressors {
		needed |= c.needs
	}
	var infos []kernelinfo.Feature
	for f := cpu.Features(1); f != 0; f <<= 1 {
		if needed&f == 0 {
			continue
		}
		info := kernelinfo.Feature{Name: f.String(), Have: features&f != 0}
		if !info.Have {
			info.Reason = "the CPU or the system lacks it"
			if strings.Contains(os.Getenv("GODEBUG"), "cpu.") {
				info.Reason += ", or GODEBUG switches it off"
			}
		}
		infos = append(infos, info)
	}
	return infos
}
