package crowd

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
)

// apart makes up votes within separate groups of items.
func apart(seed uint64, groups, size, votes int) []palate.Tally {
	rng := rand.New(rand.NewPCG(seed, 3))
	f := make([]float64, groups*size)
	for i := range f {
		f[i] = rng.NormFloat64()
	}
	var out []palate.Tally
	for k := range votes {
		g := rng.IntN(groups)
		a := rng.IntN(size)
		b := (a + 1 + rng.IntN(size-1)) % size
		a, b = g*size+a, g*size+b
		if f[a]-f[b]+rng.NormFloat64() < 0 {
			a, b = b, a
		}
		out = append(out, palate.Tally{User: k / 5, A: a, B: b, Weight: 1})
	}
	return out
}

// linear is weights on features: a linear kernel on inducing points that are the
// axes.
func linear(t *testing.T, x *mat.Dense) *gp.Prior {
	t.Helper()
	_, d := x.Dims()
	axes := mat.NewDense(d, d, nil)
	ids := make([]int, d)
	for i := range d {
		axes.Set(i, i, 1)
		ids[i] = -1 - i
	}
	p, err := gp.Inducing(kernel.NewLinear([]float64{1}), kernel.Dense(x), kernel.Dense(axes).WithIDs(ids))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func randomFeatures(seed uint64, n, d int) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(n, d, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	return x
}

// Elimination by components is the algebra of the whole matrix.
func TestArrow(t *testing.T) {
	const groups, size, d = 3, 4, 5
	const n = groups*size + 1 // one that nobody voted on
	v := mustVotes(t, n, apart(1, groups, size, 40))
	phi := randomFeatures(2, n, d)
	rng := rand.New(rand.NewPCG(3, 3))
	base, tau := make([]float64, d+1), make([]float64, v.rows.Len())
	for i := range base {
		base[i] = 0.3 + rng.Float64()
	}
	for r := range tau {
		tau[r] = rng.Float64()
	}
	g := newGraph(n, &v.rows)
	if len(g.parts) != groups+1 || g.largest() != size {
		t.Fatalf("%d components, the largest of %d", len(g.parts), g.largest())
	}
	a, err := newArrow(g, phi, base, tau)
	if err != nil {
		t.Fatal(err)
	}
	both := mat.NewDense(n, d+n, nil) // (Φ I)
	prec := mat.NewSymDense(d+n, nil)
	for i := range d + n {
		prec.SetSym(i, i, base[min(i, d)])
	}
	for i := range n {
		copy(both.RawRowView(i), phi.RawRowView(i))
		both.Set(i, d+i, 1)
	}
	for r, x := range tau {
		row := mat.NewVecDense(d+n, nil)
		index, coef := v.rows.Row(r)
		for k, i := range index {
			row.AddScaledVec(row, coef[k], both.RowView(i))
		}
		prec.SymRankOne(prec, x, row)
	}
	var chol mat.Cholesky
	if !chol.Factorize(prec) {
		t.Fatal("not positive definite")
	}
	var cov mat.SymDense
	if err := chol.InverseTo(&cov); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-10*(1+math.Abs(want)) {
			t.Errorf("%s: %.14g, want %.14g", what, got, want)
		}
	}
	near("log determinant", a.logDet, chol.LogDet())
	var own float64
	for i := range d + n {
		if i < d {
			near("variance of a weight", a.trace[i], cov.At(i, i))
		} else {
			own += cov.At(i, i)
		}
	}
	near("variance of the items' own", a.trace[d], own)
	grad := mat.NewVecDense(d+n, nil)
	for i := range d + n {
		grad.SetVec(i, rng.NormFloat64())
	}
	var step mat.VecDense
	step.MulVec(&cov, grad)
	de, dn := a.solve(grad.RawVector().Data[:d], grad.RawVector().Data[d:])
	for i, x := range append(de, dn...) {
		near("step", x, step.AtVec(i))
	}
	var rows gp.Rows
	rows.AppendPair(0, 1)
	rows.AppendPair(0, n-1)
	rows.AppendPair(2, size+1)
	rows.AppendUnit(3)
	var utility mat.Dense
	utility.Product(both, &cov, both.T())
	for r, x := range a.variances(&rows) {
		index, coef := rows.Row(r)
		var want float64
		for k, i := range index {
			for l, j := range index {
				want += coef[k] * coef[l] * utility.At(i, j)
			}
		}
		near("variance of a form", x, want)
	}
	const draws = 40000
	f := a.draws(draws, rng)
	var square float64
	for k := range draws {
		z := f.At(k, 0) - f.At(k, 1)
		square += z * z / draws
	}
	if want := a.variances(&rows)[0]; math.Abs(square-want) > 0.04*want {
		t.Errorf("draws vary by %g, want %g", square, want)
	}
}

// With a nugget the bound rises too, and without factors and own tastes the
// consensus is the single model by VI at the scales learnt.
func TestNugget(t *testing.T) {
	const groups, size = 3, 5
	const n = groups * size
	tallies := apart(4, groups, size, 60)
	x := randomFeatures(5, n, 4)
	prior := linear(t, x)
	for _, o := range []Options{
		{Factors: -1, NoOwn: true, Nugget: true, Blocks: []int{1, 3}},
		{Factors: -1, Nugget: true},
		{Factors: 2, Nugget: true, Blocks: []int{1, 3}},
	} {
		o.Tolerance, o.MaxSweeps = -1, 60
		if o.NoOwn {
			o.MaxSweeps = 800
		}
		v := mustVotes(t, n, tallies)
		l := mustFit(t, v, prior, &o)
		for k := 1; k < len(l.Trace); k++ {
			if l.Trace[k] < l.Trace[k-1]-1e-9 {
				t.Errorf("%+v: sweep %d lowers the bound from %.12g to %.12g", o, k+1, l.Trace[k-1], l.Trace[k])
			}
		}
		if o.Factors > 0 || !o.NoOwn {
			continue
		}
		k := mat.NewSymDense(n, nil)
		s := l.common.spread(infer.Gamma.Mean)
		for i := range n {
			for j := range i + 1 {
				var sum float64
				for c := range 4 {
					sum += x.At(i, c) * x.At(j, c) / s[c]
				}
				if i == j {
					sum += 1 / s[4]
				}
				k.SetSym(i, j, sum)
			}
		}
		whole, err := gp.Covariance(k)
		if err != nil {
			t.Fatal(err)
		}
		var rows gp.Rows
		var lik []likelihood.Scalar
		for _, x := range tallies {
			rows.AppendPair(x.A, x.B)
			lik = append(lik, likelihood.Probit{})
		}
		r, err := infer.Run(context.Background(), &infer.Problem{Prior: whole, Rows: &rows, Likelihood: lik, Scale: 1},
			&infer.Settings{Rule: infer.VI{}, Tolerance: 1e-12, MaxSweeps: 5000})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n - 1 {
			m, s := l.Form(-1, pair(i, i+1))
			m2, s2 := r.Posterior.Forms(pair(i, i+1))
			if math.Abs(m-m2[0]) > 1e-7 || math.Abs(s-s2[0]) > 1e-7 {
				t.Errorf("items %d, %d: %.12g ± %.12g, single %.12g ± %.12g", i, i+1, m, s, m2[0], s2[0])
			}
		}
	}
}
