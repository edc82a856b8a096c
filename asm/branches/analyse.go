// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fastkdf/pbkdf2/asm/internal/assembly"
)

// A region is memory that a pointer may lead to.
type region uint8

const (
	state   region = 1 << iota // the first argument's: secret
	message                    // p's: secret
	table                      // read-only data of the file: public
	frame                      // this function's: what was stored there
	apart                      // none: what the addresses of two places in the frame differ in, their exclusive or
)

// An origin is what a number was computed from.
type origin uint8

const (
	fromN origin = 1 << iota
	fromLength
	fromConstant
	fromPointer
	fromMemory // what is secret
	fromNowhere
)

func (o origin) String() string {
	var names []string
	for i, name := range []string{"n", "the message's length", "constants", "the arguments' addresses", "SECRET", "what was not set"} {
		if o&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// A value is what is known of the content of a register or of four bytes of the frame.
type value struct {
	from origin
	to   region  // if it is a pointer
	at   []int64 // a pointer's places in the frame, or the two that are apart, or a number's values; nil if they are not known
}

func (v value) secret() bool { return v.from&(fromMemory|fromNowhere) != 0 }

const most = 32 // values that are told apart

// or is a value that may be either.
func (v value) or(w value) value {
	r := value{v.from | w.from, v.to | w.to, nil}
	if v.to == w.to && v.at != nil && w.at != nil {
		if r.at = union(v.at, w.at); len(r.at) > most {
			r.at = nil
		}
	}
	return r
}

func union(a, b []int64) []int64 {
	if slices.Equal(a, b) {
		return a
	}
	c := slices.Concat(a, b)
	slices.Sort(c)
	return slices.Compact(c)
}

func (v value) equal(w value) bool {
	return v.from == w.from && v.to == w.to && (v.at == nil) == (w.at == nil) && slices.Equal(v.at, w.at)
}

// of is the result of an operation on two values: a number, but where it is a sum that a pointer is in. Sign is that of w in a sum, or 0 for another operation.
func (v value) of(w value, sign int64) value {
	r := value{from: v.from | w.from}
	if sign == 0 || v.to != 0 && w.to != 0 {
		if sign == 0 { // a pointer whose bits are changed may still lead to the same memory
			r.to = v.to | w.to
		}
		return r
	}
	r.to = v.to | w.to
	if v.at != nil && w.at != nil && (r.to == 0 || r.to == frame && (sign > 0 || w.to == 0)) {
		for _, x := range v.at {
			for _, y := range w.at {
				r.at = append(r.at, x+sign*y)
			}
		}
		slices.Sort(r.at)
		if r.at = slices.Compact(r.at); len(r.at) > most {
			r.at = nil
		}
	}
	return r
}

// xor is the exclusive or of two values. That of two places in the frame is no number that is known, as it depends on where the frame is, but it leads from one of them to the other.
func (v value) xor(w value) value {
	r := v.of(w, 0)
	if v.to == apart {
		v, w = w, v
	}
	switch {
	case v.at == nil || w.at == nil:
	case v.to == 0 && w.to == 0 && len(v.at)*len(w.at) <= most:
		for _, x := range v.at {
			for _, y := range w.at {
				r.at = union(r.at, []int64{x ^ y})
			}
		}
	case v.to == frame && w.to == frame && len(v.at) == 1 && len(w.at) == 1:
		r.to, r.at = apart, union(v.at, w.at)
	case v.to == frame && w.to == apart && len(w.at) == 2:
		var at []int64
		for _, x := range v.at {
			if !slices.Contains(w.at, x) {
				return r
			}
			at = union(at, []int64{w.at[0] + w.at[1] - x})
		}
		r.to, r.at = frame, at
	}
	return r
}

// A memory is what is known at one place of the program.
type memory struct {
	registers map[string]value
	frame     []value // by four bytes
	flags     value
	flagsBy   []int // the instructions that may have set the flags
}

func (m *memory) clone() *memory {
	return &memory{maps.Clone(m.registers), slices.Clone(m.frame), m.flags, slices.Clone(m.flagsBy)}
}

// pointers tells where in the frame registers point to.
func (m *memory) pointers() string {
	var at strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.registers)) {
		if v := m.registers[name]; v.to == frame && v.at != nil {
			fmt.Fprint(&at, name, v.at)
		}
	}
	return at.String()
}

