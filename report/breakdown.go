package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"palate/compare"
	"palate/model"
)

// Breakdown are the boards of categories.
type Breakdown struct {
	*compare.Breakdown
	Columns []string // by which votes are told apart
}

// widest is how many categories a table has room for, and departing how many places are
// listed where they differ.
const (
	widest    = 8
	departing = 12
)

// byItem are the rows of a board by their item.
func byItem(b *model.Board) map[string]model.BoardRow {
	rows := map[string]model.BoardRow{}
	if b == nil {
		return rows
	}
	for _, g := range b.Groups {
		for _, r := range g.Rows {
			if ranked(g) {
				rows[r.ID] = r
			}
		}
	}
	return rows
}

// WriteText writes all boards as one table for people.
func (b *Breakdown) WriteText(w io.Writer, o Options) error {
	var out bytes.Buffer
	if o.Fit != nil {
		fmt.Fprintf(&out, "%s\n\n", o.Fit)
	}
	s := o.scale()
	sure := map[[2]string]bool{}
	for _, d := range b.Departures {
		sure[[2]string{d.Category, d.ID}] = d.Sure
	}
	shown := b.Categories[:min(len(b.Categories), widest)]
	t := &grid{head: []string{"rank", "item", "all"}, left: []bool{false, true, false}}
	var boards []map[string]model.BoardRow
	for _, c := range shown {
		t.head, t.left = append(t.head, shorten(label(c.Name), 16)), append(t.left, false)
		boards = append(boards, byItem(c.Board))
	}
	for _, r := range o.shown(b.Overall.Groups[0]) {
		cells := []string{strconv.Itoa(r.Rank), label(r.ID), fixed(s.at(r.Score), s.decimals)}
		for k, c := range shown {
			cell := fixed(s.at(boards[k][r.ID].Score), s.decimals)
			if sure[[2]string{c.Name, r.ID}] {
				cell += "*"
			} else {
				cell += " "
			}
			cells = append(cells, cell)
		}
		t.rows, t.ruled = append(t.rows, cells), append(t.ruled, false)
	}
	t.rows, t.ruled = append(t.rows, append([]string{"", "votes", ""}, b.votes(shown)...)), append(t.ruled, true)
	t.writeTo(&out)
	if n := len(b.Categories) - len(shown); n > 0 {
		fmt.Fprintf(&out, "and %d more categories, of fewer votes; --csv has them all\n", n)
	}
	b.depart(&out, o)
	if o.Legend {
		fmt.Fprintf(&out, "\nscores  in each category about the mean of its items, drawn to those of all as far as its own votes leave open\n*       surely above or below the mean of the categories, all that are marked together with %s probability\n", percent(b.Level))
	}
	_, err := w.Write(out.Bytes())
	return err
}

func (b *Breakdown) votes(shown []compare.Category) (cells []string) {
	for _, c := range shown {
		cells = append(cells, amount(c.Votes)+" ")
	}
	return cells
}

// depart lists where categories differ.
func (b *Breakdown) depart(out *bytes.Buffer, o Options) {
	s := o.scale()
	number := func(x float64) string { return fixed(s.factor*x, s.decimals) }
	by, n := strings.Join(b.Columns, " and "), 0
	for _, d := range b.Departures {
		if !d.Sure {
			break
		}
		if n == 0 {
			fmt.Fprintf(out, "\nWhere %s %s:\n", by, map[bool]string{true: "matters", false: "matter"}[len(b.Columns) == 1])
		}
		if n++; n > departing {
			continue
		}
		than := "above"
		if d.Above < 0.5 {
			than = "below"
		}
		fmt.Fprintf(out, "  %s: %s is %s the mean by %s (%s … %s)\n", label(d.Category), label(d.ID), than, strings.TrimPrefix(number(d.Difference), "-"), number(d.Lo), number(d.Hi))
	}
	switch {
	case n == 0:
		fmt.Fprintf(out, "\nNo item is surely above or below in any category: %s may not matter.\n", by)
	case n > departing:
		fmt.Fprintf(out, "  and %d more\n", n-departing)
	}
}

