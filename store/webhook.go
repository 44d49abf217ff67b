package store

import "time"

// Webhook is where a board tells what happens on it. The queue of what is to be told is the
// log itself: Vote and Action are up to where it was told.
type Webhook struct {
	ID, Board string
	URL       string
	Secret    []byte   // by which what is told is signed
	Events    []string // what is told: vote, settled, closed
	// Vote and Action are the Seq of the last vote and action that were told, Settled what
	// was told of the goal.
	Vote, Action int64
	Settled      bool
	// Worker tells until Until; then another process may go on.
	Worker string
	Until  time.Time
	// Tries counts failures since the last success, Next is when to try again, and Says why
	// the last one failed.
	Tries   int
	Next    time.Time
	Says    string
	Created time.Time
}
