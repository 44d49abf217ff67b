package server

import (
	"encoding/json"
	"time"

	"palate"
	"palate/store"
)

// Question is a pair, or several items, to ask a voter about.
type Question struct {
	Token string // to be told back with the answer
	// Way is how to ask. Of store.Pairs Left and Right are set, of others Items, in the order
	// in which they are to be shown.
	Way         store.Way
	Left, Right store.Item
	Items       []store.Item
	// Policy chose the pair with probability Propensity, or the pair that a set was begun
	// with.
	Policy     string
	Propensity float64
	// Votes is how many the voter has cast so far; Pairs how many of the board's
	// pairs that voter has not seen together yet.
	Votes, Pairs int
}

// Answer is what a voter says to a question. Without a Question, as for votes
// from elsewhere, Left and Right name the items, or Items all of several, and Key is
// the client's own, unique among the voter's votes.
type Answer struct {
	Question    string
	Left, Right string
	// Points, on a board of a space, are in place of Left and Right the values of two points,
	// as JSON.
	Points *[2]json.RawMessage
	Items  []string
	Key    string
	// Outcome is that of a pair; of several items it is Skip, or Left, the zero value, with
	// what is said in Best, Best and Worst, or Order, the best first.
	Outcome     palate.Outcome
	Best, Worst string
	Order       []string
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
	// Of several items: how they were asked about, which they were, and which were put in
	// each place, the best first; those of one place are not ordered.
	Way      store.Way
	Items    []string
	Places   [][]string
	Reason   string
	Undone   bool
	Replaced bool // by a later answer about the same items
	Time     time.Time
}
