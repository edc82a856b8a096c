// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package amd64_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"

	"github.com/fastkdf/pbkdf2/asm/internal/amd64"
	"github.com/fastkdf/pbkdf2/asm/internal/emulate"
)

const testConst = 0x0123456789abcdef

var vectorOps = []struct {
	name  string
	write func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical)
	want  func(w int, x, y, z uint64) uint64 // w bits of it matter
}{
	{"Move", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Move(x, dst) },
		func(w int, x, y, z uint64) uint64 { return x }},
	{"Broadcast", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Broadcast(k, dst) },
		func(w int, x, y, z uint64) uint64 { return testConst }},
	{"AddConst", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.AddConst(k, x, dst) },
		func(w int, x, y, z uint64) uint64 { return x + testConst }},
	{"XorConst", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.XorConst(k, x, dst) },
		func(w int, x, y, z uint64) uint64 { return x ^ testConst }},
	{"Add", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Add(x, y, dst) },
		func(w int, x, y, z uint64) uint64 { return x + y }},
	{"Sub", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Sub(x, y, dst) },
		func(w int, x, y, z uint64) uint64 { return y - x }},
	{"Xor", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Xor(x, y, dst) },
		func(w int, x, y, z uint64) uint64 { return x ^ y }},
	{"And", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.And(x, y, dst) },
		func(w int, x, y, z uint64) uint64 { return x & y }},
	{"AndNot", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.AndNot(x, y, dst) },
		func(w int, x, y, z uint64) uint64 { return x &^ y }},
	{"Or", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Or(x, y, dst) },
		func(w int, x, y, z uint64) uint64 { return x | y }},
	{"ShiftL", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.ShiftL(5, x, dst) },
		func(w int, x, y, z uint64) uint64 { return x << 5 }},
	{"ShiftR", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.ShiftR(5, x, dst) },
		func(w int, x, y, z uint64) uint64 { return x >> 5 }},
	{"RotL(1)", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.RotL(1, x, dst, tmp) },
		func(w int, x, y, z uint64) uint64 { return rotateLeft(w, x, 1) }},
	{"RotL(7)", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.RotL(7, x, dst, tmp) },
		func(w int, x, y, z uint64) uint64 { return rotateLeft(w, x, 7) }},
	{"RotL(8)", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.RotL(8, x, dst, tmp) },
		func(w int, x, y, z uint64) uint64 { return rotateLeft(w, x, 8) }},
	{"RotL(16)", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.RotL(16, x, dst, tmp) },
		func(w int, x, y, z uint64) uint64 { return rotateLeft(w, x, 16) }},
	{"RotR(6)", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.RotR(6, x, dst, tmp) },
		func(w int, x, y, z uint64) uint64 { return rotateLeft(w, x, w-6) }},
	{"RotR(8)", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.RotR(8, x, dst, tmp) },
		func(w int, x, y, z uint64) uint64 { return rotateLeft(w, x, w-8) }},
	{"Choose", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Choose(x, y, z, dst) },
		func(w int, x, y, z uint64) uint64 { return x&y | ^x&z }},
	{"Majority", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Majority(x, y, z, dst, tmp) },
		func(w int, x, y, z uint64) uint64 { return x&y | x&z | y&z }},
	{"Parity", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) { v.Parity(x, y, z, dst) },
		func(w int, x, y, z uint64) uint64 { return x ^ y ^ z }},
	{"Parity in place", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) {
		v.Move(x, dst)
		v.Parity(dst, y, v.U(2, 0), dst)
	}, func(w int, x, y, z uint64) uint64 { return x ^ y ^ z }},
	{"ParityConst", func(v *amd64.Vector, k operand.Mem, x, y, z, dst, tmp reg.VecPhysical) {
		if !v.IsAVX512() {
			v.XorConst(k, x, tmp)
			v.Xor(tmp, y, dst)
			return
		}
		v.Move(x, dst)
		v.ParityConst(k, y, dst)
	}, func(w int, x, y, z uint64) uint64 { return x ^ y ^ testConst }},
}

func rotateLeft(w int, x uint64, n int) uint64 {
	if w == 32 {
		return uint64(bits.RotateLeft32(uint32(x), n))
	}
	return bits.RotateLeft64(x, n)
}

// TestVector writes every operation in every vocabulary and lets the emulated core execute it on u's words 0, 1 and 2, with the result in t's word 0.
func TestVector(t *testing.T) {
	for _, wordBits := range []int{32, 64} {
		for isa, vocabulary := range map[string]func(f *amd64.File, wordBits, words, streams int) *amd64.Vector{
			"AVX2": (*amd64.File).AVX2, "AVX-512": (*amd64.File).AVX512, "AVX-512VL": (*amd64.File).AVX512VL,
		} {
			for _, op := range vectorOps {
				t.Run(fmt.Sprintf("%s/%d/%s", isa, wordBits, op.name), func(t *testing.T) {
					f := amd64.NewFile()
					v := vocabulary(f, wordBits, 3, 1)
					k := v.Consts("constants", []uint64{1, testConst & (1<<wordBits - 1)})[1]
					r := v.Regs()
					x, y, z, dst, tmp := r[3], r[8], r[12], r[len(r)-1], r[0]
					nothing := func() {}
					v.Iterate("Test", "", nothing, func() {
						for i, reg := range []reg.VecPhysical{x, y, z} {
							v.Load(v.U(i, 0), reg)
						}
						op.write(v, k, x, y, z, dst, tmp)
						v.Store(dst, v.T(0, 0))
						for i, reg := range []reg.VecPhysical{x, y, z} { // which must be what they were
							v.Store(reg, v.U(i, 0))
						}
					}, nothing, nothing)
					file, err := f.Result()
					if err != nil {
						t.Fatal(err)
					}
					if err := pass.Compile.Execute(file); err != nil {
						t.Fatal(err)
					}
					state := make([]byte, 4*3*v.Bytes())
					for i := range state {
						state[i] = byte(rand.Uint32())
					}
					word := func(s []byte, part, w, lane int) []byte {
						return s[(part*3+w)*v.Bytes()+lane*wordBits/8:][:wordBits/8]
					}
					value := func(s []byte, w, lane int) uint64 {
						var b [8]byte
						copy(b[:], word(s, 2, w, lane))
						return binary.LittleEndian.Uint64(b[:])
					}
					want := bytes.Clone(state)
					for lane := range v.Lanes() {
						result := op.want(wordBits, value(state, 0, lane), value(state, 1, lane), value(state, 2, lane))
						copy(word(want, 3, 0, lane), binary.LittleEndian.AppendUint64(nil, result))
					}
					if err := emulate.Call(file, file.Functions()[0], state, 1); err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(state, want) {
						t.Error("wrong")
					}
				})
			}
		}
	}
}
