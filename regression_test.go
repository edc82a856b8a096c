// Copyright 2026 The fastkdf authors. Use of this source code is governed by the BSD-3-Clause licence in the LICENSE file.
// SPDX-License-Identifier: BSD-3-Clause

package pbkdf2

import (
	"bytes"
	stdpbkdf2 "crypto/pbkdf2"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/cpuid/v2"
)

// A regression is a ratio, crypto/pbkdf2's time over ours, that has become smaller by more than 8 %. Machines are noisy, mostly since the other thread of the
// core takes a part of its arithmetic units: that makes some kernels 1.3 to 2 times slower, others not at all, and crypto/pbkdf2 a little, so that no average
// and no ratio of pairs is right while it lasts. But it shows: independent operations then take longer beside dependent ones. On an AMD Zen 3 their ratio is
// 1.252 on a quiet core, within half a percent, and 1.34 to 1.9 otherwise. So both are timed in turn, 100 µs each; only pairs between two quiet looks count, and
// of these the fastest quarter of either, in the best of several processes. Then ratios agree within some percent, whatever the machine does otherwise; where there are
// not enough such pairs nothing is said about the row. What looks slower is measured again, longer and in more processes, and only what is slower still
// is a regression.
const (
	regression = 1.08
	noise      = 1.02 // how far a quiet look may be off
)

// A subject is a row of the table, or Key, beside crypto/pbkdf2.
type subject struct {
	name                   string
	selected               bool   // the planner uses it
	standard, ours         func() // 100 µs or so each
	standardIter, oursIter int    // iterations that they do, of all lanes
}

// subjects are all that this CPU can run.
func subjects() (all []subject) {
	for v, k := range tableKernels() {
		if k.needs&^features == 0 {
			all = append(all, kernelSubject(v, k))
		}
	}
	for id, h := range hashes {
		s := standardSubject(variants[id])
		s.name, s.selected = variants[id].name+"/Key", true
		n := 2 * s.standardIter
		s.ours, s.oursIter = func() { Key(h, "password", nil, n, 1) }, n
		all = append(all, s)
	}
	return all
}

func kernelSubject(v *variant, k kernel) subject {
	s := standardSubject(v)
	s.name = k.name
	s.selected, _ = v.kernels().useOf(k.name)
	n := max(1, sliceTime/4/k.cost)
	state := aligned(4 * maxWords * k.lanes)
	s.ours, s.oursIter = func() { k.iterate(&state[0], n) }, n*k.lanes
	return s
}

// standardSubject has crypto/pbkdf2's part of a subject.
func standardSubject(v *variant) subject {
	iter := max(1, sliceTime/8/v.kernels().plans[0].cost)
	return subject{standard: func() { stdpbkdf2.Key(hashes[v.id], "password", nil, iter, 1) }, standardIter: iter}
}

// timed is how long f takes.
func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// timedDeeper is timed with the stack elsewhere: in steps of its frame, 128 bytes or so. crypto/pbkdf2 with SHA-384 was up to 5 % slower at some places.
func timedDeeper(depth int, f func()) time.Duration {
	if depth == 0 {
		return timed(f)
	}
	var frame [8]uint64
	took := timedDeeper(depth-1, f)
	operands[0] += frame[depth%len(frame)] // so that there is a frame
	return took
}

// look is the time of independent operations over that of dependent ones.
func look() float64 {
	return float64(timed(func() { independent(3000) })) / float64(timed(func() { dependent(3000) }))
}

var operands [6]uint64

//go:noinline
func independent(n int) {
	a, b, c, d, e, f := operands[0], operands[1], operands[2], operands[3], operands[4], operands[5]
	for range n {
		a, b, c, d, e, f = a^a<<1, b^b<<1, c^c<<1, d^d<<1, e^e<<1, f^f<<1
		a, b, c, d, e, f = a+3, b+3, c+3, d+3, e+3, f+3
	}
	operands = [...]uint64{a, b, c, d, e, f}
}

//go:noinline
func dependent(n int) {
	x := operands[0]
	for range n {
		x = x*6364136223846793005 + 1442695040888963407
	}
	operands[0] = x
}

// quiet is what a look finds when nobody shares the core, if that is ever so within some seconds. The least one is not it: the dependent operations may
// have been interrupted.
func quiet() float64 {
	var looks []float64
	for start := time.Now(); time.Since(start) < 3*time.Second; {
		looks = append(looks, look())
	}
	slices.Sort(looks)
	return looks[len(looks)/50]
}

// fastest is the time in the middle of the fastest quarter.
func fastest(s []time.Duration) time.Duration { return slices.Sorted(slices.Values(s))[len(s)/8] }

