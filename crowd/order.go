package crowd

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
)

// Shares returns the share of the variance of personal utilities that every
// factor makes up: the mean square of v_c, centred over the items, times that of
// w_c over the voters.
func (l *engine) Shares() []float64 {
	out := make([]float64, l.c)
	square := make([]float64, l.Voters()*l.c) // E[w²]
	num.Parallel(l.Voters(), voterGrain, func(lo, hi int) {
		for u := lo; u < hi; u++ {
			w, cov := l.weights(u)
			for c := range l.c {
				square[u*l.c+c] = w[c]*w[c] + cov[c*len(w)+c]
			}
		}
	})
	var sum float64
	for c := range out {
		f := utilities(l.q[c+1])
		mean := total(f) / float64(len(f))
		for _, x := range f {
			out[c] += (x - mean) * (x - mean) / float64(len(f))
		}
		var w2 float64
		for u := range l.Voters() {
			w2 += square[u*l.c+c]
		}
		out[c] *= w2 / math.Max(1, float64(l.Voters()))
		sum += out[c]
	}
	for c := range out {
		if sum > 0 {
			out[c] /= sum
		}
	}
	return out
}

// order sorts factors by their share, the largest first, and turns each so that
// its item farthest from the others is above them.
func (l *Learnt) order() {
	share := l.Shares()
	by := num.Indices(l.c)
	slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	sign := make([]float64, l.c)
	for k, from := range by {
		sign[k] = turned(utilities(l.q[from+1]))
	}
	l.arrange(by, sign)
}

// turned returns the sign that puts the item farthest from the mean above it.
func turned(f []float64) float64 {
	mean := total(f) / float64(len(f))
	far := 0.0
	for _, x := range f {
		if math.Abs(x-mean) > math.Abs(far)*(1+1e-9) {
			far = x - mean
		}
	}
	if far < 0 {
		return -1
	}
	return 1
}

// Factors returns the number of factors.
func (l *Learnt) Factors() int { return l.c }

// Factor returns the posterior means of factor c for all items.
func (l *Learnt) Factor(c int) []float64 { return utilities(l.q[c+1]) }

// utilities are the means of all items, without the factor of their covariance
// that q.Utilities makes along the way.
func utilities(q *gp.Posterior) []float64 {
	phi := q.Prior.Features()
	n, d := phi.Dims()
	f := make([]float64, n)
	simd.Gemv(blas.NoTrans, 1, phi.RawMatrix(), simd.Vector{N: d, Data: q.Mean, Inc: 1}, 0, simd.Vector{N: n, Data: f, Inc: 1})
	return f
}

// Weights returns mean and covariance of voter u's weights.
func (l *Learnt) Weights(u int) (mean []float64, cov *mat.SymDense) {
	w, s := l.weights(u)
	if l.c == 0 {
		return nil, nil
	}
	cov = mat.NewSymDense(l.c, nil)
	for i := range l.c {
		for j := i; j < l.c; j++ {
			cov.SetSym(i, j, s[i*len(w)+j])
		}
	}
	return slices.Clone(w[:l.c]), cov
}

// ConsensusScale returns the posterior of the consensus's inverse scale.
func (l *Learnt) ConsensusScale() infer.Gamma { return l.scale[0] }
