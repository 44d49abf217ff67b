package server

import (
	"time"

	"palate/store"
)

// Check is one line of the trust panel: what was looked at, whether it is well,
// and what was found, in words. Passes are stated as well as failures.
type Check struct {
	Name string // connected, enough, never-won, never-lost, sides, skips, voters
	OK   bool
	Says string
	// Counts and Items are what it says it of, for who says it in other words: how many
	// parts, items, or votes of how many; voters, the most of one, and all votes.
	Counts []int
	Items  []string
}

// VoterRow is what the owner sees of a voter.
type VoterRow struct {
	store.Voter
	Votes, Ties, Skips, Undone int
	// Agreement is the mean probability that the consensus gave to the voter's
	// answers, ties apart; Left the share of left among those about pairs; Quick the share
	// answered within half a second.
	Agreement, Left, Quick float64
	Sided                  bool // some answers are about pairs, of which one is left
	Last                   time.Time
}

// Invitation is a private link.
type Invitation struct {
	Voter  store.Voter
	Secret string // shown once
}

// ExportOptions say what to export.
type ExportOptions struct {
	// Format is one of ingest.WriteFormats; empty: csv.
	Format string
	// Log exports every record as it is, undone votes and excluded voters too, in
	// place of what counts.
	Log bool
}
