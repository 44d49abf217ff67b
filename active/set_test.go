package active

import (
	"math"
	"slices"
	"testing"
)

func nextSet(t *testing.T, size int, o *Options, seed uint64) Set {
	t.Helper()
	s, err := NextSet(t.Context(), linked(t, 12, 20, 5), -1, size, o, source(seed))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNextSet: a set begins with the pair that Next names, no item is in it twice nor one
// that is out, and among its pairs there are such that may be asked while there are any.
func TestNextSet(t *testing.T) {
	m := linked(t, 12, 20, 5)
	known := slices.Repeat([]float64{1}, 12)
	known[3], known[8] = 0, 0
	for _, p := range Policies() {
		o := &Options{Policy: p, Familiarity: known}
		s := nextSet(t, 5, o, 1)
		first := next(t, m, -1, 1, o, source(1))[0]
		if s.Pair != first {
			t.Errorf("%s: begun with %+v, not %+v", p.Name, s.Pair, first)
		}
		items := slices.Sorted(slices.Values(s.Items))
		if len(slices.Compact(items)) != 5 || slices.Contains(items, 3) || slices.Contains(items, 8) || !slices.Contains(items, first.Left) || !slices.Contains(items, first.Right) {
			t.Errorf("%s: %v", p.Name, s.Items)
		}
	}
	if s := nextSet(t, 40, nil, 1); len(s.Items) != 12 {
		t.Errorf("%d of 12 items", len(s.Items))
	}
	seen := Pairs{} // all pairs but those of item 2
	for i := range 12 {
		for j := range i {
			if i != 2 && j != 2 {
				seen.Add(i, j)
			}
		}
	}
	s := nextSet(t, 3, &Options{Exclude: seen}, 1)
	if !slices.Contains(s.Items, 2) || len(s.Items) != 3 {
		t.Errorf("only pairs of item 2 are left, and the set is %v", s.Items)
	}
	for j := range 12 {
		if j != 2 {
			seen.Add(2, j)
		}
	}
	if s := nextSet(t, 3, &Options{Exclude: seen}, 1); s.Items != nil {
		t.Errorf("no pair is left, and the set is %v", s.Items)
	}
}

// TestSetIsWorthMost: the third item of a set is the one whose pairs with the first two have
// the largest gains together.
func TestSetIsWorthMost(t *testing.T) {
	m := linked(t, 12, 20, 5)
	s := nextSet(t, 3, nil, 1)
	gain := func(i, j int) float64 {
		var c [1]float64
		m.CovarianceTo(c[:], -1, i, []int{j})
		mi, vi := m.Utility(-1, i)
		mj, vj := m.Utility(-1, j)
		return Gain(mi-mj, vi+vj-2*c[0])
	}
	best, third := math.Inf(-1), -1
	for j := range 12 {
		if j == s.Pair.Left || j == s.Pair.Right {
			continue
		}
		if x := gain(s.Pair.Left, j) + gain(s.Pair.Right, j); x > best {
			best, third = x, j
		}
	}
	if !slices.Contains(s.Items, third) {
		t.Errorf("%v has not item %d, which is worth most beside %d and %d", s.Items, third, s.Pair.Left, s.Pair.Right)
	}
}

// TestSetsAreExplored: with Explore 1 every set is as likely.
func TestSetsAreExplored(t *testing.T) {
	m, rng, times := linked(t, 5, 20, 5), source(2), make([]int, 5)
	const draws = 2000
	for range draws {
		s, err := NextSet(t.Context(), m, -1, 3, &Options{Explore: 1}, rng)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range s.Items {
			times[i]++
		}
	}
	for i, n := range times {
		if math.Abs(float64(n)-0.6*draws) > 5*math.Sqrt(0.24*draws) {
			t.Errorf("item %d is in %d of %d sets", i, n, draws)
		}
	}
}
