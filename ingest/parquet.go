package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/parquet-go/parquet-go"
)

// parquetRowsABlock is how many rows go to a worker at once.
const parquetRowsABlock = 16384

// parquetTable reads the columns that are needed of a Parquet file, side by side. Values become text, as they
// would stand in a CSV file, when somebody looks at them; lists become JSON.
type parquetTable struct {
	file    string
	data    []byte // all of the file
	f       *parquet.File
	columns []parquetColumn
	needs   []need
	group   int // row group to open next
	left    int64
	row     int // number of the next row, from 1
	coming  chan decoded
	limit   int64 // bytes of content
}

// openParquet reads the whole file into memory: its directory is at the end.
func (s *source) openParquet() error {
	data, err := io.ReadAll(io.MultiReader(bytes.NewReader(s.buf), s.r))
	if err != nil {
		return readError(s.file, 0, err)
	}
	s.buf, s.err = nil, io.EOF
	t := &parquetTable{file: s.file, row: 1, data: data, limit: s.most}
	// The decoder takes the file at its word about sizes.
	const tail = 8
	if len(data) < 4+tail || string(data[len(data)-4:]) != "PAR1" {
		return t.damaged(errors.New("they do not end as they should: the file is truncated"))
	}
	if n := binary.LittleEndian.Uint32(data[len(data)-tail:]); int64(n) > int64(len(data))-4-tail {
		return t.damaged(fmt.Errorf("a directory of %d bytes in a file of %d", n, len(data)))
	}
	if err := t.guard(func() (err error) {
		t.f, err = parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		return err
	}); err != nil {
		return err
	}
	const rowBytes = 4 // two names and what separates them, at the least
	if n := t.f.NumRows(); n > t.limit/rowBytes {
		return &Error{File: s.file, Reason: fmt.Sprintf("%d rows are more than %d bytes of content", n, t.limit)}
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
	if t.needs != nil {
		return
	}
	t.needs = needs
	for k := range t.columns {
		if c := &t.columns[k]; needs[k] == numberValue && c.leaf >= 0 && !c.list {
			c.number = numericOf(c.kind)
		}
		t.columns[k].repeats = needs[k] == plainValue
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
		// Columns are decoded side by side: many files have one row group only.
		errs := make([]error, len(t.columns))
		var wait sync.WaitGroup
		for k := range t.columns {
			if !t.wanted(k) {
				continue
			}
			wait.Go(func() { errs[k] = t.guard(func() error { return t.columns[k].read(&b.cells[k], rows) }) })
		}
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				return err
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
	if t.left = g.NumRows(); t.left < 0 || t.left > t.most()-int64(t.row) {
		return fmt.Errorf("%d rows in a file of %d bytes", int64(t.row-1)+t.left, len(t.data))
	}
	chunks := g.ColumnChunks()
	for k := range t.columns {
		if t.wanted(k) {
			if err := t.checkPages(t.group, &t.columns[k]); err != nil {
				return err
			}
			t.columns[k].start(chunks[t.columns[k].leaf].Pages())
		}
	}
	return nil
}
