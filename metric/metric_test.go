package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate/internal/declared"
)

// pairMeasures lists every measure of pair predictions, with its value on a hand-worked example and at perfection.
func pairMeasures() map[string]struct {
	f             func(p, y, w []float64) float64
	hand, perfect float64
} {
	// p = .8 .6 .3 .5, y = 1 0 0 ½, w = 1 1 2 1.
	ce := (-math.Log(.8) - math.Log(.4) - 2*math.Log(.7) - math.Log(.5)) / 5
	return map[string]struct {
		f             func(p, y, w []float64) float64
		hand, perfect float64
	}{
		"Accuracy":         {Accuracy, 3. / 4, 1},
		"CrossEntropy":     {CrossEntropy, ce, 0},
		"CrossEntropyBits": {CrossEntropyBits, ce / math.Ln2, 0},
		"Brier":            {Brier, (.04 + .36 + .18 + 0) / 5, 0},
		// Each in a bin of its own (widths 1/15: 12, 9, 4, 7): (.2 + .6 + 2·.3 + 0)/5.
		"ECE": {func(p, y, w []float64) float64 { return ECE(Reliability(p, y, w, Bins)) }, 1.4 / 5, 0},
	}
}

// rankMeasures lists every measure of a ranking by score against the truth (0, 1, 2, …).
func rankMeasures() map[string]func(truth, score []float64) float64 {
	relevant := func(truth []float64) []bool {
		r := make([]bool, len(truth))
		for i, t := range truth {
			r[i] = t > 0
		}
		return r
	}
	return map[string]func(truth, score []float64) float64{
		"KendallTauA":      KendallTauA,
		"KendallTauB":      KendallTauB,
		"NDCG":             func(truth, score []float64) float64 { return NDCG(truth, score, 0) },
		"AveragePrecision": func(truth, score []float64) float64 { return AveragePrecision(relevant(truth), score) },
		"MAP": func(truth, score []float64) float64 {
			return MAP([][]bool{relevant(truth), make([]bool, 3)}, [][]float64{score, make([]float64, 3)})
		},
	}
}

func TestEveryMeasureIsListed(t *testing.T) {
	listed := map[string]bool{"Reliability": true, "Alpha": true, "Wilson": true} // tested through ECE, and by hand
	for name := range pairMeasures() {
		listed[name] = true
	}
	for name := range rankMeasures() {
		listed[name] = true
	}
	for _, name := range declared.Functions(t) {
		if !listed[name] {
			t.Errorf("%s is in no table of measures", name)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("there is no measure %s", name)
	}
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(a)) }

func TestPairMeasures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var p, y, w []float64
	for range 500 {
		p = append(p, rng.Float64())
		y = append(y, float64(rng.IntN(3))/2)
		w = append(w, float64(rng.IntN(4)))
	}
	for name, m := range pairMeasures() {
		t.Run(name, func(t *testing.T) {
			if got := m.f([]float64{.8, .6, .3, .5}, []float64{1, 0, 0, .5}, []float64{1, 1, 2, 1}); !near(got, m.hand) {
				t.Errorf("by hand %v, got %v", m.hand, got)
			}
			if got := m.f([]float64{0, 1, 1}, []float64{0, 1, 1}, nil); got != m.perfect {
				t.Errorf("perfect predictions: %v, want %v", got, m.perfect)
			}
			if got := m.f(nil, nil, nil); !math.IsNaN(got) {
				t.Errorf("of nothing: %v", got)
			}
			want := m.f(p, y, w)
			swapP, swapY, double := make([]float64, len(p)), make([]float64, len(p)), make([]float64, len(p))
			var moreP, moreY []float64
			for k := range p {
				swapP[k], swapY[k], double[k] = 1-p[k], 1-y[k], 2*w[k]
				for range int(w[k]) {
					moreP, moreY = append(moreP, p[k]), append(moreY, y[k])
				}
			}
			if got := m.f(swapP, swapY, w); !near(got, want) {
				t.Errorf("swapping sides: %v, was %v", got, want)
			}
			if got := m.f(p, y, double); !near(got, want) {
				t.Errorf("doubling weights: %v, was %v", got, want)
			}
			if got := m.f(moreP, moreY, nil); !near(got, want) {
				t.Errorf("repeating votes: %v, with weights %v", got, want)
			}
			perm := rng.Perm(len(p))
			if got := m.f(pick(p, perm), pick(y, perm), pick(w, perm)); !near(got, want) {
				t.Errorf("another order: %v, was %v", got, want)
			}
			for _, bad := range [][3][]float64{{p, y[1:], nil}, {p, y, w[1:]}, {{2}, {0}, nil}, {{math.NaN()}, {0}, nil}, {{.5}, {0}, {-1}}} {
				if !panics(func() { m.f(bad[0], bad[1], bad[2]) }) {
					t.Errorf("took %v", bad)
				}
			}
		})
	}
}

