package published

import (
	"slices"

	"palate/gp"
)

// Form returns mean and variance of a form of the items' utilities to a voter.
func (l *Learnt) Form(voter int, rows *gp.Rows) (mean, variance float64) {
	if l.item[0] != nil {
		mean, variance = l.Consensus(rows)
	}
	v := newView(l.items, rows, nil)
	for c := 1; c <= l.Factors; c++ {
		x, s := l.item[c].look(v)
		w, r := l.weight[c][voter], l.spread[c][voter]
		mean += w * x[0]
		variance += w*w*s[0] + x[0]*x[0]*r + s[0]*r
	}
	return mean, variance
}

// Consensus returns mean and variance of a form of the consensus utilities; zero
// without a consensus.
func (l *Learnt) Consensus(rows *gp.Rows) (mean, variance float64) {
	m := look(l.item[0], newView(l.items, rows, nil))
	return m.mean[0], m.variance[0]
}

// Variances returns what the factors have of the variance, 1/E[s_c] times that of
// their weights, the largest first: CROWD figure 4.
func (l *Learnt) Variances() []float64 {
	out := make([]float64, l.Factors)
	for c := range out {
		out[c] = 1 / (l.item[c+1].mean() * l.voter[c+1].mean())
	}
	slices.Sort(out)
	slices.Reverse(out)
	return out
}
