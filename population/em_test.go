package population

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
)

// The bound never falls over exact EM steps. EP's evidence is no bound, but
// falls by nothing that matters either.
func TestEMClimbs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	x := features(rng, 10, 3)
	people := mustPeople(t, 10, draw(rng, 40, 10, 12, false))
	tight := Settings{Tolerance: 1e-10, MaxSweeps: 2000}
	climbs := func(t *testing.T, trace []float64, slack float64) {
		t.Helper()
		if len(trace) < 5 {
			t.Fatalf("only %d steps", len(trace))
		}
		for k := 1; k < len(trace); k++ {
			if trace[k] < trace[k-1]-slack {
				t.Errorf("step %d: from %.10f to %.10f", k, trace[k-1], trace[k])
			}
		}
	}
	for name, s := range map[string]Settings{
		"EP": tight,
		"Jaakkola": {Rule: infer.Jaakkola{}, Tolerance: 1e-10, MaxSweeps: 2000,
			Likelihood: func(Observation) likelihood.Scalar { return likelihood.Logit{} }},
	} {
		t.Run("full covariance, "+name, func(t *testing.T) {
			fit, err := LearnFull(context.Background(), people, NewItems(10, x, nil, rng), Wishart{Size: 4}, &Options{Settings: s, MaxSteps: 25, Gain: 1e-12})
			if err != nil {
				t.Fatal(err)
			}
			climbs(t, fit.Trace, 1e-7)
		})
	}
}

// Renaming items renames results, and turning every vote round turns round
// every preference.
func TestSymmetries(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	n := 9
	tallies := draw(rng, 25, n, 12, false)
	x := features(rng, n, 2)
	o := &Options{Settings: Settings{Tolerance: 1e-10, MaxSweeps: 2000}, Rank: 2, Gain: 1e-12, Rounds: 1}
	learn := func(tallies []palate.Tally, x *mat.Dense) *LowRank {
		l, _, err := Learn(context.Background(), mustPeople(t, n, tallies), NewItems(n, x, nil, rng), nil, 0, o)
		if err != nil {
			t.Fatal(err)
		}
		return l.LowRank
	}
	base := learn(tallies, x)

	turned := slices.Clone(tallies)
	for k := range turned {
		turned[k].A, turned[k].B = turned[k].B, turned[k].A
	}
	other := learn(turned, x)
	for i := range n {
		if math.Abs(base.T[i]+other.T[i]) > 1e-3 {
			t.Errorf("item %d: mean %v, turned round %v", i, base.T[i], other.T[i])
		}
	}

	perm := rng.Perm(n)
	renamed := slices.Clone(tallies)
	y := mat.NewDense(n, 2, nil)
	for k := range renamed {
		renamed[k].A, renamed[k].B = perm[renamed[k].A], perm[renamed[k].B]
	}
	for i := range n {
		y.SetRow(perm[i], x.RawRowView(i))
	}
	other = learn(renamed, y)
	for i := range n {
		if math.Abs(base.T[i]-other.T[perm[i]]) > 1e-2 {
			t.Errorf("item %d: mean %v, renamed %v", i, base.T[i], other.T[perm[i]])
		}
	}
}

// Lanczos quadrature knows traces of functions of a matrix.
func TestLanczosSpectrum(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	n := 300
	a := make([]float64, n*n)
	g := num.Normals(n, n, rng)
	var s mat.Dense
	s.Mul(g, g.T())
	copy(a, s.RawMatrix().Data)
	spec := lanczosSpectrum(n, rng, func(dst, src []float64) { matVec(dst, a, src, n) })
	var eig mat.EigenSym
	eig.Factorize(mat.NewSymDense(n, a), false)
	for _, x := range []float64{10, 100, 1000} {
		var want float64
		for _, e := range eig.Values(nil) {
			want += 1 / (x + e)
		}
		if got := spec.trace(x); math.Abs(got-want) > 0.15*want {
			t.Errorf("trace at %v: %v, want %v", x, got, want)
		}
	}
}

