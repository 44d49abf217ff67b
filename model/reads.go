package model

import "palate/kernel"

// Reads says what a model has taken in beside votes: what would have been another
// model had it been otherwise.
type Reads struct {
	ItemFeatures bool
	ItemLinks    bool
	UserFeatures bool
	UserLinks    bool
}

// Reads returns what the model was fitted to beside votes.
func (m *Single) Reads() Reads {
	return Reads{ItemFeatures: m.features != nil, ItemLinks: m.kernel != nil && kernel.HasLinks(m.kernel)}
}

// Reads returns what the model was fitted to beside votes. Features of users who are
// fewer than 1,000 are not, unless they are asked for.
func (m *Population) Reads() Reads { return m.reads }

// Reads returns what the model was fitted to beside votes. Features of users tell of
// the weights of factors, so that they tell nothing where no factor is left.
func (m *Crowd) Reads() Reads {
	return Reads{ItemFeatures: m.features != nil, UserFeatures: m.learnt.Led()}
}

// Reads returns what the model was fitted to beside votes.
func (m *Tensor) Reads() Reads {
	return Reads{ItemFeatures: m.itemSpace.x != nil, UserFeatures: m.userSpace.x != nil}
}

// Reads returns the features of the items, which duels are between.
func (d *Duels) Reads() Reads { return Reads{ItemFeatures: true} }

// Reads returns nothing but votes.
func (m *BradleyTerry) Reads() Reads { return Reads{} }

// Reads returns nothing but votes.
func (m *Glicko) Reads() Reads { return Reads{} }
