package store

import "time"

// Action is one record of what an owner did.
type Action struct {
	Seq    int64 // given by the store
	Board  string
	Actor  string // "owner", or the name of a token
	Verb   string // create, close, exclude-voter, …
	Object string // what it was done to; may be empty
	Reason string
	Time   time.Time
}

// Erased is the verb of the action that EraseVoter records.
const Erased = "erase-voter"

// Token lets a program act on a board, within its scopes.
type Token struct {
	Board   string
	Name    string // unique within the board
	Hash    []byte
	Scopes  []string
	Revoked bool
	Created time.Time
}

// PackPrefix begins the kinds of snapshots that hold votes themselves: whatever erases
// votes of a board erases these with them.
const PackPrefix = "votes/"

// Snapshot is the state of a model after the votes up to Seq.
type Snapshot struct {
	Board string
	Kind  string // of model; one snapshot a kind is kept
	Seq   int64
	// Action is the last of the board's actions that the model knows of.
	Action int64
	Bytes  []byte
	Time   time.Time
}
