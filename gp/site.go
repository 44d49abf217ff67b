package gp

import "math"

// Site is the Gaussian exp(Nu·z − Tau·z²/2) that stands for one observation of
// the form z. All likelihoods are log-concave, so Tau is never negative.
type Site struct {
	Tau, Nu float64
}

// Blend returns (1−step)·s + step·t, a damped move in natural parameters.
func (s Site) Blend(t Site, step float64) Site {
	return Site{
		Tau: s.Tau + step*(t.Tau-s.Tau),
		Nu:  s.Nu + step*(t.Nu-s.Nu),
	}
}

// Distance says how far a move from s to t shifts a form with marginal
// N(mean, v), in units of its own spread: the change of precision times v, or
// the pull on the mean times √v, whichever is larger.
func (s Site) Distance(t Site, mean, v float64) float64 {
	dt, dn := t.Tau-s.Tau, t.Nu-s.Nu
	return math.Max(math.Abs(dt)*v, math.Abs(dn-dt*mean)*math.Sqrt(v))
}

// LeastCavity is the share of a marginal's precision that must be left without one
// copy of a site for the cavity to be proper: less is rounding.
const LeastCavity = 1e-13

// Cavity takes one copy of the site out of the marginal N(mean, v). It is not
// ok when nothing proper is left.
func (s Site) Cavity(mean, v float64) (cm, cv float64, ok bool) {
	rest := 1 - s.Tau*v
	if !(rest > LeastCavity) {
		return 0, 0, false
	}
	return (mean - s.Nu*v) / rest, v / rest, true
}

// LogOverlap is log ∫ N(z; mean, v) exp(Nu·z − Tau·z²/2) dz.
func (s Site) LogOverlap(mean, v float64) float64 {
	r := 1 + s.Tau*v
	return -0.5*math.Log(r) + 0.5*(s.Nu*s.Nu*v+2*s.Nu*mean-s.Tau*mean*mean)/r
}
