// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

// Package emulate executes kernels as avo has them, on registers and memory of its own. So those for instruction sets that this machine lacks can be tested.
// It knows what the kernels use; anything else is an error.
package emulate

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A machine is a core on which one function runs.
type machine struct {
	gp     [16]uint64
	vec    [32][64]byte
	dirty  bool  // the upper halves of vector registers
	sign   int64 // the last result, which the conditions compare with 0
	memory []segment
	sp, fp uint64
	file   *ir.File
	tables map[operand.Symbol][]byte
}

// A segment is memory from an address on.
type segment struct {
	base uint64
	data []byte
}

// Call calls the iteration kernel fn of a compiled file for n iterations on state. Registers have rubbish in them at the start. It is an error to access memory
// other than the state, the stack frame and the tables, to change BP, or to return with dirty upper halves.
func Call(file *ir.File, fn *ir.Function, state []byte, n int) error {
	const stateAt, frameAt, argsAt = 0x10008, 0x7f0008, 0x800000 // aligned to 8 and no more
	m := &machine{file: file, tables: map[operand.Symbol][]byte{}, sp: frameAt, fp: argsAt}
	for i := range m.gp {
		m.gp[i] = rand.Uint64()
	}
	for i := range m.vec {
		for j := range m.vec[i] {
			m.vec[i][j] = byte(rand.Uint32())
		}
	}
	args := binary.LittleEndian.AppendUint64(nil, stateAt)
	args = binary.LittleEndian.AppendUint64(args, uint64(n))
	m.memory = []segment{{stateAt, state}, {frameAt, make([]byte, fn.LocalSize)}, {argsAt, args}}
	bp := m.gp[reg.RBP.PhysicalIndex()]
	if err := m.run(fn); err != nil {
		return fmt.Errorf("%s: %w", fn.Name, err)
	}
	if m.gp[reg.RBP.PhysicalIndex()] != bp {
		return fmt.Errorf("%s: BP is changed", fn.Name)
	}
	return nil
}

func (m *machine) run(fn *ir.Function) error {
	labels := map[ir.Label]int{}
	for i, node := range fn.Nodes {
		if l, ok := node.(ir.Label); ok {
			labels[l] = i
		}
	}
	for pc := 0; pc < len(fn.Nodes); pc++ {
		in, ok := fn.Nodes[pc].(*ir.Instruction)
		if !ok {
			continue
		}
		jump, err := m.step(in)
		if err != nil {
			return fmt.Errorf("%s %s: %w", in.OpcodeWithSuffixes(), asm(in.Operands), err)
		}
		switch {
		case in.Opcode == "RET" && m.dirty:
			return fmt.Errorf("VZEROUPPER is missing")
		case in.Opcode == "RET":
			return nil
		case jump:
			pc = labels[*in.TargetLabel()]
		}
	}
	return fmt.Errorf("no RET")
}

func asm(ops []operand.Op) (s []string) {
	for _, op := range ops {
		s = append(s, op.Asm())
	}
	return s
}

// conditions are those of the jumps, given the last result. None needs the other flags.
var conditions = map[string]func(result int64) bool{
	"JMP": func(int64) bool { return true },
	"JLE": func(r int64) bool { return r <= 0 },
	"JLT": func(r int64) bool { return r < 0 },
	"JGE": func(r int64) bool { return r >= 0 },
	"JGT": func(r int64) bool { return r > 0 },
	"JNE": func(r int64) bool { return r != 0 },
	"JNZ": func(r int64) bool { return r != 0 },
	"JEQ": func(r int64) bool { return r == 0 },
	"JZ":  func(r int64) bool { return r == 0 },
}

// scalars are the instructions on general registers: the result of the sources, first to last as they are written, and of the old destination.
var scalars = map[string]func(s []uint64) uint64{
	"ADDQ": func(s []uint64) uint64 { return s[1] + s[0] },
	"SUBQ": func(s []uint64) uint64 { return s[1] - s[0] },
	"ANDQ": func(s []uint64) uint64 { return s[1] & s[0] },
	"DECQ": func(s []uint64) uint64 { return s[0] - 1 },
	"INCQ": func(s []uint64) uint64 { return s[0] + 1 },
	"NEGQ": func(s []uint64) uint64 { return -s[0] },
}

