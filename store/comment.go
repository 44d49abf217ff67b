package store

import (
	"time"

	"palate"
)

// Comment is why a voter answered so.
type Comment struct {
	Seq         int64 // of the vote
	Voter       string
	Left, Right int
	Outcome     palate.Outcome
	Set         Set
	Text        string
	Time        time.Time // of the vote
}
