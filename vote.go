package palate

import (
	"fmt"
	"time"
)

// Outcome is what a voter said about a pair.
type Outcome uint8

const (
	Left  Outcome = iota // the left item won
	Right                // the right item won
	Tie                  // neither is better
	Skip                 // no answer; says nothing about the items
	Rated                // not of a pair: one item, which is Left and Right, was rated
)

// Outcomes lists every outcome of a vote between two items.
func Outcomes() []Outcome { return []Outcome{Left, Right, Tie, Skip} }

// String returns the word files use: left, right, tie or skip; rated of a rating.
func (o Outcome) String() string {
	switch o {
	case Left:
		return "left"
	case Right:
		return "right"
	case Tie:
		return "tie"
	case Skip:
		return "skip"
	case Rated:
		return "rated"
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// Share returns what the left item got of a vote: all, nothing, or a half of a tie.
func (o Outcome) Share() float64 {
	switch o {
	case Left:
		return 1
	case Right:
		return 0
	}
	return 0.5
}

// Swap returns the outcome of the same vote with the sides exchanged.
func (o Outcome) Swap() Outcome {
	switch o {
	case Left:
		return Right
	case Right:
		return Left
	}
	return o
}

// Vote is one answer to one pair, or a rating of one item.
type Vote struct {
	User        int // index of the voter, −1 when unknown
	Left, Right int // indices of the two items
	Outcome     Outcome
	Rating      float64   // what was given to the item, where the outcome is Rated
	Weight      float64   // counts as this many votes; positive, usually 1
	Time        time.Time // zero when unknown; kept to the microsecond
	Group       int       // votes that follow from one answer, a ranking for one, share a number from Builder.NewGroup; 0: on its own
	Unsided     bool      // Left and Right are not sides on which the items were shown; of a file of winners and losers, for one
}

// Swap returns the same vote with the sides exchanged.
func (v Vote) Swap() Vote {
	v.Left, v.Right = v.Right, v.Left
	v.Outcome = v.Outcome.Swap()
	return v
}
