package model

import (
	"cmp"
	"math"
	"slices"
)

// CrowdFactor is a way in which voters differ.
type CrowdFactor struct {
	Share   float64   // of the variance that all factors explain
	Items   []float64 // utility of every item to a voter with weight 1
	Weights []float64 // mean weight of every user; 0 of whom nothing is known
}

// InUse reports whether the factor makes up more than a twentieth of what
// factors explain (CROWD figure 4); votes have switched the others off.
func (f CrowdFactor) InUse() bool { return f.Share > 0.05 }

// Top returns the n items that voters with a large weight like most, and those
// they like least, the extreme ones first.
func (f CrowdFactor) Top(n int) (most, least []int) {
	order := argsort(f.Items)
	n = min(n, len(order)/2)
	least = slices.Clone(order[:n])
	most = slices.Clone(order[len(order)-n:])
	slices.Reverse(most)
	return most, least
}

// Factors returns the factors, that of the largest share first. Which way a
// factor points is settled by its item farthest from the others, which is above
// them.
func (m *Crowd) Factors() []CrowdFactor {
	out := make([]CrowdFactor, m.learnt.Factors())
	for c, share := range m.learnt.Shares() {
		out[c] = CrowdFactor{Share: share, Items: m.learnt.Factor(c), Weights: make([]float64, len(m.users))}
	}
	for u := range m.users {
		if l, k := m.voterOf(u); k >= 0 {
			w, _ := l.Weights(k)
			for c, x := range w {
				out[c].Weights[u] = x
			}
		}
	}
	return out
}

// FeatureCorrelation is how far a factor goes with a feature.
type FeatureCorrelation struct {
	Feature     int // column of the feature
	Correlation float64
}

// ItemFeatures returns the correlations of the factor with the features of the
// items, the largest in size first; nil without features.
func (m *Crowd) ItemFeatures(f CrowdFactor) []FeatureCorrelation {
	if m.features == nil {
		return nil
	}
	rows, cols := m.features.Dims()
	column := make([]float64, rows)
	return correlations(f.Items, cols, func(c int) []float64 {
		for i := range column {
			column[i] = m.features.At(i, c)
		}
		return column
	})
}

// correlations sorts columns by how far they go with x.
func correlations(x []float64, columns int, column func(int) []float64) []FeatureCorrelation {
	out := make([]FeatureCorrelation, columns)
	for c := range out {
		out[c] = FeatureCorrelation{c, correlation(x, column(c))}
	}
	slices.SortStableFunc(out, func(a, b FeatureCorrelation) int {
		return cmp.Compare(math.Abs(b.Correlation), math.Abs(a.Correlation))
	})
	return out
}

// correlation is Pearson's; 0 where one of the two does not vary.
func correlation(x, y []float64) float64 {
	var mx, my, xx, yy, xy float64
	n := float64(len(x))
	for i := range x {
		mx += x[i] / n
		my += y[i] / n
	}
	for i := range x {
		a, b := x[i]-mx, y[i]-my
		xx, yy, xy = xx+a*a, yy+b*b, xy+a*b
	}
	if !(xx > 0 && yy > 0) {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}
