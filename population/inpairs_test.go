package population

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Variances of pairs are those of M − MEM, whatever their sites say: nothing, next to nothing, much.
func TestPairVariances(t *testing.T) {
	for _, n := range []int{1, 4, 30} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(12, uint64(n)))
			m := 2 * n
			w := &Person{}
			w.resize(m, n)
			root := mat.NewDense(m, m, nil)
			for i := range m * m {
				root.RawMatrix().Data[i] = rng.NormFloat64() / math.Sqrt(float64(m))
			}
			var s mat.SymDense
			s.SymOuterK(1, root)
			for i := range m {
				w.mean[i] = rng.NormFloat64()
				for j := range m {
					w.Cov()[i*m+j] = s.At(i, j)
				}
			}
			var v votes
			tau, nu := make([]float64, n), make([]float64, n)
			b, precision := mat.NewDense(n, m, nil), mat.NewDense(n, n, nil)
			for p := range n {
				i, j := rng.IntN(m), rng.IntN(m-1)
				if j >= i {
					j++
				}
				v.win, v.lose = append(v.win, uint16(i)), append(v.lose, uint16(j))
				b.Set(p, i, 1)
				b.Set(p, j, -1)
				tau[p] = []float64{0, 1e-14, 1e-9, 1e-4, 0.3, 2, 1e5}[p%7]
				nu[p] = tau[p] * rng.NormFloat64()
				precision.Set(p, p, tau[p])
			}
			if _, ok := w.prepare(&method{}, v); !ok || w.space != inPairs || !w.solve(v, tau, nu) {
				t.Fatal(w.space)
			}
			var bs, before, inner, after mat.Dense // C = M − M(I + TM)⁻¹TM
			bs.Mul(b, &s)
			before.Mul(&bs, b.T())
			inner.Mul(precision, &before)
			right := mat.DenseCopyOf(&inner)
			for p := range n {
				inner.Set(p, p, inner.At(p, p)+1)
			}
			if err := after.Solve(&inner, right); err != nil {
				t.Fatal(err)
			}
			var less mat.Dense
			less.Mul(&before, &after)
			for p := range n {
				want := before.At(p, p) - less.At(p, p)
				if math.Abs(w.variance[p]-want) > 1e-9*before.At(p, p) {
					t.Errorf("site %g: %.12g, want %.12g", tau[p], w.variance[p], want)
				}
				if got := w.variance[p] * tau[p]; !(got >= 0 && got <= 1+1e-9) {
					t.Errorf("site %g takes %g of its variance", tau[p], got)
				}
			}
		})
	}
}
