package infer

import (
	"fmt"

	"palate/likelihood"
)

// VI is variational inference with exact expectations: the natural gradient
// of the bound's likelihood term.
type VI struct{}

// Kind is LowerBound.
func (VI) Kind() ObjectiveKind { return LowerBound }

// Check refuses the noise-free duel, whose expected log probability is −∞.
func (VI) Check(l likelihood.Scalar) error { return noStep("VI", l) }

// Update takes the derivatives of the expected log probability.
func (VI) Update(l likelihood.Scalar, f Form) Update {
	e, d1, d2 := likelihood.Expect(l, f.Mean, f.Var+f.Residual)
	return Update{Site: siteFrom(f.Mean, d1, d2), Term: e, TermResidual: d2 / 2}
}

func noStep(rule string, l likelihood.Scalar) error {
	if _, ok := l.(likelihood.Step); ok {
		return fmt.Errorf("infer: %s: a noise-free duel has no derivatives; use EP", rule)
	}
	return nil
}
