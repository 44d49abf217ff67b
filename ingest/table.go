package ingest

import (
	"context"
	"fmt"
	"io"
	"sync"

	"palate/internal/wording"
)

// Table is a file of items or users as text: an identifier and some columns a row.
type Table struct {
	File    string
	Columns []string // without the identifier's
	IDs     []string
	Lines   []int    // line of each row in the file
	Cells   []string // row-major
	Arrays  []Array  // vectors from other files

	known  map[string]bool // the identifiers, of rows that describe themselves
	of     *Table          // whose rows these are; nil when they are its own
	rows   []int
	made   map[any]any // see Memo
	making sync.Mutex  // of made
}

// Cell returns the text in column j of row i.
func (t *Table) Cell(i, j int) string { return t.Cells[i*len(t.Columns)+j] }

// Rows returns a table of some of the rows.
func (t *Table) Rows(rows []int) *Table {
	out := &Table{File: t.File, Columns: t.Columns, of: t, rows: rows}
	for _, i := range rows {
		out.IDs, out.Lines = append(out.IDs, t.IDs[i]), append(out.Lines, t.Lines[i])
		out.Cells = append(out.Cells, t.Cells[i*len(t.Columns):(i+1)*len(t.Columns)]...)
	}
	for _, a := range t.Arrays {
		out.Arrays = append(out.Arrays, a.pick(rows))
	}
	return out
}

// Origin returns the table that these rows were taken from, and which they are; of a table of its own, itself and nil.
func (t *Table) Origin() (*Table, []int) {
	if t.of == nil {
		return t, nil
	}
	return t.of, t.rows
}

// Memo returns what has been made of the table under a key, and makes it when it is asked for the first time.
func (t *Table) Memo(key any, make func() (any, error)) (any, error) {
	t.making.Lock()
	defer t.making.Unlock()
	made, ok := t.made[key]
	if !ok {
		var err error
		if made, err = make(); err != nil {
			return nil, err
		}
		if t.made == nil {
			t.made = map[any]any{}
		}
		t.made[key] = made
	}
	return made, nil
}

// IDColumn is the column that names what a row is about.
const IDColumn = "id"

// ReadTable reads a table. Identifiers must be there, and differ. An empty table is an error. A NumPy array is a
// table of vectors whose identifiers are the numbers of its rows, from 0.
func ReadTable(ctx context.Context, name string, r io.Reader) (*Table, error) {
	return readTable(ctx, name, r, 0)
}

func readTable(ctx context.Context, name string, r io.Reader, size int) (*Table, error) {
	r, head := peek(r, 6)
	if string(head) == "\x93NUMPY" {
		return arrayTable(name, heedful{ctx, r})
	}
	src, err := newSource(ctx, name, r, size)
	if err != nil {
		return nil, err
	}
	id, bad := tableHeader(src.header)
	if bad != nil {
		return nil, bad.at(name, src.headerLine)
	}
	t := &Table{File: name}
	t.Columns = append(append(t.Columns, src.header[:id]...), src.header[id+1:]...)
	needs := make([]need, len(src.header))
	for k := range needs {
		needs[k] = anyValue // lists are vectors
	}
	needs[id] = plainValue
	rows := src.rows(needs)
	seen := map[string]int{}
	var rec record
	var blk block
	for {
		blk, err = src.next(blk, false)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		rows.reset(blk)
		for rows.next(&rec) {
			if rec.bad != nil {
				return nil, rec.bad.at(name, rec.line)
			}
			key := string(rec.fields[id])
			if key == "" {
				return nil, &Error{File: name, Line: rec.line, Column: src.header[id], Reason: "is empty"}
			}
			if line, ok := seen[key]; ok {
				return nil, &Error{File: name, Line: rec.line, Column: src.header[id], Reason: fmt.Sprintf("%s was already on line %d", wording.Quote(key), line)}
			}
			seen[key] = rec.line
			t.IDs = append(t.IDs, key)
			t.Lines = append(t.Lines, rec.line)
			for k, f := range rec.fields {
				if rec.deep(k) && f[0] == '{' {
					return nil, &Error{File: name, Line: rec.line, Column: src.header[k], Reason: fmt.Sprintf("%s is not a plain value", wording.Quote(f))}
				}
				if k != id {
					t.Cells = append(t.Cells, string(f))
				}
			}
		}
	}
	if len(t.IDs) == 0 {
		return nil, &Error{File: name, Reason: "no rows: there is nothing after the header"}
	}
	if src.format == separated && src.comma == ';' {
		t.point()
	}
	return t, nil
}

// point puts a point for the decimal comma of numbers, in columns of which more than half are numbers.
func (t *Table) point() {
	for j := range t.Columns {
		numbers := 0
		for i := range t.IDs {
			if _, ok := ParseNumber(string(pointed([]byte(t.Cell(i, j))))); ok {
				numbers++
			}
		}
		if 2*numbers <= len(t.IDs) {
			continue
		}
		for i := range t.IDs {
			k := i*len(t.Columns) + j
			t.Cells[k] = string(pointed([]byte(t.Cells[k])))
		}
	}
}

// tableHeader finds the identifier's column and finds fault with the others' names.
func tableHeader(header []string) (id int, bad *fault) {
	id = wording.Find(header, IDColumn)
	if id < 0 {
		why := wording.NoColumns(header, []string{IDColumn})
		if k := wording.Find(header, "name", "item", "item_id", "itemid", "user", "user_id", "userid", "title", "label", "model"); k >= 0 {
			why += fmt.Sprintf("; if %s says which one a row is about, rename it %s", header[k], IDColumn)
		}
		return 0, &fault{"", why}
	}
	for k, name := range header {
		if name == "" {
			return 0, &fault{"", fmt.Sprintf("column %d has no name", k+1)}
		}
		if bad := twice(header, k); bad != nil {
			return 0, bad
		}
	}
	return id, nil
}
