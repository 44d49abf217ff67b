package store

import "time"

// Access is how voters come to a board.
type Access string

const (
	Open    Access = "open"    // whoever has the board's link
	Private Access = "private" // each by a link of their own
	SSO     Access = "sso"     // whoever the identity provider knows
)

// Board is a list of items that people vote on.
type Board struct {
	ID       string
	Title    string
	Question string // what voters are asked, as "Which is better?"
	Access   Access
	Closed   bool // no more votes
	Public   bool // the leaderboard may be seen without voting
	Settings Settings
	Rules    Rules
	// Features names the columns of Item.Features; empty without.
	Features []string
	// Space, if set, is what the items are points of.
	Space *Space
	// OwnerHash is the hash of the secret in the owner's link, Password a hash
	// with its parameters; each may be empty.
	OwnerHash []byte
	Password  string
	Created   time.Time
}

// Settings say what is asked. They are kept as one value, so that a
// field more is no migration.
type Settings struct {
	// Goal is what the votes are for: ranking, top-first, best, top-K, personal or
	// coverage.
	Goal string `json:"goal"`
	// Explore is the share of pairs that are drawn at random.
	Explore float64 `json:"explore"`
	// Novice is the number of a voter's first votes that are spared near-ties.
	Novice int `json:"novice"`
	// Level is the certainty at which the goal counts as settled.
	Level float64 `json:"level"`
	// Ask is how voters are asked, and Size about how many items at a time, unless in pairs.
	Ask  Way `json:"ask,omitempty"`
	Size int `json:"size,omitempty"`
	// Over is the unit of time from one to the next of which utilities may move, such as month;
	// empty: they stay.
	Over string `json:"over,omitempty"`
}
