// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bytes"
	"os"
	"testing"
)

func TestFresh(t *testing.T) {
	for name, h := range hashes {
		file := "../" + name + "/unrolled.go"
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, h.source(name)) {
			t.Errorf("%s is not what go generate makes", file)
		}
	}
}
