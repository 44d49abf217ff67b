package population

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// Full is the population with any covariance: N² numbers.
type Full struct {
	N int
	S []float64 // both triangles
	T []float64
}

// NumItems returns the number of items.
func (p *Full) NumItems() int { return p.N }

// Mean returns the prior mean of an item, the same for everybody.
func (p *Full) Mean(_, item int) float64 { return p.T[item] }

// Cov returns the prior covariance of two items.
func (p *Full) Cov(i, j int) float64 { return p.S[i*p.N+j] }

// Apart returns the mean variance of a difference between people.
func (p *Full) Apart(n int) float64 {
	var trace, total float64
	for i := range n {
		trace += p.S[i*p.N+i]
		for _, c := range p.S[i*p.N:][:n] {
			total += c
		}
	}
	return apart(n, trace, total)
}

// apart is the mean over pairs of n numbers of the square of their difference, of which
// trace is the sum of squares and total the square of the sum; or of what is expected.
func apart(n int, trace, total float64) float64 {
	if n < 2 {
		return 0
	}
	return max(0, 2*(trace-total/float64(n))/float64(n-1))
}

func (p *Full) Fill(w *Person, _ int, items []int32) {
	m, cov := len(items), w.Cov()
	for i, a := range items {
		w.mean[i] = p.T[a]
		row, out := p.S[int(a)*p.N:int(a)*p.N+p.N], cov[i*m:i*m+m]
		for j, b := range items {
			out[j] = row[b]
		}
	}
}

func (p *Full) sample(n int, rng *rand.Rand) *mat.Dense {
	f := num.Normals(n, p.N, rng)
	c, err := num.NewCholesky(mat.NewSymDense(p.N, p.S))
	if err != nil {
		panic(err) // every step of EM leaves S positive definite
	}
	l := c.L().RawTriangular()
	simd.BLAS{}.Dtrmm(blas.Right, blas.Lower, blas.Trans, blas.NonUnit, n, p.N, 1, l.Data, l.Stride, f.RawMatrix().Data, p.N)
	return f
}

// sandwich returns A·B·A for symmetric matrices with both triangles.
func sandwich(a, b []float64, n int) []float64 {
	t, out := make([]float64, n*n), make([]float64, n*n)
	bl := simd.BLAS{}
	bl.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, t, n)
	bl.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, t, n, a, n, 0, out, n)
	return out
}

// symmetrise averages the triangles, which rounding has driven apart.
func symmetrise(a []float64, n int) {
	for i := range n {
		for j := range i {
			x := 0.5 * (a[i*n+j] + a[j*n+i])
			a[i*n+j], a[j*n+i] = x, x
		}
	}
}
