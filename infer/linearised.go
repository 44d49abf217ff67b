package infer

import (
	"fmt"

	"palate/gp"
	"palate/likelihood"
)

// Linearised is the update of CROWD and DRAFT as published: a win is a
// Gaussian observation of the probability Φ(z) with a noise variance Q that is
// never revised, and Φ is linearised at the mean without regard to the
// variance. It is here so that the papers can be checked; it is biased where EP
// and VI are not. The objective reported is the true bound of the posterior
// that it ends at, not the papers' heuristic one.
type Linearised struct {
	Noise LinearisedNoise
}

// LinearisedNoise chooses Q.
type LinearisedNoise int

const (
	// CrowdNoise is CROWD (9), corrected.
	CrowdNoise LinearisedNoise = iota
	// DraftNoise is DRAFT's: Q is the variance of Beta(2, 1), and the target of
	// a win is that distribution's mean, 2/3.
	DraftNoise
	// MeanNoise is Φ(1−Φ) at the current mean; its fixed point is the Laplace
	// mode.
	MeanNoise
)

// Kind is LowerBound.
func (Linearised) Kind() ObjectiveKind { return LowerBound }

// Check accepts the likelihoods that can be read as observations.
func (Linearised) Check(l likelihood.Scalar) error {
	if _, ok := l.(likelihood.Observer); !ok {
		return fmt.Errorf("infer: Linearised: %T is not an observation of a function of z", l)
	}
	return nil
}

// Update is the extended-Kalman step: τ = G²/Q, ν = G(y − g + G·z)/Q at the
// mean (CROWD (17)–(18), corrected; DRAFT (4)–(5), corrected).
func (r Linearised) Update(l likelihood.Scalar, f Form) Update {
	obs := l.(likelihood.Observer)
	g, slope, target := obs.Observe(f.Mean)
	q := obs.ObservationVar(f.Prior)
	if _, exact := l.(likelihood.Gaussian); !exact {
		switch r.Noise {
		case DraftNoise:
			q, target = 1.0/18, 2.0/3
		case MeanNoise:
			q = g * (1 - g)
		}
	}
	e, _, _ := likelihood.Expect(l, f.Mean, f.Var+f.Residual)
	if slope == 0 || q == 0 { // so far out that the observation says nothing
		return Update{Term: e}
	}
	return Update{
		Site: gp.Site{Tau: slope * slope / q, Nu: slope * (target - g + slope*f.Mean) / q},
		Term: e,
	}
}
