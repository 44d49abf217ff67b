package published

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/likelihood"
)

const items, voters = 6, 7

// features makes up n points.
func features(n int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return x
}

func spaceOf(n, inducing int, seed uint64) Space {
	x := features(n, seed)
	s := Space{Points: kernel.Dense(x), Kernel: kernel.NewStationary(kernel.Matern32, kernel.SoftAnd, []float64{1.5, 0.8})}
	if inducing > 0 {
		s.Inducing = features(inducing, seed+100)
	}
	return s
}

// toy makes up votes; with ratings they are Gaussian observations of z instead.
func toy(ratings bool, inducing int) *Problem {
	p := &Problem{Items: spaceOf(items, inducing, 1), Voters: spaceOf(voters, inducing, 2)}
	rng := rand.New(rand.NewPCG(5, 1))
	for k := range 60 {
		v := Vote{Voter: k % voters, Weight: float64(1 + k%2)}
		v.Win = rng.IntN(items)
		v.Lose = (v.Win + 1 + rng.IntN(items-1)) % items
		if !ratings && v.Win > v.Lose && v.Voter < 5 {
			v.Win, v.Lose = v.Lose, v.Win
		}
		p.Votes = append(p.Votes, v)
		if ratings {
			y := math.Sin(float64(3*v.Win+v.Voter)) - math.Sin(float64(3*v.Lose+v.Voter)) + 0.3*rng.NormFloat64()
			p.Likelihood = append(p.Likelihood, likelihood.Gaussian{Y: y, Sd: 0.5})
		}
	}
	return p
}

