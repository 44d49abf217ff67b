package simd

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/mat"
)

// Importing the package leaves gonum as it was.
func TestNothingIsRegistered(t *testing.T) {
	if _, ok := blas64.Implementation().(gonum.Implementation); !ok {
		t.Errorf("blas64 has become %T", blas64.Implementation())
	}
}

// Products and inverses are those of gonum up to rounding, whatever form the factors
// have and wherever the product goes.
func TestDirect(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(r, c int) *mat.Dense {
		m := mat.NewDense(r, c, nil)
		for i := range m.RawMatrix().Data {
			m.RawMatrix().Data[i] = rng.NormFloat64()
		}
		return m
	}
	near := func(what string, got, want mat.Matrix) {
		t.Helper()
		if !mat.EqualApprox(got, want, 1e-10) {
			t.Errorf("%s differs from gonum's", what)
		}
	}
	for _, n := range []int{1, 2, 5, 33, 90} {
		a, b := draw(n, n+3), draw(n+3, n)
		sym := mat.NewSymDense(n, nil)
		sym.SymOuterK(1, a)
		tri := mat.NewTriDense(n, mat.Lower, nil)
		for i := range n {
			for j := range i + 1 {
				tri.SetTri(i, j, rng.NormFloat64()/float64(n)+2*boolean(i == j))
			}
		}
		whole := draw(n+5, n+7)
		for name, f := range map[string][2]mat.Matrix{
			"dense": {a, b}, "transposes": {b.T(), a.T()}, "one transpose": {a, a.T()}, "symmetric, left": {sym, a}, "symmetric, right": {b, sym},
			"symmetric twice": {sym, sym}, "symmetric and transpose": {sym, b.T()}, "triangle": {b, tri}, "transposed triangle": {b, tri.T()}, "part": {whole.Slice(1, 1+n, 2, 2+n+3), b},
		} {
			var got, want mat.Dense
			Mul(&got, f[0], f[1])
			want.Mul(f[0], f[1])
			near("product: "+name, &got, &want)
		}
		square := draw(n, n)
		var want mat.Dense
		want.Mul(square, square.T())
		Mul(square, square, square.T())
		near("product in place", square, &want)
		x, y, z := mat.NewVecDense(n+3, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n + 3 {
			x.SetVec(i, rng.NormFloat64())
		}
		MulVec(y, a, x)
		z.MulVec(a, x)
		near("product with a vector", y, z)
		for _, up := range []bool{false, true} {
			m, inv := mat.NewTriDense(n, mat.Lower, mat.DenseCopyOf(tri).RawMatrix().Data), &mat.TriDense{}
			if up {
				m = mat.NewTriDense(n, mat.Upper, mat.DenseCopyOf(tri.T()).RawMatrix().Data)
			}
			if err := inv.InverseTri(m); err != nil {
				t.Fatal(err)
			}
			if !Trtri(m.RawTriangular()) {
				t.Error("no inverse")
			}
			near("inverse of a triangle", m, inv)
		}
		cov := mat.NewSymDense(n, nil)
		cov.CopySym(sym)
		for i := range n {
			cov.SetSym(i, i, cov.At(i, i)+1)
		}
		var chol mat.Cholesky
		chol.Factorize(cov)
		var solved mat.Dense
		if err := chol.SolveTo(&solved, a); err != nil {
			t.Fatal(err)
		}
		for _, uplo := range []blas.Uplo{blas.Upper, blas.Lower} {
			all := mat.DenseCopyOf(cov).RawMatrix()
			f, ok := Potrf(Symmetric{Uplo: uplo, N: n, Stride: n, Data: all.Data})
			rhs := mat.DenseCopyOf(a)
			Potrs(f, rhs.RawMatrix())
			if !ok {
				t.Error("not positive definite")
			}
			near("solution", rhs, &solved)
		}
	}
	if Trtri(Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: 2, Stride: 2, Data: []float64{1, 1, 0, 0}}) {
		t.Error("a singular triangle has an inverse")
	}
	if d := Dot(Vector{N: 2, Inc: 1, Data: []float64{3, 4}}, Vector{N: 2, Inc: 1, Data: []float64{3, 4}}); d != 25 || math.Abs(Nrm2(Vector{N: 2, Inc: 1, Data: []float64{3, 4}})-5) > 1e-15 {
		t.Errorf("dot product %v", d)
	}
}

func boolean(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
