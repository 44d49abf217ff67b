package population

import (
	"fmt"
	"slices"
)

// Checkpoint is the whole state of learning between two steps: a run that is
// resumed from it goes on as if it had not been interrupted. Its slices are
// shared with the run: write it out at once. The sites are nil where they are elsewhere.
type Checkpoint struct {
	Round     int
	Climb     climber
	Spread    float64
	Relevance []float64
	Tau, Nu   []float64
}

func capture(l *learner, c *climber, e *Engine, round int) *Checkpoint {
	k := &Checkpoint{Round: round, Climb: *c, Spread: l.spread, Relevance: l.relevance}
	if e != nil {
		k.Tau, k.Nu = e.Tau, e.Nu
	}
	return k
}

func (k *Checkpoint) restore(l *learner, c *climber, e *Engine) error {
	var tau, nu []float64
	if e != nil {
		tau, nu = e.Tau, e.Nu
	}
	if len(k.Tau) != len(tau) || len(k.Nu) != len(nu) || len(k.Climb.X) != l.size() || len(k.Relevance) != l.f {
		return fmt.Errorf("population: the checkpoint is of other votes or another rank: %d pairs and %d parameters, want %d and %d",
			len(k.Tau), len(k.Climb.X), len(tau), l.size())
	}
	copy(tau, k.Tau)
	copy(nu, k.Nu)
	l.spread = k.Spread
	copy(l.relevance, k.Relevance)
	short := c.Short
	*c = k.Climb
	c.Short = short
	c.X, c.G, c.H = slices.Clone(c.X), slices.Clone(c.G), slices.Clone(c.H)
	c.Steps, c.Bends = slices.Clone(c.Steps), slices.Clone(c.Bends)
	return nil
}
