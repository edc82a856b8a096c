// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/kernelinfo"
)

// The command is told of every row, and that those in some plan are used.
func TestKernelInfo(t *testing.T) {
	kernelInfo(t)
	if used, reason := (&table{standard: true}).useOf("md5/generic"); used || reason == "" {
		t.Errorf("where the standard library runs: %v, %q", used, reason)
	}
}

func kernelInfo(t *testing.T) {
	used := map[string]bool{}
	for _, r := range kernelinfo.Rows() {
		if _, twice := used[r.Name]; twice || r.Lanes < 1 || r.Cost < 1 || r.Reason == "" {
			t.Errorf("%+v", r)
		}
		used[r.Name] = r.Used
	}
	for id := range numHashes {
		table := variants[id].kernels()
		for _, p := range table.plans {
			for _, k := range p.kernels {
				if want := !table.standard && !standardOnly(); used[k.name] != want {
					t.Errorf("%s is in a plan; used: %v, want %v", k.name, used[k.name], want)
				}
			}
		}
	}
	for _, f := range kernelinfo.Features() {
		if f.Name == "" || f.Have != (f.Reason == "") {
			t.Errorf("%+v", f)
		}
	}
}
