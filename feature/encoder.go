package feature

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"palate"
	"palate/ingest"
	"palate/internal/wording"
)

// Options say how a table becomes features. The zero value is the default.
type Options struct {
	Scaling       Scaling
	Kinds         map[string]ColumnKind // kinds of columns not to be guessed
	Ignore        []string              // columns to leave out
	MaxCategories int                   // more different values than this are an error; 0 means 100
	Rare          int                   // categories in fewer rows than this are pooled; 0 means a hundredth of the rows, negative: none
	MaxNumbers    int                   // more features than this, of all rows together, are an error; 0: no bound
	KnownOnly     bool                  // a row for something no vote names is an error, not a new item or user
}

// Encoder turns tables into features: each column according to its kind, then
// (x − Mean)/SD for each feature. It is decided on one table and kept with the
// model as JSON, so that new items are encoded as the old ones were.
type Encoder struct {
	Columns []Column  `json:"columns"`
	Mean    []float64 `json:"mean"` // one a feature; 0 where nothing is scaled
	SD      []float64 `json:"sd"`   // one a feature; 1 where nothing is scaled, and for constants
}

// NewEncoder decides how to encode tables like t.
func NewEncoder(ctx context.Context, t *ingest.Table, opt Options) (*Encoder, error) {
	for name := range opt.Kinds {
		if !slices.Contains(t.Columns, name) {
			return nil, &ingest.Error{File: t.File, Line: 1, Reason: wording.NoColumns(t.Columns, []string{name})}
		}
	}
	e := &Encoder{}
	for j, name := range t.Columns {
		if slices.Contains(opt.Ignore, name) {
			continue
		}
		cells := func(yield func(int, string) bool) {
			for i := range t.IDs {
				if !yield(i, t.Cell(i, j)) {
					return
				}
			}
		}
		kind, ok := opt.Kinds[name]
		for prefix, as := range map[string]ColumnKind{textPrefix: Text, groupPrefix: Group} {
			if !ok && strings.HasPrefix(strings.ToLower(name), prefix) {
				kind, ok = as, true
			}
		}
		if !ok {
			var row int
			var why string
			if kind, row, why = kindOf(cells); why != "" {
				return nil, &ingest.Error{File: t.File, Line: t.Lines[row], Column: name, Reason: why}
			}
		}
		if !slices.Contains(Kinds(), kind) {
			return nil, &ingest.Error{File: t.File, Column: name, Reason: fmt.Sprintf("unknown kind %q", kind)}
		}
		c := Column{Name: name, Kind: kind}
		switch kind {
		case Category:
			if why := c.categories(cells, len(t.IDs), opt); why != "" {
				return nil, &ingest.Error{File: t.File, Column: name, Reason: why}
			}
		case Vector:
			for i, cell := range cells {
				x, ok := vector(cell)
				if !ok {
					return nil, &ingest.Error{File: t.File, Line: t.Lines[i], Column: name, Reason: fmt.Sprintf("%s is not a list of numbers", wording.Quote(cell))}
				}
				c.Length = len(x)
				break
			}
		case Text:
			texts, err := corpusOf(ctx, t, j)
			if err == nil {
				c.Text, err = learnText(ctx, texts, groupsOf(t))
			}
			if err != nil {
				return nil, err
			}
		}
		e.Columns = append(e.Columns, c)
	}
	for _, a := range t.Arrays {
		if !slices.Contains(opt.Ignore, a.Name) {
			e.Columns = append(e.Columns, Column{Name: a.Name, Kind: Vector, Length: a.Width})
		}
	}
	n := e.Width()
	if most := opt.MaxNumbers; most > 0 && n > most/max(1, len(t.IDs)) {
		return nil, &ingest.Error{File: t.File, Reason: fmt.Sprintf("%d features of %d rows: at most %d numbers in all", n, len(t.IDs), most)}
	}
	e.Mean, e.SD = make([]float64, n), make([]float64, n)
	for k := range e.SD {
		e.SD[k] = 1
	}
	f, err := e.Encode(ctx, t) // unscaled
	if err != nil {
		return nil, err
	}
	e.scale(f, opt.Scaling)
	return e, nil
}

