package server

import "slices"

// Identity is who makes a request to a board.
type Identity struct {
	Board string
	// Voter is the voter's ID, empty when it is none.
	Voter string
	// Owner is true for whoever holds an owner's link or the password, Head for the link
	// of who made the board and the password.
	Owner, Head bool
	// Actor names who it is in the audit log: "owner", the name of a
	// further owner behind "owner: ", or a token's.
	Actor string
	// Scopes are those of a token; nil without one.
	Scopes []Scope
}

// May reports whether the owner, or a token with this scope, is asking.
func (id Identity) May(s Scope) bool { return id.Owner || slices.Contains(id.Scopes, s) }
