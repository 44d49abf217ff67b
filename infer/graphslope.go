package infer

import (
	"math"

	"palate/likelihood"
)

// Slope returns the derivative of the evidence in log s at sites that have settled,
// ½(n − s(tr A⁻¹ + |f|²)), and about how fast it falls: half the number of items that
// votes tell of. Along links n, trace and squares are those of all that s scales.
func (g *Graph) Slope() (slope, bend float64) {
	n := g.e.Prior.Freedom()
	slope, bend = 0.5*float64(n), 0.5*float64(n)
	for i, p := range g.l.Own() {
		if p > 0 {
			v := 0.5 * p * g.variance(i)
			slope -= v + 0.5*p*g.mean[i]*g.mean[i]
			bend -= v
		}
	}
	g.additions(func(k int, _ int32, what addition) {
		if what <= share {
			m, v := g.marginal(k)
			t := 0.5 * g.site[k].Tau
			slope -= t * (m*m + v)
			bend -= t * v
			if what == share {
				slope += 0.5
				bend += 0.5
			}
		}
	})
	return slope, bend
}

// Evidence returns EP's estimate of the log evidence at sites that have settled: that of
// Finish, where variances are not from the inverse as belief propagation has it.
func (g *Graph) Evidence() float64 {
	e := g.e
	var sum float64
	for i, m := range g.mean {
		sum += 0.5 * g.lin[i] * m
	}
	for k, p := range g.pairs.Pairs() {
		mean, v := g.marginal(k)
		for _, r := range g.pairs.RowsOf(k) {
			c := e.side(int(r), p)
			if l, fixed := e.Likelihood[r].(likelihood.Gaussian); fixed {
				if g.added[int(r)-g.given.Rows.Len()] != link { // those are in the prior's determinant
					sum -= math.Log(l.Sd) // a constant of 2π goes with every item beside
				}
			} else if m, v, ok := e.sites[r].Cavity(c*mean, c*c*v); ok {
				sum += e.count(int(r)) * (e.Rule.Update(e.Likelihood[r], Form{Mean: m, Var: v}).Term - e.sites[r].LogOverlap(m, v))
			}
		}
	}
	return sum + 0.5*float64(e.Prior.Freedom())*math.Log(e.scale) + 0.5*e.Prior.LogPrec() - 0.5*g.l.LogDet(g.m, g.common)
}

// Forms is Result.Forms under the sites as they are; the variance is NaN where a cavity is
// improper.
func (g *Graph) Forms() []Form {
	given := int32(g.given.Rows.Len())
	forms := make([]Form, given)
	for k, p := range g.pairs.Pairs() {
		mean, v := g.marginal(k)
		for _, r := range g.pairs.RowsOf(k) {
			if r >= given {
				continue
			}
			c := g.e.side(int(r), p)
			m, v, ok := g.e.sites[r].Cavity(c*mean, c*c*v)
			if forms[r] = (Form{Mean: m, Var: v}); !ok {
				forms[r].Var = math.NaN()
			}
		}
	}
	return forms
}

// Terms is Result.Terms under the sites as they are.
func (g *Graph) Terms(l func(row int) likelihood.Scalar) (sum float64) {
	e := g.e
	given := int32(g.given.Rows.Len())
	for k, p := range g.pairs.Pairs() {
		if g.pairs.RowsOf(k)[0] >= given {
			continue
		}
		mean, v := g.marginal(k)
		for _, r := range g.pairs.RowsOf(k) {
			c := e.side(int(r), p)
			if m, v, ok := e.sites[r].Cavity(c*mean, c*c*v); ok {
				sum += e.count(int(r)) * e.Rule.Update(l(int(r)), Form{Mean: m, Var: v}).Term
			}
		}
	}
	return sum
}
