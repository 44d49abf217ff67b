package gp

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/kernel"
)

func points(n, dim int, seed uint64) kernel.Points {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, dim, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return kernel.Dense(x)
}

var matern = kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1.3})

// priors lists every way to make a prior over n items.
func priors(t testing.TB, n int) map[string]*Prior {
	t.Helper()
	must := func(p *Prior, err error) *Prior {
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	x := points(n, 2, 1)
	return map[string]*Prior{
		"white":      White(n),
		"dense":      must(Dense(matern, x)),
		"covariance": must(Covariance(kernel.Gram(matern, x))),
		"inducing":   must(Inducing(matern, x, points(4, 2, 2))),
	}
}

// cover returns ΦΦᵀ plus the residual, which is the prior covariance.
func priorCov(p *Prior) *mat.Dense {
	var k mat.Dense
	k.Mul(p.Features(), p.Features().T())
	return &k
}

func someVotes(n, P int) (*Rows, []Site, []float64) {
	rng := rand.New(rand.NewPCG(5, 5))
	var rows Rows
	var sites []Site
	var count []float64
	for k := range P {
		a := rng.IntN(n)
		if k%5 == 0 {
			rows.AppendUnit(a)
		} else {
			rows.AppendPair(a, (a+1+rng.IntN(n-1))%n)
		}
		sites = append(sites, Site{Tau: rng.Float64(), Nu: rng.NormFloat64()})
		count = append(count, float64(1+k%3))
	}
	return &rows, sites, count
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s = %.12g, want %.12g", what, got, want)
	}
}

// The posterior in weight space is the textbook one: C = (K⁻¹ + Λ)⁻¹ and
// mean C·Bᵀν, with K = ΦΦᵀ/s, whether rows are many or few.
func TestPosteriorIsTextbook(t *testing.T) {
	const n, s = 6, 0.6
	for name, p := range priors(t, n) {
		if p.Sparse() {
			continue
		}
		for _, P := range []int{3, 40} {
			rows, sites, count := someVotes(n, P)
			q, err := NewPosterior(p, s, p.Evidence(rows, sites, count))
			if err != nil {
				t.Fatal(err)
			}
			k := priorCov(p)
			k.Scale(1/s, k)
			var prec, cov mat.Dense
			if err := prec.Inverse(k); err != nil {
				t.Fatal(err)
			}
			lin := mat.NewVecDense(n, nil)
			for r := range P {
				index, coef := rows.Row(r)
				for a, i := range index {
					lin.SetVec(i, lin.AtVec(i)+count[r]*sites[r].Nu*coef[a])
					for b, j := range index {
						prec.Set(i, j, prec.At(i, j)+count[r]*sites[r].Tau*coef[a]*coef[b])
					}
				}
			}
			if err := cov.Inverse(&prec); err != nil {
				t.Fatal(err)
			}
			var mean mat.VecDense
			mean.MulVec(&cov, lin)
			got := q.Covariance()
			m, v := q.Forms(rows)
			for i := range n {
				near(t, name+" mean", q.Utilities()[i], mean.AtVec(i), 1e-9)
				for j := range n {
					near(t, name+" covariance", got.At(i, j), cov.At(i, j), 1e-9)
				}
			}
			for r := range P {
				index, coef := rows.Row(r)
				var want float64
				for a, i := range index {
					for b, j := range index {
						want += coef[a] * coef[b] * cov.At(i, j)
					}
				}
				near(t, name+" form variance", v[r], want, 1e-9)
				near(t, name+" form mean", m[r], rows.Dot(r, q.Utilities()), 1e-9)
			}
			// All sites together say what each of them says.
			e := mat.NewVecDense(p.Dim(), nil)
			for i := range p.Dim() {
				e.SetVec(i, math.Sin(float64(3*i+1)))
			}
			var u mat.VecDense
			u.MulVec(p.Features(), e)
			var says float64
			for r := range P {
				z := rows.Dot(r, u.RawVector().Data)
				says -= count[r] * (sites[r].Nu - 0.5*sites[r].Tau*z) * z
			}
			near(t, name+" surprise", q.Surprise(e.RawVector().Data), says, 1e-9)
		}
	}
}

