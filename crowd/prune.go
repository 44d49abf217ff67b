package crowd

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// unusedShare is the share of the factors' variance below which one is tried to
// be done without.
const unusedShare = 0.005

// prune drops factors that the votes have no use for: those of next to no share,
// if the bound of the model without them is higher. Their scales have shrunk
// them by then; dropping them saves the work.
func (e *engine) prune() {
	keep := e.used()
	if len(keep) == e.c {
		return
	}
	before, old := e.bound(), *e
	e.arrange(keep, nil)
	if e.evaluate(); !(e.bound() > before) {
		g, d1, d2 := e.g, e.d1, e.d2
		*e = old
		e.g, e.d1, e.d2 = g, d1, d2
		e.evaluate()
	}
}

// used returns the factors with a share that counts.
func (e *engine) used() (keep []int) {
	for c, share := range e.Shares() {
		if share >= unusedShare {
			keep = append(keep, c)
		}
	}
	return keep
}

// arrange keeps the factors by, in this order, each turned by its sign; nil
// leaves them as they are. What it changes it replaces.
func (e *engine) arrange(by []int, sign []float64) {
	old := *e
	n, c := e.Voters(), len(by)
	turn := func(k int) float64 {
		if sign == nil {
			return 1
		}
		return sign[k]
	}
	e.c = c
	e.q, e.scale, e.trace, e.scalePrior = old.q[:1:1], old.scale[:1:1], old.trace[:1:1], nil
	if old.scalePrior != nil {
		e.scalePrior = old.scalePrior[:1:1]
	}
	for k, from := range by {
		e.scale, e.trace = append(e.scale, old.scale[from+1]), append(e.trace, old.trace[from+1])
		if old.scalePrior != nil {
			e.scalePrior = append(e.scalePrior, old.scalePrior[from+1])
		}
		q := old.q[from+1]
		mean := slices.Clone(q.Mean)
		for i := range mean {
			mean[i] *= turn(k)
		}
		e.q = append(e.q, around(e.prior, mean, q.Scale, q.Evidence()))
	}
	if e.a != nil { // the fit is under way
		e.a, e.s = make([]float64, e.forms.Len()*(c+1)), make([]float64, e.forms.Len()*(c+1))
		for k := range e.q {
			e.seeColumn(k)
		}
	}
	if old.leaning != nil {
		e.leaning = old.leaning.arranged(by, turn)
	}
	e.w, e.cov, e.covStart, e.logDet = nil, nil, []int{0}, slices.Clone(old.logDet)
	e.sites = old.sites.arranged(by, old.c)
	from := func(i int) (int, float64) {
		if i < c {
			return by[i], turn(i)
		}
		return i - c + old.c, 1
	}
	var work []float64
	for u := range n {
		oldW, d := old.meanWeights(u), e.dim(u)
		w := make([]float64, d)
		for i := range w {
			a, x := from(i)
			w[i] = x * oldW[a]
		}
		e.w = append(e.w, w...)
		if old.compact() {
			continue
		}
		_, oldCov := old.weights(u)
		cov := make([]float64, d*d)
		for i := range w {
			a, x := from(i)
			for j := range w {
				b, y := from(j)
				cov[i*d+j] = x * y * oldCov[a*len(oldW)+b]
			}
		}
		e.cov, e.covStart = append(e.cov, cov...), append(e.covStart, e.covStart[u]+d*d)
		if d < len(oldW) {
			work = slices.Grow(work[:0], d*d)[:d*d]
			logDet, ok := invert(cov, work, d)
			if !ok {
				panic("crowd: a voter's covariance is not positive definite")
			}
			e.logDet[u] = logDet
		}
	}
}

// arranged returns q with the factors by, each turned.
func (l *leaning) arranged(by []int, turn func(int) float64) *leaning {
	o := *l
	if len(by) == 0 {
		return nil
	}
	o.mean = mat.NewDense(len(l.groups), len(by), nil)
	for k := range l.groups {
		for c, from := range by {
			o.mean.Set(k, c, turn(c)*l.mean.At(k, from))
		}
	}
	return &o
}
