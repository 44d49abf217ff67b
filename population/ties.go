package population

import (
	"math"
	"slices"

	"palate/likelihood"
)

// Likelihood is that of a kind of outcome for people with a slope, who call a tie
// within a margin of the sloped difference of utilities. What an answer drew has all of the
// noise.
func (k Observation) Likelihood(slope, margin float64) likelihood.Scalar {
	switch {
	case k.Drawn && k.Tie:
		return likelihood.Within{Threshold: margin / slope}
	case k.Drawn:
		return likelihood.Step{Offset: margin / slope}
	}
	var l likelihood.Scalar = likelihood.Probit{Noise: 1 / slope, Offset: margin / slope}
	if k.Tie {
		l = likelihood.Tie{Noise: 1 / slope, Threshold: margin / slope}
	}
	return likelihood.Raised(l, k.Power)
}

// Voting is the likelihood of all outcomes of a vote between unit probits, with
// the margin below which people call a tie; without ties it is zero.
func Voting(threshold float64) func(Observation) likelihood.Scalar {
	return func(k Observation) likelihood.Scalar { return k.Likelihood(1, threshold) }
}

// The prior of the threshold is log-normal around this, its log with a
// deviation of 2.
const typicalThreshold = 0.3

// setThreshold changes the likelihoods of the engine.
func (e *Engine) setThreshold(threshold float64) {
	of := Voting(threshold)
	for k, kind := range e.People.kinds {
		e.method.likelihood[k] = of(kind)
	}
}

// margin collects the derivative of the log evidence in the log threshold: at
// convergence only the likelihood's own terms move.
type margin struct {
	people    *People
	threshold float64
	sum       float64
	each      []float64 // of each person; nil: not wanted
}

func (m *margin) Size(int) int { return 1 }

func (m *margin) Collect(dst []float64, w *Person, u int, _ []int32) {
	const h = 1e-5
	up, down := Voting(m.threshold*math.Exp(h)), Voting(m.threshold*math.Exp(-h))
	v := m.people.votes(u)
	dst[0] = 0
	for p := range v.win {
		if w.cv[p] != w.cv[p] {
			continue
		}
		c := v.countOf(p)
		kind := m.people.kinds[v.kindOf(p)]
		mean := w.cm[p] + w.lean*float64(kind.Side)
		d := likelihood.Tilt(up(kind), mean, w.cv[p]).LogZ - likelihood.Tilt(down(kind), mean, w.cv[p]).LogZ
		dst[0] += c * d / (2 * h)
	}
}

func (m *margin) Add(src []float64, u int, _ []int32) {
	if m.sum += src[0]; m.each != nil {
		m.each[u] = src[0]
	}
}

// Ties reports whether somebody called one.
func (p *People) Ties() bool {
	return slices.ContainsFunc(p.kinds, func(k Observation) bool { return k.Tie })
}