func panics(f func()) (yes bool) {
	defer func() { yes = recover() != nil }()
	f()
	return false
}

func pick(x []float64, at []int) []float64 {
	s := make([]float64, len(at))
	for k, i := range at {
		s[k] = x[i]
	}
	return s
}

func TestSurprise(t *testing.T) {
	if got := CrossEntropy([]float64{0}, []float64{1}, nil); !math.IsInf(got, 1) {
		t.Errorf("the impossible came about: %v", got)
	}
	if got := CrossEntropy([]float64{0, .5}, []float64{1, 1}, []float64{0, 1}); !near(got, math.Ln2) {
		t.Errorf("a vote without weight counted: %v", got)
	}
	if got := CrossEntropy([]float64{1e-20}, []float64{0}, nil); got != 1e-20 {
		t.Errorf("a small surprise was lost: %v", got)
	}
}

func TestEvenOddsAreHalfRight(t *testing.T) {
	if got := Accuracy([]float64{.5, .5, .7}, []float64{1, 0, 1}, nil); !near(got, 2./3) {
		t.Errorf("accuracy %v, want 2/3", got)
	}
}

func TestReliability(t *testing.T) {
	curve := Reliability([]float64{0, .1, .49, .5, .9, 1}, []float64{0, 1, 1, 0, 1, 1}, []float64{1, 1, 2, 1, 1, 2}, 2)
	want := []Bin{{0, .5, 4, 1.08 / 4, .75}, {.5, 1, 4, 3.4 / 4, .75}}
	for k, b := range curve {
		v := want[k]
		if b.Lo != v.Lo || b.Hi != v.Hi || b.Weight != v.Weight || !near(b.Predicted, v.Predicted) || !near(b.Observed, v.Observed) {
			t.Errorf("bin %d: %+v, want %+v", k, b, v)
		}
	}
	if got := ECE(curve); !near(got, (.48+.1)/2) {
		t.Errorf("ECE %v", got)
	}
	empty := Reliability([]float64{.9}, []float64{1}, nil, Bins)[0]
	if empty.Weight != 0 || !math.IsNaN(empty.Predicted) || !math.IsNaN(empty.Observed) {
		t.Errorf("empty bin %+v", empty)
	}
}

func TestRankMeasures(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for name, f := range rankMeasures() {
		t.Run(name, func(t *testing.T) {
			for range 50 {
				n := 2 + rng.IntN(20)
				truth, score, cubed := make([]float64, n), make([]float64, n), make([]float64, n)
				for i := range n {
					truth[i], score[i] = float64(rng.IntN(3)), float64(rng.IntN(6)-3)
					cubed[i] = math.Pow(score[i], 3) + 7
				}
				truth[0], truth[1] = 0, 1
				score[0], score[1] = 2, -1
				cubed[0], cubed[1] = 15, 6
				want := f(truth, score)
				if math.IsNaN(want) || want < -1 || want > 1 {
					t.Fatalf("%v of %v, %v", want, truth, score)
				}
				perm := rng.Perm(n)
				if got := f(pick(truth, perm), pick(score, perm)); !near(got, want) {
					t.Fatalf("permuting items: %v, was %v", got, want)
				}
				if got := f(truth, cubed); !near(got, want) {
					t.Fatalf("stretching scores: %v, was %v", got, want)
				}
				if got := f(truth, truth); name != "KendallTauA" && !near(got, 1) {
					t.Fatalf("the true order: %v", got)
				}
			}
			if !panics(func() { f([]float64{1}, nil) }) {
				t.Error("took one item and no scores")
			}
		})
	}
}