// A laneOp is a vector instruction that does the same in every word: the result of the immediate and the sources, first to last as they are written, and
// of the old destination.
type laneOp struct {
	bits int
	f    func(imm uint8, s []uint64) uint64
}

// lanes are those instructions. 32-bit words come without anything above, and results are cut to size.
var lanes = map[string]laneOp{}

func init() {
	both := func(name string, f func(bits int, imm uint8, s []uint64) uint64) {
		for suffix, bits := range map[string]int{"D": 32, "Q": 64} {
			lanes[name+suffix] = laneOp{bits, func(imm uint8, s []uint64) uint64 { return f(bits, imm, s) }}
		}
	}
	both("VPADD", func(_ int, _ uint8, s []uint64) uint64 { return s[1] + s[0] })
	both("VPSUB", func(_ int, _ uint8, s []uint64) uint64 { return s[1] - s[0] })
	both("VPSLL", func(_ int, imm uint8, s []uint64) uint64 { return s[0] << imm })
	both("VPSRL", func(_ int, imm uint8, s []uint64) uint64 { return s[0] >> imm })
	rotate := func(bits int, n uint8, x uint64) uint64 { return x<<n | x>>(bits-int(n)) }
	both("VPROL", func(bits int, imm uint8, s []uint64) uint64 { return rotate(bits, imm, s[0]) })
	both("VPROR", func(bits int, imm uint8, s []uint64) uint64 { return rotate(bits, uint8(bits)-imm, s[0]) })
	both("VPTERNLOG", func(_ int, imm uint8, s []uint64) (r uint64) {
		for row := range 8 { // of the truth table: where the bits are the row's number, the result is the table's bit
			if imm>>row&1 != 0 {
				r |= ^(s[0] ^ -uint64(row&1)) & ^(s[1] ^ -uint64(row>>1&1)) & ^(s[2] ^ -uint64(row>>2&1))
			}
		}
		return r
	})
	for name, f := range map[string]func(_ uint8, s []uint64) uint64{
		"VPXOR":  func(_ uint8, s []uint64) uint64 { return s[1] ^ s[0] },
		"VPOR":   func(_ uint8, s []uint64) uint64 { return s[1] | s[0] },
		"VPAND":  func(_ uint8, s []uint64) uint64 { return s[1] & s[0] },
		"VPANDN": func(_ uint8, s []uint64) uint64 { return ^s[1] & s[0] },
	} {
		lanes[name], lanes[name+"D"], lanes[name+"Q"] = laneOp{64, f}, laneOp{32, f}, laneOp{64, f}
	}
	move := func(_ uint8, s []uint64) uint64 { return s[0] }
	for name, bits := range map[string]int{"VMOVDQU": 64, "VMOVDQU32": 32, "VMOVDQU64": 64, "VMOVDQA": 64, "VMOVDQA32": 32, "VMOVDQA64": 64,
		"VPBROADCASTD": 32, "VPBROADCASTQ": 64} {
		lanes[name] = laneOp{bits, move}
	}
}

