package rating

import (
	"math"

	"palate/internal/num"
	"palate/likelihood"
)

// noise is the deviation of what a rating adds to a utility: that of two is a vote's.
var noise = math.Sqrt(0.5)

// Answering is how people answer, given what they make of items.
type Answering struct {
	Cuts   []float64 `json:"cuts,omitempty"`       // between classes, ascending
	Unit   float64   `json:"unit,omitempty"`       // of ratings that are numbers, in units of the scale, that makes one of utility; 0 of classes
	Vote   float64   `json:"vote_noise"`           // deviation of the noise of a vote
	Margin float64   `json:"tie_margin,omitempty"` // within which two are tied; 0 where no vote is
	Spread float64   `json:"spread"`               // ς
}

// cut returns cut point k, from 0; −∞ before the first and +∞ after the last.
func (a *Answering) cut(k int) float64 {
	switch {
	case k < 0:
		return math.Inf(-1)
	case k >= len(a.Cuts):
		return math.Inf(1)
	}
	return a.Cuts[k]
}

// rating is the likelihood of a class for somebody with a spread.
func (a *Answering) rating(class int, spread float64) likelihood.Interval {
	return likelihood.Interval{Noise: noise, Lo: spread * a.cut(class-1), Hi: spread * a.cut(class)}
}

// vote is the likelihood of a win, or of a tie.
func (a *Answering) vote(tie bool) likelihood.Interval {
	if tie {
		return likelihood.Interval{Noise: a.Vote, Lo: -a.Margin, Hi: a.Margin}
	}
	return likelihood.Interval{Noise: a.Vote, Lo: a.Margin, Hi: math.Inf(1)}
}

// tilt is that of row p of somebody with a spread. Of numbers it is in units of the scale.
func (a *Answering) tilt(r *rows, p int, spread, m, v float64) likelihood.Tilted {
	switch {
	case r.other[p] >= 0:
		return a.vote(r.class[p] == 1).Tilt(m, v)
	case a.Unit > 0:
		t := likelihood.Gaussian{Y: spread * r.number[p] / a.Unit, Sd: noise}.Tilt(m, v)
		t.LogZ += math.Log(spread / a.Unit)
		return t
	}
	return a.rating(int(r.class[p]), spread).Tilt(m, v)
}

// logZ is the logarithm of tilt's integral alone.
func (a *Answering) logZ(r *rows, p int, spread, m, v float64) float64 {
	if r.other[p] < 0 && a.Unit == 0 {
		return a.rating(int(r.class[p]), spread).LogZ(m, v)
	}
	return a.tilt(r, p, spread, m, v).LogZ
}

// Parameters of how people answer, as places in a vector: the cut points come first.
type places struct{ noise, unit, vote, margin, n int }

// places says which parameters are learnt; −1 stands for those that are not.
func (a *Answering) places(r *rows) places {
	p := places{-1, -1, -1, -1, len(a.Cuts)}
	add := func(at *int, is bool) {
		if is {
			*at = p.n
			p.n++
		}
	}
	add(&p.noise, len(a.Cuts) > 0)
	add(&p.unit, a.Unit > 0)
	add(&p.vote, r.voted && r.rated)
	add(&p.margin, r.tied)
	return p
}

// slopes adds to grad the derivatives of the logarithm of a row's tilted integral in the
// parameters.
func (a *Answering) slopes(r *rows, p int, spread, m, v float64, at places, grad []float64) {
	if r.other[p] >= 0 {
		l := a.vote(r.class[p] == 1)
		lo, hi, noise := l.Slopes(m, v, l.LogZ(m, v))
		if at.vote >= 0 {
			grad[at.vote] += noise
		}
		if at.margin >= 0 {
			if r.class[p] == 1 {
				grad[at.margin] += a.Margin * (hi - lo)
			} else {
				grad[at.margin] += a.Margin * lo
			}
		}
		return
	}
	if a.Unit > 0 {
		y := spread * r.number[p] / a.Unit
		grad[at.unit] += y*(y-m)/(noise*noise+v) - 1
		return
	}
	k := int(r.class[p])
	l := a.rating(k, spread)
	lo, hi, noise := l.Slopes(m, v, l.LogZ(m, v))
	grad[at.noise] += noise
	if k > 0 {
		grad[k-1] += spread * lo
	}
	if k < len(a.Cuts) {
		grad[k] += spread * hi
	}
}

