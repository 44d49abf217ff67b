package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/kernel"
)

// described are votes on items with features uniform on [0, 1], whose utilities are a function
// of them, in units of the noise of a vote.
func described(t *testing.T, items, dims, votes int, blocks []int, rng *rand.Rand, utility func(x []float64) float64) *palate.Dataset {
	t.Helper()
	b := palate.NewBuilder()
	f := &palate.Features{Rows: items, Cols: dims, Blocks: blocks}
	for k := range dims {
		f.Names = append(f.Names, fmt.Sprint("x", k))
	}
	for i := range items {
		b.Item(fmt.Sprint(i))
		for range dims {
			f.Data = append(f.Data, rng.Float64())
		}
	}
	b.SetItemFeatures(f)
	for range votes {
		l := rng.IntN(items)
		r := (l + 1 + rng.IntN(items-1)) % items
		if utility(f.Row(l))-utility(f.Row(r))+rng.NormFloat64() < 0 {
			l, r = r, l
		}
		if err := b.Add(palate.Vote{User: -1, Left: l, Right: r, Weight: 1, Unsided: true}); err != nil {
			t.Fatal(err)
		}
	}
	return built(t, b)
}

// The gradient in what is settled of a kernel is that of differences: each feature alone, and
// blocks that move together.
func TestSettledGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, blocks := range [][]int{nil, {1, 25, 2}} {
		dims := 3
		if blocks != nil {
			dims = 28
		}
		d := described(t, 12, dims, 60, blocks, rng, func(x []float64) float64 { return 2*x[0] + math.Sin(6*x[1]) })
		m := fit(t, d, nil)
		m.kernel = m.kernelOf(kernel.Matern32)
		s := m.newSearch(NoSides)
		s.rough = 0
		want := 1 + 3 + 1 + 1 // the scale, lengths, the line, what is the items' own
		if blocks != nil {
			want = 1 + (1 + 1 + 2) + 3 + 1 // the block of 25 in one
		}
		if len(s.params) != want {
			t.Fatalf("%d parameters, not %d", len(s.params), want)
		}
		x := s.first()
		for i := range x {
			x[i] += 0.3 * rng.NormFloat64()
		}
		checkGradient(t, s, x, 1e-3)
	}
}

// A linear truth is recovered: far from all items that were voted on, the fit goes on along it,
// and most of what features explain is linear.
func TestLinearTruth(t *testing.T) {
	utility := func(x []float64) float64 { return 4*x[0] - 3*x[1] }
	d := described(t, 60, 3, 800, nil, rand.New(rand.NewPCG(4, 1)), utility)
	single := fit(t, d, nil)
	m, err := single.Extend([]string{"good", "bad"}, mat.NewDense(2, 3, []float64{1.5, 1, 0.5, 1, 1.5, 0.5}))
	if err != nil {
		t.Fatal(err)
	}
	if p, truth := m.Prefer(-1, 60, 61), num.Phi(3.5); p < 0.97*truth {
		t.Errorf("beyond the items: %.3f, in truth %.3f", p, truth)
	}
	spec := kernel.SpecOf(single.Kernel())
	var shares []float64 // of the variance between items
	for _, term := range spec.Terms {
		k, err := kernel.FromSpec(term)
		if err != nil {
			t.Fatal(err)
		}
		n := single.x.Len()
		g := kernel.Gram(k, single.x)
		var diag, all float64
		for i := range n {
			diag += g.At(i, i) / float64(n)
			for j := range n {
				all += g.At(i, j) / float64(n*n)
			}
		}
		shares = append(shares, diag-all)
	}
	if shares[1] < 5*(shares[0]+shares[2]) {
		t.Errorf("shares of the shape, the line and the items %.3f", shares)
	}
}

// The shape is that of most evidence, found from either side: a wave is smooth and short, a jump
// is rough.
func TestSettledShape(t *testing.T) {
	for name, c := range map[string]struct {
		utility func(x []float64) float64
		shape   string
	}{
		"wave": {func(x []float64) float64 { return 2 * math.Sin(4*math.Pi*x[0]) }, "se"},
		"jump": {func(x []float64) float64 { return 2 * math.Copysign(1, x[0]-0.5) }, "matern32"},
	} {
		d := described(t, 80, 2, 1200, nil, rand.New(rand.NewPCG(5, 1)), c.utility)
		m := fit(t, d, nil)
		over := kernel.SpecOf(m.Kernel()).Terms[0].Terms[0]
		if over.Shape != c.shape {
			t.Errorf("%s: %s, not %s", name, over.Shape, c.shape)
		}
		if ell := over.Params; ell[0] > math.Log(0.4) || ell[1] < ell[0]+1 {
			t.Errorf("%s: log length-scales %.2f", name, ell)
		}
	}
}

// With few votes the fit is not surer of new items than it may be: over many worlds, of features
// that matter and of features that do not, chances of favourites are on average at most .05
// above the truth.
func TestFewVotesOfFeatures(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	const items, dims, votes, worlds = 12, 6, 20, 60
	for name, size := range map[string]float64{"relevant": 3, "irrelevant": 0} {
		var said, truth float64
		for seed := range uint64(worlds) {
			rng := rand.New(rand.NewPCG(seed, 6))
			utility := func(x []float64) float64 { return size * (x[0] + x[1]) }
			m := fit(t, described(t, items, dims, votes, nil, rng, utility), nil)
			fresh := mat.NewDense(10, dims, nil)
			names := make([]string, 10)
			for i := range names {
				names[i] = fmt.Sprint("new", i)
				for k := range dims {
					fresh.Set(i, k, rng.Float64())
				}
			}
			e, err := m.Extend(names, fresh)
			if err != nil {
				t.Fatal(err)
			}
			for i := range names {
				for j := range i {
					p, q := e.Prefer(-1, items+i, items+j), num.Phi(utility(fresh.RawRowView(i))-utility(fresh.RawRowView(j)))
					if p < 0.5 {
						p, q = 1-p, 1-q
					}
					said, truth = said+p, truth+q
				}
			}
		}
		const pairs = worlds * 45
		if over := (said - truth) / pairs; over > 0.05 {
			t.Errorf("%s: a favourite wins with %.3f, and it says %.3f", name, truth/pairs, said/pairs)
		}
	}
}
