// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build !(amd64 && gc && !purego)

package cycles

// Known tells whether there is an Adds.
const Known = false

// These are nil: there is no such assembly here.
var Adds, FreeAdds, WideAdds func(n int)