// step executes one instruction and tells whether it jumps.
func (m *machine) step(in *ir.Instruction) (jump bool, err error) {
	last := len(in.Operands) - 1
	if lane, ok := lanes[in.Opcode]; ok {
		return false, m.lane(in, lane)
	}
	if condition, ok := conditions[in.Opcode]; ok {
		return condition(m.sign), nil
	}
	if f, ok := scalars[in.Opcode]; ok {
		var s []uint64
		for _, op := range in.Operands {
			v, err := m.scalar(op)
			if err != nil {
				return false, err
			}
			s = append(s, v)
		}
		result := f(s)
		m.sign = int64(result)
		return false, m.setScalar(in.Operands[last], result)
	}
	switch in.Opcode {
	case "RET":
		return false, nil
	case "VZEROUPPER":
		for i := range 16 {
			clear(m.vec[i][16:])
		}
		m.dirty = false
		return false, nil
	case "VPSHUFB":
		return false, m.shuffle(in)
	case "LEAQ":
		address, err := m.address(in.Operands[0].(operand.Mem))
		if err != nil {
			return false, err
		}
		return false, m.setScalar(in.Operands[1], address)
	case "MOVQ", "CMPQ", "TESTQ", "XCHGQ":
		x, err := m.scalar(in.Operands[0])
		if err != nil {
			return false, err
		}
		if in.Opcode == "MOVQ" {
			return false, m.setScalar(in.Operands[1], x)
		}
		y, err := m.scalar(in.Operands[1])
		if err != nil {
			return false, err
		}
		switch in.Opcode {
		case "CMPQ":
			m.sign = int64(x - y)
		case "TESTQ":
			m.sign = int64(x & y)
		default:
			return false, errors(m.setScalar(in.Operands[0], y), m.setScalar(in.Operands[1], x))
		}
		return false, nil
	}
	return false, fmt.Errorf("unknown")
}

