package explain

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
)

// sizeDraws is the number of draws that the interval of an importance is of.
const sizeDraws = 4000

// sizes are draws of the deviation of the effect over items, in order.
func (d *Dependence) sizes(rng *rand.Rand) ([]float64, error) {
	n := len(d.At)
	l, err := num.NewCholesky(d.cov)
	if err != nil {
		return nil, err
	}
	root := l.L()
	out, e := make([]float64, sizeDraws), make([]float64, n)
	for k := range out {
		for i := range e {
			e[i] = rng.NormFloat64()
		}
		var mean, square float64
		for i, s := range d.At {
			x := d.mean[i]
			for j := range i + 1 {
				x += root.At(i, j) * e[j]
			}
			mean += s.Weight * x
			square += s.Weight * x * x
		}
		out[k] = math.Sqrt(max(square-mean*mean, 0))
	}
	slices.Sort(out)
	return out, nil
}

// withFlat is mean and interval of a size that is zero unless the feature matters, and else one of
// the draws.
func withFlat(sizes []float64, matters, level float64) Estimate {
	var mean float64
	for _, x := range sizes {
		mean += x / float64(len(sizes))
	}
	at := func(p float64) float64 { // the p-quantile
		if p -= 1 - matters; p <= 0 {
			return 0
		}
		return sizes[min(int(p/matters*float64(len(sizes))), len(sizes)-1)]
	}
	return Estimate{matters * mean, at((1 - level) / 2), at((1 + level) / 2)}
}

// vague is the share of the largest variance beforehand below which a direction tells nothing of
// whether an effect is flat.
const vague = 1e-6

// effectScales are the sizes that an effect may have if there is one, as shares of the variance that
// effects have beforehand.
var effectScales = []float64{1, 1. / 4, 1. / 16, 1. / 64, 1. / 256}

// logOdds is the logarithm of the odds that there is an effect at all, given its mean and its
// covariances after and before the votes. In units in which the covariance before is I, the votes
// are a Gaussian of precision L and pull h; an effect of variance t has the evidence
// |I + tL|^−½ exp(t·hᵀ(I + tL)⁻¹h/2) of that of none.
func logOdds(mean []float64, after, before *mat.SymDense) float64 {
	n := len(mean)
	var eig mat.EigenSym
	if !eig.Factorize(before, true) {
		return 0
	}
	var vectors, half, turned mat.Dense
	eig.VectorsTo(&vectors)
	values := eig.Values(nil)
	least := vague * slices.Max(values)
	if !(least > 0) {
		return 0
	}
	for i := range n {
		for j := range n {
			vectors.Set(i, j, vectors.At(i, j)/math.Sqrt(max(values[j], 0)+least))
		}
	}
	simd.Mul(&half, after, &vectors)
	simd.Mul(&turned, vectors.T(), &half)
	m, s := mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	simd.Gemv(blas.Trans, 1, vectors.RawMatrix(), simd.Vector{N: n, Inc: 1, Data: mean}, 0, m.RawVector())
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, turned.At(i, j))
		}
		s.SetSym(i, i, s.At(i, i)+least/(max(values[i], 0)+least))
	}
	if !eig.Factorize(s, true) {
		return 0
	}
	eig.VectorsTo(&vectors)
	values = eig.Values(nil)
	along := mat.NewVecDense(n, nil)
	simd.Gemv(blas.Trans, 1, vectors.RawMatrix(), m.RawVector(), 0, along.RawVector())
	all := make([]float64, len(effectScales))
	for k, t := range effectScales {
		for i, v := range values {
			v = min(max(v, vague), 1) // votes do not take away from what is known
			l, pull := 1/v-1, along.AtVec(i)/v
			all[k] += 0.5 * (t*pull*pull/(1+t*l) - math.Log1p(t*l))
		}
	}
	return num.LogSumExp(all) - math.Log(float64(len(all)))
}
