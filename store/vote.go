package store

import (
	"time"

	"palate"
)

// Vote is one record of the log of votes.
type Vote struct {
	Seq   int64 // given by the store
	Board string
	Voter string
	// Key is unique among the votes of a voter on a board.
	Key string
	// Left and Right are numbers of items, as they were shown.
	Left, Right int
	Outcome     palate.Outcome
	// Reason is why a pair was skipped, or what a tie meant ("both bad").
	Reason string
	// Undoes, if not 0, is the Seq of the vote that this record takes back; then
	// the other fields repeat that vote.
	Undoes int64
	// Policy chose the pair, with probability Propensity; 0 when it is not known,
	// as for votes that were imported.
	Policy     string
	Propensity float64
	Response   time.Duration // from showing the pair to the answer
	Time       time.Time     // of the answer
}
