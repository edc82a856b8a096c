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
// not enough such pairs the row is undecided. What looks slower is measured again, longer and in more processes, and only what is slower still in at least half of
// them is a regression.
const (
	regression = 1.08
	noise      = 1.02 // how far a quiet look may be off
	layouts    = 8    // processes, each with its functions elsewhere
)

// A pass says how many quiet pairs a row should have in a process and with how many it will do, how long it may wait for them, and how long all rows in all processes.
type pass struct {
	Pairs, Enough int
	Row, All      time.Duration
}

// The passes take seconds on a quiet core, and all of their time on one that is never quiet. `make bench-check` does the first two, and then plants: together they must
// end within its -timeout.
var (
	firstPass   = pass{60, 60, 2 * time.Second, 5 * time.Minute}
	secondPass  = pass{500, 60, 20 * time.Second, 8 * time.Minute}
	plantedPass = pass{500, 60, 20 * time.Second, time.Minute}
	recordPass  = pass{500, 500, 20 * time.Second, 45 * time.Minute}
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

// measureSubject returns the times of one iteration of crypto/pbkdf2 and of ours, in dependent operations, or only the number of quiet pairs if there were not enough
// before the time was over.
func measureSubject(s subject, quiet float64, pass pass) pace {
	s.standard()
	s.ours()
	var standard, ours, unit []time.Duration
	for start, before, depth := time.Now(), look(), 0; len(ours) < pass.Pairs && time.Since(start) < pass.Row; depth = (depth + 1) % 32 {
		x, y, d := timedDeeper(depth, s.standard), timedDeeper(depth, s.ours), timed(func() { dependent(3000) })
		after := look()
		if max(before, after) < noise*quiet && min(before, after) > quiet/noise {
			standard, ours, unit = append(standard, x), append(ours, y), append(unit, d)
		}
		before = after
	}
	if len(ours) < pass.Enough {
		return pace{Pairs: len(ours)}
	}
	operation := float64(fastest(unit)) / 3000
	return pace{float64(fastest(standard)) / operation / float64(s.standardIter), float64(fastest(ours)) / operation / float64(s.oursIter), len(ours), 1}
}

// A pace is the time of one iteration: the best of so many layouts, those that had enough quiet pairs. Pairs are those of the others, too.
type pace struct {
	Standard, Ours float64
	Pairs, Layouts int
}

func (p pace) ratio() float64 { return p.Standard / p.Ours }

func (p pace) String() string {
	if p.Layouts == 0 {
		return fmt.Sprintf("%d quiet pairs, too few in every layout", p.Pairs)
	}
	return fmt.Sprintf("%.3f times as fast as crypto/pbkdf2 (%.2f of %.2f; %d layouts, %d quiet pairs)", p.ratio(), p.Ours, p.Standard, p.Layouts, p.Pairs)
}

// A lap is what several runs have measured by subject.
type lap map[string]pace

// add puts another run's paces to l.
func (l lap) add(other lap) {
	for name, p := range other {
		best := l[name]
		switch {
		case best.Layouts == 0:
			best.Standard, best.Ours = p.Standard, p.Ours
		case p.Layouts > 0:
			best.Standard, best.Ours = min(p.Standard, best.Standard), min(p.Ours, best.Ours)
		}
		best.Pairs += p.Pairs
		best.Layouts += p.Layouts
		l[name] = best
	}
}

// regressions are those subjects whose ratio is less than recorded, or, where none is and the planner uses it, that are slower than crypto/pbkdf2; and those that
// could not be measured well enough to tell. Those that never had a quiet moment are not measured again.
func regressions(all []subject, recorded map[string]float64, measure func(subjects []string, again bool) lap) (slower, undecided []string) {
	least := map[string]float64{}
	var names, unclear, suspects []string
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
		switch p := best[name]; {
		case least[name] == 0: // nothing to compare with
		case p.Pairs == 0:
			undecided = append(undecided, name+": the core was never quiet")
		case p.Layouts == 0:
			unclear = append(unclear, name)
		case p.ratio() < least[name]:
			suspects = append(suspects, name)
		}
	}
	again := append(unclear, suspects...) // the last ones get what time the others leave
	if len(again) == 0 {
		return nil, undecided
	}
	second := measure(again, true)
	best.add(second)
	for _, name := range again {
		p := best[name]
		says := fmt.Sprintf("%s: %v, below %.3f", name, p, least[name])
		switch {
		case p.Layouts == 0:
			undecided = append(undecided, fmt.Sprintf("%s: %v", name, p))
		case p.ratio() >= least[name]:
		case second[name].Layouts >= layouts/2:
			slower = append(slower, says)
		default:
			undecided = append(undecided, fmt.Sprintf("%s, but the second pass had enough quiet pairs in %d layouts only", says, second[name].Layouts))
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

// The environment of TestRegression: what to do, and for a process that measures its task.
const (
	modeVariable = "PBKDF2_TEST_RATIOS"
	taskVariable = "PBKDF2_TEST_TASK"
)

// A task is what a process measures.
type task struct {
	Quiet    float64 // what a quiet look finds
	Subjects []string
	Pass     pass
}

// TestRegression compares the ratios of all subjects with those recorded for this kind of CPU, or records them: `make bench-check` and `make bench-record`.
// Where the linker puts a function is worth up to 20 %, for crypto/pbkdf2 as for kernels, so that each of its runs is a process of another layout.
func TestRegression(t *testing.T) {
	mode := os.Getenv(modeVariable)
	switch mode {
	case "":
		t.Skip("takes a machine that is quiet now and then: make bench-check")
	case "measure":
		measureAlone(t)
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
	measure := func(subjects []string, p pass) lap {
		best, left := lap{}, p.All
		for i := range layouts {
			layout++
			exe := buildLayout(t, layout)
			start := time.Now()
			best.add(measureLayout(t, exe, task{r.Quiet, subjects, pass{p.Pairs, p.Enough, p.Row, left / time.Duration(layouts-i)}}))
			left -= time.Since(start)
		}
		for _, name := range subjects {
			t.Logf("%-20s by layout %d: %v; recorded: %.3f", name, layout, best[name], r.Ratios[name])
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
		best := measure(names, recordPass)
		for _, name := range names {
			if best[name].Layouts == 0 {
				t.Fatalf("%s: %v", name, best[name])
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
	slower, undecided := regressions(all, r.Ratios, func(subjects []string, again bool) lap {
		if again {
			return measure(subjects, secondPass)
		}
		return measure(subjects, firstPass)
	})
	for _, s := range slower {
		t.Errorf("SLOWER: %s", s)
	}
	for _, s := range undecided {
		t.Logf("UNDECIDED: %s", s)
	}
	plantedSlower(t, r.Quiet)
	if len(undecided) > 0 && !t.Failed() {
		t.Skipf("%d of %d rows are UNDECIDED, named above: the core was hardly ever quiet. No other row is slower", len(undecided), len(all))
	}
}

// buildLayout builds this test with its functions elsewhere.
func buildLayout(t *testing.T, layout int) string {
	t.Helper()
	exe := filepath.Join(t.TempDir(), "layout")
	tags := ""
	if purego {
		tags = "purego"
	}
	if out, err := exec.Command("go", "test", "-c", "-tags", tags, fmt.Sprintf("-ldflags=-randlayout=%d", layout), "-o", exe, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return exe
}

// measureLayout measures in a process of such a build.
func measureLayout(t *testing.T, exe string, what task) (l lap) {
	t.Helper()
	text, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run=^TestRegression$", "-test.timeout=1h")
	cmd.Env = append(os.Environ(), modeVariable+"=measure", taskVariable+"="+string(text))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&l); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return l
}

// measureAlone is what such a process does: it prints a lap. Each subject may take an equal part of the time that is left.
func measureAlone(t *testing.T) {
	var what task
	if err := json.Unmarshal([]byte(os.Getenv(taskVariable)), &what); err != nil {
		t.Fatal(err)
	}
	all, l := subjects(), lap{}
	start := time.Now()
	for i, name := range what.Subjects {
		s := all[slices.IndexFunc(all, func(s subject) bool { return s.name == name })]
		p := what.Pass
		p.Row = min(p.Row, (p.All-time.Since(start))/time.Duration(len(what.Subjects)-i))
		l[name] = measureSubject(s, what.Quiet, p)
	}
	if err := json.NewEncoder(os.Stdout).Encode(l); err != nil {
		t.Fatal(err)
	}
}

// plantedSlower checks that the kernels for one chain are found slower than they have just been when they do an eighth more, and not when they don't. In one
// process crypto/pbkdf2 differs by up to 5 % from one measurement to the next: its time is the best of them, as it is the best of several processes elsewhere.
func plantedSlower(t *testing.T, quiet float64) {
	end := time.Now().Add(plantedPass.All)
	for i, v := range variants {
		k := *v.kernels().plans[0].kernels[0]
		same, slower := kernelSubject(v, k), kernelSubject(v, k)
		iterate := k.iterate
		k.iterate = func(state *uint64, n int) { iterate(state, n+n/8) }
		slower.ours = kernelSubject(v, k).ours
		same.name, slower.name = v.name, v.name+", planted"
		const most = 1 + 2 + 2 // measurements
		pass := plantedPass
		pass.Row = min(pass.Row, time.Until(end)/time.Duration(most*(len(variants)-i)))
		standard := math.Inf(1)
		measure := func(s subject) pace {
			p := measureSubject(s, quiet, pass)
			if p.Layouts > 0 {
				standard = min(standard, p.Standard)
				p.Standard = standard
				p.Layouts = layouts // this process is all of them here
			}
			return p
		}
		p := measure(same)
		if p.Layouts == 0 {
			t.Logf("%s: %v; nothing planted", v.name, p)
			continue
		}
		found, undecided := regressions([]subject{same, slower}, map[string]float64{same.name: p.ratio(), slower.name: p.ratio()},
			func(names []string, again bool) lap {
				l := lap{}
				pass.Pairs = firstPass.Pairs
				if again {
					pass.Pairs = plantedPass.Pairs
				}
				for _, s := range []subject{same, slower} {
					if slices.Contains(names, s.name) {
						l[s.name] = measure(s)
					}
				}
				return l
			})
		switch {
		case len(undecided) > 0:
			t.Logf("planted: UNDECIDED: %q", undecided)
		case len(found) != 1 || !strings.HasPrefix(found[0], slower.name):
			t.Errorf("%s: found %q of %.3f", slower.name, found, p.ratio())
		}
	}
}

// TestRegressions checks what is made of measurements.
func TestRegressions(t *testing.T) {
	recorded := map[string]float64{"recorded": 2, "recorded, not selected": 0.5}
	well := func(ratio float64) pace { return pace{100, 100 / ratio, layouts * 60, layouts} }
	some := func(layouts int, ratio float64) pace { return pace{100, 100 / ratio, layouts * 60, layouts} }
	few := pace{Pairs: 59} // quiet pairs, not enough of them in any layout
	none := pace{}
	for _, c := range []struct {
		name         string
		selected     bool
		first, again pace
		want         string
	}{
		{"recorded", true, well(2), none, ""},
		{"recorded", true, well(1.86), none, ""},
		{"recorded", true, some(1, 1.86), none, ""},
		{"recorded", true, well(1.84), well(1.86), ""},
		{"recorded", true, well(1.84), some(1, 1.86), ""},
		{"recorded", true, well(1.84), well(1.84), "slower"},
		{"recorded", true, well(1.84), some(layouts/2, 1.84), "slower"},
		{"recorded", true, well(1.84), some(layouts/2-1, 1.84), "undecided"},
		{"recorded", true, well(1.84), few, "undecided"},
		{"recorded", true, well(1.84), none, "undecided"},
		{"recorded", true, few, well(1.84), "slower"},
		{"recorded", true, few, some(1, 1.84), "undecided"},
		{"recorded", true, few, well(1.86), ""},
		{"recorded", true, few, few, "undecided"},
		{"recorded", true, none, well(1.84), "undecided"}, // not measured again
		{"recorded, not selected", false, well(0.47), none, ""},
		{"recorded, not selected", false, well(0.46), well(0.46), "slower"},
		{"selected", true, well(1), none, ""},
		{"selected", true, well(0.99), well(0.99), "slower"},
		{"neither", false, well(0.1), none, ""},
		{"neither", false, none, none, ""},
	} {
		measure := func(names []string, again bool) lap {
			l := lap{}
			for _, name := range names {
				switch {
				case again && (name == "other" || c.first == none):
					t.Errorf("%+v: %s is measured again without need", c, name)
				case name == "other":
					l[name] = well(3)
				case again:
					l[name] = c.again
				default:
					l[name] = c.first
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

// TestLap checks how laps are put together.
func TestLap(t *testing.T) {
	l := lap{}
	for _, other := range []lap{{"a": {Pairs: 3}}, {"a": {10, 6, 60, 1}}, {"a": {9, 7, 60, 1}, "b": {Pairs: 1}}, {"a": {Pairs: 5}}} {
		l.add(other)
	}
	if want := (pace{9, 6, 128, 2}); l["a"] != want || l["b"] != (pace{Pairs: 1}) {
		t.Errorf("%v, want %v", l, want)
	}
}
