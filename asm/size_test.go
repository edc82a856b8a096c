// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// maxLoop is how many bytes of code a loop may have. Above 32 KB, as much as many CPUs' instruction caches hold, three vectors of SHA-256 took nearly twice as long on an AMD Zen 5:
// 2310 cycles in 38 KB, 1264 in 28 KB.
const maxLoop = 28 << 10

// TestLoopSize fails when a loop is too long, and lists the longest.
func TestLoopSize(t *testing.T) {
	type sized struct {
		function string
		bytes    int
	}
	var all []sized
	for _, k := range kernels {
		longest, err := longestLoops(filepath.Join("..", "internal", k.pkg, k.isa+"_"+k.arch+".s"), k.arch)
		if err != nil {
			t.Fatal(err)
		}
		if len(longest) == 0 {
			t.Errorf("%s/%s (%s) has no function", k.pkg, k.isa, k.arch)
		}
		for _, function := range slices.Sorted(maps.Keys(longest)) {
			s := sized{fmt.Sprintf("%s/%s (%s) %s", k.pkg, k.isa, k.arch, function), longest[function]}
			if s.bytes == 0 {
				t.Errorf("%s has no loop", s.function)
			}
			if s.bytes > maxLoop {
				t.Errorf("%s: a loop has %d bytes, more than %d", s.function, s.bytes, maxLoop)
			}
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(x, y sized) int { return y.bytes - x.bytes })
	for _, s := range all[:min(5, len(all))] {
		t.Logf("%5d bytes: %s", s.bytes, s.function)
	}
}

// TestLongestLoops finds a loop in another one, and does not take the way back from the growing of the stack for one.
func TestLongestLoops(t *testing.T) {
	for arch, c := range map[string]struct {
		body string
		want int
	}{
		"amd64": {"outer:\n\tINCQ AX\ninner:\n\tINCQ BX\n\tDECQ CX\n\tJNE inner\n\tDECQ DX\n\tJNE outer\n\tRET\n", 3 + 3 + 3 + 2 + 3 + 2},
		"arm64": {"outer:\n\tADD $1, R0\ninner:\n\tADD $1, R1\n\tSUB $1, R2\n\tCBNZ R2, inner\n\tSUBS $1, R3\n\tBNE outer\n\tRET\n", 6 * 4},
	} {
		path := filepath.Join(t.TempDir(), "loops_"+arch+".s")
		text := "TEXT ·Two(SB), 0, $8192-0\n" + c.body + "\nTEXT ·None(SB), 0, $8192-0\n\tRET\n"
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := longestLoops(path, arch)
		if want := map[string]int{"Two": c.want, "None": 0}; err != nil || !maps.Equal(got, want) {
			t.Errorf("%s: got %v, %v, want %v", arch, got, err, want)
		}
	}
}

var (
	beginning   = regexp.MustCompile(`^kernel\.(\w+) STEXT .*\bsize=(\d+)`)
	instruction = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(.*:\d+\)\t(\S+)(?:\t(.*))?$`) // address, name, operands
	target      = regexp.MustCompile(`(?:^|, )(\d+)$`)                                     // a branch's: a constant has a $, a symbol its name
)

// longestLoops assembles a file and returns for each function the bytes from the first instruction of its longest loop to the end of the branch back to it, or 0.
// The addresses are from the assembler's listing: go tool objdump does not know the instructions of AVX-512.
func longestLoops(path, arch string) (map[string]int, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "size")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "tool", "asm", "-S", "-p", "kernel", "-I", filepath.Join(strings.TrimSpace(string(root)), "pkg", "include"), "-o", filepath.Join(dir, "kernel.o"), path)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH="+arch)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, stderr.Bytes())
	}
	longest := map[string]int{}
	function, back := "", -1 // back is where the last instruction goes back to
	end := func(address int) {
		if back >= 0 {
			longest[function] = max(longest[function], address-back)
		}
		back = -1
	}
	size, grown := 0, false
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		if m := beginning.FindStringSubmatch(lines.Text()); m != nil {
			end(size)
			function, grown = m[1], false
			longest[function] = 0
			if size, err = strconv.Atoi(m[2]); err != nil {
				return nil, err
			}
			continue
		}
		m := instruction.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		address, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, err
		}
		end(address)
		if to := target.FindStringSubmatch(m[3]); to != nil {
			if n, err := strconv.Atoi(to[1]); err != nil {
				return nil, err
			} else if n <= address && !grown {
				back = n
			}
		}
		grown = m[2] == "CALL" && strings.HasPrefix(m[3], "runtime.morestack") || grown && m[2] == "PCDATA"
	}
	end(size)
	return longest, lines.Err()
}