// TestTiesAreAveraged compares measures on tied scores with their mean over all orders of the tied items.
func TestTiesAreAveraged(t *testing.T) {
	truth := []float64{1, 0, 1, 2, 0, 0}
	score := []float64{1, 2, 2, 2, 2, 3}
	for name, f := range rankMeasures() {
		if name == "KendallTauB" { // its denominator changes with ties
			continue
		}
		var sum, n float64
		for _, perm := range permutations(4) {
			broken := slices.Clone(score)
			for k, i := range []int{1, 2, 3, 4} {
				broken[i] += float64(perm[k]) / 10
			}
			sum += f(truth, broken)
			n++
		}
		if got := f(truth, score); !near(got, sum/n) {
			t.Errorf("%s: %v, mean over orders %v", name, got, sum/n)
		}
	}
}

func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for k := range n {
			all = append(all, slices.Insert(slices.Clone(p), k, n-1))
		}
	}
	return all
}

func TestKendallByHand(t *testing.T) {
	// Concordant: 12, 13, 14; discordant: 24; 23 is tied in x, 34 in y.
	x, y := []float64{1, 2, 2, 3}, []float64{1, 3, 2, 2}
	if got := KendallTauA(x, y); !near(got, 2./6) {
		t.Errorf("τ-a %v", got)
	}
	if got := KendallTauB(x, y); !near(got, 2./5) {
		t.Errorf("τ-b %v", got)
	}
	if got := KendallTauB(x, []float64{1, 1, 1, 1}); !math.IsNaN(got) {
		t.Errorf("τ-b against a constant %v", got)
	}
	if got := KendallTauA([]float64{1}, []float64{1}); !math.IsNaN(got) {
		t.Errorf("τ-a of one item %v", got)
	}
	if got := KendallTauA([]float64{1, math.NaN()}, []float64{1, 2}); !math.IsNaN(got) {
		t.Errorf("τ-a of NaN %v", got)
	}
}

// TestKendallCounts compares the fast count with every pair looked at.
func TestKendallCounts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 2 + rng.IntN(40)
		x, y := make([]float64, n), make([]float64, n)
		for i := range n {
			x[i], y[i] = float64(rng.IntN(8)), float64(rng.IntN(8))
		}
		var want pairs
		for i := range n {
			for j := range i {
				want.pairs++
				switch d := (x[i] - x[j]) * (y[i] - y[j]); {
				case d > 0:
					want.score++
				case d < 0:
					want.score--
				}
				if x[i] == x[j] {
					want.tiedX++
				}
				if y[i] == y[j] {
					want.tiedY++
				}
			}
		}
		if got := concordance(x, y); got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

func TestRetrievalByHand(t *testing.T) {
	// Order c a b d; gains 3 2 3 0.
	gain, score := []float64{2, 3, 3, 0}, []float64{.5, .4, .9, .1}
	got, best := 3+2/math.Log2(3)+3./2, 3+3/math.Log2(3)+2./2
	if x := NDCG(gain, score, 0); !near(x, got/best) {
		t.Errorf("NDCG %v, want %v", x, got/best)
	}
	if x := NDCG(gain, score, 2); !near(x, (3+2/math.Log2(3))/(3+3/math.Log2(3))) {
		t.Errorf("NDCG at 2: %v", x)
	}
	if x := NDCG([]float64{0, 0}, []float64{1, 2}, 0); !math.IsNaN(x) {
		t.Errorf("NDCG of nothing: %v", x)
	}
	// Relevant at ranks 1, 3, 4: (1 + 2/3 + 3/4)/3.
	if x := AveragePrecision([]bool{true, false, true, true}, []float64{4, 3, 2, 1}); !near(x, (1+2./3+.75)/3) {
		t.Errorf("average precision %v", x)
	}
	if x := AveragePrecision([]bool{false}, []float64{1}); !math.IsNaN(x) {
		t.Errorf("average precision of nothing: %v", x)
	}
	if x := MAP([][]bool{{true, false}, {true, false}, {false}}, [][]float64{{2, 1}, {1, 2}, {1}}); !near(x, .75) {
		t.Errorf("MAP %v", x)
	}
}

func BenchmarkKendall(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := make([]float64, 100_000), make([]float64, 100_000)
	for i := range x {
		x[i], y[i] = rng.Float64(), rng.Float64()
	}
	for b.Loop() {
		KendallTauB(x, y)
	}
}
