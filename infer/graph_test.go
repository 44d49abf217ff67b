package infer

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/likelihood"
)

// design says which items meet.
type design struct {
	name  string
	items int
	rows  int
	pair  func(rng *rand.Rand, n int) (a, b int)
	sd    float64 // of utilities
	exact bool    // there are no loops
}

func random(rng *rand.Rand, n int) (a, b int) { return rng.IntN(n), rng.IntN(n) }

var designs = []design{
	{"random", 300, 2400, random, 1, false},
	{"few items, many votes", 6, 400, random, 1, false},
	{"two items", 2, 30, random, 1, true},
	{"tree", 200, 600, func(rng *rand.Rand, n int) (a, b int) { a = 1 + rng.IntN(n-1); return a / 3, a }, 1, true},
	{"line", 300, 2400, func(rng *rand.Rand, n int) (a, b int) {
		a = rng.IntN(n)
		return a, min(max(a+int(math.Round(4*rng.NormFloat64())), 0), n-1)
	}, 1, false},
	{"hubs", 300, 2400, func(rng *rand.Rand, n int) (a, b int) {
		if a, b = rng.IntN(n), int(float64(n)*math.Pow(rng.Float64(), 4)); rng.IntN(5) == 0 {
			b = rng.IntN(5)
		}
		return a, b
	}, 1, false},
	{"clusters", 300, 2400, func(rng *rand.Rand, n int) (a, b int) {
		g := n / 10
		at := g * rng.IntN(10)
		if a, b = at+rng.IntN(g), at+rng.IntN(g); rng.IntN(100) == 0 {
			b = rng.IntN(n)
		}
		return a, b
	}, 1, false},
	{"components, items without votes", 300, 1200, func(rng *rand.Rand, n int) (a, b int) {
		at := rng.IntN(5) * 50
		return at + rng.IntN(40), at + rng.IntN(40)
	}, 1, false},
	{"far apart", 300, 2400, random, 8, false},
	{"separable", 60, 600, random, 200, false},
}

// problem draws votes: wins and ties with a margin, some rows counted several times and
// some by half.
func (d design) problem(seed uint64) *Problem {
	rng := rand.New(rand.NewPCG(seed, 9))
	f := make([]float64, d.items)
	for i := range f {
		f[i] = d.sd * rng.NormFloat64()
	}
	p := &Problem{Rows: &gp.Rows{}, Scale: 1 / (d.sd * d.sd)}
	const margin = 0.2
	for p.Rows.Len() < d.rows {
		a, b := d.pair(rng, d.items)
		if a == b {
			continue
		}
		var l likelihood.Scalar = likelihood.Probit{Offset: margin}
		switch z := f[a] - f[b] + rng.NormFloat64(); {
		case z < -margin:
			a, b = b, a
		case z < margin:
			l = likelihood.Tie{Threshold: margin}
		}
		if rng.IntN(50) == 0 {
			l = likelihood.Raised(l, 0.5)
		}
		p.Rows.AppendPair(a, b)
		p.Likelihood = append(p.Likelihood, l)
		p.Count = append(p.Count, float64(1+rng.IntN(8)/7*3))
	}
	return p
}

// figures are what two runs of the same items are compared by: means in deviations,
// deviations of items and of compared pairs as shares, and nats.
type figures struct{ mean, sd, pair, evidence float64 }

func compare(got, want *Result, n int, rows *gp.Rows) (f figures) {
	worst := func(rows *gp.Rows) (mean, sd float64) {
		m, v := want.Posterior.Forms(rows)
		gm, gv := got.Posterior.Forms(rows)
		for i := range m {
			mean, sd = math.Max(mean, math.Abs(gm[i]-m[i])/math.Sqrt(v[i])), math.Max(sd, math.Abs(math.Sqrt(gv[i]/v[i])-1))
		}
		return mean, sd
	}
	f.mean, f.sd = worst(gp.Units(n))
	_, f.pair = worst(rows)
	f.evidence = math.Abs(got.Objective - want.Objective)
	return f
}

func (f figures) within(t *testing.T, limit figures) {
	t.Helper()
	if !(f.mean <= limit.mean && f.sd <= limit.sd && f.pair <= limit.pair && f.evidence <= limit.evidence) {
		t.Errorf("off by %+v, allowed %+v", f, limit)
	}
}

