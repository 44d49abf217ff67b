package ingest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"palate/internal/wording"
)

// Names knows the items and users of a dataset or a model.
type Names interface {
	Item(id string) (int, bool)
	User(id string) (int, bool)
	NumItems() int
	ItemID(i int) string
	NumUsers() int
	UserID(u int) string
}

// listed goes through n names.
func listed(n int, id func(int) string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			if !yield(id(i)) {
				return
			}
		}
	}
}

// Pairs is a file of pairs to predict: columns left and right, an optional user, and whatever else.
type Pairs struct {
	User, Left, Right []int // indices, −1 where there is none; see Options
	Lines             []int // line of each row in the file

	NewItems, NewUsers Unknown // those that nobody knows

	header []string
	json   bool
	comma  byte
	text   []string // each row as it stands in the file
}

// Unknown are names in a file that nobody knows.
type Unknown struct {
	Rows  int      // that have one
	Names []string // without repeats, in order of appearance
	seen  map[string]bool
}

func (u *Unknown) add(name []byte) {
	if u.seen == nil {
		u.seen = map[string]bool{}
	}
	if !u.seen[string(name)] {
		u.seen[string(name)] = true
		u.Names = append(u.Names, string(name))
	}
}

// ReadPairs reads pairs between known items. A row with an unknown item is bad unless Options.NewItems is set, and so
// is one with an unknown user unless Options.NewUsers is. Of columns that are to be kept and not there the report has nil.
func ReadPairs(ctx context.Context, name string, r io.Reader, known Names, opt Options) (*Pairs, Report, error) {
	report := Report{File: name}
	src, err := newSource(ctx, name, r, opt.block)
	if err != nil {
		return nil, report, err
	}
	at, user, sides, err := src.pairs(opt.Columns)
	if err != nil {
		return nil, report, err
	}
	if sides != nil && opt.Profiles != nil {
		if err := opt.Profiles.begin(name, src.headerLine, sides.names); err != nil {
			return nil, report, err
		}
	}
	p := &Pairs{json: src.format == objects || src.format == array, comma: src.comma, header: src.header}
	left, right := at[0], at[1]
	report.Columns, report.Extra = split(src.header, at)
	if p.json && user < 0 { // later objects may have what the first lacks
		user = len(src.header)
		at = append(at, user)
		src.header = append(src.header, userColumns()[0])
	}
	keep := make([]int, len(opt.Keep))
	for i, name := range opt.Keep {
		keep[i] = src.locate(name)
	}
	needs := make([]need, len(src.header))
	for _, k := range keep {
		if k >= 0 {
			needs[k] = anyValue
		}
	}
	for _, k := range at {
		needs[k] = plainValue
	}
	report.Kept = make([][]string, len(keep))
	if src.format == columnar { // written again as CSV
		p.comma = ','
		for k := range needs {
			needs[k] = anyValue
		}
	}
	look := func(rec *record, column int, side []int) (int, *fault) {
		if sides == nil {
			return p.item(known, src.header[column], rec.fields[column], opt)
		}
		return described(known, sides, rec, side, src.header, opt)
	}
	var lefts, rights []int // columns of features
	if sides != nil {
		lefts, rights = sides.left, sides.right
		for _, k := range slices.Concat(lefts, rights) {
			needs[k] = anyValue
		}
	}
	rows := src.rows(needs)
	var rec record
	var blk block
	for {
		blk, err = src.next(blk, false)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, report, err
		}
		rows.reset(blk)
		for rows.next(&rec) {
			report.Rows++
			l, r, u := -1, -1, -1
			bad := rec.bad
			if bad == nil {
				l, bad = look(&rec, left, lefts)
			}
			if bad == nil {
				r, bad = look(&rec, right, rights)
			}
			if bad == nil && (l >= 0 && l == r || l < 0 && bytes.Equal(rec.fields[left], rec.fields[right])) {
				bad = &fault{src.header[right], fmt.Sprintf("%s against itself", wording.Quote(rec.fields[right]))}
			}
			if bad == nil && user >= 0 && len(rec.fields[user]) > 0 {
				u, bad = p.user(known, src.header[user], rec.fields[user], opt)
			}
			if bad != nil {
				e := bad.at(name, rec.line)
				if !opt.SkipBad {
					return nil, report, e
				}
				report.bad(e, opt.examples())
				continue
			}
			if l < 0 || r < 0 {
				p.NewItems.Rows++
			}
			if u < 0 && user >= 0 && len(rec.fields[user]) > 0 {
				p.NewUsers.Rows++
			}
			p.Left, p.Right, p.User = append(p.Left, l), append(p.Right, r), append(p.User, u)
			p.Lines = append(p.Lines, rec.line)
			for i, k := range keep {
				if k >= 0 {
					report.Kept[i] = append(report.Kept[i], string(rec.number(k)))
				}
			}
			p.text = append(p.text, rowText(&rec, src.format))
		}
	}
	report.Lines = p.Lines
	switch {
	case report.Rows == 0:
		return nil, report, &Error{File: name, Reason: "no pairs: there is nothing after the header"}
	case report.Good() == 0:
		return nil, report, &Error{File: name, Reason: fmt.Sprintf("no pairs: all %s are bad; the first: %v", wording.Plural(report.Rows, "row"), report.Examples[0])}
	}
	return p, report, nil
}

