package ingest

import (
	"bufio"
	"io"
	"strconv"
	"strings"
	"time"

	"palate"
)

// WriteVotes writes votes as CSV that Votes reads back as they are: user, left, right, winner, weight and time,
// without the columns that nothing is known about.
func WriteVotes(w io.Writer, d *palate.Dataset) error {
	out := bufio.NewWriterSize(w, 1<<16)
	c := cells{out: out, comma: ','}
	var row []string
	if d.HasUsers() {
		row = append(row, "user")
	}
	row = append(row, "left", "right", "winner")
	if d.HasWeights() {
		row = append(row, "weight")
	}
	if d.HasTimes() {
		row = append(row, "time")
	}
	c.row(row...)
	for _, v := range d.Votes() {
		row = row[:0]
		if d.HasUsers() {
			id := ""
			if v.User >= 0 {
				id = d.UserID(v.User)
			}
			row = append(row, id)
		}
		left, right := d.ItemID(v.Left), d.ItemID(v.Right)
		row = append(row, left, right, answer(v.Outcome, left, right))
		if d.HasWeights() {
			row = append(row, strconv.FormatFloat(v.Weight, 'g', -1, 64))
		}
		if d.HasTimes() {
			at := ""
			if !v.Time.IsZero() {
				at = v.Time.UTC().Format(time.RFC3339Nano)
			}
			row = append(row, at)
		}
		if c.row(row...); c.err != nil {
			return c.err
		}
	}
	return out.Flush()
}

// answer returns the outcome's word, in a letter case in which it is not the identifier of either item.
func answer(o palate.Outcome, left, right string) string {
	word := o.String()
	for _, w := range []string{word, strings.ToUpper(word)} {
		if w != left && w != right {
			return w
		}
	}
	return strings.ToUpper(word[:1]) + word[1:]
}

// cells writes rows of separated text, quoting where it must.
type cells struct {
	out   *bufio.Writer
	comma byte
	err   error
}

func (c *cells) row(row ...string) {
	for k, cell := range row {
		if k > 0 {
			c.out.WriteByte(c.comma)
		}
		if plain(cell, c.comma) {
			c.out.WriteString(cell)
			continue
		}
		c.out.WriteByte('"')
		c.out.WriteString(strings.ReplaceAll(cell, `"`, `""`))
		c.out.WriteByte('"')
	}
	c.err = c.out.WriteByte('\n')
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
