package report

import (
	"context"
	"io"
	"strconv"

	"palate/compare"
	"palate/internal/draw"
)

// comparedMost is the number of rows that a chart of moves or of pairs shows.
const comparedMost = 100

// Changes shows how far items moved between two boards, the surest moves first.
func Changes(c *Change, o Options) *Chart {
	w, s := in(o.Language), o.scale()
	moves := c.Moves
	if o.Top > 0 && o.Top < len(moves) {
		moves = moves[:o.Top]
	}
	out := &Chart{
		Name: "changes", Title: w.Say("chart-changes"), Note: w.Say("chart-changes-note", label(c.First), label(c.Second), w.percent(c.Level)),
		Head: []string{w.Say("chart-item"), w.Say("chart-before"), w.Say("chart-after"), w.Say("chart-rank-before"), w.Say("chart-rank-after"), w.Say("chart-move"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-rose")},
	}
	number := func(x float64) string { return w.fixed(s.factor*x, s.decimals) }
	score := func(x float64) string { return w.fixed(s.at(x), s.decimals) }
	var rows []forestRow
	var said []string
	for _, m := range moves {
		out.Rows = append(out.Rows, []string{label(m.ID), score(m.Before), score(m.After), strconv.Itoa(m.RankBefore), strconv.Itoa(m.RankAfter), number(m.Difference), number(m.Lo), number(m.Hi), w.Chance(m.Rose)})
		ink := draw.Muted
		if m.Sure {
			ink = draw.Accent
			if m.Difference < 0 {
				ink = draw.Second
			}
			said = append(said, label(m.ID)+" "+number(m.Difference))
		}
		if len(rows) < comparedMost {
			rows = append(rows, forestRow{legible(m.ID), "", s.factor * m.Difference, s.factor * m.Lo, s.factor * m.Hi, number(m.Difference),
				w.Say("chart-changes-title", label(m.ID), number(m.Difference), number(m.Lo), number(m.Hi), strconv.Itoa(m.RankBefore), strconv.Itoa(m.RankAfter)), ink})
		}
	}
	out.Alt = w.Say("chart-changes-alt", len(moves), strconv.Itoa(len(said)), w.list(said, 6))
	out.forest(w, rows, len(c.Moves), 0)
	return out
}

// Leads shows by how much one item of each pair leads the other.
func Leads(c *Comparison, o Options) *Chart {
	w, s := in(o.Language), o.scale()
	out := &Chart{
		Name: "leads", Title: w.Say("chart-leads"), Note: w.Say("chart-leads-note", w.percent(c.Level)),
		Head: []string{w.Say("chart-first-item"), w.Say("chart-second-item"), w.Say("chart-better"), w.Say("chart-lead"), w.Say("chart-from"), w.Say("chart-to"), w.Say("chart-wins-vote")},
	}
	number := func(x float64) string { return w.fixed(s.factor*x, s.decimals) }
	var rows []forestRow
	var said []string
	apart := 0
	for _, p := range c.Pairs {
		a, b := c.ID(p.A), c.ID(p.B)
		if !p.Comparable {
			out.Rows = append(out.Rows, []string{label(a), label(b), "", "", "", "", ""})
			apart++
			continue
		}
		out.Rows = append(out.Rows, []string{label(a), label(b), w.Chance(p.Better), number(p.Difference), number(p.Lo), number(p.Hi), w.Chance(p.Wins)})
		says := w.Say("chart-leads-title", label(a), label(b), number(p.Difference), number(p.Lo), number(p.Hi), w.Chance(p.Better))
		ink := draw.Muted
		if p.More == 0 {
			ink = draw.Accent
		}
		if len(rows) < comparedMost {
			rows = append(rows, forestRow{legible(a), legible(b), s.factor * p.Difference, s.factor * p.Lo, s.factor * p.Hi, w.Chance(p.Better), says, ink})
		}
		said = append(said, says)
	}
	out.Alt = w.list(said, 3)
	if len(said) == 0 {
		out.Alt = w.Say("chart-matrix-none")
	}
	out.forest(w, rows, len(c.Pairs)-apart, 0)
	return out
}

// forest draws the chart as a list of estimates, the first of all, beside what is usual.
func (c *Chart) forest(w speech, rows []forestRow, all int, usual float64) {
	c.list(w, len(rows), all, func(width float64, n int) *draw.Scene {
		s := draw.New(width)
		drawForest(s, w, rows[:n], usual, usual, false)
		return s
	})
}

// ComparedHTML writes a report of what moved between two boards, or of pairs of items of one,
// as one file that asks nothing of a network: one of moved and pairs is nil.
func ComparedHTML(ctx context.Context, out io.Writer, p Paper, moved *Change, pairs *Comparison, o Options) error {
	w := in(o.Language)
	all := page{Paper: p, words: w}
	if moved != nil {
		sure := 0
		for _, m := range moved.Moves {
			if m.Sure {
				sure++
			}
		}
		if all.headline = w.Say("page-moves-sure", sure, w.percent(moved.Level)); sure == 0 {
			all.headline = w.Say("page-no-move-sure", w.percent(moved.Level))
		}
		all.facts = []fact{{w.Say("fact-on-both"), w.Count(len(moved.Moves)), ""}, {w.Say("fact-sure-moves"), w.Count(sure), ""}, {w.Say("fact-new"), w.Count(len(moved.New)), w.list(labels(moved.New), 3)}, {w.Say("fact-gone"), w.Count(len(moved.Gone)), w.list(labels(moved.Gone), 3)}}
		if moved.Still >= 0 {
			all.facts = append(all.facts, fact{w.Say("fact-still"), w.Chance(moved.Still), ""})
		}
		all.charts = []*Chart{Changes(moved, o)}
		return writePage(ctx, out, all)
	}
	settled := 0
	for _, q := range pairs.Pairs {
		if q.Comparable && q.More == 0 {
			settled++
		}
	}
	all.headline = w.Say("page-pairs-settled", w.Count(settled), len(pairs.Pairs), w.percent(pairs.Level))
	if len(pairs.Pairs) == 1 && pairs.Pairs[0].Comparable {
		q := pairs.Pairs[0]
		all.headline = w.Say("page-better", label(pairs.ID(q.A)), label(pairs.ID(q.B)), w.Chance(q.Better))
		all.facts = pairFacts(w, q, o)
	}
	if p := pairs.coins(); p >= leastCoins {
		all.facts = append(all.facts, fact{w.Say("fact-coins"), w.Chance(p), w.Say("fact-coins-given")})
	}
	all.charts = []*Chart{Leads(pairs, o)}
	return writePage(ctx, out, all)
}

// pairFacts are those of one pair.
func pairFacts(w speech, q compare.Pair, o Options) []fact {
	s := o.scale()
	facts := []fact{
		{w.Say("chart-lead"), w.fixed(s.factor*q.Difference, s.decimals), w.span(s.factor*q.Lo, s.factor*q.Hi, s.decimals)},
		{w.Say("chart-wins-vote"), w.Chance(q.Wins), ""},
	}
	switch {
	case q.More >= compare.MostVotes:
		facts = append(facts, fact{w.Say("fact-more-votes"), "> " + w.Count(compare.MostVotes), w.Say("fact-more-votes-why")})
	default:
		facts = append(facts, fact{w.Say("fact-more-votes"), w.Count(q.More), w.Say("fact-more-votes-why")})
	}
	return facts
}

// labels are identifiers to be shown.
func labels(ids []string) (out []string) {
	for _, id := range ids {
		out = append(out, label(id))
	}
	return out
}
