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
	for _, f := range Families() {
		for _, mean := range []bool{false, true} {
			o := FamilyOptions{Settings: tight, Rank: 3, Iterations: 25, Gain: 1e-12, Mean: mean}
			fit, err := LearnFamily(context.Background(), f, people, x, o)
			if err != nil {
				t.Fatal(f.Name, err)
			}
			if len(fit.Trace) == 0 || f.Name == "GPitem-Laplace" {
				continue // nothing to learn, or no bound
			}
			t.Run(f.Name, func(t *testing.T) { climbs(t, fit.Trace, 1e-7) })
		}
	}
	for name, s := range map[string]Settings{
		"EP": tight,
		"Jaakkola": {Rule: infer.Jaakkola{}, Tolerance: 1e-10, MaxSweeps: 2000,
			Likelihood: func(Kind) likelihood.Scalar { return likelihood.Logit{} }},
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

// The matrix-free eigen step equals the dense one on C̃ formed in full.
func TestEigenStep(t *testing.T) {
	for _, n := range []int{6, 40, 150} {
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		people := mustPeople(t, n, draw(rng, 30, n, 40, false))
		d := 4
		c := &collab{o: FamilyOptions{Jitter: 0.1, Mean: true}, people: people, n: n, d: d, rng: rng}
		c.out = &Fitted{Full: &Full{N: n, S: make([]float64, n*n), T: make([]float64, n)}}
		if err := c.setKernel(features(rng, n, 3)); err != nil {
			t.Fatal(err)
		}
		w := make([]float64, n*d)
		for i := range w {
			w[i] = 0.5 * rng.NormFloat64()
		}
		const sigma2 = 0.7
		l := mat.NewDense(n, n, c.l)
		var v mat.Dense
		v.Mul(l, mat.NewDense(n, d, w))
		c.compose(v.RawMatrix().Data, sigma2)
		sums := NewSums(n, true)
		e := mustEngine(t, people, Settings{})
		if _, _, err := e.Evaluate(context.Background(), c.out.Full, sums); err != nil {
			t.Fatal(err)
		}
		c.statistics(sums)
		gotW, got2 := c.eigenStep(w, sigma2, sums.Info)

		// C = Σ − ΣSΣ, C̃ = L⁻¹CL⁻ᵀ
		s := mat.NewDense(n, n, c.out.S)
		var ss, sss, ct mat.Dense
		ss.Mul(s, mat.NewDense(n, n, sums.Info))
		sss.Mul(&ss, s)
		ct.Sub(s, &sss)
		var li mat.Dense
		if err := li.Inverse(l); err != nil {
			t.Fatal(err)
		}
		ct.Mul(&li, &ct)
		ct.Mul(&ct, li.T())
		sym := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				sym.SetSym(i, j, 0.5*(ct.At(i, j)+ct.At(j, i)))
			}
		}
		var eig mat.EigenSym
		if !eig.Factorize(sym, true) {
			t.Fatal("no eigenvalues")
		}
		values := eig.Values(nil)
		var vec mat.Dense
		eig.VectorsTo(&vec)
		var want2 float64
		for _, x := range values[:n-d] {
			want2 += x / float64(n-d)
		}
		if math.Abs(got2-want2) > 1e-8*want2 {
			t.Errorf("%d items: σ² %.12g, want %.12g", n, got2, want2)
		}
		// W is known up to a rotation: compare WWᵀ.
		for i := range n {
			for j := range n {
				var want float64
				for k := n - d; k < n; k++ {
					want += max(values[k]-want2, 0) * vec.At(i, k) * vec.At(j, k)
				}
				if x := dot(gotW[i*d:(i+1)*d], gotW[j*d:(j+1)*d]); math.Abs(x-want) > 1e-6*values[n-1] {
					t.Fatalf("%d items: (WWᵀ)_%d,%d is %.9g, want %.9g", n, i, j, x, want)
				}
			}
		}
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
	g := normals(n, n, rng)
	var s mat.Dense
	s.Mul(g, g.T())
	copy(a, s.RawMatrix().Data)
	spec := lanczosSpectrum(n, 8, 30, rng, func(dst, src []float64) { matVec(dst, a, src, n) })
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
	for _, flat := range []bool{true, false} {
		s := newEM(it, people.Len(), Wishart{Size: 3, Flat: flat})
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
		mean := make([]float64, n)
		for u := range people.Len() {
			q, err := e.Posterior(p, u)
			if err != nil {
				t.Fatal(err)
			}
			for i := range n {
				mi, _ := q.Utility(i)
				mean[i] += mi / float64(people.Len())
				for j := range n {
					mj, _ := q.Utility(j)
					want[i*n+j] += q.Cov(i, j) + (mi-next.T[i])*(mj-next.T[j])
				}
			}
		}
		for i := range want {
			if got := next.S[i]; math.Abs(got-want[i]/(s.count+float64(people.Len()))) > 1e-9 {
				t.Fatalf("flat %v: S[%d] is %v, want %v", flat, i, got, want[i]/(s.count+float64(people.Len())))
			}
		}
		for i := range mean {
			if flat && math.Abs(next.T[i]-mean[i]) > 1e-9 {
				t.Errorf("mean of item %d is %v, want %v", i, next.T[i], mean[i])
			}
		}
	}
}