// merge makes m what may be known where the program can come from two places, and tells whether that has changed it.
func (m *memory) merge(o *memory) (changed bool) {
	set := func(to *value, v value) {
		if r := to.or(v); !r.equal(*to) {
			*to, changed = r, true
		}
	}
	for name := range o.registers {
		if _, ok := m.registers[name]; !ok {
			m.registers[name] = garbage
		}
	}
	for name, v := range m.registers {
		w, ok := o.registers[name]
		if !ok {
			w = garbage
		}
		set(&v, w)
		m.registers[name] = v
	}
	for i := range m.frame {
		set(&m.frame[i], o.frame[i])
	}
	set(&m.flags, o.flags)
	for _, by := range o.flagsBy {
		if !slices.Contains(m.flagsBy, by) {
			m.flagsBy = append(m.flagsBy, by)
			slices.Sort(m.flagsBy)
			changed = true
		}
	}
	return changed
}

var garbage = value{from: fromNowhere}

// A result is what there is to say of a function.
type result struct {
	branches    []string // each with its condition's origin
	conditional []string // the instructions that take one of two values: their time does not depend on which
	errors      []string
	accesses    int // of memory
}

// An analysis follows what the registers and the frame of one function hold through all of its ways, until nothing new is found. What is loaded from the state or the message is secret, and
// what is computed from a secret is. The arguments, the addresses of tables and what they hold are public. A pointer into the frame is followed exactly, so that what is spilled
// there comes back as what it was, and that no access is outside. For that the stack pointer is taken for each multiple of 8 in turn, as kernels align their frames; and what is known
// where a block begins is kept apart by where the registers point to in the frame, as a pointer that is moved to and fro changes together with the step's sign.
type analysis struct {
	*assembly.Function
	arch   string
	sp     int64 // the stack pointer modulo the largest alignment
	low    int64 // the frame's first byte
	m      *memory
	report *result

	begins    map[int]bool        // instructions behind labels
	names     map[string][]string // what registers has found
	addresses map[string][]string // what address has matched
}

func archOf(name string) string {
	if strings.HasSuffix(name, "_arm64.s") {
		return "arm64"
	}
	if strings.HasSuffix(name, "_amd64.s") {
		return "amd64"
	}
	panic(filepath.Base(name) + " is of no known architecture")
}

// analyse finds the branches and addresses of f that depend on a secret, and:
//   - instructions that it does not know, among them all whose time depends on their operands;
//   - addresses that are none: no pointer is in them;
//   - accesses to the frame that are, or may be, outside of it, and stores into the message or a table;
//   - secrets that a return leaves in the frame.
func analyse(f *assembly.Function, arch string) *result {
	r := &result{}
	begins, names, addresses := map[int]bool{}, map[string][]string{}, map[string][]string{}
	for _, label := range f.Labels {
		begins[label] = true
	}
	alignment := int64(8)
	for _, in := range f.Code {
		if in.Op == "ANDQ" && strings.HasPrefix(in.Operands[0], "$-") {
			n, _ := strconv.ParseInt(in.Operands[0][2:], 0, 64)
			alignment = max(alignment, n)
		}
	}
	for sp := int64(0); sp < alignment; sp += 8 {
		a := &analysis{Function: f, arch: arch, sp: sp, report: &result{}, begins: begins, names: names, addresses: addresses}
		if arch == "arm64" {
			a.low = 8 // the return address is below
		}
		a.run()
		r.accesses = a.report.accesses
		for _, p := range []struct{ to, from *[]string }{{&r.branches, &a.report.branches}, {&r.conditional, &a.report.conditional}, {&r.errors, &a.report.errors}} {
			for _, line := range *p.from {
				if !slices.Contains(*p.to, line) {
					*p.to = append(*p.to, line)
				}
			}
		}
	}
	return r
}

