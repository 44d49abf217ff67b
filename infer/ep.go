package infer

import (
	"palate/gp"
	"palate/likelihood"
)

// EP is expectation propagation: the site that gives the cavity the tilted
// distribution's mean and variance. On inducing points each form keeps its
// residual as noise of its own.
type EP struct{}

// Kind is LogEvidence.
func (EP) Kind() ObjectiveKind { return LogEvidence }

// Check accepts every likelihood.
func (EP) Check(likelihood.Scalar) error { return nil }

// Update matches moments: with c = −d2, τ = c/(1−c·v) and ν = (d1 + c·m)/(1−c·v),
// the denominator being the tilted over the cavity variance.
func (EP) Update(l likelihood.Scalar, f Form) Update {
	t := likelihood.Tilt(l, f.Mean, f.Var+f.Residual)
	// Of a log-concave likelihood less than zero is rounding. Where a likelihood is not, the
	// tilted variance is the larger one, which no site of ours gives: the mean is matched.
	c := max(0, -t.D2)
	shrink := min(t.Shrink, 1) + c*f.Residual // 1 − c·Var
	return Update{
		Site:         gp.Site{Tau: c / shrink, Nu: (t.D1 + c*f.Mean) / shrink},
		Term:         t.LogZ,
		TermResidual: 0.5 * (t.D2 + t.D1*t.D1),
	}
}
