package infer

import "palate/likelihood"

// Laplace expands the log probability at the posterior mode. On inducing
// points the residual is integrated out first.
type Laplace struct{}

// Kind is LaplaceEvidence.
func (Laplace) Kind() ObjectiveKind { return LaplaceEvidence }

// Check refuses the noise-free duel, which has no derivatives.
func (Laplace) Check(l likelihood.Scalar) error { return noStep("Laplace", l) }

// Update takes the derivatives at the mean; sweeps are Newton steps.
func (Laplace) Update(l likelihood.Scalar, f Form) Update {
	var lp, d1, d2 float64
	if f.Residual > 0 {
		t := likelihood.Tilt(l, f.Mean, f.Residual)
		lp, d1, d2 = t.LogZ, t.D1, t.D2
	} else {
		lp, d1, d2 = l.LogProb(f.Mean)
	}
	return Update{Site: siteFrom(f.Mean, d1, d2), Term: lp, TermResidual: 0.5 * (d2 + d1*d1)}
}
