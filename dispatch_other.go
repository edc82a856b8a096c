// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !(gc && !purego && (amd64 || arm64))

package pbkdf2

// There are no kernels here but the pure-Go ones.
var (
	rows        = genericRows
	compressors = genericCompressors
)