// measureSubject returns the times of one iteration of crypto/pbkdf2 and of ours, in dependent operations, and false if the core was not quiet for long enough.
func measureSubject(s subject, quiet float64, long bool) (p pace, ok bool) {
	enough, limit := 60, 2*time.Second
	if long {
		enough, limit = 500, 20*time.Second
	}
	s.standard()
	s.ours()
	var standard, ours, unit []time.Duration
	for start, before, depth := time.Now(), look(), 0; len(ours) < enough && time.Since(start) < limit; depth = (depth + 1) % 32 {
		x, y, d := timedDeeper(depth, s.standard), timedDeeper(depth, s.ours), timed(func() { dependent(3000) })
		after := look()
		if max(before, after) < noise*quiet && min(before, after) > quiet/noise {
			standard, ours, unit = append(standard, x), append(ours, y), append(unit, d)
		}
		before = after
	}
	if len(ours) < enough {
		return pace{}, false
	}
	operation := float64(fastest(unit)) / 3000
	return pace{float64(fastest(standard)) / operation / float64(s.standardIter), float64(fastest(ours)) / operation / float64(s.oursIter)}, true
}

// A pace is the time of one iteration.
type pace struct{ Standard, Ours float64 }

func (p pace) ratio() float64 { return p.Standard / p.Ours }

// A lap is what several runs have measured by subject: the best of them.
type lap map[string]pace

// add puts another run's paces to l.
func (l lap) add(other lap) {
	for name, p := range other {
		if best, ok := l[name]; ok {
			p = pace{min(p.Standard, best.Standard), min(p.Ours, best.Ours)}
		}
		l[name] = p
	}
}

// regressions are those subjects whose ratio is less than recorded, or, where none is and the planner uses it, that are slower than crypto/pbkdf2; and those that
// could not be measured.
func regressions(all []subject, recorded map[string]float64, measure func(subjects []string, long bool) lap) (slower, undecided []string) {
	least := map[string]float64{}
	var names, again []string
	for _, s := range all {
		names = append(names, s.name)
		if r, ok := recorded[s.name]; ok {
			least[s.name] = r / regression
		} else if s.selected {
			least[s.name] = 1
		}
	}
	best := measure(names, false)
	for _, name := range names {
		if p, ok := best[name]; !ok || p.ratio() < least[name] {
			again = append(again, name)
		}
	}
	if len(again) > 0 {
		best.add(measure(again, true))
	}
	for _, name := range again {
		switch p, ok := best[name]; {
		case !ok:
			undecided = append(undecided, name)
		case p.ratio() < least[name]:
			slower = append(slower, fmt.Sprintf("%s: %.3f times as fast as crypto/pbkdf2, below %.3f", name, p.ratio(), least[name]))
		}
	}
	return slower, undecided
}

// A record is what was measured on one kind of CPU.
type record struct {
	Quiet  float64            // what a look finds
	Ratios map[string]float64 // by subject
}

const recordFile = "testdata/ratios.json"

// machine names the kind of CPU, and what else the ratios depend on.
func machine() string {
	version := strings.Join(strings.SplitN(runtime.Version(), ".", 3)[:2], ".")
	name := fmt.Sprintf("%s %s, family %d, model %d, %s", runtime.GOARCH, strings.TrimSpace(cpuid.CPU.BrandName), cpuid.CPU.Family, cpuid.CPU.Model, version)
	if purego {
		name += ", purego"
	}
	return name
}

// The environment of TestRegression: what to do, and for a process that measures what a quiet look finds and the subjects.
const (
	modeVariable     = "PBKDF2_TEST_RATIOS"
	quietVariable    = "PBKDF2_TEST_QUIET"
	subjectsVariable = "PBKDF2_TEST_SUBJECTS"
)

