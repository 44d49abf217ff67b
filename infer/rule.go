package infer

import (
	"fmt"
	"slices"

	"palate/gp"
	"palate/likelihood"
)

// Form is what a rule sees of one linear form z: the Gaussian N(Mean, Var) of
// the part that the weights explain (the cavity, for a rule that wants one),
// the variance of the residual that the weights leave, and the variance of the
// whole under the prior, which a scale that is learnt does not change.
type Form struct {
	Mean, Var, Residual, Prior float64
}

// Update is a rule's answer: the site that should stand for the likelihood,
// the likelihood's term in the objective, and the derivative of that term in
// the residual's variance.
type Update struct {
	Site         gp.Site
	Term         float64
	TermResidual float64
}

// Rule turns the marginal of a form into its site.
type Rule interface {
	// Kind says what the rule's terms sum to; an EP rule is handed cavities.
	Kind() ObjectiveKind
	// Update returns the site for likelihood l. It may assume that Check
	// accepted l.
	Update(l likelihood.Scalar, f Form) Update
	// Check reports why the rule cannot be used with l, if so.
	Check(l likelihood.Scalar) error
}

// ObjectiveKind tells objectives apart.
type ObjectiveKind int

const (
	// LogEvidence is expectation propagation's estimate of the log evidence.
	LogEvidence ObjectiveKind = iota
	// LowerBound is a variational lower bound of the log evidence.
	LowerBound
	// LaplaceEvidence is Laplace's estimate of the log evidence.
	LaplaceEvidence
)

var kinds = [...]string{"EP log evidence", "lower bound of the log evidence", "Laplace log evidence"}

func (k ObjectiveKind) String() string { return kinds[k] }

// MarshalText writes the kind as its name.
func (k ObjectiveKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (k *ObjectiveKind) UnmarshalText(text []byte) error {
	i := slices.Index(kinds[:], string(text))
	if i < 0 {
		return fmt.Errorf("infer: unknown kind of objective %q", text)
	}
	*k = ObjectiveKind(i)
	return nil
}

// siteFrom builds the site whose derivatives at m are d1 and d2 when there is
// no cavity: τ = −d2, ν = d1 + τ·m.
func siteFrom(m, d1, d2 float64) gp.Site {
	tau := max(0, -d2) // log-concave: below zero is rounding
	return gp.Site{Tau: tau, Nu: d1 + tau*m}
}
