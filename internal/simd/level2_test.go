package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// TestVectorRoutines holds every overridden level-1 and level-2 routine to gonum's own, for odd sizes, gaps and strides.
func TestVectorRoutines(t *testing.T) {
	type operands struct {
		n, m, lda, inc int
		a, x, y        []float64
	}
	routines := map[string]func(b blas.Float64, o operands){
		"dot":  func(b blas.Float64, o operands) { o.y[0] = b.Ddot(o.n, o.x, o.inc, o.y, 1) },
		"axpy": func(b blas.Float64, o operands) { b.Daxpy(o.n, -0.7, o.x, o.inc, o.y, 1) },
		"gemv": func(b blas.Float64, o operands) {
			b.Dgemv(blas.NoTrans, o.m, o.n, 0.3, o.a, o.lda, o.x, o.inc, 2, o.y, 1)
		},
		"gemvT": func(b blas.Float64, o operands) {
			b.Dgemv(blas.Trans, o.m, o.n, 0.3, o.a, o.lda, o.x, o.inc, 0, o.y, 1)
		},
		"syr":   func(b blas.Float64, o operands) { b.Dsyr(blas.Upper, o.n, 0.3, o.x, o.inc, o.a, o.lda) },
		"syrL":  func(b blas.Float64, o operands) { b.Dsyr(blas.Lower, o.n, 0.3, o.x, o.inc, o.a, o.lda) },
		"symv":  func(b blas.Float64, o operands) { b.Dsymv(blas.Upper, o.n, 0.3, o.a, o.lda, o.x, o.inc, 1, o.y, 1) },
		"symvL": func(b blas.Float64, o operands) { b.Dsymv(blas.Lower, o.n, 0.3, o.a, o.lda, o.x, o.inc, 0, o.y, 1) },
		"trsv": func(b blas.Float64, o operands) {
			b.Dtrsv(blas.Upper, blas.NoTrans, blas.NonUnit, o.n, o.a, o.lda, o.x, o.inc)
		},
		"trsvT": func(b blas.Float64, o operands) {
			b.Dtrsv(blas.Upper, blas.Trans, blas.NonUnit, o.n, o.a, o.lda, o.x, o.inc)
		},
		"trsvL": func(b blas.Float64, o operands) {
			b.Dtrsv(blas.Lower, blas.NoTrans, blas.Unit, o.n, o.a, o.lda, o.x, o.inc)
		},
		"trsvLT": func(b blas.Float64, o operands) {
			b.Dtrsv(blas.Lower, blas.Trans, blas.NonUnit, o.n, o.a, o.lda, o.x, o.inc)
		},
	}
	for path, impl := range modes {
		for name, f := range routines {
			r := random()
			for _, n := range []int{1, 3, 4, 7, 8, 13, 64, 129} {
				for _, inc := range []int{1, 2} {
					m := max(1, n-r.IntN(3))
					a := newField(r, n, n)
					for i := range n {
						for j := range n {
							a.data[i*a.ld+j] /= float64(n)
						}
						a.data[i*a.ld+i] += 2
					}
					x, y := newField(r, 1, n*inc+1), newField(r, 1, n)
					y.data = y.data[:n] // gonum's own gemv clears whatever it is given
					one := operands{n, m, a.ld, inc, a.data, x.data, y.data}
					a2, x2, y2 := a.clone(), x.clone(), y.clone()
					f(gonum.Implementation{}, operands{n, m, a.ld, inc, a2.data, x2.data, y2.data})
					f(impl, one)
					for _, p := range [][2][]float64{{a.data, a2.data}, {x.data, x2.data}, {y.data, y2.data}} {
						for i := range p[0] {
							if d := math.Abs(p[0][i] - p[1][i]); d > 1e-13 || math.IsNaN(p[0][i]) != math.IsNaN(p[1][i]) {
								t.Fatalf("%s %s n = %d inc = %d: %v, gonum %v", path, name, n, inc, p[0][i], p[1][i])
							}
						}
					}
				}
			}
		}
	}
}

func symmetric(r *rand.Rand, n int) *mat.SymDense {
	p, s := positive(r, n), mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, p.at(i, j))
		}
	}
	return s
}

// TestPlainGonum goes through gonum's matrices as the rest of the code does.
func TestPlainGonum(t *testing.T) {
	r := random()
	for _, n := range []int{1, 13, 100, 300} {
		s := symmetric(r, n)
		var c mat.Cholesky
		if !c.Factorize(s) {
			t.Fatalf("n = %d: not positive definite", n)
		}
		x := mat.NewDense(n, 5, normal(r, 5*n))
		var b, back mat.Dense
		b.Mul(s, x)
		if err := c.SolveTo(&back, &b); err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(&back, x, 1e-8) {
			t.Errorf("n = %d: A⁻¹·A·x is not x", n)
		}
	}
}