func (a *analysis) run() {
	entry := &memory{registers: map[string]value{}, frame: make([]value, (a.low+int64(a.Frame)+3)/4), flags: garbage}
	for i := range entry.frame {
		entry.frame[i] = garbage
	}
	known := map[int]map[string]*memory{0: {"": entry}} // where blocks begin, and by where pointers lead to
	type block struct {
		begin    int
		pointers string
	}
	report := a.report
	a.report = &result{} // until nothing changes any more, what is found is not final
	for queue := []block{{0, ""}}; len(queue) > 0; queue = queue[1:] {
		a.block(queue[0].begin, known[queue[0].begin][queue[0].pointers], func(to int, m *memory) {
			if known[to] == nil {
				known[to] = map[string]*memory{}
			}
			pointers := m.pointers()
			if known[to][pointers] == nil && len(known[to]) >= most {
				pointers = "" // all others together
			}
			if o := known[to][pointers]; o == nil {
				known[to][pointers] = m.clone()
			} else if !o.merge(m) {
				return
			}
			queue = append(queue, block{to, pointers})
		})
	}
	a.report = report
	for _, begin := range slices.Sorted(maps.Keys(known)) {
		before := report.accesses
		for _, pointers := range slices.Sorted(maps.Keys(known[begin])) {
			report.accesses = before // each counts once
			a.block(begin, known[begin][pointers], func(int, *memory) {})
		}
	}
}

// block executes instructions from begin on, to the next branch or label, and calls next for each that may follow.
func (a *analysis) block(begin int, m *memory, next func(to int, m *memory)) {
	a.m = m.clone()
	for i := begin; ; i++ {
		if i == len(a.Code) {
			a.fail(&assembly.Instruction{}, "runs off its end")
			return
		}
		if i > begin {
			if a.begins[i] {
				next(i, a.m)
				return
			}
		}
		in := a.Code[i]
		switch kind := branches[a.arch][in.Op]; kind {
		case notBranch:
			a.execute(i, in)
			continue
		case ret:
			for cell, v := range a.m.frame {
				if v.from&fromMemory != 0 {
					a.fail(in, "leaves a secret at %d of the frame", 4*cell)
					break
				}
			}
			return
		default:
			to, ok := a.Labels[in.Operands[len(in.Operands)-1]]
			if !ok {
				a.fail(in, "unknown target")
				return
			}
			next(to, a.m)
			if kind == always {
				return
			}
			condition, by := a.m.flags, ""
			for _, j := range a.m.flagsBy {
				by += fmt.Sprintf(" %s (line %d):", a.Code[j].String(), a.Code[j].Line)
			}
			if kind == onRegister {
				condition, by = a.m.registers[in.Operands[0]], ""
			}
			a.report.branches = append(a.report.branches, fmt.Sprintf("%d: %s: %s:%s %v", in.Line, a.Name, in, by, condition.from))
			if condition.secret() {
				a.fail(in, "branch on%s %v", by, condition.from)
			}
			next(i+1, a.m)
			return
		}
	}
}

func (a *analysis) fail(in *assembly.Instruction, format string, args ...any) {
	a.report.errors = append(a.report.errors, fmt.Sprintf("%d: %s: %s: ERROR: %s", in.Line, a.Name, in, fmt.Sprintf(format, args...)))
}

// register is the name under which a register's value is kept, or "". Vector registers of all widths are one.
func (a *analysis) register(operand string) string {
	if a.arch == "amd64" {
		if m := amd64Register.FindStringSubmatch(operand); m != nil {
			if m[1] != "" {
				return "V" + m[1]
			}
			return operand
		}
		return ""
	}
	if m := arm64Register.FindStringSubmatch(operand); m != nil {
		if m[1] != "" {
			return "V" + m[1]
		}
		return m[2]
	}
	return ""
}

var (
	amd64Register = regexp.MustCompile(`^(?:[XYZ](\d+)|[ABCD]X|[SD]I|R\d+)$`)
	arm64Register = regexp.MustCompile(`^(?:[VF](\d+)(?:\.\w+(?:\[\d+\])?)?|(R\d+|ZR|RSP)(?:(?:@>|<<|>>|->)\d+)?)$`)
	address       = regexp.MustCompile(`^(-?\d+)?\((\w+)\)(?:\((\w+)(?:\*(\d))?\))?$`)
	static        = regexp.MustCompile(`^\$?\w+<>(?:[+-]\d+)?\(SB\)$`)
)

// registers are those of an operand that may be several: (R0, R1), [V0.S4, V1.S4].
func (a *analysis) registers(operand string) []string {
	names, ok := a.names[operand]
	if !ok {
		names = a.find(operand)
		a.names[operand] = names
	}
	return names
}

