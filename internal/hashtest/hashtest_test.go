// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package hashtest

import (
	"bytes"
	"crypto/pbkdf2"
	"encoding"
	"encoding/binary"
	"testing"
)

// The reference derives the key that crypto/pbkdf2 does. The salt is so long that with the block's number it has the
// length of a digest: it is U₀ then.
func TestReference(t *testing.T) {
	for _, h := range Hashes {
		const password, iter = "password", 100
		u0 := append(bytes.Repeat([]byte{'s'}, h.New().Size()-4), 0, 0, 0, 1)
		want, err := pbkdf2.Key(h.New, password, u0[:len(u0)-4], iter, len(u0))
		if err != nil {
			t.Fatal(err)
		}

		state := make([]uint64, h.StateLen(1))
		part := func(i int) []byte { return raw(state)[i*h.Words*h.WordSize:] }
		for i, pad := range []byte{partInner: 0x36, partOuter: 0x5c} {
			block := bytes.Repeat([]byte{pad}, h.New().BlockSize())
			for j := range password {
				block[j] ^= password[j]
			}
			std := h.New()
			std.Write(block)
			encoded, err := std.(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			h.convert(part(i), binary.NativeEndian, encoded[4:], binary.BigEndian)
		}
		h.convert(part(partU), binary.NativeEndian, append(u0, make([]byte, 64)...), h.Order)
		h.Reference(state, 1, iter)
		got := make([]byte, h.Words*h.WordSize)
		h.convert(got, h.Order, part(partT), binary.NativeEndian)
		if !bytes.Equal(got[:len(want)], want) {
			t.Errorf("%s: got %x, want %x", h.Name, got[:len(want)], want)
		}
	}
}
