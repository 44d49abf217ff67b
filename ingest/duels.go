package ingest

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"palate"
	"palate/internal/wording"
)

// A duel is a row that describes its two items by their features, in columns such as left_size and right_size,
// in place of naming them. Items with the same features are the same.

// duelSides are the beginnings of column names that tell the sides apart.
type duelSides struct {
	left, right string
	winner      []string // names of the column of the answer; nil when the left item always won
}

func duelSidesOf() []duelSides {
	return []duelSides{{"left_", "right_", []string{"winner", "label"}}, {"winner_", "loser_", nil}}
}

func duelForms() (all []form) {
	for _, s := range duelSidesOf() {
		name := s.left + "*," + s.right + "*"
		if s.winner != nil {
			name += "," + s.winner[0]
		}
		all = append(all, form{name, func(header []string) *layout {
			d := s.match(header)
			if d == nil {
				return nil
			}
			l := &layout{use: slices.Concat(d.left, d.right), deep: slices.Concat(d.left, d.right), sided: s.winner != nil}
			winner := -1
			if s.winner != nil {
				if winner = wording.Find(header, s.winner...); winner < 0 {
					return nil
				}
				l.use = append(l.use, winner)
			}
			l.duel, l.cast = d, d.cast(winner)
			return l
		}})
	}
	return all
}

// duel tells where the features of the two items of a row are.
type duel struct {
	names       []string
	left, right []int
}

// match finds the columns of both sides, or returns nil. Columns that name items are features of nothing.
func (s duelSides) match(header []string) *duel {
	d := &duel{}
	for k, column := range header {
		name, ok := cutFold(column, s.left)
		if !ok {
			continue
		}
		if slices.Contains([]string{"", "id", "name", "item", "model", "title", "label", "key"}, strings.ToLower(name)) {
			return nil
		}
		if other := wording.Find(header, s.right+name); other >= 0 {
			d.names, d.left, d.right = append(d.names, name), append(d.left, k), append(d.right, other)
		}
	}
	if d.names == nil {
		return nil
	}
	return d
}

// cutFold is strings.CutPrefix, whatever the letter case.
func cutFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

func (d *duel) cast(winner int) caster {
	return func(w *ballots, rec *record, by answer) *fault {
		left, bad := w.profile(d, rec, d.left)
		if bad != nil {
			return bad
		}
		right, bad := w.profile(d, rec, d.right)
		if bad != nil {
			return bad
		}
		if bytes.Equal(left, right) {
			return w.fault(d.right[0], "both items have the same features")
		}
		outcome := palate.Left
		if winner >= 0 {
			var why string
			if outcome, why = w.outcome(rec, winner, left, right, rec.fields[winner]); why != "" {
				return w.fault(winner, why)
			}
		}
		w.vote(by, left, right, outcome)
		return nil
	}
}

// profile is what a row says of an item.
type profile struct {
	cells []string
	line  int
}

// of reads the features of one side, and the name that they make.
func (d *duel) of(rec *record, at []int, header []string) (id string, p profile, bad *fault) {
	p = profile{cells: make([]string, len(at)), line: rec.line}
	words := make([]string, len(at))
	for k, column := range at {
		text := string(rec.number(column))
		if text == "" {
			return "", p, &fault{header[column], "is empty"}
		}
		if x, err := strconv.ParseFloat(text, 64); err == nil { // 1 and 1.0 are the same
			text = strconv.FormatFloat(x, 'g', -1, 64)
		}
		p.cells[k], words[k] = text, d.names[k]+"="+text
	}
	if len(words) == 1 {
		return p.cells[0], p, nil
	}
	return strings.Join(words, " "), p, nil
}

// profile takes down the features of one side of a row and returns their name.
func (w *ballots) profile(d *duel, rec *record, at []int) ([]byte, *fault) {
	id, p, bad := d.of(rec, at, w.header)
	if bad != nil {
		return nil, bad
	}
	if _, ok := w.profiles[id]; !ok {
		if w.profiles == nil {
			w.profiles = map[string]profile{}
		}
		w.profiles[id] = p
	}
	return []byte(id), nil
}

// describe adds an item to the table, if it is new.
func (t *Table) describe(id string, p profile) {
	if t.known == nil {
		t.known = map[string]bool{}
	}
	if t.known[id] {
		return
	}
	t.known[id] = true
	t.IDs, t.Lines, t.Cells = append(t.IDs, id), append(t.Lines, p.line), append(t.Cells, p.cells...)
}

// begin makes a table that of the items of a file, or finds that it is of others.
func (t *Table) begin(file string, line int, names []string) error {
	if t.Columns == nil {
		t.File, t.Columns = file, names
	}
	if !slices.Equal(t.Columns, names) {
		return &Error{File: file, Line: line, Reason: fmt.Sprintf("items have the features %s, but %s in %s", strings.Join(names, ", "), strings.Join(t.Columns, ", "), t.File)}
	}
	return nil
}
