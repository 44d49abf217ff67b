package population

import (
	"fmt"
	"slices"
)

// Checkpoint is the whole state of learning between two steps: a run that is
// resumed from it goes on as if it had not been interrupted. Its slices are
// shared with the run: write it out at once.
type Checkpoint struct {
	Round     int
	Climb     climber
	Spread    float64
	Relevance []float64
	Tau, Nu   []float64
}

func capture(l *learner, c *climber, round int) *Checkpoint {
	return &Checkpoint{round, *c, l.spread, l.relevance, l.engine.Tau, l.engine.Nu}
}

func (k *Checkpoint) restore(l *learner, c *climber) error {
	e := l.engine
	if len(k.Tau) != len(e.Tau) || len(k.Nu) != len(e.Nu) || len(k.Climb.X) != l.size() || len(k.Relevance) != l.f {
		return fmt.Errorf("population: the checkpoint is of other votes or another rank: %d pairs and %d parameters, want %d and %d",
			len(k.Tau), len(k.Climb.X), len(e.Tau), l.size())
	}
	copy(e.Tau, k.Tau)
	copy(e.Nu, k.Nu)
	l.spread = k.Spread
	copy(l.relevance, k.Relevance)
	short := c.Short
	*c = k.Climb
	c.Short = short
	c.X, c.G, c.H = slices.Clone(c.X), slices.Clone(c.G), slices.Clone(c.H)
	c.Steps, c.Bends = slices.Clone(c.Steps), slices.Clone(c.Bends)
	return nil
}
