package ingest

import "time"

// record is one row of a file.
type record struct {
	line   int        // where it begins; for Parquet, and arrays on one line, the number of the row
	text   []byte     // as it stands in the file, without the line end; nil for Parquet
	fields [][]byte   // one for each column of the header; valid until the next record
	codes  []int32    // see cellData; nil when there are none
	cells  []cellData // the columns of a block of Parquet, and
	row    int        // which row of them this is
	nested []bool     // which fields are lists or objects, in JSON; nil when none can be
	commas bool       // a number may have a decimal comma, see number
	bad    *fault     // set when the row cannot be split into fields
}

func (r *record) deep(k int) bool { return r.nested != nil && r.nested[k] }

// number returns the text of a column, with a point where it is a number with a decimal comma. Spreadsheets write such
// numbers in text with semicolons.
func (r *record) number(k int) []byte {
	if r.commas {
		return pointed(r.fields[k])
	}
	return r.fields[k]
}

// weight reads the weight in a column.
func (r *record) weight(k int) (float64, string) {
	if r.cells != nil {
		return r.cells[k].weight(r.row)
	}
	return weight(r.number(k))
}

// moment reads the time in a column.
func (r *record) moment(k int) (time.Time, string) {
	if r.cells != nil {
		return r.cells[k].moment(r.row)
	}
	return ParseTime(r.number(k))
}

// need says what a column may hold.
type need uint8

const (
	noValue     need = iota // not looked at
	numberValue             // a number or a time; read with record.weight or record.moment
	plainValue              // text, a number, true or false
	anyValue                // or a list or an object, in JSON
)

// rows splits blocks into records. Each goroutine has its own.
type rows interface {
	reset(b block)
	next(rec *record) bool
}