func (a *analysis) find(operand string) (names []string) {
	if strings.HasPrefix(operand, "[") || strings.HasPrefix(operand, "(") && strings.Contains(operand, ",") {
		for _, o := range assembly.Split(operand[1 : len(operand)-1]) {
			names = append(names, a.register(o))
		}
		return names
	}
	if r := a.register(operand); r != "" {
		return []string{r}
	}
	return nil
}

// get is the value of a register.
func (a *analysis) get(name string) value {
	switch name {
	case "SP", "RSP":
		return value{fromPointer, frame, []int64{0}}
	case "ZR":
		return value{fromConstant, 0, []int64{0}}
	}
	if v, ok := a.m.registers[name]; ok {
		return v
	}
	return garbage
}

// pointer is the address of a memory operand. It fails if that depends on a secret or is none.
func (a *analysis) pointer(in *assembly.Instruction, operand string) value {
	if strings.HasSuffix(operand, "(SB)") && static.MatchString(operand) {
		return value{fromConstant, table, nil}
	}
	m, ok := a.addresses[operand]
	if !ok {
		m = address.FindStringSubmatch(operand)
		a.addresses[operand] = m
	}
	if m == nil {
		a.fail(in, "operand %q is not known", operand)
		return garbage
	}
	v := a.get(m[2])
	if m[3] != "" {
		index := a.get(m[3])
		if m[4] != "" {
			scale, _ := strconv.ParseInt(m[4], 10, 64)
			index.at = scaled(index.at, scale)
		}
		v = v.of(index, 1)
	}
	if m[1] != "" && !strings.HasSuffix(in.Op, ".P") { // what follows .P is added to the register behind the access
		disp, _ := strconv.ParseInt(m[1], 10, 64)
		v = v.of(value{fromConstant, 0, []int64{disp}}, 1)
	}
	return v
}

func scaled(at []int64, by int64) (out []int64) {
	for _, x := range at {
		out = append(out, x*by)
	}
	slices.Sort(out)
	return out
}

// cells calls do for the parts of the frame that an access of so many bytes at v may touch, and tells whether they are certain.
func (a *analysis) cells(in *assembly.Instruction, v value, bytes int64, do func(v *value, certain bool)) {
	if v.to&frame == 0 {
		return
	}
	if v.at == nil || v.to != frame {
		a.fail(in, "%d bytes at a place that is not known, maybe of the frame", bytes)
		for i := range a.m.frame {
			do(&a.m.frame[i], false)
		}
		return
	}
	for _, at := range v.at {
		if at < a.low || at+bytes > a.low+int64(a.Frame) {
			a.fail(in, "%d bytes at %d of the frame are not in it, with a stack pointer of ... + %d", bytes, at, a.sp)
			continue
		}
		for i := at / 4; i < (at+bytes+3)/4; i++ {
			do(&a.m.frame[i], len(v.at) == 1 && at%4 == 0 && bytes%4 == 0)
		}
	}
}

// access checks the address of an operand in memory and returns it.
func (a *analysis) access(in *assembly.Instruction, operand string) value {
	a.report.accesses++
	v := a.pointer(in, operand)
	switch {
	case v.secret():
		a.fail(in, "address from %v", v.from)
	case v.to == 0 || v.to == apart:
		a.fail(in, "no address")
	}
	return v
}

// load is the value of an operand.
func (a *analysis) load(in *assembly.Instruction, operand string, bytes int64) value {
	if strings.HasSuffix(operand, "(FP)") {
		name, _, _ := strings.Cut(operand, "+")
		switch name {
		case "state", "h":
			return value{fromPointer, state, nil}
		case "p_base":
			return value{fromPointer, message, nil}
		case "p_len":
			return value{fromLength, 0, nil}
		case "n":
			return value{fromN, 0, nil}
		}
		a.fail(in, "argument %q is not known", operand)
		return garbage
	}
	if operand[0] == '$' {
		if strings.HasSuffix(operand, "(SB)") && static.MatchString(operand) {
			return value{fromConstant, table, nil}
		}
		n, err := strconv.ParseInt(operand[1:], 0, 64)
		if err != nil {
			if u, uerr := strconv.ParseUint(operand[1:], 0, 64); uerr != nil {
				a.fail(in, "%v", err)
			} else {
				n = int64(u)
			}
		}
		return value{fromConstant, 0, []int64{n}}
	}
	if names := a.registers(operand); names != nil {
		v := a.get(names[0])
		if strings.ContainsAny(operand, "@<>") {
			v.at = nil
		}
		for _, name := range names[1:] {
			v = v.or(a.get(name))
		}
		return v
	}
	return a.loadAt(in, a.access(in, operand), bytes)
}