// Features and residuals make up the kernel.
func TestResidualsCompleteTheKernel(t *testing.T) {
	const n = 7
	x := points(n, 2, 1)
	p := priors(t, n)["inducing"]
	rows, _, _ := someVotes(n, 20)
	k := kernel.Gram(matern, x)
	res, explained := p.Residuals(rows), p.FormVariances(rows)
	for r := range 20 {
		index, coef := rows.Row(r)
		var want float64
		for a, i := range index {
			for b, j := range index {
				want += coef[a] * coef[b] * k.At(i, j)
			}
		}
		near(t, "variance", explained[r]+res[r], want, 1e-9)
	}
	// On the inducing points themselves nothing is left.
	z := points(4, 2, 2)
	on, err := Inducing(matern, z, z)
	if err != nil {
		t.Fatal(err)
	}
	var units Rows
	for i := range 4 {
		units.AppendUnit(i)
	}
	for _, r := range on.Residuals(&units) {
		near(t, "residual", r, 0, 1e-9)
	}
}

// Predicting at the items is the posterior there, and far from every item it is
// the prior.
func TestPredict(t *testing.T) {
	const n, s = 6, 2.0
	x := points(n, 2, 1)
	rows, sites, count := someVotes(n, 15)
	for name, p := range priors(t, n) {
		if p.Kernel() == nil {
			continue
		}
		q, err := NewPosterior(p, s, p.Evidence(rows, sites, count))
		if err != nil {
			t.Fatal(err)
		}
		mean, cov := q.Predict(x)
		want := q.Covariance()
		ext := q.On(p.Extend(x)).Covariance()
		for i := range n {
			near(t, name+" mean", mean[i], q.Utilities()[i], 1e-8)
			for j := range n {
				near(t, name+" covariance", cov.At(i, j), want.At(i, j), 1e-8)
				near(t, name+" extended", ext.At(i, j), want.At(i, j), 1e-8)
			}
		}
		mean, cov = q.Predict(kernel.Dense(mat.NewDense(1, 2, []float64{1e3, 1e3})))
		near(t, name+" far mean", mean[0], 0, 1e-12)
		near(t, name+" far variance", cov.At(0, 0), 1/s, 1e-12)
	}
}

// Draws have the posterior's mean and covariance.
func TestDraws(t *testing.T) {
	const n, k = 5, 40000
	rows, sites, count := someVotes(n, 12)
	for name, p := range priors(t, n) {
		q, err := NewPosterior(p, 1.5, p.Evidence(rows, sites, count))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(8, 8))
		white := num.Normals(k, p.Dim(), rng)
		f, e, err := q.Draws(t.Context(), white, rng)
		if err != nil {
			t.Fatal(err)
		}
		cov := q.Covariance()
		for i := range n {
			for j := range n {
				var m, c float64
				for r := range k {
					m += f.At(r, i) / k
					c += (f.At(r, i) - q.Utilities()[i]) * (f.At(r, j) - q.Utilities()[j]) / k
				}
				near(t, name+" mean", m, q.Utilities()[i], 0.03)
				near(t, name+" covariance", c, cov.At(i, j), 0.03)
			}
		}
		if !p.Sparse() {
			for i := range n { // the weights are those of the utilities
				var want float64
				for j := range p.Dim() {
					want += p.Features().At(i, j) * e.At(3, j)
				}
				near(t, name+" weights", f.At(3, i), want, 1e-9)
			}
		}
	}
}

// Site after site by rank-one steps is the posterior of all sites.
func TestStateIsPosterior(t *testing.T) {
	const n, s = 6, 0.9
	rows, sites, _ := someVotes(n, 25)
	for name, p := range priors(t, n) {
		q, err := NewPosterior(p, s, p.Evidence(rows, sites, nil))
		if err != nil {
			t.Fatal(err)
		}
		st, forms := NewState(p, s), StateRows(p, rows)
		for r, site := range sites {
			m, v := st.Form(forms, r)
			st.Move(site, m, v)
		}
		mean, variance := q.Forms(rows)
		for r := range sites {
			m, v := st.Form(forms, r)
			near(t, name+" mean", m, mean[r], 1e-9)
			near(t, name+" variance", v, variance[r], 1e-9)
		}
		for r, site := range sites { // and back to the prior
			m, v := st.Form(forms, r)
			st.Move(Site{-site.Tau, -site.Nu}, m, v)
		}
		for r, want := range p.FormVariances(rows) {
			_, v := st.Form(forms, r)
			near(t, name+" prior variance", v, want/s, 1e-9)
		}
	}
}

