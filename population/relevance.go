package population

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// relearn sets the spread a of the mean, and the relevances g, to what the
// posterior of t and G says: a ← (|√a·x|² + Σ1/(1/a+e_i) + 1)/(N+3.3), e_i the
// eigenvalues of s·Lᵀ(ΣW)L. The point keeps t and G: its coordinates, and what is
// remembered of the climb, change their unit.
func (l *learner) relearn(ctx context.Context, c *climber) error {
	p := c.X
	n := l.items.N
	l.unpack(p)
	e, err := l.curvature(ctx)
	if err != nil {
		return err
	}
	x, _, w, _ := l.split(p)
	old := l.spread
	theta := old * num.Dot(x, x)
	for range 5 {
		l.spread = (theta + e.trace(1/l.spread) + 1) / (float64(n) + 3.3)
	}
	unit := math.Sqrt(old / l.spread)
	for i := range x {
		c.rescale(i, unit)
	}
	for k, g := range l.relevance {
		var norm float64
		for i := range n {
			norm += w[i*l.f+k] * w[i*l.f+k]
		}
		theta := g * norm
		g2 := g
		for range 5 {
			// MacKay: γ = N − Σ 1/(1+g·e), each feature having mean square one
			gamma := float64(n) - e.trace(1/g2)/g2
			g2 = min(max(theta/max(gamma, 1e-3), minRelevance), 10)
		}
		l.relevance[k] = g2
		for i := range n {
			c.rescale(n*(1+l.d)+i*l.f+k, math.Sqrt(g/g2))
		}
	}
	return nil
}

// spectrum is a weighted list of eigenvalues.
type spectrum struct{ value, weight []float64 }

// trace returns Σ 1/(x + e_i).
func (s spectrum) trace(x float64) (sum float64) {
	for i, e := range s.value {
		sum += s.weight[i] / (x + max(e, 0))
	}
	return sum
}

// denseSpectrum is the number of items up to which all eigenvalues are found;
// above, Lanczos from a few random vectors tells their distribution.
const denseSpectrum = 400

// maxSums is the number of items up to which ΣW is held without item features;
// above, its diagonal stands for it, so that nothing grows with the square of
// the items.
const maxSums = 20000

// curvature returns the eigenvalues of s·Lᵀ(ΣW)L, L that of the mean.
func (l *learner) curvature(ctx context.Context) (spectrum, error) {
	n, s := l.items.N, l.prior.Scale
	if l.items.K == nil && n > l.dense {
		told, err := l.ask(ctx, Diagonal)
		if err != nil {
			return spectrum{}, err
		}
		out := spectrum{told.Info, make([]float64, n)}
		for i := range out.value {
			out.value[i] *= s
			out.weight[i] = 1
		}
		return out, nil
	}
	told, err := l.ask(ctx, Spectrum)
	if err != nil {
		return spectrum{}, err
	}
	info := make([]float64, n*n)
	for i := range n {
		copy(info[i*n:i*n+i+1], told.Matrix[i*(i+1)/2:])
	}
	num.Mirror(info, n)
	if n <= denseSpectrum {
		m := make([]float64, n*n)
		l.items.OfMean().shrink(m, info, n)
		transpose(m, n)
		l.items.OfMean().shrink(m, m, n)
		sym := mat.NewSymDense(n, m)
		var eig mat.EigenSym
		if !eig.Factorize(sym, false) {
			return spectrum{}, fmt.Errorf("population: the eigenvalues of the curvature of %d items cannot be found", n)
		}
		out := spectrum{eig.Values(nil), make([]float64, n)}
		for i := range out.value {
			out.value[i] *= s
			out.weight[i] = 1
		}
		return out, nil
	}
	y := make([]float64, n)
	return lanczosSpectrum(n, rand.New(rand.NewPCG(3, 5)), func(dst, src []float64) {
		l.items.OfMean().colour(y, src, 1)
		matVec(dst, info, y, n)
		l.items.OfMean().shrink(dst, dst, 1)
		for i := range dst {
			dst[i] *= s
		}
	}), nil
}

func transpose(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[i*n+j], a[j*n+i] = a[j*n+i], a[i*n+j]
		}
	}
}
