package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"

	"palate/internal/wording"
)

// form finds the form of a file, some of whose columns are named otherwise than its header has it.
func (s *source) form(columns Columns) (*layout, error) {
	if s.layout != nil {
		if len(columns) > 0 {
			return nil, &Error{File: s.file, Reason: fmt.Sprintf("--columns %s: a file of %s has no columns to name", columns, s.layout.form)}
		}
		return s.layout, nil
	}
	if s.texts != nil {
		l, bad := s.qualtrics(columns)
		if bad != nil {
			return nil, bad.at(s.file, s.headerLine)
		}
		return l, nil
	}
	first := slices.Clone(s.header)
	counted := columns.counted() && s.format == separated
	if counted {
		s.untitled()
	}
	l, bad := match(s.header, columns)
	switch {
	case bad != nil && len(columns) == 0 && s.format == separated:
		if why := s.looksUntitled(first); why != "" {
			bad.reason = why
		}
		return nil, bad.at(s.file, s.headerLine)
	case bad != nil:
		return nil, bad.at(s.file, s.headerLine)
	case counted && !slices.ContainsFunc(l.use, func(k int) bool { return !title(first[k]) }):
		return nil, &Error{File: s.file, Line: s.headerLine, Reason: fmt.Sprintf("--columns %s counts columns of a file without a header, but the first line has one: name them", columns)}
	}
	return l, nil
}

// untitled takes the first line for a row as any other, and calls columns by their places.
func (s *source) untitled() {
	s.line -= bytes.Count(s.first, []byte{'\n'})
	s.buf = append(bytes.Clone(s.first), s.buf...)
	for k := range s.header {
		s.header[k] = strconv.Itoa(k + 1)
	}
}

// title reports whether a cell is a name that some form has for a column.
func title(cell string) bool {
	known := slices.Concat(Roles(), userColumns(), weightColumns(), timeColumns(), ballotColumns())
	for _, p := range pairForms() {
		known = append(known, p.required()...)
	}
	return wording.Find([]string{cell}, known...) >= 0
}

// looksUntitled says that the first line seems to be a row, and how to read the file then; nothing when it does not.
// A title does not come again among the cells, and not all titles are numbers.
func (s *source) looksUntitled(first []string) string {
	const most = 200
	rows := [][]string{first}
	blk, err := s.next(block{}, false)
	r := &csvRows{comma: s.comma}
	var rec record
	for r.reset(blk); err == nil && len(rows) < most && r.next(&rec); {
		var row []string
		for _, f := range rec.fields {
			row = append(row, string(f))
		}
		if rec.bad == nil && len(row) == len(first) {
			rows = append(rows, row)
		}
	}
	numbers, again, words := 0, false, newVocabulary(byEither)
	for k, cell := range first {
		if title(cell) && words.said([]byte(cell)).outcome == unsaid { // left may be an answer
			return ""
		}
		if _, ok := ParseNumber(cell); ok {
			numbers++
		}
		again = again || cell != "" && slices.Contains(first[:k], cell) ||
			slices.ContainsFunc(rows[1:], func(row []string) bool { return cell != "" && slices.Contains(row, cell) })
	}
	if len(first) < 2 || !again && numbers < len(first) {
		return ""
	}
	return fmt.Sprintf("the first line, %s, looks like a vote and not like the names of columns; a file without a header is read by places, for example with --columns %s",
		wording.Some(first), guess(rows))
}

// guess says what the columns of rows without a header may be: a pair and the answer, ratings, or a winner and a
// loser, with a voter before them.
func guess(rows [][]string) Columns {
	n := len(rows[0])
	all := func(holds func(row []string) bool) bool {
		return !slices.ContainsFunc(rows, func(row []string) bool { return !holds(row) })
	}
	name := func(role string, k int) Naming { return Naming{role, strconv.Itoa(k + 1)} }
	words := newVocabulary(byEither)
	for said := n - 1; said >= 0 && n > 2; said-- {
		for l := n - 2; l >= 0; l-- { // where any pair will do, the one next to the answer
			r := l + 1
			if said == l || said == r {
				continue
			}
			if !all(func(row []string) bool {
				return row[l] != row[r] && (row[said] == row[l] || row[said] == row[r] || words.said([]byte(row[said])).outcome != unsaid)
			}) {
				continue
			}
			c := Columns{name("left", l), name("right", r), name("winner", said)}
			if l > 0 && said != 0 {
				c = append(c, name("user", 0))
			}
			return c
		}
	}
	numeric := func(k int) bool {
		return all(func(row []string) bool { _, ok := ParseNumber(row[k]); return ok })
	}
	switch {
	case n > 2 && numeric(2):
		return Columns{name("user", 0), name("item", 1), name("rating", 2)}
	case n > 2:
		return Columns{name("user", 0), name("winner", 1), name("loser", 2)}
	}
	return Columns{name("winner", 0), name("loser", 1)}
}
