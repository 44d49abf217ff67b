package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"

	"palate/compare"
)

// Change is what moved between two boards.
type Change struct {
	*compare.Change
	First, Second string // names of the boards
	// Still is the probability that nothing moved, where it is known; else negative.
	Still float64
}

// WriteText writes what moved for people. With o.Top only the surest moves are shown.
func (c *Change) WriteText(w io.Writer, o Options) error {
	var out bytes.Buffer
	sure := 0
	for _, m := range c.Moves {
		if m.Sure {
			sure++
		}
	}
	moves := c.Moves
	if o.Top > 0 && o.Top < len(moves) {
		moves = moves[:o.Top]
	}
	fmt.Fprintf(&out, "From %s to %s: %d items on both, the orders agree by τ %s.\n", c.First, c.Second, len(c.Moves), fixed(c.Tau, 2))
	if c.Still >= 0 {
		fmt.Fprintf(&out, "Nothing moved with %s probability. ", chance(c.Still))
	}
	switch sure {
	case 0:
		fmt.Fprintf(&out, "No move is sure at %s.\n\n", percent(c.Level))
	case 1:
		fmt.Fprintf(&out, "One move is sure at %s.\n\n", percent(c.Level))
	default:
		fmt.Fprintf(&out, "%d moves are sure, all of them together at %s.\n\n", sure, percent(c.Level))
	}
	s := o.scale()
	number := func(x float64) string { return fixed(s.factor*x, s.decimals) }
	t := &grid{
		head: []string{"item", "before", "after", "rank", "move", percent(c.Level) + " interval", "rose", "fell"},
		left: []bool{true, false, false, false, false, false, false, false},
	}
	for k, m := range moves {
		ranks := strconv.Itoa(m.RankBefore)
		if m.RankAfter != m.RankBefore {
			ranks += " → " + strconv.Itoa(m.RankAfter)
		}
		t.rows = append(t.rows, []string{label(m.ID), fixed(s.at(m.Before), s.decimals), fixed(s.at(m.After), s.decimals), ranks,
			number(m.Difference), number(m.Lo) + " … " + number(m.Hi), fine(m.Rose), fine(1 - m.Rose)})
		t.ruled = append(t.ruled, k > 0 && !m.Sure && moves[k-1].Sure)
	}
	t.writeTo(&out)
	if hidden := len(c.Moves) - len(moves); hidden > 0 {
		fmt.Fprintf(&out, "and %d more\n", hidden)
	}
	for _, x := range []struct {
		what string
		ids  []string
	}{{"new", c.New}, {"gone", c.Gone}} {
		if len(x.ids) > 0 {
			fmt.Fprintf(&out, "\n%s: %s\n", x.what, list(x.ids, 8))
		}
	}
	if o.Legend {
		fmt.Fprintf(&out, "\nbefore, after  scores about the mean of the items on both boards\nmove           the score's change; rose and fell are the probabilities that it did\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

// WriteCSV writes what moved as comma-separated values; items of one board alone have the
// status new or gone.
func (c *Change) WriteCSV(w io.Writer, o Options) error {
	out := csv.NewWriter(w)
	s := o.scale()
	number := func(x float64) string { return fixed(s.factor*x, s.decimals+1) }
	out.Write([]string{"item", "status", "before", "after", "rank_before", "rank_after", "move", "sd", "lo", "hi", "p_rose", "sure"})
	for _, m := range c.Moves {
		out.Write([]string{m.ID, "both", fixed(s.at(m.Before), s.decimals+1), fixed(s.at(m.After), s.decimals+1), strconv.Itoa(m.RankBefore), strconv.Itoa(m.RankAfter),
			number(m.Difference), number(m.SD), number(m.Lo), number(m.Hi), fixed(m.Rose, 4), strconv.FormatBool(m.Sure)})
	}
	for _, x := range []struct {
		status string
		ids    []string
	}{{"new", c.New}, {"gone", c.Gone}} {
		for _, id := range x.ids {
			out.Write([]string{id, x.status, "", "", "", "", "", "", "", "", "", ""})
		}
	}
	out.Flush()
	return out.Error()
}

type jsonMove struct {
	Item       string       `json:"item"`
	Before     *json.Number `json:"before"`
	After      *json.Number `json:"after"`
	RankBefore int          `json:"rank_before"`
	RankAfter  int          `json:"rank_after"`
	Move       *json.Number `json:"move"`
	SD         *json.Number `json:"sd"`
	Lo         *json.Number `json:"lo"`
	Hi         *json.Number `json:"hi"`
	Rose       *json.Number `json:"p_rose"`
	Sure       bool         `json:"sure"`
}

// WriteJSON writes what moved as one object.
func (c *Change) WriteJSON(w io.Writer, o Options) error {
	s := o.scale()
	of := func(x float64) *json.Number { return number(s.factor*x, s.decimals+1) }
	moves := []jsonMove{}
	for _, m := range c.Moves {
		moves = append(moves, jsonMove{m.ID, number(s.at(m.Before), s.decimals+1), number(s.at(m.After), s.decimals+1), m.RankBefore, m.RankAfter,
			of(m.Difference), of(m.SD), of(m.Lo), of(m.Hi), number(m.Rose, 4), m.Sure})
	}
	var still *json.Number
	if c.Still >= 0 {
		still = number(c.Still, 4)
	}
	return indented(w, struct {
		Level json.Number  `json:"level"`
		Scale string       `json:"scale"`
		Tau   *json.Number `json:"tau"`
		Still *json.Number `json:"p_still"`
		Moves []jsonMove   `json:"moves"`
		New   []string     `json:"new"`
		Gone  []string     `json:"gone"`
	}{json.Number(amount(c.Level)), s.name, number(c.Tau, 4), still, moves, append([]string{}, c.New...), append([]string{}, c.Gone...)})
}
