// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !amd64 && !arm64

package cpu

// detect finds nothing: there are no kernels for other architectures.
func detect() Features { return 0 }
