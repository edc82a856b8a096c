// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !(gc && !purego && (amd64 || arm64))

package cpu

// detect finds nothing: there are no kernels for other architectures, nor without assembly, which the packages that detect have too. TinyGo, for
// one, sets the tag purego and cannot link them.
func detect() Features { return 0 }
