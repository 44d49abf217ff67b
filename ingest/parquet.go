package ingest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	thrift "github.com/parquet-go/parquet-go/format"
)

// parquetRowsABlock is how many rows go to a worker at once. Identifiers are numbered once a block, so that
// small ones cost time.
const parquetRowsABlock = 16384

// parquetTable reads the columns that are needed of a Parquet file, side by side. Values become text, as they
// would stand in a CSV file; lists become JSON.
type parquetTable struct {
	file    string
	size    int64
	f       *parquet.File
	columns []parquetColumn
	needs   []need
	group   int // row group to open next
	left    int64
	row     int // number of the next row, from 1
	coming  chan decoded
}

// parquetColumn is one column of the header.
type parquetColumn struct {
	name  string
	leaf  int // −1: of a shape that cannot be read
	kind  parquet.Type
	top   byte // definition level of a value that is there
	list  bool
	pages parquet.Pages
	chunk []byte // room for text

	page       parquetPage // of a column without lists
	dictionary parquet.Dictionary
	words      [][]byte // its cells
	clean      bool     // all of them can be read

	from  parquet.ValueReader // of a column of lists
	buf   []parquet.Value
	ahead []parquet.Value // read but not handed out
}

// openParquet reads the whole file into memory: its directory is at the end.
func (s *source) openParquet() error {
	data, err := io.ReadAll(io.MultiReader(bytes.NewReader(s.buf), s.r))
	if err != nil {
		return readError(s.file, 0, err)
	}
	s.buf, s.err = nil, io.EOF
	t := &parquetTable{file: s.file, row: 1, size: int64(len(data))}
	// The decoder takes the file at its word about sizes.
	const tail = 8
	if len(data) < 4+tail || string(data[len(data)-4:]) != "PAR1" {
		return t.damaged(errors.New("they do not end as they should: the file is truncated"))
	}
	if n := binary.LittleEndian.Uint32(data[len(data)-tail:]); int64(n) > t.size-4-tail {
		return t.damaged(fmt.Errorf("a directory of %d bytes in a file of %d", n, t.size))
	}
	if err := t.guard(func() (err error) {
		t.f, err = parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	}); err != nil {
		return err
	}
	err = t.guard(func() error {
		for _, field := range t.f.Schema().Fields() {
			t.columns = append(t.columns, t.column(field.Name()))
			s.header = append(s.header, field.Name())
		}
		return nil
	})
	s.table, s.headerLine = t, 0
	return err
}

// column finds the values of a column: its own, those of its list, or the contents of its list of messages.
func (t *parquetTable) column(name string) parquetColumn {
	c := parquetColumn{name: name, leaf: -1}
	var paths [][]string
	for _, p := range t.f.Schema().Columns() {
		if p[0] == name {
			paths = append(paths, p)
		}
	}
	for _, p := range paths {
		leaf, ok := t.f.Schema().Lookup(p...)
		if ok && leaf.MaxRepetitionLevel < 2 && (len(paths) == 1 || p[len(p)-1] == "content" && leaf.MaxRepetitionLevel == 1) {
			c.leaf, c.kind, c.list, c.top = leaf.ColumnIndex, leaf.Node.Type(), leaf.MaxRepetitionLevel == 1, byte(leaf.MaxDefinitionLevel)
		}
	}
	return c
}

// guard turns what a damaged file does to the decoder into an error.
func (t *parquetTable) guard(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = t.damaged(fmt.Errorf("%v", p))
		}
	}()
	if err = work(); err != nil && err != io.EOF {
		var e *Error
		if !errors.As(err, &e) {
			err = t.damaged(err)
		}
	}
	return err
}

func (t *parquetTable) damaged(err error) *Error {
	line := 0
	if t.row > 1 {
		line = t.row
	}
	return &Error{File: t.file, Line: line, Reason: fmt.Sprintf("the Parquet data are damaged: %v", err), Err: err}
}

// read says which columns will be wanted. All who read the table want the same.
func (t *parquetTable) read(needs []need) {
	if t.needs == nil {
		t.needs = needs
	}
}

func (t *parquetTable) wanted(k int) bool {
	return t.columns[k].leaf >= 0 && t.needs[k] != noValue
}

// next returns the next rows, while those after them are being decoded over a block that is not needed any
// more.
func (t *parquetTable) next(over block) (block, error) {
	if t.coming == nil {
		t.decodeAhead(block{})
	}
	d := <-t.coming
	if d.err == nil {
		t.decodeAhead(over)
	}
	return d.block, d.err
}

