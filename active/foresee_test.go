package active

import (
	"math"
	"testing"

	"palate"
	"palate/model"
)

// A batch is that of a greedy choice which scores all pairs again after each.
func TestForesight(t *testing.T) {
	const n, k = 12, 20
	m := linked(t, n, 30, 3)
	for _, p := range Policies() {
		if _, ok := p.Strategy.(foreseer); !ok {
			continue
		}
		got := next(t, m, -1, k, &Options{Policy: p}, source(5))
		o := &Options{Policy: p}
		v, err := newView(t.Context(), m, -1, o, source(5))
		if err != nil {
			t.Fatal(err)
		}
		f, err := v.foresee(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		scorer, err := p.Strategy.start(t.Context(), v, source(5))
		if err != nil {
			t.Fatal(err)
		}
		s := &search{view: v, ctx: t.Context(), opt: o, rng: source(5), scorer: scorer, taken: Pairs{}}
		for at, pair := range got {
			best, i, j := math.Inf(-1), 0, 0
			for a := range n {
				for b := range a {
					if x := s.score(b, a); x > best && !s.taken.Has(a, b) {
						best, i, j = x, b, a
					}
				}
			}
			if min(pair.Left, pair.Right) != i || max(pair.Left, pair.Right) != j || math.Abs(pair.Score-best) > 1e-9 {
				t.Fatalf("%s: pair %d is %d, %d at %v, want %d, %d at %v", p.Name, at, pair.Left, pair.Right, pair.Score, i, j, best)
			}
			d, before := s.difference(i, j)
			f.answered(v, i, j, d, before)
			s.taken.Add(i, j)
			if _, after := s.difference(i, j); math.Abs(after-expectedVariance(d, before)) > 1e-9 {
				t.Errorf("%s: the variance %v becomes %v, want %v", p.Name, before, after, expectedVariance(d, before))
			}
		}
	}
}

// expectedVariance is that of x ~ N(d, v) after a vote, by the trapezium rule.
func expectedVariance(d, v float64) float64 {
	var z, m, s [2]float64
	for k := -800; k <= 800; k++ {
		x := d + math.Sqrt(v)*float64(k)/100
		w := math.Exp(-0.5 * float64(k*k) / 1e4)
		for y, p := range []float64{tail(-x), tail(x)} {
			z[y] += w * p
			m[y] += w * p * x
			s[y] += w * p * x * x
		}
	}
	var sum float64
	for y := range z {
		sum += s[y] - m[y]*m[y]/z[y]
	}
	return sum / (z[0] + z[1])
}

// An item of which little is known is in most pairs of a batch.
func TestNewcomerInBatch(t *testing.T) {
	b := palate.NewBuilder()
	rng := source(1)
	for range 4000 {
		i, j := rng.IntN(10), rng.IntN(9)
		if j >= i {
			j++
		}
		outcome := palate.Left // the first letters win more often
		if rng.Float64() > 0.5+0.05*float64(j-i) {
			outcome = palate.Right
		}
		if err := b.Say("", string(rune('a'+i)), string(rune('a'+j)), outcome); err != nil {
			t.Fatal(err)
		}
	}
	for k := range 8 {
		if err := b.Say("", "new", string(rune('a'+k)), palate.Outcome(k%2)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.FitSingle(t.Context(), d, nil)
	if err != nil {
		t.Fatal(err)
	}
	with := 0
	for _, p := range next(t, m, -1, 8, nil, rng) {
		if m.ItemID(p.Left) == "new" || m.ItemID(p.Right) == "new" {
			with++
		}
	}
	if with < 6 {
		t.Errorf("the new item is in %d of 8 pairs", with)
	}
}
