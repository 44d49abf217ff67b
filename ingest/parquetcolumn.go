package ingest

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// parquetColumn is one column of the header.
type parquetColumn struct {
	name  string
	leaf  int // −1: of a shape that cannot be read
	kind  parquet.Type
	top   byte // definition level of a value that is there
	list  bool
	pages parquet.Pages
	chunk []byte // room for text

	number  numeric // how its values are numbers, when that is how they are wanted
	repeats bool    // it holds identifiers, which come again

	page       parquetPage // of a column without lists
	dictionary parquet.Dictionary
	words      *dictionary // the cells of a column of words
	numbers    []int64     // the cells of a column of numbers
	room       []int64     // for the numbers of a page

	from  parquet.ValueReader // of a column of lists
	buf   []parquet.Value
	ahead []parquet.Value // read but not handed out
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

// leaf reports whether a path leads to one value inside others.
func (t *parquetTable) leaf(path []string) bool {
	leaf, ok := t.f.Schema().Lookup(path...)
	return ok && len(path) > 1 && leaf.MaxRepetitionLevel == 0
}

// nested adds the column of a value inside others, by its path with points between, and reports whether there is one.
func (t *parquetTable) nested(name string) bool {
	for _, p := range t.f.Schema().Columns() {
		if !t.leaf(p) || !strings.EqualFold(strings.Join(p, "."), name) {
			continue
		}
		leaf, _ := t.f.Schema().Lookup(p...)
		t.columns = append(t.columns, parquetColumn{name: name, leaf: leaf.ColumnIndex, kind: leaf.Node.Type(), top: byte(leaf.MaxDefinitionLevel)})
		return true
	}
	return false
}

// start goes on to the pages of another row group.
func (c *parquetColumn) start(pages parquet.Pages) {
	c.pages, c.from, c.ahead, c.page.rows = pages, nil, nil, 0
	c.dictionary, c.words = nil, nil
}

// read takes the next rows.
func (c *parquetColumn) read(to *cellData, rows int) error {
	to.reset(c, rows)
	take := c.fill
	if c.list {
		take = c.lists
	}
	if err := take(to); err != nil {
		return fmt.Errorf("column %s: %w", c.name, err)
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
