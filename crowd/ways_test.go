package crowd

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/kernel"
)

// A way is a setting of Options under which the laws hold, with votes that it makes
// sense for. A new option is one more row of ways.
type way struct {
	name     string
	linear   bool // only on weights that have a meaning each
	ties     bool
	weighted bool // some votes count for more than one, and not for whole ones
	unknown  bool // some votes are of nobody known
	apart    bool // even items are not compared with odd ones
	options  Options
}

func ways() []way {
	batches := &Stochastic{Batch: 6, Passes: 4, Seed: 1}
	return []way{
		{name: "factors", options: Options{Factors: 3, NoOwn: true}},
		{name: "own tastes", options: Options{Factors: -1}},
		{name: "both", options: Options{Factors: 3}},
		{name: "idle factors", options: Options{Factors: 4, KeepFactors: true}},
		{name: "ties", ties: true, options: Options{Factors: 2}},
		{name: "threshold", ties: true, options: Options{Factors: 2, Threshold: 0.4}},
		{name: "weighted", weighted: true, options: Options{Factors: 2}},
		{name: "unknown voters", unknown: true, options: Options{Factors: 2}},
		{name: "nuggets", options: Options{Factors: 2, Nugget: true}},
		{name: "nuggets apart from each other", options: Options{Factors: 2, Nugget: true, mostTogether: 1}},
		{name: "blocks", linear: true, options: Options{Factors: 2, Nugget: true, Blocks: []int{1, 1}}},
		{name: "blocks apart", linear: true, apart: true, options: Options{Factors: 2, Nugget: true, Blocks: []int{1, 1}}},
		{name: "reliability", options: Options{Factors: 2, Reliability: true}},
		{name: "habits", ties: true, options: Options{Factors: 2, Habits: true}},
		{name: "features", options: Options{Factors: 2, About: &About{}}},
		{name: "groups", options: Options{Factors: 2, NoOwn: true, About: &About{Groups: []int{0, 1, 1}}}},
		{name: "by the bound", options: Options{Factors: 3, ByBound: true}},
		{name: "batches", options: Options{Factors: 2, Stochastic: batches}},
		{name: "nuggets of classes", ties: true, options: Options{Factors: -1, NoOwn: true, Nugget: true, Reliability: true, Habits: true}},
		{name: "features of classes", ties: true, options: Options{Factors: 2, NoOwn: true, About: &About{}, Reliability: true, Habits: true}},
		{name: "all", linear: true, ties: true, weighted: true, unknown: true,
			options: Options{Factors: 2, Nugget: true, Blocks: []int{1, 1}, Reliability: true, Habits: true, About: &About{Groups: []int{0, 1, 1}}}},
		{name: "all in batches", ties: true, weighted: true, unknown: true,
			options: Options{Factors: 2, Reliability: true, Habits: true, About: &About{}, Stochastic: batches}},
	}
}

// Every option is in a row, those apart which say how to get there and not where;
// how wide priors are is set by the laws.
func TestWays(t *testing.T) {
	elsewhere := []string{"Tolerance", "MaxSweeps", "Gradient", "Progress", "ConsensusScale", "FactorScale", "OwnScale"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Options]()) {
		if slices.Contains(elsewhere, f.Name) {
			continue
		}
		if !slices.ContainsFunc(ways(), func(w way) bool { return !reflect.ValueOf(w.options).FieldByIndex(f.Index).IsZero() }) {
			t.Errorf("no laws of Options.%s: it wants a row", f.Name)
		}
	}
}

// each runs a law under every way and kind of prior, which is made for items with
// given features.
func each(t *testing.T, law func(t *testing.T, w way, prior func(x *mat.Dense) *gp.Prior)) {
	t.Helper()
	for _, w := range ways() {
		kinds := []string{"white", "dense", "inducing"}
		if w.linear {
			kinds = []string{"linear"}
		}
		for _, kind := range kinds {
			t.Run(w.name+"/"+kind, func(t *testing.T) {
				law(t, w, func(x *mat.Dense) *gp.Prior { return priorOf(t, kind, x) })
			})
		}
	}
}