// WriteCSV writes all boards, a row for each item in each category.
func (b *Breakdown) WriteCSV(w io.Writer, o Options) error {
	out := csv.NewWriter(w)
	s := o.scale()
	number := func(x float64) string { return fixed(s.factor*x, s.decimals+1) }
	score := func(x float64) string { return fixed(s.at(x), s.decimals+1) }
	out.Write([]string{"category", "item", "rank", "score", "sd", "lo", "hi", "p_best", "votes", "raw_score", "raw_sd", "difference", "p_above", "sure"})
	departure := b.departures()
	for _, c := range b.Categories {
		raw := byItem(c.Raw)
		for _, r := range o.shown(c.Board.Groups[0]) {
			d := departure[[2]string{c.Name, r.ID}]
			cells := []string{c.Name, r.ID, strconv.Itoa(r.Rank), score(r.Score), number(r.SD), score(r.Lo), score(r.Hi), fixed(r.PBest, 3), "0", "", ""}
			if x, ok := raw[r.ID]; ok {
				cells[8], cells[9], cells[10] = amount(x.Votes), score(x.Score), number(x.SD)
			}
			out.Write(append(cells, number(d.Difference), fixed(d.Above, 4), strconv.FormatBool(d.Sure)))
		}
	}
	out.Flush()
	return out.Error()
}

func (b *Breakdown) departures() map[[2]string]compare.Departure {
	at := map[[2]string]compare.Departure{}
	for _, d := range b.Departures {
		at[[2]string{d.Category, d.ID}] = d
	}
	return at
}

type jsonCategory struct {
	Category string         `json:"category"`
	Votes    json.Number    `json:"votes"`
	Rows     []jsonInstance `json:"rows"`
}

type jsonInstance struct {
	Item       string       `json:"item"`
	Rank       int          `json:"rank"`
	Score      *json.Number `json:"score"`
	SD         *json.Number `json:"sd"`
	Lo         *json.Number `json:"lo"`
	Hi         *json.Number `json:"hi"`
	PBest      *json.Number `json:"p_best"`
	RawScore   *json.Number `json:"raw_score"`
	RawSD      *json.Number `json:"raw_sd"`
	Difference *json.Number `json:"difference"`
	Above      *json.Number `json:"p_above"`
	Sure       bool         `json:"sure"`
}

// WriteJSON writes all boards as one object.
func (b *Breakdown) WriteJSON(w io.Writer, o Options) error {
	s := o.scale()
	of := func(x float64) *json.Number { return number(s.factor*x, s.decimals+1) }
	score := func(x float64) *json.Number { return number(s.at(x), s.decimals+1) }
	departure := b.departures()
	categories := []jsonCategory{}
	for _, c := range b.Categories {
		row := jsonCategory{Category: c.Name, Votes: json.Number(amount(c.Votes))}
		raw := byItem(c.Raw)
		for _, r := range o.shown(c.Board.Groups[0]) {
			d := departure[[2]string{c.Name, r.ID}]
			one := jsonInstance{Item: r.ID, Rank: r.Rank, Score: score(r.Score), SD: of(r.SD), Lo: score(r.Lo), Hi: score(r.Hi), PBest: number(r.PBest, 3), Difference: of(d.Difference), Above: number(d.Above, 4), Sure: d.Sure}
			if x, ok := raw[r.ID]; ok {
				one.RawScore, one.RawSD = score(x.Score), of(x.SD)
			}
			row.Rows = append(row.Rows, one)
		}
		categories = append(categories, row)
	}
	return indented(w, struct {
		Level      json.Number    `json:"level"`
		Scale      string         `json:"scale"`
		Columns    []string       `json:"per"`
		Categories []jsonCategory `json:"categories"`
	}{json.Number(amount(b.Level)), s.name, b.Columns, categories})
}
