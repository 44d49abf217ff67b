package store

import "time"

// ImportState is how far an import is.
type ImportState string

const (
	Receiving ImportState = "receiving" // the file is coming in
	Running   ImportState = "running"   // it is read, or its votes are being stored
	Finished  ImportState = "done"
	Failed    ImportState = "failed"    // Says why
	Cancelled ImportState = "cancelled" // by somebody; what was stored by then stays
)

// Over reports whether an import has come to its end.
func (s ImportState) Over() bool { return s != Receiving && s != Running }

// Import is a file of votes on its way into a board. Rows and Done count the votes of
// the file, Added those that were stored, the others having been there before.
type Import struct {
	ID, Board, Actor string
	Name             string // of the file
	Settings         ImportSettings
	State            ImportState
	Rows, Done       int
	Added            int
	Bad              int    // rows of the file that were passed over
	Says             string // why it failed, or the first bad row
	// Worker does it until Until; then another process may go on.
	Worker           string
	Until            time.Time
	Created, Changed time.Time
}

// ImportSettings say how a file is read. They are kept as one value, so that a field
// more is no migration.
type ImportSettings struct {
	SkipBad    bool   `json:"skip_bad,omitempty"`    // pass bad rows over, in place of taking nothing
	Columns    string `json:"columns,omitempty"`     // what columns are whose names do not tell: winner=chosen,loser=other
	TimeFormat string `json:"time_format,omitempty"` // how times are written, in strftime's codes
}

// Slice is the next votes of an import: stored all at once, with how far it is.
type Slice struct {
	Import, Worker string
	From, To       int // rows done before and after
	Until          time.Time
	Votes          []Vote
}
