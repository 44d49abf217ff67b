package ingest

// Options say how to treat a file of votes or pairs. The zero value is the default.
type Options struct {
	SkipBad  bool // go on after a bad row
	Examples int  // how many bad rows to keep in the Report; 5 unless positive
	NewUsers bool // pairs only: a user the model does not know is −1, not a bad row

	block int // bytes a block; 0 means blockSize. Tests make it small.
}

func (o Options) examples() int {
	if o.Examples <= 0 {
		return 5
	}
	return o.Examples
}

// Report says what was found in a file.
type Report struct {
	File     string
	Columns  []string // the columns that were used, by their names in the file
	Extra    []string // the other columns
	Rows     int      // rows, good and bad
	Bad      int      // rows passed over, always 0 without Options.SkipBad
	Examples []*Error // the first bad rows
}

// Good returns the number of rows that were taken.
func (r Report) Good() int { return r.Rows - r.Bad }

// bad counts a bad row.
func (r *Report) bad(e *Error, most int) {
	r.Bad++
	if len(r.Examples) < most {
		r.Examples = append(r.Examples, e)
	}
}