func errors(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// lane executes an instruction that does the same in every word.
func (m *machine) lane(in *ir.Instruction, op laneOp) error {
	sources, dst := in.Operands[:len(in.Operands)-1], in.Operands[len(in.Operands)-1]
	var imm uint8
	if u, ok := sources[0].(operand.U8); ok {
		imm, sources = uint8(u), sources[1:]
	}
	width := 0 // in bytes
	for _, o := range in.Operands {
		if r, ok := o.(reg.Register); ok {
			width = max(width, int(r.Size()))
		}
	}
	if _, ok := dst.(operand.Mem); !ok {
		sources = append(slices.Clone(sources), dst)
	}
	size := op.bits / 8
	repeat := slices.Contains(in.Suffixes, "BCST") || in.Opcode == "VPBROADCASTD" || in.Opcode == "VPBROADCASTQ"
	read := make([][]byte, len(sources))
	for i, s := range sources {
		switch s := s.(type) {
		case reg.Register:
			read[i] = slices.Clone(m.vec[index(s)][:width])
			if repeat && len(sources) == 2 {
				read[i] = slices.Repeat(read[i][:size], width/size)
			}
		case operand.Mem:
			n := width
			if repeat {
				n = size
			}
			b, err := m.bytes(s, n)
			if err != nil {
				return err
			}
			if read[i] = b; repeat {
				read[i] = slices.Repeat(b, width/size)
			}
		default:
			return fmt.Errorf("operand %d", i)
		}
	}
	result := make([]byte, width)
	s := make([]uint64, len(read))
	for at := 0; at < width; at += size {
		for i := range s {
			if op.bits == 32 {
				s[i] = uint64(binary.LittleEndian.Uint32(read[i][at:]))
			} else {
				s[i] = binary.LittleEndian.Uint64(read[i][at:])
			}
		}
		if v := op.f(imm, s); op.bits == 32 {
			binary.LittleEndian.PutUint32(result[at:], uint32(v))
		} else {
			binary.LittleEndian.PutUint64(result[at:], v)
		}
	}
	return m.setVector(dst, result)
}

func (m *machine) shuffle(in *ir.Instruction) error {
	src, dst := in.Operands[1].(reg.Register), in.Operands[2]
	width := int(src.Size())
	control, err := m.bytes(in.Operands[0], width)
	if err != nil {
		return err
	}
	from, result := m.vec[index(src)], make([]byte, width)
	for i, c := range control {
		if c < 0x80 {
			result[i] = from[i&^15|int(c&15)]
		}
	}
	return m.setVector(dst, result)
}

func index(r reg.Register) int { return int(r.(reg.Physical).PhysicalIndex()) }

// setVector writes to memory, or to a register, of which it clears the rest.
func (m *machine) setVector(dst operand.Op, v []byte) error {
	if r, ok := dst.(reg.Register); ok {
		to := &m.vec[index(r)]
		clear(to[copy(to[:], v):])
		m.dirty = m.dirty || len(v) > 16
		return nil
	}
	b, err := m.bytes(dst, len(v))
	copy(b, v)
	return err
}

// bytes returns n bytes of an operand, which may be written to.
func (m *machine) bytes(op operand.Op, n int) ([]byte, error) {
	switch op := op.(type) {
	case reg.Register:
		return m.vec[index(op)][:n], nil
	case operand.Mem:
		if op.Symbol.Static {
			return m.table(op, n)
		}
		address, err := m.address(op)
		if err != nil {
			return nil, err
		}
		return m.at(address, n)
	}
	return nil, fmt.Errorf("operand %s", op.Asm())
}

func (m *machine) at(address uint64, n int) ([]byte, error) {
	for _, s := range m.memory {
		if address >= s.base && address-s.base+uint64(n) <= uint64(len(s.data)) {
			return s.data[address-s.base:][:n], nil
		}
	}
	return nil, fmt.Errorf("access to %d bytes at %#x", n, address)
}

// table returns n bytes of read-only data.
func (m *machine) table(op operand.Mem, n int) ([]byte, error) {
	data, err := m.symbol(op.Symbol)
	if err != nil {
		return nil, err
	}
	if op.Disp < 0 || op.Disp+n > len(data) || op.Index != nil {
		return nil, fmt.Errorf("access beyond %s", op.Symbol)
	}
	return data[op.Disp:][:n], nil
}

func (m *machine) symbol(name operand.Symbol) ([]byte, error) {
	if data, ok := m.tables[name]; ok {
		return data, nil
	}
	for _, s := range m.file.Sections {
		if g, ok := s.(*ir.Global); ok && g.Symbol == name {
			data := make([]byte, g.Size)
			for _, d := range g.Data {
				v, err := constant(d.Value)
				if err != nil {
					return nil, err
				}
				copy(data[d.Offset:], binary.LittleEndian.AppendUint64(nil, v)[:d.Value.Bytes()])
			}
			m.tables[name] = data
			return data, nil
		}
	}
	return nil, fmt.Errorf("no symbol %s", name)
}

// address is the effective address. Tables are put into memory when their address is taken.
func (m *machine) address(op operand.Mem) (uint64, error) {
	address := uint64(op.Disp)
	switch {
	case op.Symbol.Static:
		data, err := m.symbol(op.Symbol)
		if err != nil {
			return 0, err
		}
		base := uint64(len(m.memory)) << 32
		m.memory = append(m.memory, segment{base, data})
		address += base
	case op.Base == nil:
	case op.Base.Asm() == reg.StackPointer.Asm():
		address += m.sp
	case op.Base.Asm() == reg.FramePointer.Asm():
		address += m.fp
	default:
		address += m.gp[index(op.Base)]
	}
	if op.Index != nil {
		address += m.gp[index(op.Index)] * uint64(op.Scale)
	}
	return address, nil
}

// scalar is the value of a 64-bit operand.
func (m *machine) scalar(op operand.Op) (uint64, error) {
	switch op := op.(type) {
	case operand.Constant:
		return constant(op)
	case reg.Register:
		if op.Kind() != reg.KindGP || op.Size() != 8 {
			break
		}
		return m.gp[index(op)], nil
	case operand.Mem:
		b, err := m.bytes(op, 8)
		if err != nil {
			return 0, err
		}
		return binary.LittleEndian.Uint64(b), nil
	}
	return 0, fmt.Errorf("operand %s", op.Asm())
}

// constant is a constant's value, sign-extended as instructions do.
func constant(op operand.Constant) (uint64, error) {
	switch v := reflect.ValueOf(op); {
	case v.CanInt():
		return uint64(v.Int()), nil
	case v.CanUint() && op.Bytes() == 8:
		return v.Uint(), nil
	case v.CanUint():
		s := 64 - 8*op.Bytes()
		return uint64(int64(v.Uint()<<s) >> s), nil
	}
	return 0, fmt.Errorf("constant %s", op.Asm())
}

func (m *machine) setScalar(op operand.Op, v uint64) error {
	if r, ok := op.(reg.Register); ok && r.Kind() == reg.KindGP && r.Size() == 8 {
		m.gp[index(r)] = v
		return nil
	}
	b, err := m.bytes(op, 8)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint64(b, v)
	return nil
}