// The factors' moments that VU's M-step uses are those of the posterior of
// u ~ N(0, I) with rows V_a − V_b.
func TestFactorMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	n, d := 8, 3
	people := mustPeople(t, n, draw(rng, 6, n, 25, false))
	v := make([]float64, n*d)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	p := &Full{N: n, S: make([]float64, n*n), T: make([]float64, n)}
	for i := range n {
		for j := range n {
			p.S[i*n+j] = dot(v[i*d:(i+1)*d], v[j*d:(j+1)*d])
		}
		p.S[i*n+i] += 1e-7
	}
	e := mustEngine(t, people, Settings{Rule: infer.Jaakkola{}, Likelihood: func(Kind) likelihood.Scalar { return likelihood.Logit{} }})
	m := &moments{n: n, d: d, v: v, left: mat.NewSymDense(n*d, nil), right: make([]float64, n*d)}
	if _, _, err := e.Evaluate(context.Background(), p, m); err != nil {
		t.Fatal(err)
	}
	left, right := mat.NewDense(n*d, n*d, nil), make([]float64, n*d)
	for u := range people.Len() {
		prec, lin := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		for a := range d {
			prec.SetSym(a, a, 1)
		}
		items, votes, lo := people.Items(u), people.votes(u), people.pairStart[u]
		each := func(f func(a, b int, tau, nu float64)) {
			for k := range votes.win {
				c := 1.0
				if votes.count != nil {
					c = votes.count[k]
				}
				f(int(items[votes.win[k]]), int(items[votes.lose[k]]), c*e.Tau[lo+k], c*e.Nu[lo+k])
			}
		}
		each(func(a, b int, tau, nu float64) {
			x := mat.NewVecDense(d, nil)
			for r := range d {
				x.SetVec(r, v[a*d+r]-v[b*d+r])
			}
			prec.SymRankOne(prec, tau, x)
			lin.AddScaledVec(lin, nu, x)
		})
		var cov mat.Dense
		if err := cov.Inverse(prec); err != nil {
			t.Fatal(err)
		}
		var mean mat.VecDense
		mean.MulVec(&cov, lin)
		each(func(a, b int, tau, nu float64) {
			for r := range d {
				right[a*d+r] += nu * mean.AtVec(r)
				right[b*d+r] -= nu * mean.AtVec(r)
				for s := range d {
					x := tau * (cov.At(r, s) + mean.AtVec(r)*mean.AtVec(s))
					for _, c := range [][3]int{{a, a, 1}, {b, b, 1}, {a, b, -1}, {b, a, -1}} {
						i, j := c[0]*d+r, c[1]*d+s
						left.Set(i, j, left.At(i, j)+float64(c[2])*x)
					}
				}
			}
		})
	}
	for i := range n * d {
		if math.Abs(m.right[i]-right[i]) > 1e-4 {
			t.Errorf("right side %d: %v, want %v", i, m.right[i], right[i])
		}
		for j := i; j < n*d; j++ {
			if math.Abs(m.left.At(i, j)-left.At(i, j)) > 1e-4 {
				t.Fatalf("left side %d, %d: %v, want %v", i, j, m.left.At(i, j), left.At(i, j))
			}
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
		c, err := newRounds(people, NewItems(60, nil, nil, nil), nil, 0, o)
		if err != nil {
			t.Fatal(err)
		}
		c.learner.engine.method.tolerance = 1e-6
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
