package population

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// PersonEffects is what is known of the effects G of features of persons on their utilities: a
// Gaussian around what was learnt, whose precision is that of the prior and the information of all
// votes, with the mean of the population beside them.
type PersonEffects struct {
	n, f     int
	mean     []float64  // N×F
	root     *mat.Dense // of the covariance, features one after the other
	variance []float64  // of each feature beforehand
	prior    []float64  // root of the covariance of items beforehand, N×N; nil: I
}

// mostEffects bounds the numbers that the covariance of effects is of.
const mostEffects = 1500

// effectRounds is how often the variances beforehand are set to what the effects themselves say.
const effectRounds = 5

// PersonEffects returns what is known of the effects of features of persons; nil without any. It
// fails where there are too many, and when ctx ends.
func (f *Family) PersonEffects(ctx context.Context) (*PersonEffects, error) {
	c := f.Members[0].Classes[0]
	p, ok := c.Prior.(*LowRank)
	if !ok || p.F == 0 {
		return nil, ctx.Err()
	}
	n, blocks := p.Items.Trained(), p.F+1
	if n*blocks > mostEffects {
		return nil, fmt.Errorf("population: the effects of %d features on %d items are too many to know how they hang together: %d numbers, and the most is %d", p.F, n, n*blocks, mostEffects)
	}
	total := n * blocks
	info, err := f.featureInfo(ctx, c, p, n)
	if err != nil {
		return nil, err
	}
	e := &PersonEffects{n: n, f: p.F, mean: p.G[:n*p.F], variance: make([]float64, p.F)}
	tastes, centre := identityOr(p.Items, n), identityOr(p.Items.OfMean(), n)
	e.prior = tastes
	white := make([]float64, n)
	square := make([]float64, p.F)
	for k := range p.F {
		for i := range n {
			white[i] = p.G[i*p.F+k]
		}
		simd.BLAS{}.Dtrsv(blas.Lower, blas.NoTrans, blas.NonUnit, n, tastes, n, white, 1)
		square[k] = num.Dot(white, white)
		e.variance[k] = max(square[k]/float64(n), leastEffect)
	}
	// A = diag √v_k·L_k, and the covariance is A(I + AᵀWA)⁻¹Aᵀ.
	for round := range effectRounds + 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		a := mat.NewDense(total, total, nil)
		for b := range blocks {
			l, v := tastes, c.Spread
			if b == 0 {
				l = centre
			} else {
				v = e.variance[b-1]
			}
			for i := range n {
				for j := range i + 1 {
					a.Set(b*n+i, b*n+j, math.Sqrt(v)*l[i*n+j])
				}
			}
		}
		var half, inner mat.Dense
		simd.Mul(&half, info, a)
		simd.Mul(&inner, a.T(), &half)
		h := mat.NewSymDense(total, nil)
		for i := range total {
			for j := i; j < total; j++ {
				h.SetSym(i, j, inner.At(i, j))
			}
			h.SetSym(i, i, h.At(i, i)+1)
		}
		chol, err := num.NewCholesky(h)
		if err != nil {
			return nil, fmt.Errorf("population: effects of features: %w", err)
		}
		inverse := mat.NewDense(total, total, nil) // L⁻¹
		for i := range total {
			inverse.Set(i, i, 1)
		}
		chol.SolveLTo(inverse, mat.DenseCopyOf(inverse))
		if round == effectRounds {
			e.root = &mat.Dense{}
			simd.Mul(e.root, a, inverse.T())
			break
		}
		for k := range e.variance {
			var trace float64 // of (I + AᵀWA)⁻¹ within the feature
			for r := range total {
				row := inverse.RawRowView(r)[(k+1)*n : (k+2)*n]
				trace += num.Dot(row, row)
			}
			e.variance[k] = max((square[k]+e.variance[k]*trace)/float64(n), leastEffect)
		}
	}
	return e, nil
}

// leastEffect is the variance beforehand of the effects of a feature that does not matter.
const leastEffect = 1e-8

// identityOr is the factor of what is known of items beforehand, on those learnt on.
func identityOr(it *Items, n int) []float64 {
	if it.K != nil {
		return mixFactor(it.K, it.N, n, it.Own)
	}
	l := make([]float64, n*n)
	for i := range n {
		l[i*n+i] = 1
	}
	return l
}

// featureInfo is Σ_u x_u x_uᵀ⊗W_u, x_u being 1 and the features of a person.
func (f *Family) featureInfo(ctx context.Context, c Class, p *LowRank, n int) (*mat.Dense, error) {
	people := c.Engine.People.Len()
	value := func(u, b int) float64 {
		if b == 0 {
			return 1
		}
		return p.Features[u*p.F+b-1]
	}
	info := mat.NewDense(n*(p.F+1), n*(p.F+1), nil)
	for a := range p.F + 1 {
		for b := range a + 1 {
			weight := make([]float64, people)
			for u := range people {
				weight[u] = value(u, a) * value(u, b)
			}
			sum, err := c.Engine.info(ctx, p, p.Items.N, weight)
			if err != nil {
				return nil, err
			}
			num.Mirror(sum, p.Items.N)
			for i := range n {
				for j := range n {
					x := sum[i*p.Items.N+j]
					info.Set(a*n+i, b*n+j, x)
					info.Set(b*n+i, a*n+j, x)
				}
			}
		}
	}
	return info, nil
}

// Of returns mean and covariance of what a difference in features makes to the utilities of the items
// learnt on, and their covariance before the votes.
func (e *PersonEffects) Of(by []float64) (mean []float64, cov, before *mat.SymDense) {
	mean = make([]float64, e.n)
	_, total := e.root.Dims()
	root := mat.NewDense(e.n, total, nil)
	var variance float64
	for k, d := range by {
		variance += d * d * e.variance[k]
		for i := range e.n {
			mean[i] += d * e.mean[i*e.f+k]
			num.Axpy(d, e.root.RawRowView((k+1)*e.n+i), root.RawRowView(i))
		}
	}
	cov, before = mat.NewSymDense(e.n, nil), mat.NewSymDense(e.n, nil)
	simd.Syrk(blas.NoTrans, 1, root.RawMatrix(), 0, cov.RawSymmetric())
	l := mat.NewDense(e.n, e.n, e.prior)
	simd.Syrk(blas.NoTrans, variance, l.RawMatrix(), 0, before.RawSymmetric())
	return mean, cov, before
}