// The closed-form step is the mean of everybody's second moments, as their
// posteriors have them.
func TestFullStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	n := 7
	people := mustPeople(t, n, draw(rng, 12, n, 10, false))
	it := NewItems(n, features(rng, n, 2), nil, rng)
	s := newEM(it, people.Len(), Wishart{Size: 3})
	p := s.start
	for i := range p.T {
		p.T[i] = rng.NormFloat64()
	}
	e := mustEngine(t, people, Settings{})
	sums := NewSums(n, true)
	if _, _, err := e.Evaluate(context.Background(), p, sums); err != nil {
		t.Fatal(err)
	}
	next, err := s.step(p, sums)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, n*n)
	copy(want, s.centre)
	for u := range people.Len() {
		q, err := e.Posterior(p, u)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n {
			mi, _ := q.Utility(i)
			for j := range n {
				mj, _ := q.Utility(j)
				want[i*n+j] += q.Cov(i, j) + (mi-next.T[i])*(mj-next.T[j])
			}
		}
	}
	for i := range want {
		if got := next.S[i]; math.Abs(got-want[i]/(s.count+float64(people.Len()))) > 1e-9 {
			t.Fatalf("S[%d] is %v, want %v", i, got, want[i]/(s.count+float64(people.Len())))
		}
	}
}

// However far a first step would go, the scale stays where votes can move it
// back: far out its slope is nought. Few votes with ties went there.
func TestScaleDoesNotCollapse(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for _, ties := range []bool{false, true} {
		people := mustPeople(t, 12, draw(rng, 20, 12, 40, ties))
		l, _, err := Learn(context.Background(), people, NewItems(12, nil, nil, nil), nil, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !l.Converged || l.Scale < 10*minScale {
			t.Errorf("ties %v: scale %g, converged %v", ties, l.Scale, l.Converged)
		}
	}
}

// One number for all coordinates is what the curvatures replace: the optimum is
// the same, and the way there shorter.
func TestCurvaturesShortenTheClimb(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 3))
	var tallies []palate.Tally
	for u := range 150 { // few items have most of the votes
		for range 20 {
			a, b := int(60*math.Pow(rng.Float64(), 4)), int(60*math.Pow(rng.Float64(), 4))
			if a == b {
				b = (a + 1) % 60
			}
			if float64(a-b)/20+2*rng.NormFloat64() < 0 {
				a, b = b, a
			}
			tallies = append(tallies, palate.Tally{User: u, A: a, B: b, Weight: 1})
		}
	}
	people := mustPeople(t, 60, tallies)
	climb := func(flat bool) *climber {
		o := &Options{Rank: 3, Gain: 1e-9}
		shard, err := NewShard(people, nil, Settings{})
		if err != nil {
			t.Fatal(err)
		}
		c := newRounds(shard, NewItems(60, nil, nil, nil), nil, 0, false, o)
		c.learner.tolerance = 1e-6
		f := c.learner.evaluate
		if flat {
			f = func(ctx context.Context, x []float64) (float64, []float64, []float64, error) {
				v, g, h, err := c.learner.evaluate(ctx, x)
				for i := range h {
					h[i] = 20
				}
				return v, g, h, err
			}
		}
		k := c.climber
		if err := k.start(context.Background(), f); err != nil {
			t.Fatal(err)
		}
		for gain := 1.0; gain > 1e-6 && k.Rounds < 400; {
			if gain, err = k.step(context.Background(), f); err != nil {
				t.Fatal(err)
			}
		}
		return k
	}
	with, without := climb(false), climb(true)
	if math.Abs(with.F-without.F) > 0.5 || 4*with.Evals > 3*without.Evals {
		t.Errorf("%g after %d evaluations, %g after %d with one number for all", with.F, with.Evals, without.F, without.Evals)
	}
}
