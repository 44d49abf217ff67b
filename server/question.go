package server

import (
	"time"

	"palate"
	"palate/store"
)

// Question is a pair to ask a voter.
type Question struct {
	Token       string // to be told back with the answer
	Left, Right store.Item
	// Policy chose the pair, with probability Propensity.
	Policy     string
	Propensity float64
	// Votes is how many the voter has cast so far; Pairs how many of the board's
	// pairs that voter has not seen yet.
	Votes, Pairs int
}

// Answer is what a voter says to a question. Without a Question, as for votes
// from elsewhere, Left and Right name the items and Key is the client's own,
// unique among the voter's votes.
type Answer struct {
	Question    string
	Left, Right string
	Key         string
	Outcome     palate.Outcome
	Reason      string // of a skip; "both bad" for a tie between two bad items
	Comment     string // why, where the board takes comments
	Response    time.Duration
}

// Receipt says what became of an answer.
type Receipt struct {
	Seq   int64
	Fresh bool // false: this had been told before, and counts once
	Votes int  // of the voter, now
}

// Record is one vote of a voter, as that voter sees it.
type Record struct {
	Seq         int64
	Left, Right string // identifiers
	Outcome     palate.Outcome
	Reason      string
	Undone      bool
	Replaced    bool // by a later answer to the same pair
	Time        time.Time
}