// decoded is a block, or why there is none.
type decoded struct {
	block block
	err   error
}

func (t *parquetTable) decodeAhead(over block) {
	to := make(chan decoded, 1) // nobody need wait for it
	t.coming = to
	go func() {
		b, err := t.decode(over)
		to <- decoded{b, err}
	}()
}

// decode reads the next rows.
func (t *parquetTable) decode(over block) (b block, err error) {
	err = t.guard(func() error {
		for t.left == 0 {
			groups := t.f.RowGroups()
			if t.group == len(groups) {
				return io.EOF
			}
			if err := t.open(groups[t.group]); err != nil {
				return err
			}
			t.group++
		}
		rows := int(min(t.left, parquetRowsABlock))
		b = block{line: t.row, rows: rows, cells: over.cells}
		if b.cells == nil {
			b.cells = make([]cellData, len(t.columns))
		}
		for k := range t.columns {
			if !t.wanted(k) {
				continue
			}
			var err error
			c, to := &t.columns[k], &b.cells[k]
			to.reset(rows)
			if c.list {
				err = c.lists(to)
			} else {
				err = c.fill(to)
			}
			if err != nil {
				return t.damaged(fmt.Errorf("column %s: %w", c.name, err))
			}
		}
		t.row += rows
		t.left -= int64(rows)
		return nil
	})
	return b, err
}

// open goes on to another row group.
func (t *parquetTable) open(g parquet.RowGroup) error {
	// A few bytes may stand for any number of equal rows, in any number of groups.
	if t.left = g.NumRows(); t.left < 0 || t.left > max(1e6, 1000*t.size)-int64(t.row) {
		return fmt.Errorf("%d rows in a file of %d bytes", int64(t.row-1)+t.left, t.size)
	}
	chunks := g.ColumnChunks()
	for k := range t.columns {
		if c := &t.columns[k]; t.wanted(k) {
			c.pages, c.from, c.ahead, c.page.rows = chunks[c.leaf].Pages(), nil, nil, 0
			c.dictionary, c.words = nil, nil
		}
	}
	return nil
}

// cell returns a value as text, nil for none.
func (c *parquetColumn) cell(v parquet.Value) []byte {
	switch {
	case v.IsNull():
		return nil
	case v.Kind() == parquet.ByteArray:
		return v.ByteArray()
	}
	if cap(c.chunk)-len(c.chunk) < 64 {
		c.chunk = make([]byte, 0, 1<<16)
	}
	from := len(c.chunk)
	c.chunk = c.text(c.chunk, v)
	return c.chunk[from:len(c.chunk):len(c.chunk)]
}

// lists takes the lists of the next rows.
func (c *parquetColumn) lists(to *cellData) error {
	for i := range to.codes {
		cell, err := c.next()
		if err == io.EOF {
			return io.ErrUnexpectedEOF
		} else if err != nil {
			return err
		}
		to.set(i, cell)
	}
	to.clean = false
	return nil
}

// peek returns the next value of the column without taking it.
func (c *parquetColumn) peek() (parquet.Value, error) {
	for len(c.ahead) == 0 {
		if c.from == nil {
			page, err := c.pages.ReadPage()
			if err != nil {
				return parquet.Value{}, err
			}
			c.from = page.Values()
		}
		if c.buf == nil {
			c.buf = make([]parquet.Value, 1024)
		}
		n, err := c.from.ReadValues(c.buf)
		c.ahead = c.buf[:n]
		if err == io.EOF || n == 0 {
			c.from = nil
		} else if err != nil {
			return parquet.Value{}, err
		}
	}
	return c.ahead[0], nil
}

// next returns the list in the next row as JSON, nil for none.
func (c *parquetColumn) next() ([]byte, error) {
	v, err := c.peek()
	if err != nil {
		return nil, err
	}
	c.ahead = c.ahead[1:]
	if cap(c.chunk)-len(c.chunk) < 64 {
		c.chunk = make([]byte, 0, 1<<16)
	}
	from := len(c.chunk)
	null := v.IsNull()
	c.chunk = append(c.chunk, '[')
	if !null {
		c.chunk = c.json(c.chunk, v)
	}
	for {
		if v, err = c.peek(); err != nil && err != io.EOF {
			return nil, err
		}
		if err == io.EOF || v.RepetitionLevel() == 0 {
			break
		}
		c.ahead = c.ahead[1:]
		if !null {
			c.chunk = append(c.chunk, ',')
		}
		null = false
		c.chunk = c.json(c.chunk, v)
	}
	if null {
		return nil, nil
	}
	c.chunk = append(c.chunk, ']')
	return c.chunk[from:len(c.chunk):len(c.chunk)], nil
}

