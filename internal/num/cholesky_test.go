package num

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func randomSPD(rng *rand.Rand, n int) *mat.SymDense {
	g := mat.NewDense(n, n+3, nil)
	for i := range n {
		for j := range n + 3 {
			g.Set(i, j, rng.NormFloat64())
		}
	}
	a := mat.NewSymDense(n, nil)
	a.SymOuterK(1, g)
	return a
}

func randomDense(rng *rand.Rand, r, c int) *mat.Dense {
	a := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			a.Set(i, j, rng.NormFloat64())
		}
	}
	return a
}

func mustFactor(t *testing.T, a mat.Symmetric) *Cholesky {
	t.Helper()
	c, err := NewCholesky(a)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// product returns LLᵀ.
func product(c *Cholesky) *mat.Dense {
	var p mat.Dense
	p.Mul(c.L(), c.L().T())
	return &p
}

func wantClose(t *testing.T, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	if !mat.EqualApprox(got, want, tol) {
		var d mat.Dense
		d.Sub(got, want)
		t.Errorf("%s: largest difference %.3g", what, math.Max(mat.Max(&d), -mat.Min(&d)))
	}
}

var sizes = []int{1, 2, 3, 4, 5, 7, 8, 31, 64, 150}

func TestCholeskyLaws(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range sizes {
		a := randomSPD(rng, n)
		c := mustFactor(t, a)
		if c.Jitter != 0 {
			t.Errorf("n=%d: jitter %v", n, c.Jitter)
		}
		wantClose(t, "LLᵀ = A", product(c), a, 1e-11)
		var lu mat.LU
		lu.Factorize(a)
		if logDet, _ := lu.LogDet(); math.Abs(c.LogDet()-logDet) > 1e-10*math.Abs(logDet)+1e-12 {
			t.Errorf("n=%d: log det %v, want %v", n, c.LogDet(), logDet)
		}

		x := randomDense(rng, n, 3)
		var b, got mat.Dense
		b.Mul(a, x)
		c.SolveTo(&got, &b)
		wantClose(t, "A⁻¹B", &got, x, 1e-7)
		b.Reset()
		b.Mul(c.L(), x)
		c.SolveLTo(&b, &b) // in place
		wantClose(t, "L⁻¹B", &b, x, 1e-8)
		b.Reset()
		b.Mul(c.L().T(), x)
		c.SolveLTTo(&b, &b)
		wantClose(t, "L⁻ᵀB", &b, x, 1e-8)

		for what, solve := range map[string]struct {
			vec func(dst, b []float64)
			mat func(dst *mat.Dense, b mat.Matrix)
		}{
			"A":  {c.SolveVecTo, c.SolveTo},
			"L":  {c.SolveLVecTo, c.SolveLTo},
			"Lᵀ": {c.SolveLTVecTo, c.SolveLTTo},
		} {
			rhs := randomDense(rng, n, 1)
			v := make([]float64, n)
			solve.vec(v, mat.Col(nil, 0, rhs))
			var m mat.Dense
			solve.mat(&m, rhs)
			wantClose(t, "vector and matrix solve with "+what, mat.NewVecDense(n, v), &m, 1e-9)
		}
	}
}

// atOnly hides the storage, to take the slow path.
type atOnly struct{ mat.Symmetric }

func TestCholeskyAnySymmetric(t *testing.T) {
	a := randomSPD(rand.New(rand.NewPCG(3, 4)), 70)
	wantClose(t, "factor through At", mustFactor(t, atOnly{a}).L(), mustFactor(t, a).L(), 0)
}

func TestCholeskyJitter(t *testing.T) {
	// Rank one, mean diagonal 4: exactly singular, the first rung is enough.
	n := 5
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, 4)
		}
	}
	c := mustFactor(t, a)
	if relErr(c.Jitter, 4e-12) > 1e-12 {
		t.Errorf("singular matrix: jitter %v, want 4e-12", c.Jitter)
	}
	// A known negative eigenvalue −δ·mean needs the first rung above δ.
	for _, c := range []struct{ delta, want float64 }{{3e-12, 1e-11}, {2e-9, 1e-8}, {5e-5, 1e-4}} {
		b := mat.NewSymDense(2, []float64{1, 1 + c.delta, 0, 1})
		got := mustFactor(t, b)
		if relErr(got.Jitter, c.want) > 1e-10 {
			t.Errorf("eigenvalue −%v: jitter %v, want %v", c.delta, got.Jitter, c.want)
		}
		withJitter := mat.NewDense(2, 2, []float64{1 + got.Jitter, 1 + c.delta, 1 + c.delta, 1 + got.Jitter})
		wantClose(t, "LLᵀ = A + jitter", product(got), withJitter, 1e-15)
	}
	// A pivot of one unit in the last place is noise, though the factoring succeeds.
	if c := mustFactor(t, mat.NewSymDense(2, []float64{1, 1 - 0x1p-53, 0, 1})); c.Jitter == 0 {
		t.Error("a pivot of 2⁻⁵² was believed")
	}
	// Scales that differ by 1e20 are no reason for jitter.
	if c := mustFactor(t, mat.NewSymDense(2, []float64{1, 0, 0, 1e-20})); c.Jitter != 0 {
		t.Errorf("diagonal matrix: jitter %v", c.Jitter)
	}
}

func TestCholeskyHopeless(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for what, data := range map[string][]float64{
		"indefinite":       {1, 2, 2, 1},
		"negative":         {-1, 0, 0, -1},
		"zero":             {0, 0, 0, 0},
		"NaN diagonal":     {nan, 0, 0, 1},
		"NaN off-diagonal": {1, nan, nan, 1},
		"∞":                {inf, 0, 0, 1},
	} {
		c, err := NewCholesky(mat.NewSymDense(2, data))
		if err == nil || c != nil || !strings.HasPrefix(err.Error(), "num: ") {
			t.Errorf("%s: factor %v, error %v", what, c, err)
		}
	}
}

func TestWrongShapesPanic(t *testing.T) {
	c := mustFactor(t, mat.NewSymDense(2, []float64{1, 0, 0, 1}))
	for what, f := range map[string]func(){
		"right-hand side": func() { c.SolveTo(new(mat.Dense), mat.NewDense(3, 1, nil)) },
		"destination":     func() { c.SolveTo(mat.NewDense(2, 2, nil), mat.NewDense(2, 1, nil)) },
		"vector":          func() { c.SolveVecTo(make([]float64, 2), make([]float64, 3)) },
		"empty matrix":    func() { _, _ = NewCholesky(new(mat.SymDense)) },
		"rule":            func() { GaussHermite(0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
}

func BenchmarkCholesky(b *testing.B) {
	for _, n := range []int{100, 1000} {
		a := randomSPD(rand.New(rand.NewPCG(9, 9)), n)
		name := map[int]string{100: "100", 1000: "1000"}[n]
		b.Run("factor"+name, func(b *testing.B) {
			for b.Loop() {
				if _, err := NewCholesky(a); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
