package likelihood

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate/internal/num"
)

var drawNoise = math.Sqrt(0.5)

// chance is that of one order.
func chance(f []float64, margin float64, levels ...[]int) float64 {
	var log [1]float64
	NewOrders([][][]int{levels}, margin, drawNoise).LogProbs(log[:], f, &OrderRoom{})
	return math.Exp(log[0])
}

// permutations calls f with every order of items.
func permutations(items []int, f func([]int)) {
	var grow func(done, left []int)
	grow = func(done, left []int) {
		if len(left) == 0 {
			f(done)
		}
		for k, i := range left {
			grow(append(slices.Clip(done), i), slices.Delete(slices.Clone(left), k, k+1))
		}
	}
	grow(nil, items)
}

// ranked are levels of one item each.
func ranked(items []int) (levels [][]int) {
	for _, i := range items {
		levels = append(levels, []int{i})
	}
	return levels
}

// An order of two is a vote, orders of alike items are as many as they are, and what an order
// leaves open is the sum of the rankings that it allows.
func TestOrders(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	f := make([]float64, 6)
	for i := range f {
		f[i] = 1.2 * rng.NormFloat64()
	}
	near := func(what string, got, want, within float64) {
		t.Helper()
		if !(math.Abs(got-want) <= within*want) {
			t.Errorf("%s: chance %.9g, want %.9g", what, got, want)
		}
	}
	near("two", chance(f, 0, []int{0}, []int{1}), num.Phi(f[0]-f[1]), 1e-5)
	near("two with a margin", chance(f, 0.4, []int{0}, []int{1}), num.Phi(f[0]-f[1]-0.4), 1e-5)
	alike := make([]float64, 6)
	near("alike", chance(alike, 0, ranked([]int{3, 1, 2, 0, 4})...), 1.0/120, 3e-4)
	near("two of five are best", chance(alike, 0, []int{3, 1}, []int{2, 0, 4}), 1.0/10, 1e-5)
	var all float64
	permutations([]int{0, 1, 2, 3, 4}, func(o []int) { all += chance(f, 0, ranked(o)...) })
	near("all rankings of five", all, 1, 3e-5)
	for _, levels := range [][][]int{{{0}, {1, 2, 3, 4}}, {{4}, {1, 2}, {3}}, {{5}, {0, 2, 3}, {1}}, {{0, 1}, {2, 3}, {4}}, {{0}, {1}, {2, 3}, {4}, {5}}, {{2, 0, 5}, {1}, {4, 3}}} {
		var want float64
		var grow func(done []int, rest [][]int)
		grow = func(done []int, rest [][]int) {
			if len(rest) == 0 {
				want += chance(f, 0, ranked(done)...)
				return
			}
			permutations(rest[0], func(o []int) { grow(append(slices.Clip(done), o...), rest[1:]) })
		}
		grow(nil, levels)
		near("what is left open", chance(f, 0, levels...), want, 5e-3)
	}
}

// Chances are those of draws, with margins as without.
func TestOrdersOfDraws(t *testing.T) {
	f, levels := []float64{0.8, 0.3, 0, -0.4, -0.2}, [][]int{{0}, {2, 1}, {3}, {4}}
	for _, margin := range []float64{0, 0.25} {
		rng := rand.New(rand.NewPCG(2, 2))
		const draws = 400_000
		var held float64
		for range draws {
			most, in := math.Inf(1), true
			for _, items := range levels {
				least := math.Inf(1)
				for _, i := range items {
					u := f[i] + drawNoise*rng.NormFloat64()
					in, least = in && u < most, min(least, u-margin)
				}
				most = least
			}
			if in {
				held++
			}
		}
		p := held / draws
		if got := chance(f, margin, levels...); math.Abs(got-p) > 4*math.Sqrt(p/draws) {
			t.Errorf("margin %g: chance %.5f, of draws %.5f", margin, got, p)
		}
	}
}

// Long orders have a chance, however small, and one room serves grids of every size.
func TestLongOrders(t *testing.T) {
	const n = 50
	f, up, down := make([]float64, n), make([]int, n), make([]int, n)
	for i := range f {
		f[i], up[i], down[i] = 0.1*float64(i), i, n-1-i
	}
	var got, again [2]float64
	var room OrderRoom
	o := NewOrders([][][]int{ranked(up), ranked(down)}, 0, drawNoise)
	o.LogProbs(got[:], f, &room)
	o.LogProbs(again[:], make([]float64, n), &room)
	if o.LogProbs(again[:], f, &room); got != again || !(got[0] > -1000 && got[0] < got[1] && got[1] < 0) {
		t.Errorf("log chances %v, again %v", got, again)
	}
}
