// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build darwin || linux

package pbkdf2

import "syscall"

// switches is how often the system has taken a processor from this process for somebody else.
func switches() int64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return int64(u.Nivcsw)
}