func fit(t *testing.T, p *Problem, o Options) *Learnt {
	t.Helper()
	l, err := Fit(context.Background(), p, &o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// at is a prior whose mean is s.
func at(s float64) infer.Gamma { return infer.Gamma{Shape: s, Rate: 1} }

func pair(a, b int) *gp.Rows {
	var r gp.Rows
	r.AppendPair(a, b)
	return &r
}

// everything lists mean and variance of every pair for every voter.
func everything(l *Learnt) (out []float64) {
	for u := range voters {
		for a := range items {
			for b := range a {
				m, v := l.Form(u, pair(a, b))
				out = append(out, m, v)
			}
		}
	}
	return out
}

func furthest(a, b []float64) (d float64) {
	for k := range a {
		d = math.Max(d, math.Abs(a[k]-b[k]))
	}
	return d
}

// kinds are the variants that laws hold for.
func kinds() map[string]Options {
	return map[string]Options{
		"whole":        {Factors: 3, Featured: 2, Steps: 60, Batch: -1},
		"batches":      {Factors: 3, Featured: 2, Steps: 60, Batch: 20},
		"no consensus": {Factors: 3, Featured: 1, Steps: 60, Batch: -1, NoConsensus: true},
		"no factors":   {Factors: -1, Steps: 60, Batch: -1},
		"no features":  {Factors: 3, Featured: -1, Steps: 60, Batch: 20},
		"unit weights": {Factors: 2, Featured: 1, Steps: 60, Batch: -1, UnitWeights: true, Noise: ReleasedNoise},
	}
}

// TestWithoutFactorsIsLinearised compares with the single model of package infer, on items and on inducing points, for
// votes and for ratings, with the scale fixed and learnt: posterior, scale and bound.
func TestWithoutFactorsIsLinearised(t *testing.T) {
	for k := range 8 {
		inducing, ratings, learnt := 3*(k%2), k/2%2 == 1, k/4 == 1
		t.Run(fmt.Sprintf("%d inducing points, ratings %v, scale learnt %v", inducing, ratings, learnt), func(t *testing.T) {
			p := toy(ratings, inducing)
			s := 0.7
			l := fit(t, p, Options{Factors: -1, Batch: -1, Steps: 300, FixedScales: !learnt, ConsensusScale: at(s)})
			prior, err := p.Items.prior()
			if err != nil {
				t.Fatal(err)
			}
			single := &infer.Problem{Prior: prior, Rows: &gp.Rows{}, Scale: s}
			if learnt {
				scale := at(s)
				single.ScalePrior = &scale
			}
			for k, v := range p.Votes {
				single.Rows.AppendPair(v.Win, v.Lose)
				single.Count = append(single.Count, v.weight())
				single.Likelihood = append(single.Likelihood, p.scalar(k))
			}
			r, err := infer.Run(context.Background(), single, &infer.Settings{Rule: infer.Linearised{}, Tolerance: 1e-12})
			if err != nil {
				t.Fatal(err)
			}
			if learnt {
				s = r.Scale.Mean()
			}
			if got := l.item[0].mean(); math.Abs(got-s) > 1e-8 {
				t.Errorf("scale %v, want %v", got, s)
			}
			for a := range items {
				for b := range a {
					m, v := l.Form(0, pair(a, b))
					m1, v1 := r.Posterior.Forms(pair(a, b))
					if res := prior.Residuals(pair(a, b)); res != nil {
						v1[0] += res[0] / s
					}
					if math.Abs(m-m1[0]) > 1e-8 || math.Abs(v-v1[0]) > 1e-8 {
						t.Errorf("%v ± %v, want %v ± %v", m, v, m1[0], v1[0])
					}
				}
			}
			if math.Abs(l.Bound-r.Objective) > 1e-8 {
				t.Errorf("bound %v, want %v", l.Bound, r.Objective)
			}
		})
	}
}

// TestRatingsClimb holds the update to never lower the bound where it is variational Bayes exactly, and the objective to
// be the bound there.
func TestRatingsClimb(t *testing.T) {
	for _, inducing := range []int{0, 4} {
		for name, o := range kinds() {
			if o.Batch > 0 {
				continue
			}
			p := toy(true, inducing)
			if inducing > 0 {
				// CROWD (15) leaves out that what inducing points do not see depends on the scales too.
				o.FixedScales = true
			}
			last := math.Inf(-1)
			for steps := 1; steps < 30; steps++ {
				o.Steps = steps
				l := fit(t, p, o)
				if math.Abs(l.Objective-l.Bound) > 1e-9*math.Abs(l.Bound) {
					t.Errorf("%s: objective %v, bound %v", name, l.Objective, l.Bound)
				}
				if l.Bound < last-1e-9*math.Abs(last) {
					t.Errorf("%s, %d inducing points: step %d lowers the bound from %v to %v", name, inducing, steps, last, l.Bound)
				}
				last = l.Bound
			}
		}
	}
}

// TestBatches holds a batch of all votes to be the whole, where the step is whole, and batches, weighted, to say what
// all votes say on average.
func TestBatches(t *testing.T) {
	p := toy(false, 0)
	o := Options{Factors: 3, Steps: 1, Batch: len(p.Votes)}
	whole := o
	whole.Batch = -1
	if a, b := everything(fit(t, p, o)), everything(fit(t, p, whole)); !slices.Equal(a, b) {
		t.Errorf("a batch of all votes is off by %v", furthest(a, b))
	}
	q, err := newEngine(p, &Options{Factors: -1})
	if err != nil {
		t.Fatal(err)
	}
	evidence := func(votes []int, share float64, into gp.Evidence) {
		b := q.see(votes)
		q.linearise(b)
		e := q.items.Evidence(b.pairs.rows, q.sites(b, b.item[0], b.voter[0]), b.pairs.count)
		for i := range into.Lin {
			into.Lin[i] += share * b.weight * e.Lin[i]
		}
		e.Quad.ScaleSym(share*b.weight, e.Quad)
		into.Quad.AddSym(into.Quad, e.Quad)
	}
	want, got := gp.NewEvidence(items), gp.NewEvidence(items)
	evidence(num.Indices(len(p.Votes)), 1, want)
	d := deck{rng: rand.New(rand.NewPCG(1, 1))}
	for range 3 { // 20 votes, which weigh as much as any other 20 in the long run
		votes := d.deal(len(p.Votes), 20)
		var weight float64
		for _, k := range votes {
			weight += p.Votes[k].weight()
		}
		evidence(votes, weight/q.total, got)
	}
	if e := furthest(want.Lin, got.Lin); e > 1e-12 || !mat.EqualApprox(want.Quad, got.Quad, 1e-12) {
		t.Errorf("batches add up to something else, by %v", e)
	}
}

// TestSeed holds the seed to decide all, on any number of processors.
func TestSeed(t *testing.T) {
	for name, o := range kinds() {
		o.Seed = 3
		a := everything(fit(t, toy(false, 4), o))
		before := runtime.GOMAXPROCS(1)
		b := everything(fit(t, toy(false, 4), o))
		runtime.GOMAXPROCS(before)
		if !slices.Equal(a, b) {
			t.Errorf("%s: the same seed gives another result", name)
		}
		o.Seed = 4
		if o.Factors > 0 && slices.Equal(a, everything(fit(t, toy(false, 4), o))) {
			t.Errorf("%s: another seed gives the same result", name)
		}
	}
}

// TestRenaming holds items under other numbers to have the same utilities.
func TestRenaming(t *testing.T) {
	perm := []int{4, 2, 0, 5, 1, 3}
	for name, o := range kinds() {
		p := toy(false, 0)
		a := fit(t, p, o)
		q := toy(false, 0)
		x := features(items, 1)
		y := mat.NewDense(items, 2, nil)
		for i, to := range perm {
			y.SetRow(to, x.RawRowView(i))
		}
		q.Items.Points = kernel.Dense(y)
		for k, v := range q.Votes {
			q.Votes[k].Win, q.Votes[k].Lose = perm[v.Win], perm[v.Lose]
		}
		b := fit(t, q, o)
		for u := range voters {
			for i := range items {
				for j := range i {
					m, v := a.Form(u, pair(i, j))
					m1, v1 := b.Form(u, pair(perm[i], perm[j]))
					if math.Abs(m-m1) > 1e-6*(1+math.Abs(m)) || math.Abs(v-v1) > 1e-6*(1+v) {
						t.Fatalf("%s: %v ± %v, renamed %v ± %v", name, m, v, m1, v1)
					}
				}
			}
		}
	}
}

// TestTurning holds votes turned round to turn utilities round.
func TestTurning(t *testing.T) {
	for name, o := range kinds() {
		p, q := toy(false, 4), toy(false, 4)
		for k, v := range q.Votes {
			q.Votes[k].Win, q.Votes[k].Lose = v.Lose, v.Win
		}
		a, b := everything(fit(t, p, o)), everything(fit(t, q, o))
		for k := 0; k < len(a); k += 2 {
			if math.Abs(a[k]+b[k]) > 1e-6*(1+math.Abs(a[k])) || math.Abs(a[k+1]-b[k+1]) > 1e-6*(1+a[k+1]) {
				t.Fatalf("%s: %v ± %v, turned round %v ± %v", name, a[k], a[k+1], b[k], b[k+1])
			}
		}
	}
}

// TestGradient compares with finite differences of the converged objective, where the update is exact: of both kernels,
// with fewer inducing points than items and voters and without.
func TestGradient(t *testing.T) {
	for _, inducing := range []int{0, 4} {
		o := Options{Factors: 2, Featured: 2, Steps: 1500, Batch: -1, FixedScales: true, ConsensusScale: at(0.5), FactorScale: at(1), WeightScale: at(1)}
		p := toy(true, inducing)
		l := fit(t, p, o)
		gi, gv := l.Gradient()
		for side, grad := range [][]float64{gi, gv} {
			for k, g := range grad {
				const h = 1e-4
				var f [2]float64
				for e := range f {
					q := *p
					s := []*Space{&q.Items, &q.Voters}[side]
					x := s.Kernel.Params()
					x[k] += h * float64(2*e-1)
					s.Kernel = s.Kernel.With(x)
					f[e] = fit(t, &q, o).Objective
				}
				if want := (f[1] - f[0]) / (2 * h); math.Abs(g-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("%d inducing points, side %d, length-scale %d: %v, want %v", inducing, side, k, g, want)
				}
			}
		}
		if inducing == 0 {
			want := printedGradient(l)
			if furthest(gi, want) > 1e-6 {
				t.Errorf("items: %v, CROWD (40): %v", gi, want)
			}
		}
	}
}

// printedGradient is CROWD (40) as it stands, in the logarithms of the length-scales.
func printedGradient(l *Learnt) []float64 {
	k := kernel.Gram(l.Items.Kernel, l.Items.Points)
	var inv mat.Dense
	if err := inv.Inverse(k); err != nil {
		panic(err)
	}
	sum := mat.NewDense(items, items, nil)
	for _, f := range l.item {
		q := f.(*process).q
		v := mat.NewVecDense(items, slices.Clone(q.Utilities()))
		var e, x mat.Dense
		e.Outer(1, v, v)
		e.Add(&e, q.Covariance())
		x.Mul(&e, &inv)
		x.Scale(f.(*process).mean(), &x)
		sum.Add(sum, &x)
		for i := range items {
			sum.Set(i, i, sum.At(i, i)-1)
		}
	}
	var w mat.Dense
	w.Product(&inv, sum)
	w.Scale(0.5, &w)
	grad := make([]float64, 2)
	l.Items.Kernel.MatrixGrad(grad, mat.DenseCopyOf(w.T()), l.Items.Points, l.Items.Points)
	return grad
}

// TestFitLengths holds learning to end at no lower an objective than it began with.
func TestFitLengths(t *testing.T) {
	o := Options{Factors: 2, Featured: 2, Steps: 60, Batch: -1}
	for name, p := range map[string]*Problem{"dense": toy(true, 0), "inducing": toy(true, 4)} {
		start := fit(t, p, o)
		l, err := FitLengths(context.Background(), p, &o, 10)
		if err != nil {
			t.Fatal(err)
		}
		if !(l.Objective > start.Objective+0.1) || slices.Equal(l.Items.Kernel.Params(), p.Items.Kernel.Params()) || slices.Equal(l.Voters.Kernel.Params(), p.Voters.Kernel.Params()) {
			t.Errorf("%s: %v from %v", name, l.Objective, start.Objective)
		}
	}
	p := toy(false, 0)
	p.Items.Kernel, p.Voters.Kernel = nil, nil
	if _, err := FitLengths(context.Background(), p, &o, 10); err != nil {
		t.Errorf("nothing to learn: %v", err)
	}
}

// TestVariances holds factors that nobody needs to be small: votes of one factor, ten allowed.
func TestVariances(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	const n, people = 12, 60
	p := &Problem{Items: Space{Points: kernel.Indexed(n)}, Voters: Space{Points: kernel.Indexed(people)}}
	for u := range people {
		camp := float64(2*(u%2) - 1)
		for range 40 {
			a := rng.IntN(n)
			b := (a + 1 + rng.IntN(n-1)) % n
			if camp*math.Sin(float64(a)) < camp*math.Sin(float64(b)) {
				a, b = b, a
			}
			p.Votes = append(p.Votes, Vote{Voter: u, Win: a, Lose: b})
		}
	}
	l := fit(t, p, Options{Factors: 10})
	v := l.Variances()
	if len(v) != 10 || !slices.IsSortedFunc(v, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) || !(v[0] > 3*v[5]) {
		t.Errorf("variances %v", v)
	}
	right := 0
	for u := range people {
		m, _ := l.Form(u, pair(2, 5)) // sin 2 > sin 5
		if m > 0 == (u%2 == 1) {
			right++
		}
	}
	if right < people-1 {
		t.Errorf("%d of %d voters are known", right, people)
	}
}

func TestFails(t *testing.T) {
	for want, change := range map[string]func(*Problem){
		"published: no votes to learn from":                                           func(p *Problem) { p.Votes = nil },
		"published: vote 3: voter 7 of 7, items 0 and 1 of 6":                         func(p *Problem) { p.Votes[3] = Vote{Voter: 7, Win: 0, Lose: 1} },
		"published: vote 3: voter 0 of 7, items 1 and 1 of 6":                         func(p *Problem) { p.Votes[3] = Vote{Win: 1, Lose: 1} },
		"published: vote 3: weight -1":                                                func(p *Problem) { p.Votes[3].Weight = -1 },
		"published: vote 0: likelihood.Step is not an observation of a function of z": func(p *Problem) { p.Likelihood[0] = likelihood.Step{} },
	} {
		p := toy(true, 0)
		change(p)
		if _, err := Fit(context.Background(), p, nil); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if l, err := Fit(ctx, toy(false, 0), nil); l != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v, %v", l, err)
	}
}

func ExampleFit() {
	p := &Problem{Items: Space{Points: kernel.Indexed(3)}, Voters: Space{Points: kernel.Indexed(2)}}
	p.Votes = []Vote{{Voter: 0, Win: 0, Lose: 1}, {Voter: 0, Win: 1, Lose: 2}, {Voter: 1, Win: 0, Lose: 1}}
	l, err := Fit(context.Background(), p, &Options{Factors: -1})
	if err != nil {
		panic(err)
	}
	var rows gp.Rows
	rows.AppendPair(0, 2)
	mean, _ := l.Consensus(&rows)
	fmt.Println(mean > 0)
	// Output: true
}
