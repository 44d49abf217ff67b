package ingest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"palate"
	"palate/internal/wording"
)

// WriteOptions say in which form, and in which format, votes are written. The zero value is the default.
type WriteOptions struct {
	Form   string // one of WriteForms; empty: the first
	Format string // one of WriteFormats; empty: the first
}

// WriteVotes writes votes as CSV that Votes reads back as they are: user, left, right, winner, weight, time and
// ballot, without the columns that nothing is known about, and what properties votes have.
func WriteVotes(ctx context.Context, w io.Writer, d *palate.Dataset) error {
	return Write(ctx, w, d, WriteOptions{})
}

// Write writes votes so that Votes reads them back. A form that has no word for a vote is an error.
func Write(ctx context.Context, w io.Writer, d *palate.Dataset, opt WriteOptions) error {
	f := writeForms()[0]
	if opt.Form != "" {
		k := slices.Index(WriteForms(), opt.Form)
		if k < 0 {
			return fmt.Errorf("ingest: form %q is not one of %s", opt.Form, strings.Join(WriteForms(), ", "))
		}
		f = writeForms()[k]
	}
	names := f.columns(d)
	to, err := NewSheet(w, opt.Format, names)
	if err != nil {
		return err
	}
	var row []any
	for k, v := range d.Votes() {
		if k%4096 == 0 && ctx.Err() != nil {
			break
		}
		var why string
		if row, why = f.row(row[:0], d, v); why != "" {
			return fmt.Errorf("ingest: vote %d: %s", k+1, why)
		}
		row = properCells(row, d, k, f.turns(d, v))
		if err := to.Row(row...); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return to.Close()
}

// writeForm names the columns of a form.
type writeForm struct {
	name                     string
	user, left, right, said  string // said is empty when the left item is the winner
	time                     string
	word                     func(o palate.Outcome, left, right string) string
	timeNumber, winnerOnLeft bool
}

// WriteForms lists the forms that votes can be written in.
func WriteForms() []string {
	var names []string
	for _, f := range writeForms() {
		names = append(names, f.name)
	}
	return names
}

func writeForms() []writeForm {
	words := newVocabulary(byEither)
	return []writeForm{
		{name: "palate", user: "user", left: "left", right: "right", said: "winner", time: "time", word: wordFor},
		{name: "crowd-kit", user: "worker", left: "left", right: "right", said: "label", time: "time", word: func(o palate.Outcome, left, right string) string {
			id := map[palate.Outcome]string{palate.Left: left, palate.Right: right}[o]
			if id == "" || words.said([]byte(id)).tongue != 0 {
				return wordFor(o, left, right)
			}
			return id
		}},
		{name: "arena", user: "judge", left: "model_a", right: "model_b", said: "winner", time: "tstamp", timeNumber: true, word: func(o palate.Outcome, left, right string) string {
			return spelt(map[palate.Outcome]string{palate.Left: "model_a", palate.Right: "model_b", palate.Tie: "tie", palate.Skip: "skip"}[o], left, right)
		}},
		{name: "wins", user: "user", left: "winner", right: "loser", time: "time", winnerOnLeft: true},
	}
}

func (f *writeForm) columns(d *palate.Dataset) []string {
	var names []string
	if d.HasUsers() {
		names = append(names, f.user)
	}
	names = append(names, f.left, f.right)
	if f.said != "" {
		names = append(names, f.said)
	}
	if d.HasWeights() {
		names = append(names, "weight")
	}
	if d.HasTimes() {
		names = append(names, f.time)
	}
	if d.HasGroups() {
		names = append(names, "ballot")
	}
	for _, p := range d.Properties() {
		switch {
		case p.Columns != nil:
			names = append(names, p.Columns...)
		case p.OfVote():
			names = append(names, p.Name)
		default:
			names = append(names, p.Name+"_"+f.left, p.Name+"_"+f.right)
		}
	}
	return names
}

// turns reports whether the right item of a vote is written first: where it won and the form begins with winners, and by
// name where no item was left but by having won.
func (f *writeForm) turns(d *palate.Dataset, v palate.Vote) bool {
	if f.winnerOnLeft {
		return v.Outcome == palate.Right
	}
	return v.Unsided && d.ItemID(v.Left) > d.ItemID(v.Right)
}

// row appends the cells of a vote, text or numbers, nil where nothing is known,
// or says why the form cannot hold it.
func (f *writeForm) row(row []any, d *palate.Dataset, v palate.Vote) (cells []any, why string) {
	if d.HasUsers() {
		var id any
		if v.User >= 0 {
			id = d.UserID(v.User)
		}
		row = append(row, id)
	}
	if f.turns(d, v) {
		v = v.Swap()
	}
	left, right := d.ItemID(v.Left), d.ItemID(v.Right)
	row = append(row, left, right)
	switch {
	case f.said != "":
		row = append(row, f.word(v.Outcome, left, right))
	case v.Outcome != palate.Left:
		return nil, fmt.Sprintf("a %v between %s and %s has neither winner nor loser", v.Outcome, wording.Quote(left), wording.Quote(right))
	}
	if d.HasWeights() {
		row = append(row, v.Weight)
	}
	if d.HasTimes() {
		var at any
		switch {
		case v.Time.IsZero():
		case f.timeNumber:
			at = float64(v.Time.UnixMicro()) / 1e6
		default:
			at = v.Time.UTC()
		}
		row = append(row, at)
	}
	if d.HasGroups() {
		var group any
		if v.Group > 0 {
			group = int64(v.Group)
		}
		row = append(row, group)
	}
	return row, ""
}

// Winner returns the word for an outcome in a column winner, which Votes reads
// back whatever the two items are called.
func Winner(o palate.Outcome, left, right string) string { return wordFor(o, left, right) }

// wordFor returns the outcome's word, spelt so that it is not the identifier of either item.
func wordFor(o palate.Outcome, left, right string) string { return spelt(o.String(), left, right) }

// spelt returns a word in a letter case in which it is neither of two others.
func spelt(word, left, right string) string {
	for _, w := range []string{word, strings.ToUpper(word)} {
		if w != left && w != right {
			return w
		}
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// cellText writes a cell of Write as text.
func cellText(cell any) string {
	switch x := cell.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case int64:
		return strconv.FormatInt(x, 10)
	case time.Time:
		return x.Format(time.RFC3339Nano)
	}
	return ""
}

// cells writes rows of separated text, quoting where it must.
type cells struct {
	out   *bufio.Writer
	comma byte
	later bool // the row has begun
	err   error
}

func (c *cells) row(row ...string) {
	for _, cell := range row {
		c.cell(cell)
	}
	c.err = c.out.WriteByte('\n')
	c.later = false
}

func (c *cells) cell(cell string) {
	if c.later {
		c.out.WriteByte(c.comma)
	}
	c.later = true
	if plain(cell, c.comma) {
		c.out.WriteString(cell)
		return
	}
	c.out.WriteByte('"')
	c.out.WriteString(strings.ReplaceAll(cell, `"`, `""`))
	c.out.WriteByte('"')
}

// plain reports whether a cell is read back as it is without quotes.
func plain(cell string, comma byte) bool {
	if cell == "" {
		return true
	}
	if cell[0] <= ' ' || cell[len(cell)-1] <= ' ' {
		return false
	}
	for i := range len(cell) {
		if b := cell[i]; b == comma || b == '"' || b == '\n' || b == '\r' {
			return false
		}
	}
	return true
}
