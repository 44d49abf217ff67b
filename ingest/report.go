package ingest

import (
	"fmt"
	"math"
	"strings"

	"palate"
	"palate/internal/wording"
)

// Options say how to treat a file of votes or pairs. The zero value is the default.
type Options struct {
	SkipBad  bool // go on after a bad row
	Examples int  // how many bad rows to keep in the Report; 5 unless positive
	NewItems bool // pairs only: an item the model does not know is −1, not a bad row
	NewUsers bool // pairs only: a user the model does not know is −1, not a bad row

	// MaxPairs bounds the votes that one ranking, or one voter's ratings, become. Of a longer ranking so many are
	// drawn, each item in about as many as the others; ratings are dealt to ballots of about 17, and those of a
	// ballot are compared with one another, up to the bound. 0 means 1000; negative: no bound, and all of a
	// voter's ratings on one ballot.
	MaxPairs int
	Seed     uint64 // of the draw of MaxPairs

	// Rated leaves ratings what they are (palate.Rated), in place of comparing them in pairs.
	Rated bool
	// LowerBetter has low ratings for what is good, where they are compared. Of ratings that stay what they are it is
	// for their reader to know.
	LowerBetter bool
	// Scale, if set, is what ratings have to be on.
	Scale *Scale

	// Unordered says nothing of items in one place of a ranking; else they tie.
	Unordered bool
	// Below has items that were shown and not ranked below the last that was; else nothing is said of them. Which were
	// shown are the alternatives of a PrefLib file, or a column shown.
	Below bool

	// None names an item that could be chosen beside those of every set: none of these. Where answers say how many of
	// their items are important, or would be bought, it is what these are above, and is called none if not otherwise.
	None string

	// Design says which items the tasks of a survey showed, where their answers do not.
	Design *Design

	// Keep names columns whose text goes with every vote, or pair, into Report.Kept.
	Keep []string

	// Columns say what columns are that have names of their own, or none.
	Columns Columns

	// TimeFormat is how times are written, such as %d/%m/%Y %H:%M:%S; empty: in one of the usual ways.
	TimeFormat string

	// Where leaves out rows that do not meet all of these conditions.
	Where []Condition

	// Profiles, if set, takes a row for every item that votes or pairs describe by its features, in place of
	// naming it. An empty table will do, and serves several files.
	Profiles *Table

	// NewItem, if set, numbers an item that pairs describe and that is not known.
	NewItem func(id string) int

	// Each is called for every vote in order, with the line it comes from.
	Each func(line int, v palate.Vote)

	// Sink, if set, takes the votes in the builder's place, which then gets items and users only: for more votes
	// than fit in memory.
	Sink func(palate.Vote) error

	// Size is how many bytes the file has, if that is known: room for all of its votes is made at once.
	Size int64

	block int // bytes a block; 0 means blockSize. Tests make it small.
}

func (o Options) examples() int {
	if o.Examples <= 0 {
		return 5
	}
	return o.Examples
}

func (o Options) maxPairs() int {
	switch {
	case o.MaxPairs == 0:
		return 1000
	case o.MaxPairs < 0:
		return math.MaxInt
	}
	return o.MaxPairs
}

// Scale is from the least to the most that a rating can be.
type Scale struct{ Lo, Hi float64 }

// Report says what was found in a file.
type Report struct {
	File     string
	Form     string     // the form of the votes, by its columns or its name
	Columns  []string   // the columns that were used, by their names in the file
	Extra    []string   // the other columns
	Rows     int        // rows, good and bad
	Votes    int        // votes that the good rows became
	Sided    bool       // left and right are sides on which the items were shown
	Sampled  int        // rankings, or voters with ratings, of which only some pairs were taken
	Shared   int        // rankings with several items in one place
	Short    int        // rankings that leave out items of which it is known that they were shown
	Ratings  *Scale     // from the least to the most that was given; nil: there are no ratings
	Bad      int        // rows passed over, always 0 without Options.SkipBad
	Unmet    int        // rows that Options.Where leaves out
	Examples []*Error   // the first bad rows
	Kept     [][]string // the text of every column of Options.Keep, one for every vote
	Lines    []int      // the line of every vote; nil unless columns are kept
	Unseen   []string   // what Options.Where asks for and no row has, with what may be meant

	// Names of these columns; empty where there are none.
	UserColumn, LeftColumn, RightColumn, WinnerColumn string
	HeaderLine                                        int // 0: there is no header
}

// Good returns the number of rows that were taken.
func (r Report) Good() int { return r.Rows - r.Bad - r.Unmet }

// empty says why there are no votes, where there are none.
func (r *Report) empty(where []Condition, hints []string) string {
	switch {
	case r.Rows == 0:
		return "there is nothing after the header"
	case r.Unmet == r.Rows:
		return fmt.Sprintf("none of %s has %s%s", wording.Plural(r.Rows, "row"), conditions(where), strings.Join(hints, ""))
	case r.Good() == 0 && r.Unmet > 0:
		return fmt.Sprintf("all of the %s with %s are bad; the first: %v", wording.Plural(r.Bad, "row"), conditions(where), r.Examples[0])
	case r.Good() == 0:
		return fmt.Sprintf("all %s are bad; the first: %v", wording.Plural(r.Rows, "row"), r.Examples[0])
	case r.Votes == 0:
		return "no row tells two items apart"
	}
	return ""
}

// rate notes a rating.
func (r *Report) rate(x float64) {
	if r.Ratings == nil {
		r.Ratings = &Scale{x, x}
	}
	r.Ratings.Lo, r.Ratings.Hi = min(r.Ratings.Lo, x), max(r.Ratings.Hi, x)
}

// bad counts a bad row.
func (r *Report) bad(e *Error, most int) {
	r.Bad++
	if len(r.Examples) < most {
		r.Examples = append(r.Examples, e)
	}
}
