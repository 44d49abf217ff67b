package store

import "time"

// Voter is somebody who votes on a board. ID is a pseudonym: it says nothing
// about who it is, and is what exports show.
type Voter struct {
	Board string
	ID    string
	Name  string // what the owner or a program calls the voter; may be empty
	Group string // to which the voter belongs, for boards of groups; may be empty
	// Subject tells by what a voter is known again: the hash of a private link, of
	// a subject of the identity provider, or of a name that a program gave; empty
	// for voters known by their cookie alone. Unique within the board.
	Subject string
	// Renewed counts how often the voter was given another link, or had it taken away:
	// what let them in before does not any more.
	Renewed  int
	Excluded string // the reason, when the votes do not count
	Created  time.Time
}
