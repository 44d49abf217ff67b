package ingest

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"palate"
	"palate/internal/wording"
)

// Context names the columns of a property of votes: one of the vote itself, or two, of its left and its right item.
type Context struct {
	Name    string
	Columns []string
	Words   bool // numbers in it are words, too
	Numbers bool // there are no words in it
}

// asWords precedes columns whose numbers are names.
const asWords = "category:"

// ParseContext reads what is to be known of votes: language, or length_left,length_right for what each of the two
// items has of it. A name may come first, as in length=chars_a,chars_b, and category: before columns of words that
// look like numbers. A column that has a comma is quoted, as in CSV.
func ParseContext(text string) (Context, error) {
	rest, words := strings.CutPrefix(text, asWords)
	name, columns, named := strings.Cut(rest, "=")
	if !named {
		name, columns = "", rest
	}
	r := csv.NewReader(strings.NewReader(columns))
	r.LazyQuotes = true
	parts, err := r.Read()
	if err != nil || len(parts) > 2 {
		return Context{}, fmt.Errorf("%q names no column, or more than two: write language, or length_left,length_right", text)
	}
	for k := range parts {
		if parts[k] = strings.TrimSpace(parts[k]); parts[k] == "" {
			return Context{}, fmt.Errorf("%q has a column without a name: write language, or length_left,length_right", text)
		}
	}
	c := Context{Name: strings.TrimSpace(name), Columns: parts, Words: words}
	if len(parts) == 2 && wording.Plain(parts[0]) == wording.Plain(parts[1]) {
		return Context{}, fmt.Errorf("%q names the column %s twice; a property of the vote itself has one column", text, parts[0])
	}
	if c.Name == "" {
		c.Name = common(parts)
	}
	return c, nil
}

