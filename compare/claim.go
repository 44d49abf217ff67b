package compare

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"palate/model"
)

// Claim is a condition on a probability, such as P(a > b) > 0.95.
type Claim struct {
	Text  string
	What  Event
	A, B  string  // identifiers; B only of Above
	K     int     // of Among
	Least bool    // the probability is to be above the bound, else below it
	Even  bool    // the bound itself will do
	Bound float64 // between 0 and 1
}

// Event is what a claim is about.
type Event int

// The events of claims.
const (
	Above Event = iota // A is better than B
	First              // A is the best of all comparable items
	Among              // A is among the best K
	Rose               // A is better than it was on another board
	Fell               // A is worse than it was
)

// Grammar says how claims are written.
const Grammar = `P(A > B) > 0.95    A is better than B; also >=, < and <= of the probability
P(A best) > 0.5    A is the best
P(A top 3) > 0.9   A is among the best 3
P(A rose) > 0.9    of two boards: A is better on the second than on the first
P(A fell) < 0.1    of two boards: A is worse
Names that hold > or < or end in one of these words go in quotes: P("a>b" > c) > 0.9`

var (
	claimForm = regexp.MustCompile(`^\s*[Pp]\s*\((.*)\)\s*(>=|<=|>|<)\s*([0-9.eE+-]+)\s*(%?)\s*$`)
	aboveForm = regexp.MustCompile(`^\s*("[^"]*"|[^"<>]+?)\s*([<>])\s*("[^"]*"|[^"<>]+?)\s*$`)
	wordForm  = regexp.MustCompile(`^\s*("[^"]*"|[^"]+?)\s+(best|rose|fell|top\s+([0-9]+))\s*$`)
)

// ParseClaim reads a claim as Grammar has it.
func ParseClaim(text string) (Claim, error) {
	c := Claim{Text: strings.Join(strings.Fields(text), " ")}
	bad := func(why string) (Claim, error) {
		return Claim{}, fmt.Errorf("compare: %q: %s; write for example P(A > B) > 0.95", text, why)
	}
	parts := claimForm.FindStringSubmatch(text)
	if parts == nil {
		return bad("this is not a probability and a bound")
	}
	var err error
	if c.Bound, err = strconv.ParseFloat(parts[3], 64); err != nil {
		return bad(fmt.Sprintf("%s is not a number", parts[3]))
	}
	if parts[4] != "" {
		c.Bound /= 100
	}
	if !(c.Bound >= 0 && c.Bound <= 1) {
		return bad(fmt.Sprintf("%s is not between 0 and 1", parts[3]+parts[4]))
	}
	c.Least, c.Even = parts[2][0] == '>', len(parts[2]) == 2
	name := func(s string) string { return strings.Trim(strings.TrimSpace(s), `"`) }
	if m := aboveForm.FindStringSubmatch(parts[1]); m != nil {
		c.What, c.A, c.B = Above, name(m[1]), name(m[3])
		if m[2] == "<" {
			c.A, c.B = c.B, c.A
		}
		if c.A == c.B {
			return bad("it takes two items")
		}
		return c, nil
	}
	m := wordForm.FindStringSubmatch(parts[1])
	if m == nil {
		return bad("in the parentheses belongs A > B, A best, A top K, A rose or A fell")
	}
	c.A = name(m[1])
	switch m[2] {
	case "best":
		c.What = First
	case "rose":
		c.What = Rose
	case "fell":
		c.What = Fell
	default:
		c.What = Among
		if c.K, err = strconv.Atoi(m[3]); err != nil || c.K < 1 {
			return bad(fmt.Sprintf("top %s is not a number of items", m[3]))
		}
	}
	return c, nil
}

// Moves reports whether the claim is about two boards.
func (c Claim) Moves() bool { return c.What == Rose || c.What == Fell }

// Holds reports whether the claim is met where its probability is p.
func (c Claim) Holds(p float64) bool {
	const rounding = 1e-9 // of a probability, which is a sum of weights
	switch {
	case math.Abs(p-c.Bound) <= rounding:
		return c.Even
	case c.Least:
		return p > c.Bound
	}
	return p < c.Bound
}

// Chance is the probability of what a claim says of one board, for a user or, when negative,
// the consensus, given that items differ (Pair.Coins).
func (c Claim) Chance(ctx context.Context, p model.Predictor, user int, o *Options) (float64, error) {
	opt := o.defaults()
	find := func(id string) (int, error) {
		for i := range p.NumItems() {
			if p.ItemID(i) == id {
				return i, nil
			}
		}
		return 0, fmt.Errorf("compare: %s: no vote is about %q", c.Text, id)
	}
	a, err := find(c.A)
	if err != nil {
		return 0, err
	}
	switch c.What {
	case Above:
		b, err := find(c.B)
		if err != nil {
			return 0, err
		}
		pairs, err := Items(ctx, p, user, [][2]int{{a, b}}, o)
		if err != nil {
			return 0, err
		}
		if !pairs[0].Comparable {
			return 0, fmt.Errorf("compare: %s: no votes connect the two", c.Text)
		}
		return pairs[0].Better, nil
	case First, Among:
		d, err := p.Draws(ctx, user, opt.Draws, rand.New(rand.NewPCG(opt.Seed, stream)))
		if err != nil {
			return 0, err
		}
		return amongFirst(p, d.Different(), a, max(c.K, 1)), nil
	}
	return 0, fmt.Errorf("compare: %s: that is about two boards", c.Text)
}

// amongFirst is the probability that an item is among the first k of its group.
func amongFirst(p model.Predictor, d model.Draws, item, k int) (sum float64) {
	group := groupsOf(p)
	peers := p.Groups()[group[item]]
	for r, w := range d.Weight {
		row := d.F.RawRowView(r)
		above := 0
		for _, i := range peers {
			if row[i] > row[item] {
				above++
			}
		}
		if above < k {
			sum += w
		}
	}
	return min(sum, 1)
}

// ChanceOf is the probability of what a claim says of two boards.
func (c *Change) ChanceOf(claim Claim) (float64, error) {
	if !claim.Moves() {
		return 0, fmt.Errorf("compare: %s: that is about one board", claim.Text)
	}
	for _, m := range c.Moves {
		if m.ID != claim.A {
			continue
		}
		if claim.What == Fell {
			return 1 - m.Rose, nil
		}
		return m.Rose, nil
	}
	return 0, fmt.Errorf("compare: %s: %q is not on both boards", claim.Text, claim.A)
}