// json appends a value of a list.
func (c *parquetColumn) json(to []byte, v parquet.Value) []byte {
	switch v.Kind() {
	case parquet.ByteArray, parquet.FixedLenByteArray, parquet.Int96:
		if !v.IsNull() {
			s, err := json.Marshal(string(c.text(nil, v)))
			if err != nil {
				panic("ingest: " + err.Error()) // a string has its JSON
			}
			return append(to, s...)
		}
	}
	if v.IsNull() {
		return append(to, "null"...)
	}
	from := len(to)
	if to = c.text(to, v); !json.Valid(to[from:]) { // a date, or not a number
		return strconv.AppendQuote(to[:from], string(to[from:]))
	}
	return to
}

// text appends a value as it would be written.
func (c *parquetColumn) text(to []byte, v parquet.Value) []byte {
	var logical any
	if l := c.kind.LogicalType(); l != nil {
		logical = l.Value
	}
	switch v.Kind() {
	case parquet.Boolean:
		return strconv.AppendBool(to, v.Boolean())
	case parquet.Float:
		return strconv.AppendFloat(to, float64(v.Float()), 'g', -1, 32)
	case parquet.Double:
		if x := v.Double(); x == math.Trunc(x) && math.Abs(x) < 1<<53 {
			return strconv.AppendInt(to, int64(x), 10)
		}
		return appendDecimal(to, v.Double())
	case parquet.Int96: // nanoseconds of a Julian day; 2440588 began in 1970
		x := v.Int96()
		day := int64(int32(x[2])) - 2440588
		return time.Unix(day*86400, int64(x[0])|int64(x[1])<<32).UTC().AppendFormat(to, time.RFC3339Nano)
	case parquet.Int32, parquet.Int64:
		x := v.Int64()
		if v.Kind() == parquet.Int32 {
			x = int64(v.Int32())
		}
		switch l := logical.(type) {
		case *thrift.DateType:
			return time.Unix(x*86400, 0).UTC().AppendFormat(to, time.DateOnly)
		case *thrift.TimestampType:
			at := time.UnixMicro(x)
			switch l.Unit.Value.(type) {
			case *thrift.MilliSeconds:
				at = time.UnixMilli(x)
			case *thrift.NanoSeconds:
				at = time.Unix(0, x)
			}
			return at.UTC().AppendFormat(to, time.RFC3339Nano)
		case *thrift.DecimalType:
			return strconv.AppendFloat(to, float64(x)/math.Pow10(int(l.Scale)), 'g', -1, 64)
		case *thrift.IntType:
			if !l.IsSigned {
				u := uint64(x)
				if v.Kind() == parquet.Int32 {
					u = uint64(uint32(x))
				}
				return strconv.AppendUint(to, u, 10)
			}
		}
		return strconv.AppendInt(to, x, 10)
	}
	return append(to, v.ByteArray()...)
}

// appendDecimal appends a number in the fewest digits. Times in seconds have few decimals: such a number is a
// whole one divided by a power of ten, which is sooner written.
func appendDecimal(to []byte, x float64) []byte {
	const unit = 1e6
	n := math.Round(x * unit)
	if !(math.Abs(n) < 1<<53) || n/unit != x || n < 0 || x < 1e-3 {
		return strconv.AppendFloat(to, x, 'g', -1, 64)
	}
	to = strconv.AppendInt(to, int64(n)/unit, 10)
	to = append(to, '.')
	for rest, digit := int64(n)%unit, int64(unit/10); rest > 0; digit /= 10 {
		to = append(to, byte('0'+rest/digit))
		rest %= digit
	}
	return to
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
		if need == plainValue && (rec.nested[k] || c.leaf < 0) {
			rec.bad = &fault{c.name, "is not a plain value"}
			break
		}
		if r.block.cells[k].clean {
			continue
		}
		if why := unreadable(field); why != "" {
			rec.bad = &fault{c.name, fmt.Sprintf("%s %s", quote(field), why)}
			break
		}
	}
	return true
}