// described returns the item that one side of a row describes.
func described(known Names, d *duel, rec *record, side []int, header []string, opt Options) (int, *fault) {
	id, p, bad := d.of(rec, side, header)
	if bad != nil {
		return 0, bad
	}
	i, ok := known.Item(id)
	switch {
	case !ok && opt.NewItem == nil:
		return 0, &fault{header[side[0]], fmt.Sprintf("unknown item %s", wording.Quote(id))}
	case !ok:
		i = opt.NewItem(id)
	}
	if opt.Profiles != nil {
		opt.Profiles.describe(id, p)
	}
	return i, nil
}

// pairs returns the places of left, right and, when there is one, user. The items of any form of votes will do, also of
// one that describes them, whose columns of features follow.
func (s *source) pairs(columns Columns) (at []int, user int, d *duel, err error) {
	if columns.counted() && s.format == separated {
		s.untitled()
	}
	as, named, bad := columns.apply(s.header)
	if bad == nil {
		at, d, bad = pairsHeader(as)
	}
	if bad == nil {
		for k, n := range columns {
			if !slices.Contains(at, named[k]) {
				bad = &fault{"", fmt.Sprintf("--columns %s=%s: of pairs only left, right and user are read", n.Role, n.Column)}
			}
		}
	}
	if bad != nil {
		return nil, -1, nil, bad.at(s.file, s.headerLine)
	}
	return at, wording.Find(as, userColumns()...), d, nil
}

func pairsHeader(header []string) ([]int, *duel, *fault) {
	var known [][]string
	for _, f := range pairForms() {
		known = append(known, []string{f.left, f.right})
	}
	for _, names := range known {
		if len(wording.Missing(header, names)) > 0 {
			continue
		}
		at := []int{wording.Find(header, names[0]), wording.Find(header, names[1])}
		if u := wording.Find(header, userColumns()...); u >= 0 {
			at = append(at, u)
		}
		for _, k := range at {
			if bad := twice(header, k); bad != nil {
				return nil, nil, bad
			}
		}
		return at, nil, nil
	}
	for _, s := range duelSidesOf() {
		if d := s.match(header); d != nil {
			at := slices.Concat(d.left[:1], d.right, d.left[1:])
			if u := wording.Find(header, userColumns()...); u >= 0 {
				at = append(at, u)
			}
			return at, d, nil
		}
	}
	return nil, nil, &fault{"", wording.NoColumns(header, known...) + "; pairs are read from left,right with an optional user, and other names are told by --columns left=NAME,right=NAME"}
}

// rowText returns a row as it is to be written again, on one line.
func rowText(rec *record, f format) string {
	switch f {
	case array:
		var line bytes.Buffer
		if json.Compact(&line, rec.text) == nil { // the row is valid
			return line.String()
		}
	case columnar:
		var line bytes.Buffer
		out := bufio.NewWriter(&line)
		c := cells{out: out, comma: ','}
		for _, field := range rec.fields {
			c.cell(string(field))
		}
		out.Flush()
		return line.String()
	}
	return string(rec.text)
}

// item finds an item; −1 for one that is not known, if that is no fault.
func (p *Pairs) item(known Names, column string, id []byte, opt Options) (int, *fault) {
	if len(id) == 0 {
		return -1, &fault{column, "is empty"}
	}
	i, ok := known.Item(string(id))
	switch {
	case ok:
		return i, nil
	case opt.NewItems:
		p.NewItems.add(id)
		return -1, nil
	}
	return -1, &fault{column, fmt.Sprintf("unknown item %s%s", wording.Quote(id), wording.DidYouMean(string(id), listed(known.NumItems(), known.ItemID)))}
}

// user does the same for a user.
func (p *Pairs) user(known Names, column string, id []byte, opt Options) (int, *fault) {
	u, ok := known.User(string(id))
	switch {
	case ok:
		return u, nil
	case opt.NewUsers:
		p.NewUsers.add(id)
		return -1, nil
	}
	return -1, &fault{column, fmt.Sprintf("unknown user %s%s", wording.Quote(id), wording.DidYouMean(string(id), listed(known.NumUsers(), known.UserID)))}
}

// Len returns the number of pairs.
func (p *Pairs) Len() int { return len(p.Left) }

// WriteWith writes the pairs as they were read, in the same format, with one more column of numbers or words;
// an empty one is null in JSON.
// It panics when there is not one value a pair.
func (p *Pairs) WriteWith(w io.Writer, name string, values []string) error {
	if len(values) != p.Len() {
		panic(fmt.Sprintf("ingest: WriteWith: %d values for %d pairs", len(values), p.Len()))
	}
	out := bufio.NewWriter(w)
	if p.json {
		key, _ := json.Marshal(name)
		for k, row := range p.text {
			value := []byte(values[k])
			switch {
			case len(value) == 0:
				value = []byte("null")
			case !json.Valid(value):
				value, _ = json.Marshal(values[k])
			}
			fmt.Fprintf(out, "%s,%s:%s}\n", strings.TrimSuffix(row, "}"), key, value)
		}
		return out.Flush()
	}
	c := cells{out: out, comma: p.comma}
	c.row(append(append([]string(nil), p.header...), name)...)
	for k, row := range p.text {
		out.WriteString(row)
		out.WriteByte(p.comma)
		c.row(values[k])
	}
	return out.Flush()
}
