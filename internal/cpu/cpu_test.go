// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package cpu

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

func TestUsable(t *testing.T) {
	const all = SSSE3 | SSE41 | AVX | AVX2 | BMI1 | BMI2 | SHA | AVX512F | AVX512VL | AVX512Wide
	for _, c := range []struct {
		found   Features
		godebug string
		want    Features
	}{
		{all, "", all},
		{0, "cpu.sha=on", 0},
		{all, "cpu.sha=off", all &^ SHA},
		{all, "gctrace=1,cpu.sha=off,x=y", all &^ SHA},
		{all, "cpu.sha=off,cpu.sha=on", all},
		{all, "cpu.sha=on,cpu.sha=off", all &^ SHA},
		{all &^ SHA, "cpu.sha=on", all &^ SHA},
		{all, "cpu.sha", all},
		{all, "cpu.sha=maybe", all},
		{all, "cpu.nothing=off", all},
		{all, "sha=off", all},
		{all, "cpu.all=off", 0},
		{all, "cpu.all=off,cpu.bmi2=on", BMI2},
		{all, "cpu.avx=off", SSSE3 | SSE41 | BMI1 | BMI2 | SHA},
		{all, "cpu.avx2=off", SSSE3 | SSE41 | AVX | BMI1 | BMI2 | SHA},
		{all, "cpu.avx512f=off", all &^ (AVX512F | AVX512VL | AVX512Wide)},
		{all, "cpu.avx512vl=off", all &^ AVX512VL},
		{all, "cpu.avx512wide=off", all &^ AVX512Wide},
		{all, "cpu.bmi2=off", all &^ BMI2},
		{all, "cpu.ssse3=off", BMI1 | BMI2},
		{all, "cpu.sse41=off", SSSE3 | BMI1 | BMI2},
		{AVX512F | AVX512VL, "", 0}, // an operating system that saves parts only
		{SSSE3 | SSE41 | SHA, "", SSSE3 | SSE41 | SHA},
		{ASIMD | SHA1 | SHA2 | SHA512, "cpu.sha2=off", ASIMD | SHA1 | SHA512},
		{ASIMD | SHA1 | SHA2 | SHA512, "cpu.sha1=off", ASIMD | SHA2 | SHA512},
		{ASIMD | SHA1 | SHA2 | SHA512, "cpu.sha512=off", ASIMD | SHA1 | SHA2},
		{ASIMD | SHA1 | SHA2 | SHA512, "cpu.asimd=off", 0},
	} {
		if got := usable(c.found, c.godebug); got != c.want {
			t.Errorf("usable(%v, %q) = %v, want %v", c.found, c.godebug, got, c.want)
		}
	}
}

// TestGODEBUG runs this test again in processes started with a setting, and looks at what Detect finds there.
func TestGODEBUG(t *testing.T) {
	if name := os.Getenv("PBKDF2_TEST_OFF"); name != "" {
		for _, f := range known {
			if f.name == name || name == "all" {
				if Detect()&f.set != 0 {
					t.Errorf("%s is used although it is off", f.name)
				}
			}
		}
		return
	}
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" {
		t.Skip("no processes")
	}
	if strings.Contains(os.Getenv("GODEBUG"), "asyncpreemptoff=1") {
		t.Skip("the emulator that needs GODEBUG=asyncpreemptoff=1 cannot start a process")
	}
	for _, f := range append(known, struct {
		name    string
		set, on Features
	}{name: "all"}) {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGODEBUG$")
		cmd.Env = append(os.Environ(), "PBKDF2_TEST_OFF="+f.name, "GODEBUG=cpu."+f.name+"=off")
		out, err := cmd.CombinedOutput()
		if err != nil && strings.Contains(err.Error(), "exec format error") {
			t.Skip("the emulator does not start processes of the emulated architecture")
		}
		if err != nil {
			t.Errorf("cpu.%s=off: %v\n%s", f.name, err, out)
		}
	}
}

func TestString(t *testing.T) {
	if got, want := (SSE41 | SHA).String(), "sse41 sha"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