// loadAt is the value of memory at p.
func (a *analysis) loadAt(in *assembly.Instruction, p value, bytes int64) value {
	v := value{}
	if p.to&table != 0 {
		v.from |= fromConstant
	}
	if p.to&(state|message) != 0 || p.to == 0 {
		v.from |= fromMemory
	}
	known := v.from != 0
	a.cells(in, p, bytes, func(cell *value, _ bool) {
		if known {
			v = v.or(*cell)
		} else {
			v, known = *cell, true
		}
	})
	if !known {
		return garbage
	}
	return v
}

// store sets a register or memory.
func (a *analysis) store(in *assembly.Instruction, operand string, bytes int64, v value) {
	if v.to != 0 && bytes < 8 {
		a.fail(in, "part of an address")
	}
	if names := a.registers(operand); names != nil {
		for _, name := range names {
			if name != "ZR" {
				a.m.registers[name] = v
			}
		}
		return
	}
	a.storeAt(in, a.access(in, operand), bytes, v)
}

// storeAt sets memory at p.
func (a *analysis) storeAt(in *assembly.Instruction, p value, bytes int64, v value) {
	if p.to&(message|table) != 0 {
		a.fail(in, "writes what is to be read only")
	}
	a.cells(in, p, bytes, func(cell *value, certain bool) {
		if certain {
			*cell = v
		} else {
			*cell = cell.or(v)
		}
	})
}

// width is the number of bytes of an instruction's operand in memory.
func (a *analysis) width(in *assembly.Instruction, operand string) int64 {
	if w, ok := widths[a.arch][in.Op]; ok {
		return w
	}
	if a.arch == "arm64" {
		n := int64(1)
		for _, o := range in.Operands {
			n = max(n, int64(len(a.registers(o))))
		}
		switch {
		case strings.HasPrefix(in.Op, "V"), in.Op == "FMOVQ", in.Op == "FLDPQ", in.Op == "FSTPQ":
			return 16 * n
		case strings.HasSuffix(in.Op, "W"), strings.HasSuffix(in.Op, "WU"), in.Op == "FMOVS":
			return 4 * n
		}
		return 8 * n
	}
	for _, o := range in.Operands {
		if len(o) > 1 && '0' <= o[1] && o[1] <= '9' {
			switch o[0] {
			case 'X':
				return 16
			case 'Y':
				return 32
			case 'Z':
				return 64
			}
		}
	}
	if strings.HasSuffix(in.Op, "L") {
		return 4
	}
	return 8
}

// execute follows an instruction that is no branch.
func (a *analysis) execute(i int, in *assembly.Instruction) {
	op, n := in.Op, len(in.Operands)
	kind, ok := kinds[a.arch][op]
	if kind == noEffect && ok {
		return
	}
	if !ok || n == 0 {
		a.fail(in, "the instruction is not known")
		return
	}
	last := in.Operands[n-1]
	bytes := a.width(in, last)
	load := func(operand string) value { return a.load(in, operand, bytes) }
	flags := func(v value) {
		a.m.flags, a.m.flagsBy = v, []int{i}
	}
	switch kind {
	case lea:
		a.store(in, last, bytes, a.pointer(in, in.Operands[0]))
	case exchange:
		x, y := load(in.Operands[0]), load(last)
		a.store(in, in.Operands[0], bytes, y)
		a.store(in, last, bytes, x)
	case compare:
		v := load(in.Operands[0])
		for _, o := range in.Operands[1:] {
			v = v.of(load(o), 0)
		}
		flags(v)
	case move:
		if a.arch == "arm64" && (len(a.registers(last)) > 1 || len(a.registers(in.Operands[0])) > 1) {
			a.pair(in, bytes)
		} else {
			v := load(in.Operands[0])
			if strings.Contains(last, "[") && last[0] == 'V' { // one element
				v = v.or(load(last))
			}
			a.store(in, last, bytes, v)
		}
		a.after(in)
	case conditional:
		a.report.conditional = append(a.report.conditional, fmt.Sprintf("%d: %s: %s: takes one of two values by %v", in.Line, a.Name, in, a.m.flags.from))
		if strings.HasPrefix(op, "CMOV") {
			v := load(in.Operands[0]).or(load(last)) // one as it is, so that a pointer stays one
			v.from |= a.m.flags.from
			a.store(in, last, bytes, v)
			return
		}
		v := a.m.flags
		for _, o := range in.Operands {
			if a.registers(o) != nil || strings.Contains(o, "(") { // the other ones are immediate or name the condition
				v = v.of(load(o), 0)
			}
		}
		v.to = 0
		a.store(in, last, bytes, v)
	default:
		if zeroing[op] && n >= 2 && in.Operands[0] == in.Operands[n-1] && in.Operands[0] == in.Operands[n-2] && a.registers(last) != nil {
			v := value{fromConstant, 0, []int64{0}} // x ^ x, x - x, or all ones where x == x
			a.store(in, last, bytes, v)
			if kind == setsFlags {
				flags(v)
			}
			return
		}
		sources := in.Operands
		if kind != vector && n >= 3 {
			sources = in.Operands[:n-1] // the old content of the last does not matter
		}
		v := a.combine(in, sources, load)
		if kind == setsFlags {
			flags(v)
		}
		a.store(in, last, bytes, v)
	}
}

