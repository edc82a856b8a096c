// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

//go:build gc && !purego

package pbkdf2

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/fastkdf/pbkdf2/internal/cpu"
)

// instructionNeeds has what the instructions need whose mnemonics begin so. All others that the assembly files use are in every arm64.
var instructionNeeds = []struct {
	mnemonic *regexp.Regexp
	needs    cpu.Features
}{
	{regexp.MustCompile(`^SHA1`), cpu.SHA1},
	{regexp.MustCompile(`^SHA256`), cpu.SHA2},
	{regexp.MustCompile(`^SHA512`), cpu.SHA512},
	{regexp.MustCompile(`^(V|FMOV|FLDP|FSTP)`), cpu.ASIMD},
	{regexp.MustCompile(`^(ADD|AND|BIC|EON|EOR|LDP|MOVD|MOVW|MOVWU|ORN|ORR|REV|ROR|STP|SUB)W?$|^(CMP|SUBS|RET|B[A-Z]{2})$`), 0},
}

// TestNeeds reads the assembly of every row and compressor: no instruction needs more than the row says, and no row says more than its instructions need. No emulated CPU lacks
// SHA2, so this shows what runs on those that do.
func TestNeeds(t *testing.T) {
	text := map[string]string{} // by package and symbol
	files, err := filepath.Glob("internal/*/*_arm64.s")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Split(string(b), "\nTEXT ·")[1:] {
			symbol, body, _ := strings.Cut(f, "(SB)")
			text[filepath.Base(filepath.Dir(file))+"."+symbol] = body[strings.IndexByte(body, '\n'):]
		}
	}
	check := func(name string, f any, says cpu.Features) {
		symbol := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
		symbol = symbol[strings.LastIndexByte(symbol, '/')+1:]
		body, ok := text[symbol]
		if !ok {
			t.Errorf("%s: no assembly of %s", name, symbol)
		}
		var needs cpu.Features
		for line := range strings.SplitSeq(body, "\n") {
			fields := strings.Fields(line)
			if !strings.HasPrefix(line, "\t") || strings.HasPrefix(fields[0], "//") {
				continue
			}
			known := false
			for _, i := range instructionNeeds {
				if i.mnemonic.MatchString(fields[0]) {
					needs |= i.needs
					known = true
					break
				}
			}
			if !known {
				t.Errorf("%s: %s", symbol, fields[0])
			}
		}
		if needs&(cpu.SHA1|cpu.SHA2|cpu.SHA512) != 0 { // which take ASIMD along
			needs &^= cpu.ASIMD
		}
		if needs != says {
			t.Errorf("%s needs %v, the table says %v", symbol, needs, says)
		}
	}
	for _, r := range rows[:len(rows)-len(genericRows)] {
		for _, iterate := range r.iterate {
			if iterate != nil {
				check(r.isa, iterate, r.needs)
			}
		}
	}
	for _, c := range compressors[:len(compressors)-len(genericCompressors)] {
		check(c.isa, c.compress, c.needs)
	}
}
