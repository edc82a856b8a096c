// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package md5_test

import (
	"testing"

	"github.com/fastkdf/pbkdf2/internal/hashtest"
	"github.com/fastkdf/pbkdf2/internal/md5"
)

func TestCompress(t *testing.T) { hashtest.Compress(t, hashtest.MD5, md5.Compress) }

func BenchmarkCompress(b *testing.B) { hashtest.BenchmarkCompress(b, md5.Compress) }