// On the graph of comparisons EP ends where it does with dense matrices, whatever the
// graph is like: means, deviations, evidence and its slope in the scale.
func TestGraphIsDense(t *testing.T) {
	for _, d := range designs {
		t.Run(d.name, func(t *testing.T) {
			p := d.problem(1)
			dense := *p
			dense.Prior, p.Prior = gp.White(d.items), gp.White(d.items).Own()
			want := run(t, &dense, Settings{Tolerance: 1e-9})
			got := run(t, p, Settings{Tolerance: 1e-9})
			if got.Status != Converged {
				t.Errorf("%v after %d sweeps, change %g", got.Status, got.Stats.Sweeps, got.Stats.Change)
			}
			compare(got, want, d.items, p.Rows).within(t, figures{1e-5, 1e-5, 1e-5, 1e-5})
			slope := -dense.Prior.LogScale(want.Sensitivity(), nil)
			near(t, "slope", -p.Prior.LogScale(got.Sensitivity(), nil), slope, 1e-4)
			t.Logf("%d sweeps, %+v", got.Stats.Sweeps, compare(got, want, d.items, p.Rows))
		})
	}
}

// Without an inverse, as with many items, belief propagation and the constants are
// exact where no loops are, and else as near as loops are long: so far are means, items' and
// pairs' deviations at most, and the slope in the scale.
func TestGraphWithoutInverse(t *testing.T) {
	allowed := map[string]struct{ mean, item, pair, slope float64 }{
		"random":                          {0.003, 0.01, 0.04, 0.02},
		"few items, many votes":           {0.01, 0.02, 0.1, 0.01},
		"two items":                       {1e-7, 1e-7, 1e-7, 1e-6},
		"tree":                            {1e-7, 1e-7, 1e-7, 1e-6},
		"line":                            {0.03, 0.25, 0.15, 4},
		"hubs":                            {0.003, 0.06, 0.05, 0.02},
		"clusters":                        {0.02, 0.25, 0.15, 4},
		"components, items without votes": {0.01, 0.04, 0.08, 0.02},
		"far apart":                       {0.1, 0.1, 0.2, 0.5},
		"separable":                       {0.2, 0.1, 0.3, 0.05},
	}
	for _, d := range designs {
		t.Run(d.name, func(t *testing.T) {
			p := d.problem(2)
			dense := *p
			dense.Prior, p.Prior = gp.White(d.items), gp.White(d.items).Own()
			want := run(t, &dense, Settings{})
			g, err := NewGraph(p, Settings{})
			if err != nil {
				t.Fatal(err)
			}
			if done, err := g.Settle(t.Context(), 1e-8); err != nil || !done {
				t.Fatal(done, err)
			}
			is, limit := allowed[d.name], allowed[d.name]
			is.mean, is.item, is.pair = 0, 0, 0
			m, v := want.Posterior.Forms(p.Rows)
			for k, x := range g.pairs.Pairs() {
				r := int(g.pairs.RowsOf(k)[0])
				gm, gv := g.marginal(k)
				c := g.e.side(r, x)
				is.mean, is.pair = max(is.mean, math.Abs(c*gm-m[r])/math.Sqrt(v[r])), max(is.pair, math.Abs(math.Sqrt(gv/v[r])-1))
			}
			_, v = want.Posterior.Forms(gp.Units(d.items))
			for i, v := range v {
				is.item = max(is.item, math.Abs(math.Sqrt(g.variance(i)/v)-1))
			}
			slope, _ := g.Slope()
			is.slope = math.Abs(slope + dense.Prior.LogScale(want.Sensitivity(), nil))
			if !(is.mean <= limit.mean && is.item <= limit.item && is.pair <= limit.pair && is.slope <= limit.slope) {
				t.Errorf("off by %+v, allowed %+v", is, limit)
			}
		})
	}
}

// The number of goroutines does not change a bit, and the order of rows no more than rounding.
func TestGraphIsReproducible(t *testing.T) {
	d := designs[0]
	at := func(procs int, order []int) *Result {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		p := d.problem(3)
		p.Prior = gp.White(d.items).Own()
		if order != nil {
			q := &Problem{Prior: p.Prior, Rows: p.Rows.Select(order), Scale: p.Scale}
			for _, r := range order {
				q.Likelihood, q.Count = append(q.Likelihood, p.Likelihood[r]), append(q.Count, p.Count[r])
			}
			p = q
		}
		return run(t, p, Settings{Tolerance: 1e-6})
	}
	want := at(1, nil).Posterior.Utilities()
	for i, m := range at(4, nil).Posterior.Utilities() {
		if m != want[i] {
			t.Fatalf("item %d is at %v on one processor, at %v on four", i, want[i], m)
		}
	}
	// The rows of one pair are then in another order, which is all that differs.
	order := rand.New(rand.NewPCG(1, 1)).Perm(d.rows)
	for i, m := range at(1, order).Posterior.Utilities() {
		if math.Abs(m-want[i]) > 1e-12 {
			t.Fatalf("item %d is at %v, with rows in another order at %v", i, want[i], m)
		}
	}
}

