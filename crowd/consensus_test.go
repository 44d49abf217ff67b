package crowd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
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

// Elimination by components is the algebra of the whole matrix.
func TestArrow(t *testing.T) {
	const groups, size, d = 3, 4, 5
	const n = groups*size + 1 // one that nobody voted on
	v := mustVotes(t, n, apart(1, groups, size, 40))
	phi := featuresOf(n, d)
	rng := rand.New(rand.NewPCG(3, 3))
	base, tau := make([]float64, d+1), make([]float64, v.rows.Len())
	for i := range base {
		base[i] = 0.3 + rng.Float64()
	}
	for r := range tau {
		tau[r] = rng.Float64()
	}
	g := newGraph(n, &v.rows, 0)
	if len(g.parts) != groups+1 || g.largest() != size {
		t.Fatalf("%d components, the largest of %d", len(g.parts), g.largest())
	}
	a, err := newArrow(g, phi, base, tau, nil)
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
	// Apart given the weights: steps and weights are the same, items know less.
	wide, err := newArrow(newGraph(n, &v.rows, 1), phi, base, tau, nil)
	if err != nil {
		t.Fatal(err)
	}
	we, wn := wide.solve(grad.RawVector().Data[:d], grad.RawVector().Data[d:])
	for i, x := range append(we, wn...) {
		if math.Abs(x-step.AtVec(i)) > 1e-4*(1+math.Abs(x)) {
			t.Errorf("step %g of items apart, want %g", x, step.AtVec(i))
		}
	}
	for i := range d {
		if math.Abs(wide.trace[i]-a.trace[i]) > 1e-9*a.trace[i] {
			t.Errorf("variance %g of a weight beside items apart, want %g", wide.trace[i], a.trace[i])
		}
	}
	if wide.logDet < a.logDet || wide.trace[d] > a.trace[d] {
		t.Errorf("items apart: log determinant %g, variances %g; together %g, %g", wide.logDet, wide.trace[d], a.logDet, a.trace[d])
	}
	const draws = 40000
	f, err := a.draws(t.Context(), draws, rng)
	if err != nil {
		t.Fatal(err)
	}
	var square float64
	for k := range draws {
		z := f.At(k, 0) - f.At(k, 1)
		square += z * z / draws
	}
	if want := a.variances(&rows)[0]; math.Abs(square-want) > 0.04*want {
		t.Errorf("draws vary by %g, want %g", square, want)
	}
}
