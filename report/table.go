package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/rivo/uniseg"

	"palate/model"
)

// Table writes a board for people: one list for every group, tiers set apart.
func Table(w io.Writer, b *model.Board, o Options) error {
	var out bytes.Buffer
	if o.Fit != nil {
		fmt.Fprintf(&out, "%s\n\n", o.Fit)
	}
	if s := Groups(b); s != "" {
		fmt.Fprintf(&out, "%s\n\n", s)
	}
	lists := 0
	for _, g := range b.Groups {
		if ranked(g) {
			lists++
		}
	}
	for k, g := range b.Groups {
		if !ranked(g) {
			continue
		}
		if k > 0 {
			out.WriteString("\n")
		}
		if lists > 1 {
			fmt.Fprintf(&out, "Group %d of %d\n", k+1, lists)
		}
		t := newGrid(b, g, o)
		t.writeTo(&out)
		if hidden := len(g.Rows) - len(o.shown(g)); hidden > 0 {
			fmt.Fprintf(&out, "and %d more\n", hidden)
		}
	}
	if o.fit().coins(b) && lists > 0 {
		out.WriteString("\nSo far these votes tell no more of the items than coins would: the order is a guess.\n")
	}
	if b.Coins >= leastCoins && lists > 0 {
		fmt.Fprintf(&out, "\nWith a probability of %s these votes tell no more than coins. Ranks, tiers and chances weigh that in; scores and their intervals are those that items have if they differ.\n", chance(b.Coins))
	}
	if uncorrected(b) && lists > 0 {
		out.WriteString("\nThe intervals are those of a Gaussian approximation and may be a little narrow: its draws could not be corrected for these votes.\n")
	}
	if e := o.fit().Effects; len(e) > 0 && lists > 0 {
		out.WriteString("\n" + effects(e, b.Level, o.scale()))
	}
	if o.Legend && lists > 0 {
		out.WriteString("\n" + legend(b, o))
	}
	_, err := w.Write(out.Bytes())
	return err
}

// grid is a table of text with rules between some of its rows.
type grid struct {
	head  []string
	left  []bool // columns that are aligned to the left
	rows  [][]string
	ruled []bool // a rule goes before this row
}

func newGrid(b *model.Board, g model.BoardGroup, o Options) *grid {
	t := &grid{
		head: []string{"tier", "rank", "item", "score", "sd", percent(b.Level) + " interval", "ranks", "best"},
		left: []bool{false, false, true, false, false, false, false, false},
	}
	if o.Top > 0 {
		t.head, t.left = append(t.head, topHead(b)), append(t.left, false)
	}
	if o.Moves != nil {
		t.head, t.left = append(t.head, "since "+o.Moves.Since), append(t.left, false)
	}
	t.head, t.left = append(t.head, "votes"), append(t.left, false)
	s := o.scale()
	number := func(x float64) string { return fixed(x, s.decimals) }
	rows := o.shown(g)
	wide := 0 // so that intervals line up
	for _, r := range rows {
		wide = max(wide, len(number(s.at(r.Lo))), len(number(s.at(r.Hi))))
	}
	tiers := 0
	for i, r := range rows {
		tier := ""
		first := r.Tier > tiers
		if tiers = max(tiers, r.Tier); i == 0 || r.Tier != rows[i-1].Tier {
			tier = strconv.Itoa(r.Tier)
		}
		ranks := strconv.Itoa(r.RankLo)
		if r.RankHi != r.RankLo {
			ranks += "–" + strconv.Itoa(r.RankHi)
		}
		cells := []string{
			tier, strconv.Itoa(r.Rank), label(r.ID), number(s.at(r.Score)), number(s.factor * r.SD),
			fmt.Sprintf("%*s … %*s", wide, number(s.at(r.Lo)), wide, number(s.at(r.Hi))), ranks, chance(r.PBest),
		}
		if o.Top > 0 {
			cells = append(cells, chance(r.PTop))
		}
		if o.Moves != nil {
			cells = append(cells, moved(o.Moves.Of[r.Item]))
		}
		t.rows = append(t.rows, append(cells, amount(r.Votes)))
		t.ruled = append(t.ruled, first)
	}
	return t
}

func (t *grid) writeTo(out *bytes.Buffer) {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for c, cell := range row {
			width[c] = max(width[c], uniseg.StringWidth(cell))
		}
	}
	total := 2 * (len(width) - 1)
	for _, w := range width {
		total += w
	}
	line := func(row []string) {
		var s strings.Builder
		for c, cell := range row {
			if c > 0 {
				s.WriteString("  ")
			}
			if t.left[c] {
				s.WriteString(cell + pad(cell, width[c]))
			} else {
				s.WriteString(pad(cell, width[c]) + cell)
			}
		}
		out.WriteString(strings.TrimRight(s.String(), " ") + "\n")
	}
	line(t.head)
	for i, row := range t.rows {
		if t.ruled[i] {
			out.WriteString(strings.Repeat("─", total) + "\n")
		}
		line(row)
	}
}

// uncorrected reports whether draws were to be corrected, and could not be.
func uncorrected(b *model.Board) bool { return !b.Mended && b.ESS < float64(b.Draws) }

// legend says what the columns of a table mean.
func legend(b *model.Board, o Options) string {
	s := o.scale()
	lead := fmt.Sprintf("%s is the average item; a lead of %s wins %s of votes", trimmed(s.centre, s.decimals), amount(s.lead), chance(o.fit().chance(s.lead/s.factor)))
	if o.fit().Threshold > 0 {
		lead += " that are no ties"
	}
	if o.fit().Personal { // others see other leads
		lead += " by somebody with these very scores"
	}
	lines := [][2]string{
		{"score", lead + "; sd is its uncertainty"},
		{"ranks", fmt.Sprintf("between which the true rank lies with %s probability", percent(b.Level))},
		{"best", "probability to be the best"},
		{"tier", fmt.Sprintf("items are below the first of every tier before theirs, all of them together with %s probability", percent(b.Level))},
	}
	if o.Top > 0 {
		lines = slices.Insert(lines, 3, [2]string{topHead(b), fmt.Sprintf("probability to be among the best %d", b.Top)})
	}
	if o.Moves != nil {
		lines = append(lines, [2]string{"since", fmt.Sprintf("whether the item rose or fell against the others since %s, and with what probability", o.Moves.Since)})
	}
	wide := len("score")
	for _, l := range lines {
		wide = max(wide, len(l[0]))
	}
	var t strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&t, "%-*s  %s\n", wide, l[0], l[1])
	}
	return t.String()
}

func topHead(b *model.Board) string { return fmt.Sprintf("top %d", b.Top) }

// percent shows a share without needless decimals.
func percent(p float64) string { return amount(100*p) + "%" }

// chance shows a probability in whole percent; what is neither never nor always
// is not shown as such.
func chance(p float64) string {
	switch {
	case p < 0.005:
		return "<1%"
	case p > 0.995:
		return ">99%"
	}
	return fixed(100*p, 0) + "%"
}