// spread takes a step of Newton's method from the spread of somebody, who said the rows from
// lo to hi, towards its mode at the cavities, and returns how sharply its logarithm is known.
func (a *Answering) spread(r *rows, lo, hi int, from float64, cm, cv []float64) (to, known float64) {
	precision := 1 / (a.Spread * a.Spread)
	log := math.Log(from)
	at := func(by float64) (sum float64) {
		b := math.Exp(log + by)
		for p := lo; p < hi; p++ {
			if r.other[p] < 0 && !math.IsNaN(cv[p]) {
				sum += r.weight[p] * a.logZ(r, p, b, cm[p], cv[p])
			}
		}
		return sum - 0.5*precision*(log+by)*(log+by)
	}
	const h = 0.05
	up, here, down := at(h), at(0), at(-h)
	known = max((2*here-up-down)/(h*h), 0.5*precision)
	log += min(max((up-down)/(2*h)/known, -mostTurn), mostTurn)
	return math.Exp(min(max(log, -mostSpread), mostSpread)), known
}

// turnSpreads takes a step towards everybody's spread, and sets what they have in common.
func (a *Answering) turnSpreads(r *rows, spread, cm, cv []float64) {
	known := make([]float64, r.people)
	num.Parallel(r.people, 16, func(from, to int) {
		for u := from; u < to; u++ {
			spread[u], known[u] = a.spread(r, r.start[u], r.start[u+1], spread[u], cm, cv)
		}
	})
	var centre float64
	for _, b := range spread {
		centre += math.Log(b) / float64(r.people)
	}
	square := spreadPeople * typicalSpread * typicalSpread
	for u := range spread { // what all have in common is the cut points'
		spread[u] *= math.Exp(-centre)
		log := math.Log(spread[u])
		square += log*log + 1/known[u]
	}
	for k := range a.Cuts {
		a.Cuts[k] *= math.Exp(centre)
	}
	a.Unit *= math.Exp(-centre)
	a.Spread = math.Sqrt(square / (float64(r.people) + spreadPeople))
}

// scores returns the slopes of the evidence in the parameters, and their covariance by the
// squares of what single rows say (Berndt and others 1974); nil without parameters. The
// variance is that of utilities and offsets: ratings that do not contradict themselves want no
// noise at all, and how much there may be is expected beforehand.
func (a *Answering) scores(r *rows, at places, variance float64, spread, cm, cv []float64) (g, cov []float64) {
	n := at.n
	if n == 0 {
		return nil, nil
	}
	const grain = 64
	parts := (r.people + grain - 1) / grain
	sums := make([]float64, parts*(n+n*n))
	num.Parallel(parts, 1, func(lo, hi int) {
		grad := make([]float64, n)
		for part := lo; part < hi; part++ {
			g := sums[part*(n+n*n):][:n]
			h := sums[part*(n+n*n)+n:][:n*n]
			for u := part * grain; u < min((part+1)*grain, r.people); u++ {
				for p := r.start[u]; p < r.start[u+1]; p++ {
					if math.IsNaN(cv[p]) {
						continue
					}
					clear(grad)
					w := r.weight[p]
					a.slopes(r, p, spread[u], cm[p], cv[p], at, grad)
					for i, x := range grad {
						if x == 0 {
							continue
						}
						g[i] += w * x
						for j := range i + 1 {
							h[i*n+j] += w * x * grad[j]
						}
					}
				}
			}
		}
	})
	h := sums[n : n+n*n]
	g = sums[:n]
	for part := 1; part < parts; part++ {
		num.Axpy(1, sums[part*(n+n*n):][:n], g)
		num.Axpy(1, sums[part*(n+n*n)+n:][:n*n], h)
	}
	for i := range n {
		h[i*n+i] += 1e-6
	}
	if at.noise >= 0 { // of the logarithm of the variance in units of the noise
		g[at.noise] += 2 * (math.Log(variance) - math.Log(typicalVariance)) / (varianceDeviation * varianceDeviation)
		h[at.noise*n+at.noise] += 4 / (varianceDeviation * varianceDeviation)
	}
	if at.unit >= 0 {
		g[at.unit] -= 4 * (math.Log(a.Unit) + 0.5*math.Log(typicalVariance+noise*noise)) / (varianceDeviation * varianceDeviation)
		h[at.unit*n+at.unit] += 4 / (varianceDeviation * varianceDeviation)
	}
	if at.vote >= 0 {
		g[at.vote] -= math.Log(a.Vote) // a deviation of one
		h[at.vote*n+at.vote]++
	}
	if at.margin >= 0 {
		g[at.margin] -= (math.Log(a.Margin) - math.Log(typicalMargin)) / 4
		h[at.margin*n+at.margin] += 0.25
	}
	cov = make([]float64, n*n)
	if _, ok := num.Invert(cov, h, n); !ok {
		return nil, nil
	}
	return g, cov
}

