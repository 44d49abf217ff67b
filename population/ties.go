package population

import (
	"math"

	"palate/likelihood"
)

// Voting is the likelihood of all outcomes of a vote between unit probits, with
// the margin below which people call a tie; without ties it is zero.
func Voting(threshold float64) func(Kind) likelihood.Scalar {
	return func(k Kind) likelihood.Scalar {
		var l likelihood.Scalar = likelihood.Probit{Offset: threshold}
		if k.Tie {
			l = likelihood.Tie{Threshold: threshold}
		}
		if k.Power != 1 {
			l = likelihood.Power{Of: l, Weight: k.Power}
		}
		return l
	}
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
		c := 1.0
		if v.count != nil {
			c = v.count[p]
		}
		var kind Kind
		if kind = m.people.kinds[0]; v.kind != nil {
			kind = m.people.kinds[v.kind[p]]
		}
		d := likelihood.Tilt(up(kind), w.cm[p], w.cv[p]).LogZ - likelihood.Tilt(down(kind), w.cm[p], w.cv[p]).LogZ
		dst[0] += c * d / (2 * h)
	}
}

func (m *margin) Add(src []float64, _ int, _ []int32) { m.sum += src[0] }

// ties reports whether somebody called one.
func (p *People) ties() bool {
	for _, k := range p.kinds {
		if k.Tie {
			return true
		}
	}
	return false
}