// baseOf is an instruction without its suffixes for the width and, on arm64, for setting the flags.
func baseOf(arch, op string) string {
	if arch == "arm64" {
		return strings.TrimSuffix(strings.TrimSuffix(op, "W"), "S")
	}
	return op[:len(op)-1]
}

// combine is the result of an arithmetic instruction.
func (a *analysis) combine(in *assembly.Instruction, sources []string, load func(string) value) value {
	base := baseOf(a.arch, in.Op)
	last := load(sources[len(sources)-1])
	if len(sources) == 1 {
		switch {
		case base == "NEG" && last.to == 0:
			last.at = scaled(last.at, -1)
		case base == "DEC":
			last = last.of(value{fromConstant, 0, []int64{1}}, -1)
		case base == "INC":
			last = last.of(value{fromConstant, 0, []int64{1}}, 1)
		default:
			last.at = nil
		}
		return last
	}
	v := load(sources[0])
	switch {
	case len(sources) == 2 && base == "ADD":
		return last.of(v, 1)
	case len(sources) == 2 && base == "SUB":
		return last.of(v, -1)
	case len(sources) == 2 && base == "AND" && last.to == frame && last.at != nil && len(v.at) == 1 && v.at[0] < 0: // an alignment
		r := value{last.from | v.from, frame, nil}
		for _, x := range last.at {
			r.at = union(r.at, []int64{(x+a.sp)&v.at[0] - a.sp})
		}
		return r
	case len(sources) == 2 && (in.Op == "XORQ" || in.Op == "EOR"):
		return last.xor(v)
	}
	for _, o := range sources[1:] {
		v = v.of(load(o), 0)
	}
	return v
}

// pair follows an instruction that loads or stores several registers.
func (a *analysis) pair(in *assembly.Instruction, bytes int64) {
	from, to := in.Operands[0], in.Operands[1]
	if strings.HasPrefix(in.Op, "VLD2") || strings.HasPrefix(in.Op, "VST2") { // elements of all go to all
		a.store(in, to, bytes, a.load(in, from, bytes))
		return
	}
	names, where := a.registers(to), from
	loads := names != nil
	if !loads {
		names, where = a.registers(from), to
	}
	each := bytes / int64(len(names))
	p := a.access(in, where)
	for i, name := range names {
		q := p.of(value{fromConstant, 0, []int64{int64(i) * each}}, 1)
		if loads {
			a.store(in, name, each, a.loadAt(in, q, each))
		} else {
			a.storeAt(in, q, each, a.get(name))
		}
	}
}

// after is what .P adds to the register with the address.
func (a *analysis) after(in *assembly.Instruction) {
	if !strings.HasSuffix(in.Op, ".P") {
		return
	}
	for _, o := range in.Operands {
		if m := address.FindStringSubmatch(o); m != nil {
			by, _ := strconv.ParseInt(m[1], 10, 64)
			a.m.registers[m[2]] = a.get(m[2]).of(value{fromConstant, 0, []int64{by}}, 1)
		}
	}
}