// categories finds the values of a column, and pools rare ones.
func (c *Column) categories(cells func(yield func(row int, cell string) bool), rows int, opt Options) (why string) {
	count := map[string]int{}
	for _, cell := range cells {
		if cell != "" {
			count[cell]++
		}
	}
	rare := opt.Rare
	if rare == 0 {
		rare = rows / 100
	}
	var pooled int
	for value, n := range count {
		if n < rare {
			pooled++
		} else {
			c.Categories = append(c.Categories, value)
		}
	}
	if pooled == 1 { // alone it is no rarer for being called other
		for value, n := range count {
			if n < rare {
				c.Categories = append(c.Categories, value)
			}
		}
	}
	c.Pooled = pooled > 1
	most := opt.MaxCategories
	most = cmp.Or(most, 100)
	switch {
	case len(c.Categories) > most:
		return fmt.Sprintf("%d different values in %d rows are too many for categories (at most %d): leave the column out", len(count), rows, most)
	case len(c.Categories) == 0 && c.Pooled:
		return fmt.Sprintf("%d different values in %d rows, each of them rare: leave the column out, or call it text:%s", len(count), rows, c.Name)
	}
	slices.Sort(c.Categories)
	return ""
}

// Width returns the number of features.
func (e *Encoder) Width() int {
	n := 0
	for _, c := range e.Columns {
		n += c.Width()
	}
	return n
}

// blocks returns the numbers of features that belong together: those of each kind of a text, and others between them.
func (e *Encoder) blocks() (sizes []int) {
	open := false
	for _, c := range e.Columns {
		switch {
		case c.Kind == Text:
			for _, n := range c.Text.blocks() {
				if n > 0 {
					sizes = append(sizes, n)
				}
			}
			open = false
		case c.Width() == 0:
		case open:
			sizes[len(sizes)-1] += c.Width()
		default:
			sizes = append(sizes, c.Width())
			open = true
		}
	}
	return sizes
}

// Names returns the names of the features.
func (e *Encoder) Names() []string {
	var names []string
	for _, c := range e.Columns {
		names = append(names, c.Features()...)
	}
	return names
}

// Encode returns the features of a table, row by row. The table must have the encoder's columns, in any order;
// others are passed over. Missing values are errors. A category that the encoder has not seen shares the column of the
// rare ones, or is none of the others where there is no such column; Unseen tells.
func (e *Encoder) Encode(ctx context.Context, t *ingest.Table) (*palate.Features, error) {
	at := make([]int, len(e.Columns))
	arrays := make([]*ingest.Array, len(e.Columns))
	var names, lacking []string
	for k, c := range e.Columns {
		names = append(names, c.Name)
		at[k] = slices.Index(t.Columns, c.Name)
		if arrays[k] = t.Array(c.Name); at[k] < 0 && arrays[k] == nil {
			lacking = append(lacking, c.Name)
		}
		if a := arrays[k]; at[k] < 0 && a != nil && (c.Kind != Vector || a.Width != c.Length) {
			return nil, &ingest.Error{File: a.Name, Reason: fmt.Sprintf("vectors of %d numbers where there were %d", a.Width, c.Length)}
		}
	}
	if len(lacking) > 0 {
		have := slices.Clone(t.Columns)
		for _, a := range t.Arrays {
			have = append(have, a.Name)
		}
		return nil, &ingest.Error{File: t.File, Line: 1, Reason: wording.NoColumns(have, names)}
	}
	f := &palate.Features{Names: e.Names(), Rows: len(t.IDs), Cols: e.Width(), Blocks: e.blocks()}
	f.Data = make([]float64, f.Rows*f.Cols)
	widths := make([]int, len(e.Columns))
	for k := range e.Columns {
		widths[k] = e.Columns[k].Width()
	}
	for k, from := 0, 0; k < len(e.Columns); k++ {
		if c := e.Columns[k]; c.Kind == Text { // all at once, since they are seen beside each other
			texts, err := corpusOf(ctx, t, at[k])
			if err != nil {
				return nil, err
			}
			c.Text.encode(texts, groupsOf(t), func(i int, x []float64) { copy(f.Row(i)[from:from+widths[k]], x) })
		}
		from += widths[k]
	}
	for i := range t.IDs {
		row, from := f.Row(i), 0
		for k := range e.Columns {
			c := &e.Columns[k]
			to := from + widths[k]
			if at[k] < 0 {
				copy(row[from:to], arrays[k].Row(i))
			} else if why := c.encodeTo(row[from:to], t.Cell(i, at[k])); why != "" {
				return nil, &ingest.Error{File: t.File, Line: t.Lines[i], Column: c.Name, Reason: why}
			}
			from = to
		}
		for k := range row {
			row[k] = (row[k] - e.Mean[k]) / e.SD[k]
		}
	}
	return f, nil
}

