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

// Comparison are pairs of items of one board.
type Comparison struct {
	Pairs []compare.Pair
	// Evidence are the votes that speak about every pair; nil where the votes are not known.
	Evidence []compare.Evidence
	ID       func(item int) string
	Level    float64
}

// most of the items that both of a pair met are shown.
const mostThrough = 5

// WriteText writes pairs for people: one in sentences, several as a table.
func (c *Comparison) WriteText(w io.Writer, o Options) error {
	var out bytes.Buffer
	if o.Fit != nil {
		fmt.Fprintf(&out, "%s\n\n", o.Fit)
	}
	if len(c.Pairs) == 1 {
		c.sentences(&out, o)
	} else {
		c.grid(o).writeTo(&out)
	}
	if p := c.coins(); p >= leastCoins {
		fmt.Fprintf(&out, "\nWith a probability of %s these votes tell no more than coins. All of this but how votes would go is what holds if items differ.\n", chance(p))
	}
	if o.Legend && len(c.Pairs) > 1 {
		fmt.Fprintf(&out, "\nbetter   probability that a is better than b\nwins     probability that a wins a vote against b\nfor a    votes between the two: won, lost and tied\nmore     about how many more votes between the two would settle it (%s), as likely as not\n", percent(c.Level))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// coins is the probability that votes tell no more than coins.
func (c *Comparison) coins() (p float64) {
	for _, x := range c.Pairs {
		p = max(p, x.Coins)
	}
	return p
}

// sentences describe one pair.
func (c *Comparison) sentences(out *bytes.Buffer, o Options) {
	p, s := c.Pairs[0], o.scale()
	a, b := label(c.ID(p.A)), label(c.ID(p.B))
	line := func(what, format string, args ...any) {
		fmt.Fprintf(out, "%-10s  %s\n", what, fmt.Sprintf(format, args...))
	}
	if !p.Comparable {
		line("better", "nothing is known: no votes, features or links connect %s and %s", a, b)
		return
	}
	number := func(x float64) string { return fixed(s.factor*x, s.decimals) }
	line("better", "%s is better than %s with %s probability", a, b, fine(p.Better))
	line("lead", "%s, between %s and %s (%s); sd %s", number(p.Difference), number(p.Lo), number(p.Hi), percent(c.Level), number(p.SD))
	line("a vote", "%s wins %s of votes between the two, ties apart", a, chance(p.Wins))
	if c.Evidence != nil {
		e := c.Evidence[0]
		line("direct", "%s", record(e.Direct, a, b))
		for k, t := range e.Through {
			if k == mostThrough {
				line("", "and %d more that both met", len(e.Through)-k)
				break
			}
			what := ""
			if k == 0 {
				what = "through"
			}
			speaks := map[int]string{1: "for " + a, -1: "for " + b, 0: "for neither"}[t.For()]
			line(what, "%s: %s %s, %s %s, which speaks %s", label(c.ID(t.Item)), a, score(t.A), b, score(t.B), speaks)
		}
	}
	switch {
	case p.More == 0:
		line("more votes", "none are needed: it is settled at %s", percent(c.Level))
	case p.More >= compare.MostVotes:
		line("more votes", "the two are so near that %s would not settle it", amount(compare.MostVotes))
	default:
		line("more votes", "about %s between the two would settle it at %s, as likely as not", moreVotes(p.More), percent(c.Level))
	}
}

// moreVotes says how many more votes.
func moreVotes(n int) string {
	if n == 1 {
		return "1 more vote"
	}
	return fmt.Sprintf("%d more votes", n)
}

// record says how votes between two went.
func record(r compare.Record, a, b string) string {
	if r.Total() == 0 {
		return "no votes between the two"
	}
	says := fmt.Sprintf("%s for %s, %s for %s", amount(r.Won), a, amount(r.Lost), b)
	if r.Tied > 0 {
		says += fmt.Sprintf(", %s tied", amount(r.Tied))
	}
	return says
}

// score shows a record as won:lost, with ties after a plus.
func score(r compare.Record) string {
	s := amount(r.Won) + ":" + amount(r.Lost)
	if r.Tied > 0 {
		s += "+" + amount(r.Tied)
	}
	return s
}

// fine shows a probability with a digit more than chance does where it is near 0 or 1.
func fine(p float64) string {
	switch {
	case p >= 0.9995:
		return ">99.9%"
	case p <= 0.0005:
		return "<0.1%"
	case p > 0.9 || p < 0.1:
		return fixed(100*p, 1) + "%"
	}
	return fixed(100*p, 0) + "%"
}

// grid is a table of pairs.
func (c *Comparison) grid(o Options) *grid {
	t := &grid{
		head: []string{"a", "b", "better", "lead", percent(c.Level) + " interval", "wins", "for a", "more"},
		left: []bool{true, true, false, false, false, false, false, false},
	}
	s := o.scale()
	number := func(x float64) string { return fixed(s.factor*x, s.decimals) }
	for k, p := range c.Pairs {
		cells := []string{label(c.ID(p.A)), label(c.ID(p.B)), "", "", "", "", "", ""}
		if p.Comparable {
			copy(cells[2:], []string{fine(p.Better), number(p.Difference), number(p.Lo) + " … " + number(p.Hi), chance(p.Wins)})
			cells[7] = more(p.More)
		}
		if c.Evidence != nil {
			cells[6] = score(c.Evidence[k].Direct)
		}
		t.rows, t.ruled = append(t.rows, cells), append(t.ruled, false)
	}
	return t
}

// more shows how many more votes are needed.
func more(n int) string {
	if n >= compare.MostVotes {
		return "∞"
	}
	return strconv.Itoa(n)
}

// WriteCSV writes pairs as comma-separated values.
func (c *Comparison) WriteCSV(w io.Writer, o Options) error {
	out := csv.NewWriter(w)
	head := []string{"a", "b", "p_better", "lead", "sd", "lo", "hi", "p_wins", "more_votes"}
	if c.Evidence != nil {
		head = append(head, "won", "lost", "tied")
	}
	coins := c.coins()
	if coins >= leastCoins {
		head = append(head, "coins")
	}
	out.Write(head)
	s := o.scale()
	number := func(x float64) string { return fixed(s.factor*x, s.decimals+1) }
	for k, p := range c.Pairs {
		cells := []string{c.ID(p.A), c.ID(p.B), "", "", "", "", "", "", ""}
		if p.Comparable {
			cells = []string{c.ID(p.A), c.ID(p.B), fixed(p.Better, 4), number(p.Difference), number(p.SD), number(p.Lo), number(p.Hi), fixed(p.Wins, 4), strconv.Itoa(p.More)}
		}
		if c.Evidence != nil {
			r := c.Evidence[k].Direct
			cells = append(cells, amount(r.Won), amount(r.Lost), amount(r.Tied))
		}
		if coins >= leastCoins {
			cells = append(cells, fixed(coins, 3))
		}
		out.Write(cells)
	}
	out.Flush()
	return out.Error()
}

// jsonPair has null where there is nothing to say.
type jsonPair struct {
	A      string       `json:"a"`
	B      string       `json:"b"`
	Better *json.Number `json:"p_better"`
	Lead   *json.Number `json:"lead"`
	SD     *json.Number `json:"sd"`
	Lo     *json.Number `json:"lo"`
	Hi     *json.Number `json:"hi"`
	Wins   *json.Number `json:"p_wins"`
	More   *int         `json:"more_votes"`
	Votes  *jsonVotes   `json:"votes,omitempty"`
}

type jsonVotes struct {
	Won     json.Number   `json:"won"`
	Lost    json.Number   `json:"lost"`
	Tied    json.Number   `json:"tied"`
	Through []jsonThrough `json:"through,omitempty"`
}

type jsonThrough struct {
	Item string         `json:"item"`
	A    [3]json.Number `json:"a"` // won, lost, tied
	B    [3]json.Number `json:"b"`
}

// WriteJSON writes pairs as one object.
func (c *Comparison) WriteJSON(w io.Writer, o Options) error {
	s := o.scale()
	score := func(x float64) *json.Number { return number(s.factor*x, s.decimals+1) }
	three := func(r compare.Record) [3]json.Number {
		return [3]json.Number{json.Number(amount(r.Won)), json.Number(amount(r.Lost)), json.Number(amount(r.Tied))}
	}
	pairs := []jsonPair{}
	for k, p := range c.Pairs {
		row := jsonPair{A: c.ID(p.A), B: c.ID(p.B)}
		if p.Comparable {
			row.Better, row.Wins, row.More = number(p.Better, 4), number(p.Wins, 4), &p.More
			row.Lead, row.SD, row.Lo, row.Hi = score(p.Difference), score(p.SD), score(p.Lo), score(p.Hi)
		}
		if c.Evidence != nil {
			e := c.Evidence[k]
			r := three(e.Direct)
			row.Votes = &jsonVotes{Won: r[0], Lost: r[1], Tied: r[2]}
			for _, t := range e.Through {
				row.Votes.Through = append(row.Votes.Through, jsonThrough{c.ID(t.Item), three(t.A), three(t.B)})
			}
		}
		pairs = append(pairs, row)
	}
	return indented(w, struct {
		Level json.Number `json:"level"`
		Scale string      `json:"scale"`
		Coins json.Number `json:"coins"` // probability that votes tell no more than coins
		Pairs []jsonPair  `json:"pairs"`
	}{json.Number(amount(c.Level)), s.name, json.Number(fixed(c.coins(), 3)), pairs})
}

// indented writes JSON for people as well as for programs.
func indented(w io.Writer, x any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(x)
}
