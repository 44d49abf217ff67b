package ingest

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"time"

	"palate/internal/wording"
)

// dictionary is the text of which a column has numbers: that of a file, and words that its pages repeat.
type dictionary struct {
	words [][]byte
	clean bool             // those of the file can be read
	own   map[string]int32 // the others
	full  bool
}

// Of more than so many words, or of longer ones, a column has no use for numbers.
const (
	mostWords   = 1 << 16
	longestWord = 100
)

// code returns the number of a word, from 1, a new one if need be; 0: it has none.
func (d *dictionary) code(word []byte) int32 {
	if d.full || len(word) > longestWord {
		return 0
	}
	code, ok := d.own[string(word)]
	if !ok {
		if d.own == nil {
			d.own = map[string]int32{}
		}
		d.words = append(d.words, bytes.Clone(word))
		code = int32(len(d.words))
		d.own[string(word)] = code
		d.full = len(d.own) == mostWords
	}
	return code
}

// asNumber is the code of a cell that is a number, in cellData.raw.
const asNumber = -1

// cellData is a column of a block. Most text comes from dictionaries, and is numbers until somebody looks at it;
// so are times.
type cellData struct {
	codes []int32  // of each row, the number of the word in the dictionary, from 1; asNumber; 0: neither, but in
	cells [][]byte // there, nil for none
	words [][]byte // of the dictionary, to which others may be added meanwhile
	book  *dictionary
	raw   []int64
	of    *parquetColumn
	clean bool // all cells are known to be readable
}

// reset makes room for so many rows of a column.
func (d *cellData) reset(of *parquetColumn, rows int) {
	d.codes = slices.Grow(d.codes[:0], rows)[:rows]
	d.cells, d.raw, d.words, d.book, d.of, d.clean = d.cells[:0], d.raw[:0], nil, nil, of, true
}

// set puts a cell that is in no dictionary.
func (d *cellData) set(i int, cell []byte) {
	if len(d.cells) == 0 {
		d.cells = slices.Grow(d.cells, len(d.codes))[:len(d.codes)]
	}
	d.codes[i], d.cells[i] = 0, cell
}

// setNumbers puts numbers from row i on.
func (d *cellData) setNumbers(i int, numbers []int64) {
	if len(d.raw) == 0 {
		d.raw = slices.Grow(d.raw, len(d.codes))[:len(d.codes)]
	}
	copy(d.raw[i:], numbers)
	for k := range numbers {
		d.codes[i+k] = asNumber
	}
}

// at returns the cell of a row, and its code; there is no text of a number.
func (d *cellData) at(i int) ([]byte, int32) {
	code := d.codes[i]
	switch {
	case code > 0:
		return d.words[code-1], code
	case code == asNumber:
		return nil, code
	}
	return d.cells[i], 0
}

// text returns the cell of a row as it would be written.
func (d *cellData) text(i int) []byte {
	if d.codes[i] == asNumber {
		return d.of.text(nil, d.of.value(d.raw[i]))
	}
	text, _ := d.at(i)
	return text
}

// moment returns the time in a row.
func (d *cellData) moment(i int) (at time.Time, why string) {
	if d.codes[i] == asNumber {
		if at, ok := d.of.moment(d.raw[i]); ok {
			return at, ""
		}
	}
	return ParseTime(d.text(i))
}

// weight returns the weight in a row.
func (d *cellData) weight(i int) (w float64, why string) {
	if d.codes[i] == asNumber {
		if w, ok := d.of.float(d.raw[i]); ok && w > 0 && !math.IsInf(w, 1) {
			return w, ""
		}
	}
	return weight(d.text(i))
}

// parquetRows hands out rows that were read as cells.
type parquetRows struct {
	table *parquetTable
	block block
	row   int
}

func (r *parquetRows) reset(b block) { r.block, r.row = b, 0 }

func (r *parquetRows) next(rec *record) bool {
	w, i := len(r.table.columns), r.row
	if i == r.block.rows || w == 0 {
		return false
	}
	rec.line, rec.text, rec.bad = r.block.line+i, nil, nil
	rec.cells, rec.row = r.block.cells, i
	r.row++
	if rec.fields == nil {
		rec.fields, rec.codes, rec.nested = make([][]byte, w), make([]int32, w), make([]bool, w)
	}
	for k := range rec.fields {
		if r.table.wanted(k) {
			rec.fields[k], rec.codes[k] = r.block.cells[k].at(i)
		}
	}
	for k, field := range rec.fields {
		need := r.table.needs[k]
		if need == noValue {
			continue
		}
		c := &r.table.columns[k]
		rec.nested[k] = c.list && field != nil
		if need != anyValue && (rec.nested[k] || c.leaf < 0) {
			rec.bad = &fault{c.name, "is not a plain value"}
			break
		}
		if r.block.cells[k].clean {
			continue
		}
		if why := unreadable(field); why != "" {
			rec.bad = &fault{c.name, fmt.Sprintf("%s %s", wording.Quote(field), why)}
			break
		}
	}
	return true
}
