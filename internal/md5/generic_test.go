// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package md5_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/md5"
)

func TestIterateGeneric(t *testing.T) { hashtest.Iterate(t, hashtest.MD5, 1, md5.IterateGeneric) }

func BenchmarkIterateGeneric(b *testing.B) {
	hashtest.BenchmarkIterate(b, hashtest.MD5, 1, md5.IterateGeneric)
}
