package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
)

// ordered are answers about items, as levels of which all of one are above all of the next.
type ordered [][][]int

// tell draws answers of a kind about k of some items: rankings, choices of the best, the best and the worst, or two
// above the others.
func (a *ordered) tell(rng *rand.Rand, kind string, f []float64, k int) {
	items, u := rng.Perm(len(f))[:k], make([]float64, len(f))
	for _, i := range items {
		u[i] = f[i] + math.Sqrt(answerNoise)*rng.NormFloat64()
	}
	slices.SortFunc(items, func(x, y int) int { return int(math.Copysign(1, u[y]-u[x])) })
	var cuts []int
	switch kind {
	case "ranking":
		for i := 1; i < k; i++ {
			cuts = append(cuts, i)
		}
	case "choice":
		cuts = []int{1}
	case "best and worst":
		cuts = []int{1, k - 1}
	case "two of them":
		cuts = []int{2}
	}
	var levels [][]int
	lo := 0
	for _, hi := range append(cuts, k) {
		levels, lo = append(levels, items[lo:hi]), hi
	}
	*a = append(*a, levels)
}

// dataset has all pairs that follow from the answers.
func (a ordered) dataset(t *testing.T, items int) *palate.Dataset {
	b := palate.NewBuilder()
	for i := range items {
		b.Item(fmt.Sprintf("%02d", i))
	}
	for _, levels := range a {
		group := b.NewGroup()
		for j, above := range levels {
			for _, below := range levels[j+1:] {
				for _, x := range above {
					for _, y := range below {
						if err := b.Add(palate.Vote{User: -1, Left: x, Right: y, Outcome: palate.Left, Weight: 1, Group: group}); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
	}
	return built(t, b)
}

// sampled are means and deviations of standard normal utilities, less their mean, under the answers, by turns of
// drawing what every answer drew, within what the others allow, and the utilities given these (Gibbs).
func (a ordered) sampled(rng *rand.Rand, items, sweeps int) (mean, sd []float64) {
	u := make([][][]float64, len(a))
	count := make([]float64, items)
	for k, levels := range a {
		for j, of := range levels {
			u[k] = append(u[k], make([]float64, len(of)))
			for x, i := range of {
				count[i]++
				u[k][j][x] = 0.1 * float64(len(levels)-j)
			}
		}
	}
	f, pull := make([]float64, items), make([]float64, items)
	mean, sd = make([]float64, items), make([]float64, items)
	for sweep := range sweeps {
		clear(pull)
		for k, levels := range a {
			for j, of := range levels {
				lo, hi := math.Inf(-1), math.Inf(1)
				if j > 0 {
					hi = slices.Min(u[k][j-1])
				}
				if j < len(levels)-1 {
					lo = slices.Max(u[k][j+1])
				}
				for x, i := range of {
					u[k][j][x] = between(rng, f[i], math.Sqrt(answerNoise), lo, hi)
					pull[i] += u[k][j][x] / answerNoise
				}
			}
		}
		level := 0.0
		for i := range f {
			v := 1 / (1 + count[i]/answerNoise)
			f[i] = v*pull[i] + math.Sqrt(v)*rng.NormFloat64()
			level += f[i] / float64(items)
		}
		if sweep >= sweeps/50 {
			for i, x := range f {
				mean[i] += x - level
				sd[i] += (x - level) * (x - level)
			}
		}
	}
	kept := float64(sweeps - sweeps/50)
	for i := range f {
		mean[i] /= kept
		sd[i] = math.Sqrt(sd[i]/kept - mean[i]*mean[i])
	}
	return mean, sd
}

// between draws a normal between bounds.
func between(rng *rand.Rand, mean, sd, lo, hi float64) float64 {
	if lo > mean { // in the upper tail it is the mirror image
		return -between(rng, -mean, sd, -hi, -lo)
	}
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	a, b := phi((lo-mean)/sd), phi((hi-mean)/sd)
	x := mean - sd*math.Sqrt2*math.Erfcinv(2*(a+(b-a)*rng.Float64()))
	return min(max(x, lo), hi)
}

// Boards of answers are those of the true posterior: scores within 2 % of a deviation, and
// deviations within 2 %, of items that nearly always won or lost as of others.
func TestBoardsOfAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("samples for seconds")
	}
	const items = 6
	for _, c := range []struct {
		kind string
		k, n int
	}{{"ranking", 2, 20}, {"ranking", 4, 8}, {"choice", 4, 24}, {"best and worst", 4, 12}, {"two of them", 5, 12}, {"votes and choices", 4, 12}} {
		rng := rand.New(rand.NewPCG(4, 4))
		f := make([]float64, items)
		for i := range f {
			f[i] = rng.NormFloat64()
		}
		var a ordered
		for range c.n {
			if c.kind == "votes and choices" {
				a.tell(rng, "ranking", f, 2)
				a.tell(rng, "choice", f, c.k)
				continue
			}
			a.tell(rng, c.kind, f, c.k)
		}
		m := fit(t, a.dataset(t, items), &Options{Whole: true, Scale: 1, Tolerance: 1e-10})
		d, err := m.Draws(t.Context(), -1, 50_000, rng)
		if err != nil {
			t.Fatal(err)
		}
		if !d.Mended {
			t.Fatalf("%s: draws are not weighed", c.kind)
		}
		mean, sd := a.sampled(rng, items, 200_000)
		got, square := make([]float64, items), make([]float64, items)
		for k, w := range d.Weight {
			u, level := d.F.RawRowView(k), 0.0
			for _, x := range u {
				level += x / items
			}
			for i, x := range u {
				got[i] += w * (x - level)
				square[i] += w * (x - level) * (x - level)
			}
		}
		for i := range items {
			own := math.Sqrt(square[i] - got[i]*got[i])
			off, wide := (got[i]-mean[i])/sd[i], own/sd[i]-1
			if t.Logf("%s of %d: item %d is off by %.3f, its deviation by %.3f", c.kind, c.k, i, off, wide); math.Abs(off) > 0.02 || math.Abs(wide) > 0.02 {
				t.Errorf("%s of %d: item %d is %.4f ± %.4f, sampled %.4f ± %.4f", c.kind, c.k, i, got[i], own, mean[i], sd[i])
			}
		}
	}
}

// Draws are weighed where the scale is learnt, of answers and votes together, and stay as the
// Gaussian has them where answers have ties, or are too many.
func TestDrawsOfAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	f := []float64{1, 0.5, 0, -0.5, -1, 0.2}
	var a ordered
	for k := range 30 {
		a.tell(rng, "ranking", f, 2+k%3)
	}
	tied := electorate{items: 6, users: 30, answers: 1, ties: true}.draw(t)
	var many ordered
	for range 1000 {
		many.tell(rng, "best and worst", make([]float64, 12), 6)
	}
	for _, c := range []struct {
		name string
		d    *palate.Dataset
		want bool
	}{{"answers and votes", a.dataset(t, 6), true}, {"ties", tied, false}, {"many", many.dataset(t, 12), false}} {
		m := fit(t, c.d, &Options{Whole: true})
		if m.obs.answer == nil || m.obs.group != nil {
			t.Fatalf("%s: no answers, or voters are told apart", c.name)
		}
		d, err := m.Draws(t.Context(), -1, 2000, rng)
		if err != nil {
			t.Fatal(err)
		}
		if d.Mended != c.want {
			t.Errorf("%s: weighed %v, effective size %.0f", c.name, d.Mended, d.ESS)
		}
	}
}