// Unseen says which categories of a table the encoder has not seen, a sentence a column.
func (e *Encoder) Unseen(t *ingest.Table) (says []string) {
	for _, c := range e.Columns {
		j := slices.Index(t.Columns, c.Name)
		if c.Kind != Category || j < 0 {
			continue
		}
		rows, names := 0, []string{}
		for i := range t.IDs {
			cell := t.Cell(i, j)
			if _, ok := slices.BinarySearch(c.Categories, cell); ok {
				continue
			}
			rows++
			name := wording.Quote(cell)
			if near := wording.Near(cell, slices.Values(c.Categories)); near != "" {
				name += fmt.Sprintf(" (did you mean %s?)", wording.Quote(near))
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if rows == 0 {
			continue
		}
		as := "as none of those that were there"
		if c.Pooled {
			as = "as the rare ones"
		}
		has := "have a value of %s that was not in the fit, or rare there, and count"
		if rows == 1 {
			has = "has a value of %s that was not in the fit, or rare there, and counts"
		}
		says = append(says, fmt.Sprintf("%s "+has+" %s: %s", wording.Plural(rows, "row"), c.Name, as, wording.Some(names)))
	}
	return says
}

// UnmarshalJSON reads an encoder and checks it.
func (e *Encoder) UnmarshalJSON(text []byte) error {
	type plain Encoder
	if err := json.Unmarshal(text, (*plain)(e)); err != nil {
		return fmt.Errorf("ingest: encoder: %w", err)
	}
	for _, c := range e.Columns {
		if !slices.Contains(Kinds(), c.Kind) {
			return fmt.Errorf("ingest: encoder: column %q has unknown kind %q", c.Name, c.Kind)
		}
		switch {
		case !slices.IsSorted(c.Categories):
			return fmt.Errorf("ingest: encoder: column %q has its categories out of order", c.Name)
		case c.Kind == Vector && c.Length < 1:
			return fmt.Errorf("ingest: encoder: column %q has vectors of %d numbers", c.Name, c.Length)
		case c.Kind == Text && c.Text == nil:
			return fmt.Errorf("ingest: encoder: column %q knows nothing of its texts", c.Name)
		case c.Kind == Text:
			if err := c.Text.check(); err != nil {
				return fmt.Errorf("ingest: encoder: column %q: %w", c.Name, err)
			}
		}
	}
	if n := e.Width(); len(e.Mean) != n || len(e.SD) != n {
		return fmt.Errorf("ingest: encoder: %d means and %d deviations for %d features", len(e.Mean), len(e.SD), n)
	}
	for k, sd := range e.SD {
		if !(sd > 0) {
			return fmt.Errorf("ingest: encoder: feature %d has standard deviation %v", k, sd)
		}
	}
	return nil
}
