package worlds

import (
	"math/rand/v2"
	"testing"

	"palate/check"
)

// checked counts what a check finds in so many drawings of a world, by kind; those with any
// finding are under "".
func checked(t *testing.T, w World, drawings int) map[string]int {
	t.Helper()
	count := map[string]int{}
	for k := range drawings {
		d, err := w.Draw(t.Context(), rand.New(rand.NewPCG(uint64(k), 31)))
		if err != nil {
			t.Fatal(err)
		}
		found, err := check.Assumptions(t.Context(), d.Votes, func(int) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			count[f.Kind]++
		}
		if len(found) > 0 {
			count[""]++
		}
	}
	return count
}

// TestCheckFinds: a check finds what is wrong with a world, nearly always, and seldom
// something else. How often exactly is for go run ./lab reproduce worlds --model check.
func TestCheckFinds(t *testing.T) {
	const drawings = 12
	wrong := map[string][]string{
		"voters/20x30-taste1":     {check.Tastes},
		"voters/5x200":            {check.Tastes},
		"voters/5x200-remembered": {check.Tastes, check.Repeats},
		"voters/10x12-repeated":   {check.Repeats},
		"sides/two-thirds":        {check.Sides},
		"drift":                   {check.Drift},
		"cycles/wheel":            {check.Circles},
		"cycles/three":            {check.Circles},
	}
	tried, others := 0, 0
	for _, w := range Boards() {
		kinds := wrong[w.Name]
		if kinds == nil {
			continue
		}
		tried++
		count := checked(t, w, drawings)
		for _, kind := range kinds {
			if count[kind] < drawings*4/5 {
				t.Errorf("%s: %s in %d of %d drawings", w.Name, kind, count[kind], drawings)
			}
			delete(count, kind)
		}
		delete(count, "")
		for _, k := range count {
			others += k
		}
	}
	if tried != len(wrong) {
		t.Errorf("%d of %d worlds are there", tried, len(wrong))
	}
	if most := tried * drawings / 10; others > most {
		t.Errorf("%d findings of other kinds; %d would do", others, most)
	}
}

// TestCheckIsSilent: of worlds with nothing wrong no more than one in twenty drawings has
// a finding, but for luck.
func TestCheckIsSilent(t *testing.T) {
	const drawings = 5
	tried, alarms := 0, 0
	for _, w := range Boards() {
		if !w.Clean || w.Set == "adaptive" { // those take fits
			continue
		}
		alarms += checked(t, w, drawings)[""]
		tried += drawings
	}
	// The chance of more than twice the expected number is below a thousandth.
	if most := tried / 10; alarms > most || tried < 200 {
		t.Errorf("%d alarms in %d drawings", alarms, tried)
	} else {
		t.Logf("%d alarms in %d drawings", alarms, tried)
	}
}
