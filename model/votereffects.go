package model

import (
	"context"
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// VoterFeatures returns the features of voters, a row each, as encoded; nil without.
func (m *Population) VoterFeatures() *mat.Dense {
	f := len(m.centre)
	if f == 0 {
		return nil
	}
	x := mat.NewDense(len(m.users), f, nil)
	for u := range m.users {
		for j := range f {
			x.Set(u, j, m.about[u*f+j]*m.width[j]+m.centre[j])
		}
	}
	return x
}

// VoterContrast returns how utilities of all items differ between people of some features and people
// of others: what features alone tell of the difference. It fails where there are too many of them.
func (m *Population) VoterContrast(ctx context.Context, to, from []float64) (*PartialDependence, error) {
	e, err := m.effects.Get(ctx, m.family.PersonEffects)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("model: %s", strings.TrimPrefix(err.Error(), "population: "))
	}
	if e == nil {
		return nil, fmt.Errorf("model: the voters have no features to explain tastes by")
	}
	by := make([]float64, len(m.centre))
	for j := range by {
		by[j] = (to[j] - from[j]) / m.width[j]
	}
	mean, cov, before := e.Of(by)
	return &PartialDependence{mean, cov, before}, ctx.Err()
}
