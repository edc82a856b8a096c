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
func guarded(t testing.TB, n int) []uint64 {
	b := guardedBytes(t, 8*n)
	return unsafe.Slice((*uint64)(unsafe.Pointer(&b[0])), len(b)/8)
}

// guardedBytes is whole pages of memory for n bytes or more, n > 0, with pages around them that have no access allowed.
func guardedBytes(t testing.TB, n int) []byte {
	page := os.Getpagesize()
	size := (n + page - 1) / page * page
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
	return b[page : page+size]
}

// ReadOnly is a copy of p that cannot be written, with its end at the edge of accessible memory. It is not on Go's heap.
func ReadOnly(t testing.TB, p []byte) []byte {
	b := guardedBytes(t, len(p)+1)
	c := b[len(b)-len(p):]
	copy(c, p)
	if err := syscall.Mprotect(b, syscall.PROT_READ); err != nil {
		t.Fatal(err)
	}
	return c
}

// ReadOnlyFrom is the same with its begin at the edge.
func ReadOnlyFrom(t testing.TB, p []byte) []byte {
	b := guardedBytes(t, len(p)+1)
	copy(b, p)
	if err := syscall.Mprotect(b, syscall.PROT_READ); err != nil {
		t.Fatal(err)
	}
	return b[:len(p):len(p)]
}

// Inaccessible is n bytes of address space that can be neither read nor written. The test is skipped where there is not so much of it.
func Inaccessible(t testing.TB, n int) []byte {
	b, err := syscall.Mmap(-1, 0, n, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Skipf("no address space of %d bytes: %v", n, err)
	}
	t.Cleanup(func() { syscall.Munmap(b) })
	return b
}