// blur is the variance of the logarithm of the unit of utilities, as far as ratings leave it
// open.
func (a *Answering) blur(r *rows, variance float64, spread, cm, cv []float64) float64 {
	at := a.places(r)
	unit := max(at.noise, at.unit)
	_, cov := a.scores(r, at, variance, spread, cm, cv)
	if unit < 0 || cov == nil {
		return 0
	}
	return min(cov[unit*at.n+unit], mostBlur)
}

// answer takes a step of scoring in the parameters at everybody's cavities. It returns by how
// much utilities are to be divided for the noise of a rating to be what it is by convention.
func (a *Answering) answer(r *rows, variance float64, spread, cm, cv []float64, step float64) (unit float64) {
	at := a.places(r)
	g, cov := a.scores(r, at, variance, spread, cm, cv)
	if cov == nil {
		return 1
	}
	by := make([]float64, at.n)
	num.SymVec(by, cov, g, at.n)
	a.step(at, by, step)
	if at.noise < 0 {
		return 1
	}
	unit = math.Exp(step * min(max(by[at.noise], -mostTurn), mostTurn))
	for k := range a.Cuts {
		a.Cuts[k] /= unit
	}
	if r.voted {
		a.Vote /= unit
		a.Margin /= unit
	}
	return unit
}

// Bounds of steps and spreads, and what is expected of spreads and margins beforehand.
const (
	mostTurn      = 0.5
	mostSpread    = 2.0 // of the logarithm
	typicalSpread = 0.3
	spreadPeople  = 2
	typicalMargin = 0.3
	mostBlur      = 1.0
	// The variance of utilities and offsets has a log-normal prior around the typical one.
	typicalVariance   = 1.0
	varianceDeviation = 1.0
)

// step moves the parameters, cut points only as far as they stay in order.
func (a *Answering) step(at places, by []float64, step float64) {
	moved := make([]float64, len(a.Cuts))
	for ; ; step /= 2 {
		ordered := true
		for k, c := range a.Cuts {
			moved[k] = c + step*by[k]
			ordered = ordered && (k == 0 || moved[k] > moved[k-1]+leastGap)
		}
		if ordered || step < 1e-3 {
			break
		}
	}
	if step >= 1e-3 {
		copy(a.Cuts, moved)
	}
	turn := func(x *float64, place int) {
		if place >= 0 {
			*x *= math.Exp(step * min(max(by[place], -mostTurn), mostTurn))
		}
	}
	turn(&a.Unit, at.unit)
	turn(&a.Vote, at.vote)
	turn(&a.Margin, at.margin)
}

// leastGap is the least width of a class, in units of utility.
const leastGap = 1e-3
