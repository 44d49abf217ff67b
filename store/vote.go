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
	// Left and Right are numbers of items, as they were shown; of a set, two of it.
	Left, Right int
	// Outcome of a set is Skip, or Left when it holds an answer.
	Outcome palate.Outcome
	Set     Set
	// Reason is why a question was skipped, or what a tie meant ("both bad").
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

// Entry is a vote to be stored, and on what condition.
type Entry struct {
	Vote
	// Answers says that the vote answers the voter's open question, whose key is the
	// vote's: it is stored only while that question is open.
	Answers bool
	// Known, of a record that takes another back, is the Seq of the last record of
	// the voter that the writer knows of; when there are later ones it is not stored.
	Known int64
	// Comment is why the voter answered so; may be empty.
	Comment string
	// Opens, if set, becomes the voter's open question.
	Opens *Question
}

// Question is a pair, or a set, that a voter is asked.
type Question struct {
	Key         string // of the vote that answers it; empty: there is no question
	Left, Right int    // of a set the two that it was chosen for
	Set         Set
	Policy      string
	Propensity  float64
	Time        time.Time
}

// Ballot is what the store knows of a voter without reading the log.
type Ballot struct {
	// Seq is that of the voter's last record; 0 when there is none, or when it was
	// stored before there were ballots.
	Seq int64
	// Open is the question that waits for an answer, one at most. Any vote of the
	// voter's on its topic closes it.
	Open Question
}
