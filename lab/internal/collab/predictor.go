package collab

import (
	"slices"

	"palate/likelihood"
	"palate/population"
)

// Predictor is what is known of everybody under a population.
type Predictor struct {
	newVoter *population.Posterior
	people   map[int]*population.Posterior // by user
	win      likelihood.Scalar
}

// NewPredictor infers everybody at the sites that an engine holds; win is the noise of a
// vote that is predicted. The population may change afterwards.
func NewPredictor(e *population.Engine, prior *population.Full, win likelihood.Scalar) (*Predictor, error) {
	fixed := &population.Full{N: prior.N, S: slices.Clone(prior.S), T: slices.Clone(prior.T)}
	p := &Predictor{newVoter: population.NewVoter(fixed), people: map[int]*population.Posterior{}, win: win}
	for k := range e.People.Len() {
		q, err := e.Posterior(fixed, k)
		if err != nil {
			return nil, err
		}
		p.people[e.People.Owner(k)] = q
	}
	return p, nil
}

func (p *Predictor) of(user int) *population.Posterior {
	if q := p.people[user]; q != nil {
		return q
	}
	return p.newVoter
}

// Prefer returns the chance that a user, known or not, picks left over right.
func (p *Predictor) Prefer(user, left, right int) float64 {
	mean, variance := p.of(user).Difference(left, right)
	return population.Prefer(p.win, mean, variance)
}

// Utility returns mean and variance of the utility of an item to a user.
func (p *Predictor) Utility(user, item int) (mean, variance float64) { return p.of(user).Utility(item) }
