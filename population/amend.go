package population

import (
	"context"
	"math"

	"palate/internal/num"
	"palate/likelihood"
)

// amendments returns what EP leaves out of everybody's log evidence, at the sites that the engine holds.
func (e *Engine) amendments(ctx context.Context, prior Marginals) ([]float64, error) {
	held := e.held()
	c := &amending{held, make([]float64, e.People.Len())}
	_, _, err := held.Evaluate(ctx, prior, c)
	return c.of, err
}

// amending collects what EP leaves out of everybody's log evidence, to first order (Opper, Paquet and
// Winther, 2013): of any two votes p and q
//
//	κ_p κ_q/3! · (F_pq/(F_pp F_qq))³,
//
// where κ is the third cumulant of what a vote makes of its cavity and F the posterior covariance of the
// differences that are voted on. Where votes are nearly without noise those that others imply, a over c
// where a is over b and b over c, cost EP nearly as much as news would, and little noise looks less
// likely than it is.
type amending struct {
	engine *Engine
	of     []float64
}

func (a *amending) Size(int) int { return 0 }

func (a *amending) Collect(_ []float64, w *Person, u int, _ []int32) {
	m, v := w.m, a.engine.People.votes(u)
	skew := make([]float64, len(v.win)) // κ_p/F_pp³
	for p := range skew {
		if w.cv[p] != w.cv[p] || !(w.variance[p] > 0) {
			continue
		}
		kind := v.kindOf(p)
		at := w.cm[p] + w.lean*a.engine.method.side[kind]
		wide := w.cv[p] + w.noise[p]
		step := cumulantStep * math.Sqrt(1+wide)
		l := a.engine.method.likelihood[kind]
		third := (likelihood.Tilt(l, at+step, wide).D2 - likelihood.Tilt(l, at-step, wide).D2) / (2 * step)
		ratio := w.cv[p] / w.variance[p]
		skew[p] = third * ratio * ratio * ratio
		c := v.countOf(p)
		f := w.variance[p]
		a.of[u] += c * (c - 1) / 2 * skew[p] * skew[p] * f * f * f / 6
	}
	// The posterior covariance is S − SWS.
	num.Mirror(w.info, m)
	left, cov := make([]float64, m*m), append([]float64(nil), w.cov[:m*m]...)
	for i := range m {
		for j, x := range w.cov[i*m : i*m+m] {
			num.Axpy(x, w.info[j*m:j*m+m], left[i*m:i*m+m])
		}
		for j, x := range left[i*m : i*m+m] {
			num.Axpy(-x, w.cov[j*m:j*m+m], cov[i*m:i*m+m])
		}
	}
	row := make([]float64, m)
	for p, s := range skew {
		if s == 0 {
			continue
		}
		copy(row, cov[int(v.win[p])*m:])
		num.Axpy(-1, cov[int(v.lose[p])*m:int(v.lose[p])*m+m], row)
		var sum float64
		for q, t := range skew[:p] {
			f := row[v.win[q]] - row[v.lose[q]]
			sum += v.countOf(q) * t * f * f * f
		}
		a.of[u] += v.countOf(p) * s * sum / 6
	}
}

func (a *amending) Add([]float64, int, []int32) {}

// cumulantStep is that of differences in the mean of a cavity, in units of its deviation with the noise.
const cumulantStep = 1e-3
