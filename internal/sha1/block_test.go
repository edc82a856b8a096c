// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package sha1_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/sha1"
)

func TestCompress(t *testing.T) { hashtest.Compress(t, hashtest.SHA1, sha1.Compress) }

func BenchmarkCompress(b *testing.B) { hashtest.BenchmarkCompress(b, sha1.Compress) }