// What groups of rows have beside the utilities they share, tastes and answers that they repeat,
// is as under the dense prior of every row's own form.
func TestGraphGroups(t *testing.T) {
	const n, voters, each, s = 12, 10, 25, 0.7
	for _, c := range []struct{ own, repeat float64 }{{0.6, 0}, {0, 0.4}, {0.5, 0.3}} {
		rng := rand.New(rand.NewPCG(5, 5))
		p := &Problem{Rows: &gp.Rows{}, Scale: s, Prior: gp.White(n).Own()}
		var group []int
		for v := range voters {
			for range each {
				a := rng.IntN(n)
				b := (a + 1 + rng.IntN(n-1)) % n
				p.Rows.AppendPair(a, b)
				p.Likelihood, p.Count = append(p.Likelihood, likelihood.Probit{}), append(p.Count, float64(1+rng.IntN(2)))
				group = append(group, v-1) // the first have none
			}
		}
		// The forms of the rows themselves are the coordinates, the items come after.
		rows := p.Rows.Len()
		k := mat.NewSymDense(rows+n, nil)
		for r := range rows {
			a, _ := p.Rows.Row(r)
			for q := range r + 1 {
				b, _ := p.Rows.Row(q)
				v := 1 / s
				same := group[r] == group[q] && group[r] >= 0
				if same {
					v += c.own
				}
				var x float64
				for i, sign := range []float64{1, -1} {
					for j, other := range []float64{1, -1} {
						if a[i] == b[j] {
							x += sign * other * v
						}
					}
				}
				if same && a[0] == b[0] && a[1] == b[1] {
					x += c.repeat
				}
				if same && a[0] == b[1] && a[1] == b[0] {
					x -= c.repeat
				}
				k.SetSym(r, q, x)
			}
			k.SetSym(rows+a[0], r, 1/s)
			k.SetSym(rows+a[1], r, -1/s)
		}
		for i := range n {
			k.SetSym(rows+i, rows+i, 1/s)
		}
		dense := &Problem{Rows: &gp.Rows{}, Likelihood: p.Likelihood, Count: p.Count, Scale: 1}
		for r := range rows {
			dense.Rows.AppendUnit(r)
		}
		var err error
		if dense.Prior, err = gp.Covariance(k); err != nil {
			t.Fatal(err)
		}
		want := run(t, dense, Settings{})
		p.Effects = &Effects{Group: group, Own: 1.3 * c.own, Repeat: 0.8 * c.repeat}
		g, err := NewGraph(p, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Settle(t.Context(), 1e-3); err != nil {
			t.Fatal(err)
		}
		at := func(own, repeat float64) *Result {
			moved := *p
			moved.Effects = &Effects{Group: group, Own: own, Repeat: repeat}
			g.Set(&moved)
			r, err := g.Finish(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			again := *r
			return &again
		}
		const h = 1e-3
		up, down := at(c.own*math.Exp(h), c.repeat), at(c.own*math.Exp(-h), c.repeat)
		got := at(c.own, c.repeat)
		slope, _ := g.OwnSlope()
		near(t, "slope in the variances", slope, (up.Objective-down.Objective)/(2*h), 1e-4)
		if got.Status != Converged {
			t.Error(got.Status)
		}
		var items gp.Rows
		for i := range n {
			items.AppendUnit(rows + i)
		}
		m, v := want.Posterior.Forms(&items)
		gm, gv := got.Posterior.Forms(gp.Units(n))
		for i := range m {
			near(t, "mean", (gm[i]-m[i])/math.Sqrt(v[i]), 0, 1e-4)
			near(t, "deviation", math.Sqrt(gv[i]/v[i]), 1, 1e-4)
		}
		near(t, "evidence", got.Objective, want.Objective, 1e-5)
	}
}
