package store

import "time"

// Rules say what voters may do on a board, and until when. They are kept as one value,
// so that a field more is no migration.
type Rules struct {
	// Quota is how many votes of one voter may stand, skips apart; 0: any number.
	Quota int `json:"quota,omitempty"`
	// Closes, if set, is when the board takes no more votes.
	Closes time.Time `json:"closes,omitzero"`
	// WhenSettled closes the board once its goal is settled.
	WhenSettled bool `json:"when_settled,omitempty"`
	// Hidden keeps rankings from voters until the board is closed.
	Hidden bool `json:"hidden,omitempty"`
	// Comments and Proposals let voters say why, and propose items.
	Comments  bool `json:"comments,omitempty"`
	Proposals bool `json:"proposals,omitempty"`
	// Deleted, if set, is when an owner deleted the board, and Gone that it cannot be
	// taken back any more.
	Deleted time.Time `json:"deleted,omitzero"`
	Gone    bool      `json:"gone,omitempty"`
}

// ClosedAt reports whether a board takes no votes at a time.
func (b Board) ClosedAt(t time.Time) bool {
	r := b.Rules
	return b.Closed || !r.Deleted.IsZero() || !r.Closes.IsZero() && !t.Before(r.Closes)
}
