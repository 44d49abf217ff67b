package model

import (
	"strings"

	"palate/kernel"
)

// Reads is a set of what models read of votes and beside them. An Entry has all that
// its kind can read, a Model what it has taken in: what would have been another model
// had it been otherwise.
type Reads uint16

const (
	// Voters: who cast a vote; other models pool all votes.
	Voters Reads = 1 << iota
	// ItemFeatures and UserFeatures are what is known of items and of voters.
	ItemFeatures
	UserFeatures
	// ItemLinks and UserLinks are links between items and between voters.
	ItemLinks
	UserLinks
	// Ties: votes for neither; other models refuse them.
	Ties
	// Weights: how much a vote counts; other models take whole numbers of votes only.
	Weights
	// Times: when a vote was cast, or else its place among the others.
	Times
	// Answers: which votes follow from one answer, as the pairs of a ranking do. To
	// models that do not read it such votes are worth less each.
	Answers
	// VoteProperties are what is known of votes beside what they say, such as the length of
	// the two answers; other models do without.
	VoteProperties
	// Ratings: what items were rated, each for itself; other models refuse them.
	Ratings
)

// Has reports whether all of x are in the set.
func (r Reads) Has(x Reads) bool { return r&x == x }

// String returns words such as "voters, ties, weights".
func (r Reads) String() string {
	words := [...]string{"voters", "features of items", "features of voters", "links between items", "links between voters", "ties", "weights", "times", "answers", "properties of votes", "ratings"}
	var all []string
	for i, w := range words {
		if r.Has(1 << i) {
			all = append(all, w)
		}
	}
	return strings.Join(all, ", ")
}

// when returns the set where yes, else nothing.
func (r Reads) when(yes bool) Reads {
	if yes {
		return r
	}
	return 0
}

// took is what a model of a kind has read, given what there was beside votes.
func took(name string, beside Reads) Reads {
	const optional = ItemFeatures | UserFeatures | ItemLinks | UserLinks | VoteProperties
	e, err := Find(name)
	if err != nil {
		panic(err) // a kind of ours
	}
	return e.Reads&^optional | beside
}

// Reads returns what the model was fitted to.
func (m *Single) Reads() Reads {
	return took(m.Name(), ItemFeatures.when(m.features != nil)|ItemLinks.when(m.kernel != nil && kernel.HasLinks(m.kernel))|VoteProperties.when(len(m.properties) > 0))
}

// Reads returns what the model was fitted to. Features of users who are fewer than
// 1,000 are not among it, unless they are asked for.
func (m *Population) Reads() Reads { return took("population", m.beside) }

// Reads returns what the model was fitted to. Features of users tell of the weights of
// factors, so that they tell nothing where no factor is left.
func (m *Crowd) Reads() Reads {
	return took(m.Name(), ItemFeatures.when(m.features != nil)|UserFeatures.when(m.learnt.Led()))
}

// Reads returns what the model was fitted to.
func (m *Tensor) Reads() Reads {
	return took(m.Name(), ItemFeatures.when(m.itemSpace.x != nil)|UserFeatures.when(m.userSpace.x != nil))
}

// Reads returns the features of the items, which duels are between, and what it reads
// of votes.
func (d *Duels) Reads() Reads { return took(d.Name(), ItemFeatures) }

// Reads returns what it reads of votes.
func (m *PlackettLuce) Reads() Reads { return took(m.Name(), 0) }

// Reads returns what it reads of votes.
func (m *Glicko) Reads() Reads { return took(m.Name(), 0) }
