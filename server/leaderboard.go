package server

import (
	"strings"
	"time"

	"palate/model"
	"palate/store"
)

// View says whose leaderboard is wanted. The zero View is the consensus.
type View struct {
	Voter string // this voter's own
	Group string // that of the voters of a group
}

// Leaderboard is a board's ranking now.
type Leaderboard struct {
	*model.Board              // without excluded items
	Items        []store.Item // by number, for the rows' Item
	// Votes counts those that bear on the ranking, Skips the rest; Voters those who
	// cast them.
	Votes, Skips, Voters int
	// AsOf names the period that the ranking is of, where utilities move.
	AsOf string
	// Seq is the last vote that the board knows of.
	Seq int64
	// Fitted is when the last refit ended, zero when there was none yet; Pending
	// the number of votes that have only been folded in since.
	Fitted  time.Time
	Pending int
	// Behind says that there are votes after Seq, and that this is the ranking before
	// them: the next one is being made.
	Behind bool
	// Until is up to when votes are in the model of a voter's or a group's ranking,
	// which is learnt in the background; a voter's own votes are in up to now all the
	// same. Zero for the consensus, which has all.
	Until time.Time
	// Waiting says that a voter's or a group's ranking is still being learnt for the
	// first time. Until it is there, this is the consensus.
	Waiting bool
	// Provisional, by number of item, tells which have too few votes to say much.
	Provisional []bool
	Progress    Progress
}

// Progress is how far a board is from its goal.
type Progress struct {
	Goal    string  // as in store.Settings
	Settled float64 // from 0 to 1, see active.Settled
	Level   float64
	Done    bool
	// Says it in words, as "The top 3 is settled at 95 %."
	Says string
}

// Rows are those of the ranking, the best first.
func (b *Leaderboard) Rows() []model.BoardRow { return b.Board.Groups[0].Rows }

// Search returns the rows whose items have a text in their name, in whatever case.
func Search(rows []model.BoardRow, text string) []model.BoardRow {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return rows
	}
	var found []model.BoardRow
	for _, r := range rows {
		if strings.Contains(strings.ToLower(r.ID), text) {
			found = append(found, r)
		}
	}
	return found
}

// Matrix counts wins: Wins[i][j] is how often Items[i] beat Items[j], Ties[i][j] how
// often they tied.
type Matrix struct {
	Items []store.Item
	Wins  [][]int
	Ties  [][]int
}