// String writes the property as ParseContext reads it.
func (c Context) String() string {
	var columns []string
	for _, name := range c.Columns {
		if strings.ContainsAny(name, ",\"\n") {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		columns = append(columns, name)
	}
	out := strings.Join(columns, ",")
	if c.Name != common(c.Columns) || strings.Contains(out, "=") {
		out = c.Name + "=" + out
	}
	if c.Words {
		out = asWords + out
	}
	return out
}

// properCells appends those of the properties of vote k, nil where one is not known; turned round where its right item is
// written first.
func properCells(row []any, d *palate.Dataset, k int, turned bool) []any {
	for _, p := range d.Properties() {
		sides := [][]float64{p.Left, p.Right}
		if p.OfVote() {
			sides = sides[:1]
		} else if turned {
			slices.Reverse(sides)
		}
		for _, side := range sides {
			switch x := side[k]; {
			case math.IsNaN(x):
				row = append(row, nil)
			case p.Levels != nil:
				row = append(row, p.Levels[int(x)])
			default:
				row = append(row, x)
			}
		}
	}
	return row
}

// common is the name that columns share: length, of length_left and length_right, or size, of size1 and size2.
func common(columns []string) string {
	if len(columns) == 1 {
		return columns[0]
	}
	words := func(s string) []string {
		return strings.FieldsFunc(s, func(c rune) bool { return strings.ContainsRune("_-. ", c) })
	}
	a, b := words(columns[0]), words(columns[1])
	var same []string
	for k := range min(len(a), len(b)) {
		if a[k] == b[k] {
			same = append(same, a[k])
		}
	}
	if len(same) > 0 {
		return strings.Join(same, "_")
	}
	if x, y := strings.TrimRight(columns[0], "0123456789"), strings.TrimRight(columns[1], "0123456789"); x == y && x != "" {
		return x
	}
	return strings.Join(columns, ",")
}

// Properties gathers properties of the votes of several files, from columns that are kept.
type Properties struct {
	asked []Context
	text  [][][]string // by property and column, of every vote
	at    []place      // of every vote
}

type place struct {
	file string
	line int
}

// NewProperties is told what is asked for. It refuses what is asked for twice.
func NewProperties(asked []Context) (*Properties, error) {
	p := &Properties{asked: asked}
	for k, c := range asked {
		for _, before := range asked[:k] {
			if wording.Plain(before.Name) == wording.Plain(c.Name) {
				return nil, fmt.Errorf("%s is given twice; name one of them, as in other=%s", c.Name, strings.Join(c.Columns, ","))
			}
		}
		p.text = append(p.text, make([][]string, len(c.Columns)))
	}
	return p, nil
}

// Columns lists those to keep, for Options.Keep.
func (p *Properties) Columns() (names []string) {
	for _, c := range p.asked {
		names = append(names, c.Columns...)
	}
	return names
}

// Add takes in a file, given what was kept of each of Columns; nil where a file of pairs has no such column.
func (p *Properties) Add(r Report, kept [][]string) error {
	if r.Form != "" && r.LeftColumn == "" {
		return &Error{File: r.File, Reason: fmt.Sprintf("votes from %s have no left and no right item of which %s could be told", r.Form, p.asked[0].Name)}
	}
	for k, c := range p.asked {
		for j := range c.Columns {
			text := kept[0]
			kept = kept[1:]
			if text == nil {
				text = make([]string, len(r.Lines))
			}
			p.text[k][j] = append(p.text[k][j], text...)
		}
	}
	for _, line := range r.Lines {
		p.at = append(p.at, place{r.File, line})
	}
	return nil
}

// mostLevels bounds the words of a property: more are texts.
const mostLevels = 100

// All returns the properties of all votes, and of those that are to be left out, why: a property whose first value is a
// number is one of numbers. Empty cells, and NA, null and the like among numbers, are not known.
func (p *Properties) All() (all []palate.Property, bad map[int]*Error, err error) {
	bad = map[int]*Error{}
	for k, c := range p.asked {
		of := palate.Property{Name: c.Name, Columns: c.Columns}
		sides := [][]float64{make([]float64, len(p.at)), nil}[:len(c.Columns)]
		if len(sides) == 2 {
			sides[1] = make([]float64, len(p.at))
		}
		if c.Numbers || !c.Words && p.numeric(k) {
			p.numbers(k, sides, bad)
		} else if of.Levels, err = p.words(k, sides); err != nil {
			return nil, nil, err
		}
		of.Left = sides[0]
		if len(sides) == 2 {
			of.Right = sides[1]
		}
		all = append(all, of)
	}
	return all, bad, nil
}

// numeric reports whether the first value of a property is a number.
func (p *Properties) numeric(k int) bool {
	for vote := range p.at {
		for _, column := range p.text[k] {
			if !absent(column[vote]) {
				_, err := strconv.ParseFloat(strings.TrimSpace(column[vote]), 64)
				return err == nil
			}
		}
	}
	return false
}

// absent reports whether a cell is one of the usual ways to write that a number is missing.
func absent(s string) bool {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "", "na", "n/a", "nan", "null", "none":
		return true
	}
	return false
}

func (p *Properties) numbers(k int, sides [][]float64, bad map[int]*Error) {
	for j, column := range p.text[k] {
		for vote, text := range column {
			if sides[j][vote] = math.NaN(); absent(text) {
				continue
			}
			x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err != nil || math.IsInf(x, 0) {
				if bad[vote] == nil {
					bad[vote] = &Error{File: p.at[vote].file, Line: p.at[vote].line, Column: p.asked[k].Columns[j], Reason: fmt.Sprintf(
						"%s is not a number, as other values of %s are", wording.Quote(text), p.asked[k].Name)}
				}
				continue
			}
			sides[j][vote] = x
		}
	}
}

func (p *Properties) words(k int, sides [][]float64) (levels []string, err error) {
	number := map[string]float64{}
	for _, column := range p.text[k] {
		for _, text := range column {
			if text != "" && number[text] == 0 {
				number[text] = 1
				levels = append(levels, text)
			}
		}
	}
	if len(levels) > mostLevels {
		return nil, &Error{File: p.at[0].file, Column: p.asked[k].Columns[0], Reason: fmt.Sprintf(
			"%d different values, such as %s: --context takes numbers, or words of which there are at most %d", len(levels), wording.Quote(levels[0]), mostLevels)}
	}
	slices.Sort(levels) // whatever the order of rows
	for i, level := range levels {
		number[level] = float64(i)
	}
	for j, column := range p.text[k] {
		for vote, text := range column {
			if sides[j][vote] = math.NaN(); text != "" {
				sides[j][vote] = number[text]
			}
		}
	}
	if levels == nil {
		levels = []string{}
	}
	return levels, nil
}
