package crowd

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/infer"
)

// Shares returns the share of the variance of personal utilities that every
// factor makes up: the mean square of v_c, centred over the items, times that of
// w_c over the voters.
func (l *Learnt) Shares() []float64 {
	out := make([]float64, l.c)
	var sum float64
	for c := range out {
		f := l.q[c+1].Utilities()
		mean := total(f) / float64(len(f))
		for _, x := range f {
			out[c] += (x - mean) * (x - mean) / float64(len(f))
		}
		var w2 float64
		for u := range l.Voters() {
			w, cov := l.weights(u)
			w2 += w[c]*w[c] + cov[c*len(w)+c]
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
	by := make([]int, l.c)
	for c := range by {
		by[c] = c
	}
	slices.SortStableFunc(by, func(a, b int) int { return cmp.Compare(share[b], share[a]) })
	old := *l.engine
	n, c := l.Voters(), l.c
	l.q, l.scale, l.trace = slices.Clone(old.q), slices.Clone(old.scale), slices.Clone(old.trace)
	l.w, l.cov = slices.Clone(old.w), slices.Clone(old.cov)
	sign := make([]float64, c)
	for k, from := range by {
		l.scale[k+1], l.trace[k+1] = old.scale[from+1], old.trace[from+1]
		q := old.q[from+1]
		sign[k] = turned(q.Utilities())
		mean := slices.Clone(q.Mean)
		for i := range mean {
			mean[i] *= sign[k]
		}
		l.q[k+1] = around(l.prior, mean, q.Scale, q.Evidence())
	}
	for u := range n {
		w, cov := l.weights(u)
		oldW, oldCov := old.weights(u)
		at := func(i int) (int, float64) {
			if i < c {
				return by[i], sign[i]
			}
			return i, 1
		}
		for i := range w {
			a, x := at(i)
			w[i] = x * oldW[a]
			for j := range w {
				b, y := at(j)
				cov[i*len(w)+j] = x * y * oldCov[a*len(w)+b]
			}
		}
	}
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
func (l *Learnt) Factor(c int) []float64 { return l.q[c+1].Utilities() }

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
