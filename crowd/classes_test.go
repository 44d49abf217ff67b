package crowd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
	"palate/gp"
)

// crowdOf makes up votes of voters who differ in care and in how readily they
// call a tie.
func crowdOf(seed uint64, voters, items, each int, slope, margin func(u int) float64) []palate.Tally {
	rng := rand.New(rand.NewPCG(seed, 7))
	f := make([]float64, items)
	for i := range f {
		f[i] = 1.5 * rng.NormFloat64()
	}
	var out []palate.Tally
	for u := range voters {
		seen := map[[2]int]bool{}
		for range each {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			z := slope(u)*(f[a]-f[b]) + rng.NormFloat64()
			tie := math.Abs(z) < margin(u)
			if z < 0 && !tie || tie && a > b {
				a, b = b, a
			}
			if !seen[[2]int{a, b}] {
				out = append(out, palate.Tally{User: u, A: a, B: b, Tie: tie, Weight: 1})
			}
			seen[[2]int{a, b}] = true
		}
	}
	return out
}

func fixed(x float64) func(int) float64 { return func(int) float64 { return x } }

// One class of slope 1 is none.
func TestOneClass(t *testing.T) {
	const items = 8
	v := mustVotes(t, items, crowdOf(1, 14, items, 9, fixed(1), fixed(0.4)))
	o := Options{Factors: 1, Threshold: 0.4, MaxSweeps: 5}
	plain := mustFit(t, v, gp.White(items), &o)
	e := newEngine(v, gp.White(items), &o).blank()
	e.classes = (&classes{slope: []float64{1}, margin: []float64{1}, share: []float64{1}}).ofNewVoters(v.Voters())
	one := &Learnt{engine: e, Threshold: 0.4}
	one.setThreshold(0.4)
	one.begin()
	one.learn(t.Context(), &Options{Threshold: 0.4, MaxSweeps: 5})
	for k, b := range plain.Trace {
		if math.Abs(b-one.Trace[k]) > 1e-9*math.Abs(b) {
			t.Errorf("sweep %d: bound %.12g with one class, %.12g without", k, one.Trace[k], b)
		}
	}
}

// Careless voters and those who call many ties are found out.
func TestClassesFound(t *testing.T) {
	const items, voters = 12, 60
	careless := func(u int) bool { return u%3 == 0 }
	ready := func(u int) bool { return u%2 == 0 }
	tallies := crowdOf(2, voters, items, 40, func(u int) float64 {
		if careless(u) {
			return 0.1
		}
		return 1.5
	}, func(u int) float64 {
		if ready(u) {
			return 1.2
		}
		return 0.1
	})
	v := mustVotes(t, items, tallies)
	o := &Options{Reliability: true, Habits: true, Factors: -1, NoOwn: true}
	l := mustFit(t, v, gp.White(items), o)
	without := mustFit(t, v, gp.White(items), &Options{Factors: -1, NoOwn: true})
	if a, b := l.Trace[len(l.Trace)-1], without.Trace[len(without.Trace)-1]; a < b+20 {
		t.Errorf("bound %.1f with classes, %.1f without", a, b)
	}
	wrong := 0
	for u := range voters {
		var slope, margin float64
		for _, c := range l.Classes(u) {
			slope += c.Share * c.Slope
			margin += c.Share * c.Margin
		}
		if (slope < 0.6) != careless(u) || (margin > 0.6) != ready(u) {
			wrong++
		}
	}
	if wrong > 3 {
		t.Errorf("%d of %d voters in a wrong class", wrong, voters)
	}
}

// Shares are where their evidence is highest: a class that no voter is best
// explained by has none, and has one again once votes call for it.
func TestShares(t *testing.T) {
	const voters, n = 40, 3
	k := (&classes{slope: make([]float64, n), margin: make([]float64, n), share: []float64{0.4, 0.3, 0.3}}).ofNewVoters(voters)
	for u := range voters {
		k.told[n*u+u%2*2] = 2 // half of the voters look like class 0, half like class 2
		k.told[n*u+1] = -0.1
	}
	best := func() {
		t.Helper()
		k.updateShares()
		rel := slices.Clone(k.told)
		for i, x := range rel {
			rel[i] = math.Exp(x)
		}
		_, gain := assess(k.share, rel)
		for c, x := range k.share { // what EM would multiply a share by: 1, or less where there is none
			if gain[c] > 1+1e-3 || x > 0 && gain[c] < 1-1e-3 {
				t.Errorf("class %d: share %v to be multiplied by %v", c, x, gain[c])
			}
		}
	}
	best()
	if k.share[1] != 0 || k.voter(1)[1] != 0 {
		t.Errorf("shares %v", k.share)
	}
	for u := range voters / 2 {
		k.told[n*u+1] = 4
	}
	best()
	if k.share[1] < 0.5 {
		t.Errorf("shares %v", k.share)
	}
}