// world makes up votes of voters with two tastes; where the way can tell, some
// are careless and some call ties readily. The first of three features tells of the
// second taste.
func (w way) world(seed uint64, voters, items, votes int) ([]palate.Tally, Options) {
	rng := rand.New(rand.NewPCG(seed, 1))
	t, v := make([]float64, items), make([]float64, items)
	for i := range t {
		t[i], v[i] = rng.NormFloat64(), 1.5*rng.NormFloat64()
	}
	known := rand.New(rand.NewPCG(seed, 2))
	x := mat.NewDense(voters, 3, nil)
	var out []palate.Tally
	for u := range voters {
		taste, noise, margin := rng.NormFloat64(), 1.0, 0.5
		x.SetRow(u, []float64{taste + 0.3*known.NormFloat64(), known.NormFloat64(), known.NormFloat64()})
		if w.options.Reliability {
			noise += 2 * float64(u%3/2)
		}
		if w.options.Habits {
			margin += 0.3 * float64(1-u%2*2)
		}
		seen := map[[2]int]bool{}
		for k := range votes {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			for w.apart && (a-b)%2 != 0 {
				b = (a + 1 + rng.IntN(items-1)) % items
			}
			z := t[a] - t[b] + taste*(v[a]-v[b]) + noise*rng.NormFloat64()
			tie := w.ties && (math.Abs(z) < margin || u == 0 && k == 0) // there is one
			if !tie && z < 0 || tie && a > b {
				a, b = b, a
			}
			if seen[[2]int{a, b}] {
				continue
			}
			seen[[2]int{a, b}] = true
			y := palate.Tally{User: u, A: a, B: b, Tie: tie, Weight: 1}
			if w.weighted {
				y.Weight = 1 + float64(k%2)
				if k == 0 && u < 2 {
					y.Weight = 1.5
				}
			}
			if w.unknown && u == voters-1 {
				y.User = -1
			}
			out = append(out, y)
		}
	}
	o := w.options
	if o.About != nil {
		about := *o.About
		about.Features = centred(x)
		o.About = &about
	}
	return out, o
}

func centred(x *mat.Dense) *mat.Dense {
	n, cols := x.Dims()
	for k := range cols {
		col := mat.Col(nil, k, x)
		mean := total(col) / float64(n)
		for i, v := range col {
			x.Set(i, k, v-mean)
		}
	}
	return x
}

// renamed gives items and voters other numbers, and takes features along.
func renamed(tallies []palate.Tally, o Options, item, voter []int) ([]palate.Tally, Options) {
	moved := slices.Clone(tallies)
	for k := range moved {
		m := &moved[k]
		if m.A, m.B = item[m.A], item[m.B]; m.Tie && m.A > m.B {
			m.A, m.B = m.B, m.A
		}
		if m.User >= 0 {
			m.User = voter[m.User]
		}
	}
	if o.About != nil {
		about := *o.About
		about.Features = shuffled(o.About.Features, voter)
		o.About = &about
	}
	return moved, o
}

func shuffled(x *mat.Dense, to []int) *mat.Dense {
	out := mat.DenseCopyOf(x)
	for i, k := range to {
		out.SetRow(k, x.RawRowView(i))
	}
	return out
}

// draw makes up votes of voters with two tastes.
func draw(seed uint64, voters, items, each int, ties bool) []palate.Tally {
	out, _ := way{ties: ties}.world(seed, voters, items, each)
	return out
}

func features(items int) *mat.Dense { return featuresOf(items, 2) }

func featuresOf(items, columns int) *mat.Dense {
	rng := rand.New(rand.NewPCG(9, 9))
	x := mat.NewDense(items, columns, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return x
}

var matern = kernel.Sum(
	kernel.Scale(0.5, kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1.3})),
	kernel.Scale(0.5, kernel.Identity{}))

// priorOf is a prior of a kind, of items with given features.
func priorOf(t *testing.T, kind string, x *mat.Dense) *gp.Prior {
	t.Helper()
	n, d := x.Dims()
	var p *gp.Prior
	var err error
	switch kind {
	case "white":
		return gp.White(n)
	case "dense":
		p, err = gp.Dense(matern, kernel.Dense(x))
	case "inducing":
		p, err = gp.Inducing(matern, kernel.Dense(x), kernel.Dense(features(4)).WithIDs([]int{-1, -2, -3, -4}))
	case "linear": // weights on features: a linear kernel on inducing points that are the axes
		axes, ids := mat.NewDense(d, d, nil), make([]int, d)
		for i := range d {
			axes.Set(i, i, 1)
			ids[i] = -1 - i
		}
		p, err = gp.Inducing(kernel.NewLinear([]float64{1}), kernel.Dense(x), kernel.Dense(axes).WithIDs(ids))
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// priors are the kinds that make sense for any items.
func priors(t *testing.T, items int) map[string]*gp.Prior {
	t.Helper()
	out := map[string]*gp.Prior{}
	for _, kind := range []string{"white", "dense", "inducing"} {
		out[kind] = priorOf(t, kind, features(items))
	}
	return out
}

func mustVotes(t *testing.T, items int, tallies []palate.Tally) *Votes {
	t.Helper()
	v, err := NewVotes(items, tallies)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustFit(t *testing.T, v *Votes, p *gp.Prior, o *Options) *Learnt {
	t.Helper()
	l, err := Fit(context.Background(), v, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func pair(a, b int) *gp.Rows {
	var r gp.Rows
	r.AppendPair(a, b)
	return &r
}
