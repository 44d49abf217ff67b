package server

// Event says that something about a board has changed; whoever wants to know
// more asks.
type Event struct {
	Board string
	Kind  EventKind
	Seq   int64 // of the vote
}

// EventKind is what changed.
type EventKind string

const (
	Voted   EventKind = "vote"  // a vote, an undo or a skip came in
	Fitted  EventKind = "fit"   // the board was refitted
	Changed EventKind = "board" // the owner changed something
)
