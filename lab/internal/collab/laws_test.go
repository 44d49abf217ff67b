package collab

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
	"palate/model"
	"palate/population"
)

func features(rng *rand.Rand, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// draw draws votes of people who differ.
func draw(rng *rand.Rand, people, items, each int) (all []palate.Tally) {
	for u := range people {
		taste := make([]float64, items)
		for i := range taste {
			taste[i] = float64(i)/4 + rng.NormFloat64()
		}
		for range each {
			a := rng.IntN(items)
			b := (a + 1 + rng.IntN(items-1)) % items
			if taste[a]-taste[b]+rng.NormFloat64() < 0 {
				a, b = b, a
			}
			all = append(all, palate.Tally{User: u, A: a, B: b, Weight: 1})
		}
	}
	return all
}

func mustPeople(t *testing.T, items int, tallies []palate.Tally) *population.People {
	t.Helper()
	p, err := population.NewPeople(items, tallies)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func mustEngine(t *testing.T, p *population.People) *population.Engine {
	t.Helper()
	e, err := population.NewEngine(p, population.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// The bound never falls over exact EM steps. EP's evidence is no bound, but falls by
// nothing that matters either.
func TestEMClimbs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	x := features(rng, 10, 3)
	people := mustPeople(t, 10, draw(rng, 40, 10, 12))
	for _, f := range Families() {
		for _, mean := range []bool{false, true} {
			o := Options{Settings: population.Settings{Tolerance: 1e-10, MaxSweeps: 2000}, Rank: 3, Iterations: 25, Gain: 1e-12, Mean: mean}
			fit, err := Learn(context.Background(), f, people, x, o)
			if err != nil {
				t.Fatal(f.Name, err)
			}
			if len(fit.Trace) == 0 || f.Name == "GPitem-Laplace" {
				continue // nothing to learn, or no bound
			}
			if len(fit.Trace) < 5 {
				t.Fatalf("%s: only %d steps", f.Name, len(fit.Trace))
			}
			for k := 1; k < len(fit.Trace); k++ {
				if fit.Trace[k] < fit.Trace[k-1]-1e-7 {
					t.Errorf("%s, step %d: from %.10f to %.10f", f.Name, k, fit.Trace[k-1], fit.Trace[k])
				}
			}
		}
	}
}

// A step of NPCA is the mean of everybody's second moments, as their posteriors have them.
func TestAnyCovarianceStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	const n = 7
	people := mustPeople(t, n, draw(rng, 12, n, 10))
	family, err := Find("npca-ep")
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	o := Options{Settings: population.Settings{Tolerance: 1e-10, MaxSweeps: 2000}, Iterations: 2, Mean: true}
	o.Watch = func(e *population.Engine, p *population.Full) bool {
		if want != nil {
			for i := range want {
				if math.Abs(p.S[i]-want[i]) > 1e-6 {
					t.Errorf("S[%d] is %v, want %v", i, p.S[i], want[i])
				}
			}
			return true
		}
		want = make([]float64, n*n)
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
					want[i*n+j] += (q.Cov(i, j) + mi*mj) / float64(people.Len())
				}
			}
		}
		for i := range n {
			for j := range n {
				want[i*n+j] -= mean[i] * mean[j]
			}
		}
		return false
	}
	if _, err := Learn(context.Background(), family, people, nil, o); err != nil {
		t.Fatal(err)
	}
	if want == nil {
		t.Error("nobody watched")
	}
}

// A cap leaves everybody, with so many of their own pairs at most.
func TestCapped(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	people := mustPeople(t, 9, draw(rng, 20, 9, 30))
	few := capped(people, 4, rng)
	if few.Len() != people.Len() {
		t.Fatalf("%d persons of %d", few.Len(), people.Len())
	}
	said := map[[3]int]float64{}
	for u := range people.Len() {
		for _, p := range people.Pairs(u) {
			said[[3]int{people.Owner(u), p.Win, p.Lose}] = p.Count
		}
	}
	for u := range few.Len() {
		n := 0
		for _, p := range few.Pairs(u) {
			n++
			if said[[3]int{few.Owner(u), p.Win, p.Lose}] != p.Count {
				t.Errorf("person %d never said %v", few.Owner(u), p)
			}
		}
		if n > 4 {
			t.Errorf("%d pairs", n)
		}
	}
}