// TestRegression compares the ratios of all subjects with those recorded for this kind of CPU, or records them: `make bench-check` and `make bench-record`.
// Where the linker puts a function is worth up to 20 %, for crypto/pbkdf2 as for kernels, so that each of its runs is a process of another layout.
func TestRegression(t *testing.T) {
	mode := os.Getenv(modeVariable)
	switch mode {
	case "":
		t.Skip("takes a machine that is quiet now and then: make bench-check")
	case "measure", "measure long":
		measureAlone(t, mode == "measure long")
		return
	}
	records := map[string]record{}
	if text, err := os.ReadFile(recordFile); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(text, &records); err != nil {
		t.Fatal(err)
	}
	r, known := records[machine()]
	if mode == "record" || !known {
		r.Quiet = quiet()
	}
	t.Logf("%s: recorded: %v, a quiet look: %.3f", machine(), known, r.Quiet)
	layout := 0
	measure := func(subjects []string, long bool) lap {
		best := lap{}
		for range 8 {
			layout++
			best.add(measureLayout(t, layout, r.Quiet, subjects, long))
		}
		for _, name := range subjects {
			t.Logf("%-20s %7.3f, recorded %7.3f, by layout %d: %.2f", name, best[name].ratio(), r.Ratios[name], layout, best[name])
		}
		return best
	}
	all := subjects()
	if mode == "record" {
		r.Ratios = map[string]float64{}
		var names []string
		for _, s := range all {
			names = append(names, s.name)
		}
		best := measure(names, true)
		for _, name := range names {
			if _, ok := best[name]; !ok {
				t.Fatalf("%s: the core was hardly ever quiet", name)
			}
			r.Ratios[name] = math.Round(1000*best[name].ratio()) / 1000
		}
		records[machine()] = r
		text, err := json.MarshalIndent(records, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(recordFile, append(text, '\n'), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	for name := range r.Ratios {
		if !slices.ContainsFunc(all, func(s subject) bool { return s.name == name }) {
			t.Errorf("%s is recorded, but does not run here", name)
		}
	}
	slower, undecided := regressions(all, r.Ratios, measure)
	for _, s := range slower {
		t.Error(s)
	}
	plantedSlower(t, r.Quiet)
	if len(undecided) > 0 && !t.Failed() {
		t.Skipf("the core was hardly ever quiet; not measured: %v", undecided)
	}
}

// measureLayout measures in a process whose functions the linker has put elsewhere.
func measureLayout(t *testing.T, layout int, quiet float64, subjects []string, long bool) (l lap) {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "layout")
	tags := ""
	if purego {
		tags = "purego"
	}
	if out, err := exec.Command("go", "test", "-c", "-tags", tags, fmt.Sprintf("-ldflags=-randlayout=%d", layout), "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(exe, "-test.run=^TestRegression$", "-test.timeout=1h")
	mode := "measure"
	if long {
		mode = "measure long"
	}
	cmd.Env = append(os.Environ(), modeVariable+"="+mode, quietVariable+"="+fmt.Sprint(quiet), subjectsVariable+"="+strings.Join(subjects, " "))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&l); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return l
}

// measureAlone is what such a process does: it prints a lap.
func measureAlone(t *testing.T, long bool) {
	quiet, err := strconv.ParseFloat(os.Getenv(quietVariable), 64)
	if err != nil {
		t.Fatal(err)
	}
	wanted, l := strings.Fields(os.Getenv(subjectsVariable)), lap{}
	for _, s := range subjects() {
		if slices.Contains(wanted, s.name) {
			if p, ok := measureSubject(s, quiet, long); ok {
				l[s.name] = p
			}
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		t.Fatal(err)
	}
}

// plantedSlower checks that the kernels for one chain are found slower than they have just been when they do an eighth more, and not when they don't.
func plantedSlower(t *testing.T, quiet float64) {
	for _, v := range variants {
		k := *v.kernels().plans[0].kernels[0]
		same, slower := kernelSubject(v, k), kernelSubject(v, k)
		iterate := k.iterate
		k.iterate = func(state *uint64, n int) { iterate(state, n+n/8) }
		slower.ours = kernelSubject(v, k).ours
		same.name, slower.name = v.name, v.name+", planted"
		p, ok := measureSubject(same, quiet, true)
		found, undecided := regressions([]subject{same, slower}, map[string]float64{same.name: p.ratio(), slower.name: p.ratio()},
			func(names []string, long bool) lap {
				l := lap{}
				for _, s := range []subject{same, slower} {
					if p, ok := measureSubject(s, quiet, long); ok && slices.Contains(names, s.name) {
						l[s.name] = p
					}
				}
				return l
			})
		switch {
		case !ok || len(undecided) > 0:
			t.Logf("%s: the core was hardly ever quiet; nothing planted", v.name)
		case len(found) != 1 || !strings.HasPrefix(found[0], slower.name):
			t.Errorf("%s: found %q of %.3f", slower.name, found, p.ratio())
		}
	}
}

// TestRegressions checks what is made of measurements.
func TestRegressions(t *testing.T) {
	recorded := map[string]float64{"recorded": 2, "recorded, not selected": 0.5}
	for _, c := range []struct {
		name         string
		selected     bool
		first, again float64 // 0 is not measured
		want         string
	}{
		{"recorded", true, 2, 0, ""},
		{"recorded", true, 1.86, 0, ""},
		{"recorded", true, 1.84, 1.86, ""},
		{"recorded", true, 1.84, 1.84, "slower"},
		{"recorded", true, 1.84, 0, "slower"},
		{"recorded", true, 0, 1.84, "slower"},
		{"recorded", true, 0, 1.86, ""},
		{"recorded", true, 0, 0, "undecided"},
		{"recorded, not selected", false, 0.47, 0, ""},
		{"recorded, not selected", false, 0.46, 0.46, "slower"},
		{"selected", true, 1, 0, ""},
		{"selected", true, 0.99, 0.99, "slower"},
		{"neither", false, 0.1, 0, ""},
	} {
		measure := func(names []string, long bool) lap {
			l := lap{}
			for _, name := range names {
				ratio := c.first
				switch {
				case name == "other" && long:
					t.Errorf("%+v: measured again without need", c)
				case name == "other":
					ratio = 3
				case long:
					ratio = c.again
				}
				if ratio > 0 {
					l[name] = pace{100, 100 / ratio}
				}
			}
			return l
		}
		slower, undecided := regressions([]subject{{name: "other", selected: true}, {name: c.name, selected: c.selected}}, recorded, measure)
		if (len(slower) == 1) != (c.want == "slower") || (len(undecided) == 1) != (c.want == "undecided") || len(slower)+len(undecided) > 1 {
			t.Errorf("%+v: %q, %q", c, slower, undecided)
		}
	}
}
