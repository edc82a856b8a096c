// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build darwin || linux

package hashtest

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// guarded is memory for n words or more that has no access allowed before its begin and after its end.
func guarded(t *testing.T, n int) []uint64 {
	page := os.Getpagesize()
	size := (8*n + page - 1) / page * page
	b, err := syscall.Mmap(-1, 0, page+size+page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	for _, guard := range [][]byte{b[:page], b[page+size:]} {
		if err := syscall.Mprotect(guard, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
	}
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b[page])), size/8)
}