// Ten thousand sites in and out leave no drift.
func TestStateDoesNotDrift(t *testing.T) {
	p := priors(t, 6)["dense"]
	rows, sites, _ := someVotes(6, 50)
	st := NewState(p, 1)
	for k := range 10000 {
		r := k % 50
		m, v := st.Form(rows, r)
		s := sites[r]
		if k/50%2 == 1 { // what went in a round ago comes out
			s = Site{-s.Tau, -s.Nu}
		}
		st.Move(s, m, v)
	}
	for r, want := range p.FormVariances(rows) {
		m, v := st.Form(rows, r)
		near(t, "mean", m, 0, 1e-10)
		near(t, "variance", v, want, 1e-10)
	}
}

func TestSiteAlgebra(t *testing.T) {
	s := Site{Tau: 0.7, Nu: -0.4}
	const m, v = 0.3, 1.1
	// Putting the site onto the cavity gives the marginal back.
	cm, cv, ok := s.Cavity(m, v)
	if !ok {
		t.Fatal("improper cavity")
	}
	near(t, "variance", 1/(1/cv+s.Tau), v, 1e-12)
	near(t, "mean", v*(cm/cv+s.Nu), m, 1e-12)
	if _, _, ok := s.Cavity(m, 2); ok {
		t.Error("a site stronger than the marginal leaves a proper cavity")
	}
	// The overlap by summation.
	var sum float64
	const h = 1e-3
	for z := -30.0; z < 30; z += h {
		sum += h * math.Exp(-(z-m)*(z-m)/(2*v)-0.5*math.Log(2*math.Pi*v)+s.Nu*z-s.Tau*z*z/2)
	}
	near(t, "overlap", s.LogOverlap(m, v), math.Log(sum), 1e-9)
}

func TestRows(t *testing.T) {
	var r Rows
	r.AppendPair(3, 1)
	r.AppendUnit(2)
	r.Append([]int{0, 1, 3}, []float64{1, 2, -3})
	f := []float64{10, 20, 30, 40}
	for p, want := range []float64{20, 30, -70} {
		near(t, "dot", r.Dot(p, f), want, 0)
	}
	picked, items := r.Pick([]int{2, 0})
	g := make([]float64, len(items))
	for k, i := range items {
		g[k] = f[i]
	}
	near(t, "picked", picked.Dot(0, g), -70, 0)
	near(t, "picked", picked.Dot(1, g), 20, 0)
	near(t, "selected", r.Select([]int{1}).Dot(0, f), 30, 0)
}

// Rows as coordinates of their own say the same as rows over the items.
func TestAtRows(t *testing.T) {
	p := priors(t, 7)["inducing"]
	rows, sites, _ := someVotes(7, 9)
	at, units := p.AtRows(rows), Units(9)
	for r, v := range p.FormVariances(rows) {
		near(t, "variance", at.FormVariances(units)[r], v, 1e-12)
		near(t, "residual", at.Residuals(units)[r], p.Residuals(rows)[r], 1e-12)
	}
	q, err := NewPosterior(p, 1, p.Evidence(rows, sites, nil))
	if err != nil {
		t.Fatal(err)
	}
	w, err := NewPosterior(at, 1, at.Evidence(units, sites, nil))
	if err != nil {
		t.Fatal(err)
	}
	m, v := q.Forms(rows)
	wm, wv := w.Forms(units)
	om, ov := q.On(at).Forms(units)
	for r := range 9 {
		near(t, "mean", wm[r], m[r], 1e-12)
		near(t, "variance", wv[r], v[r], 1e-12)
		near(t, "mean on", om[r], m[r], 1e-12)
		near(t, "variance on", ov[r], v[r], 1e-12)
	}
}