// The matrix-free eigen step equals the dense one on C̃ formed in full.
func TestEigenStep(t *testing.T) {
	for _, n := range []int{6, 40, 150} {
		rng := rand.New(rand.NewPCG(uint64(n), 2))
		people := mustPeople(t, n, draw(rng, 30, n, 40))
		d := 4
		c := &collab{o: Options{Jitter: 0.1, Mean: true}, people: people, n: n, d: d, rng: rng}
		c.out = &Fitted{Full: &population.Full{N: n, S: make([]float64, n*n), T: make([]float64, n)}}
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
		sums := population.NewSums(n, true)
		e := mustEngine(t, people)
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
				if x := num.Dot(gotW[i*d:(i+1)*d], gotW[j*d:(j+1)*d]); math.Abs(x-want) > 1e-6*values[n-1] {
					t.Fatalf("%d items: (WWᵀ)_%d,%d is %.9g, want %.9g", n, i, j, x, want)
				}
			}
		}
	}
}

// The factors' moments that VU's M-step uses are those of the posterior of
// u ~ N(0, I) with rows V_a − V_b.
func TestFactorMoments(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	n, d := 8, 3
	people := mustPeople(t, n, draw(rng, 6, n, 25))
	v := make([]float64, n*d)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	p := &population.Full{N: n, S: make([]float64, n*n), T: make([]float64, n)}
	for i := range n {
		for j := range n {
			p.S[i*n+j] = num.Dot(v[i*d:(i+1)*d], v[j*d:(j+1)*d])
		}
		p.S[i*n+i] += 1e-7
	}
	e, err := population.NewEngine(people, population.Settings{Rule: infer.Jaakkola{}, Likelihood: func(population.Observation) likelihood.Scalar { return likelihood.Logit{} }})
	if err != nil {
		t.Fatal(err)
	}
	m := &moments{e: e, d: d, v: v, left: mat.NewSymDense(n*d, nil), right: make([]float64, n*d)}
	if _, _, err := e.Evaluate(context.Background(), p, m); err != nil {
		t.Fatal(err)
	}
	left, right := mat.NewDense(n*d, n*d, nil), make([]float64, n*d)
	for u := range people.Len() {
		prec, lin := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
		for a := range d {
			prec.SetSym(a, a, 1)
		}
		each := func(f func(a, b int, tau, nu float64)) {
			for k, p := range people.Pairs(u) {
				f(p.Win, p.Lose, p.Count*e.Tau[k], p.Count*e.Nu[k])
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

// Where people are independent the joint process of package model is the GP over items
// that each has alone: the GPitem members of the family.
func TestJointOfIndependentPeople(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 2))
	const items, users = 8, 15
	x := features(rng, items, 2)
	b := palate.NewBuilder()
	for i := range items {
		b.Item(strconv.Itoa(i))
	}
	b.SetItemFeatures(&palate.Features{Names: []string{"x", "y"}, Rows: items, Cols: 2, Data: x.RawMatrix().Data})
	for u := range users {
		b.User(strconv.Itoa(u))
	}
	for _, v := range draw(rng, users, items, 6) {
		if err := b.Add(palate.Vote{User: v.User, Left: v.A, Right: v.B, Weight: 1}); err != nil {
			t.Fatal(err)
		}
	}
	d, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	people := mustPeople(t, items, d.Tallies(true))
	psi, sigma := 0.3, 0.4
	for name, rule := range map[string]infer.Rule{"GPitem-Laplace": infer.Laplace{}, "GPitem-EP": infer.EP{}} {
		joint, err := model.FitTensor(context.Background(), d, &model.TensorOptions{Rule: rule, LogPsiItems: &psi, LogSigma2: &sigma})
		if err != nil {
			t.Fatal(err)
		}
		family, err := Find(name)
		if err != nil {
			t.Fatal(err)
		}
		fit, err := Learn(context.Background(), family, people, x, Options{LogPsi: &psi, LogSigma2: &sigma, Settings: population.Settings{Tolerance: 1e-9, MaxSweeps: 500}})
		if err != nil {
			t.Fatal(err)
		}
		alone, err := NewPredictor(fit.Engine, fit.Full, fit.Win)
		if err != nil {
			t.Fatal(err)
		}
		for u := range users {
			for i := range items {
				for k := range i {
					if got, want := joint.Prefer(u, i, k), alone.Prefer(u, i, k); math.Abs(got-want) > 1e-6 {
						t.Errorf("%s: user %d on %d and %d: %v jointly, %v alone", name, u, i, k, got, want)
					}
				}
			}
		}
	}
}
