package infer

import (
	"fmt"

	"palate/gp"
	"palate/likelihood"
)

// Jaakkola replaces the logistic by Jaakkola's quadratic bound (COLLAB), so
// every sweep raises the lower bound.
type Jaakkola struct{}

// Kind is LowerBound.
func (Jaakkola) Kind() ObjectiveKind { return LowerBound }

// Check accepts the likelihoods that have a quadratic bound.
func (Jaakkola) Check(l likelihood.Scalar) error {
	if _, ok := l.(likelihood.Bounder); !ok {
		return fmt.Errorf("infer: Jaakkola: %T has no quadratic bound; use the logit likelihood", l)
	}
	return nil
}

// Update takes the bound at its best contact point.
func (Jaakkola) Update(l likelihood.Scalar, f Form) Update {
	term, tau, nu := l.(likelihood.Bounder).Bound(f.Mean, f.Var+f.Residual)
	return Update{Site: gp.Site{Tau: tau, Nu: nu}, Term: term, TermResidual: -tau / 2}
}
