package report

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"palate/internal/draw"
	"palate/judging"
)

// judgingLevel is that of the intervals of scores: two standard errors either way.
const judgingLevel, judgingReach = 0.95, 1.96

// Scripts shows the scores of what was judged with their intervals: on the scale of anchors where
// there are any, else in logits.
func Scripts(j *Judging, o Options) *Chart {
	w := in(o.Language)
	c := &Chart{
		Name: "scripts", Title: w.Say("chart-scripts"),
		Head: []string{w.Say("chart-rank"), w.Say("chart-item"), w.Say("chart-score"), w.Say("chart-sd"), w.Say("chart-won"), w.Say("chart-votes"), w.Say("chart-infit"), w.Say("chart-outfit")},
		Note: w.Say("chart-scripts-note", w.percent(judgingLevel), w.fixed(j.ItemLimit, 2)),
	}
	if j.Link != nil {
		c.Note = w.Say("chart-scripts-equated", w.percent(judgingLevel), w.fixed(j.ItemLimit, 2))
	}
	var rows []forestRow
	var said []string
	for k, i := range j.Items {
		score, sd := i.Score, i.SE
		if j.Link != nil {
			score, sd = j.Equated(i.Item)
		}
		number, lo, hi := w.fixed(score, 2), w.fixed(score-judgingReach*sd, 2), w.fixed(score+judgingReach*sd, 2)
		c.Rows = append(c.Rows, []string{strconv.Itoa(k + 1), label(i.ID), number, w.fixed(sd, 2), w.cell(i.Won), w.cell(i.Votes), w.fixed(i.Infit, 2), w.fixed(i.Outfit, 2)})
		if len(rows) < comparedMost {
			rows = append(rows, forestRow{legible(i.ID), "", score, score - judgingReach*sd, score + judgingReach*sd, number, w.Say("chart-traits-title", label(i.ID), number, lo, hi), misfits(i.Misfit)})
		}
		if k < 3 {
			said = append(said, w.Say("chart-leaderboard-item", strconv.Itoa(k+1), label(i.ID), number, lo, hi))
		}
	}
	c.Alt = w.Say("chart-leaderboard-alt", len(j.Items), w.list(said, 3))
	c.forest(w, rows, len(j.Items), 0)
	return c
}

// misfits is the colour of those that fit, and of those that do not.
func misfits(badly bool) draw.Ink {
	if badly {
		return draw.Second
	}
	return draw.Accent
}

// worst are the judges, those who fit worst first.
func (j *Judging) worst() []judging.Judge {
	return slices.SortedStableFunc(slices.Values(j.Judges), func(a, b judging.Judge) int {
		return cmp.Or(cmp.Compare(b.Infit, a.Infit), cmp.Compare(a.ID, b.ID))
	})
}

// Judges shows how far the judgements of each judge follow the scale, the worst first; nil where no
// judge is named.
func Judges(j *Judging, o Options) *Chart {
	if len(j.Judges) == 0 {
		return nil
	}
	w := in(o.Language)
	c := &Chart{
		Name: "judges", Title: w.Say("chart-judges"), Note: w.Say("chart-judges-note", w.fixed(j.JudgeLimit, 2)),
		Head: []string{w.Say("chart-judge"), w.Say("chart-votes"), w.Say("chart-infit"), w.Say("chart-outfit")},
	}
	all := j.worst()
	var rows []forestRow
	for _, u := range all {
		infit := w.fixed(u.Infit, 2)
		c.Rows = append(c.Rows, []string{label(u.ID), w.cell(u.Votes), infit, w.fixed(u.Outfit, 2)})
		if len(rows) < comparedMost {
			rows = append(rows, forestRow{legible(u.ID), "", u.Infit, min(1, u.Infit), max(1, u.Infit), infit, label(u.ID) + ": " + infit, misfits(u.Misfit)})
		}
	}
	c.Alt = w.Say("chart-judges-alt", len(all), label(all[0].ID), w.fixed(all[0].Infit, 2))
	c.forest(w, rows, len(all), 1)
	return c
}

// GradeChances shows how probable each grade is for what was judged; nil without grades.
func GradeChances(j *Judging, o Options) *Chart {
	if j.Chances == nil {
		return nil
	}
	w := in(o.Language)
	c := &Chart{
		Name: "grades", Title: w.Say("chart-grades"), Note: w.Say("chart-grades-note"), Head: []string{w.Say("chart-item")},
		Alt: w.Say("chart-grades-alt", len(j.Items), strings.Join(labels(j.Grades), w.Say("comma"))),
	}
	c.Head = append(c.Head, labels(j.Grades)...)
	for _, i := range j.Items {
		row := []string{label(i.ID)}
		for _, p := range j.Chances[i.Item] {
			row = append(row, w.Chance(p))
		}
		c.Rows = append(c.Rows, row)
	}
	shown := j.Items[:min(len(j.Items), comparedMost)]
	c.list(w, len(shown), len(j.Items), func(width float64, n int) *draw.Scene {
		s := draw.New(width)
		h := heatLayout{most: 60, share: 0.5, columns: len(j.Grades)}
		for _, g := range j.Grades {
			h.heads = append(h.heads, legible(g))
		}
		inks := make([][]draw.Ink, n)
		for k, i := range shown[:n] {
			h.names = append(h.names, legible(i.ID))
			for _, p := range j.Chances[i.Item] {
				inks[k] = append(inks[k], draw.Level(0.5+0.5*p))
			}
		}
		h.fit(width)
		h.draw(s, inks, false, nil)
		if h.cell >= 19 {
			h.say(s, inks, func(i, g int) string { return fixed(100*j.Chances[shown[i].Item][g], 0) })
		}
		return s
	})
	return c
}

// JudgingHTML writes a report of comparative judgement as one file that asks nothing of a network.
func JudgingHTML(ctx context.Context, out io.Writer, p Paper, j *Judging, o Options) error {
	w := in(o.Language)
	judges, items := 0, 0
	for _, u := range j.Judges {
		if u.Misfit {
			judges++
		}
	}
	for _, i := range j.Items {
		if i.Misfit {
			items++
		}
	}
	facts := []fact{
		{w.Say("fact-judgements"), w.amount(j.Votes), ""}, {w.Say("fact-items"), w.Count(len(j.Items)), ""}, {w.Say("fact-judges"), w.Count(len(j.Judges)), ""},
		{w.Say("fact-separation"), w.fixed(j.Reliability, 2), w.Say("fact-separation-more", w.fixed(j.SD, 2), w.fixed(j.RMSE, 2))},
	}
	if j.Splits > 0 && !math.IsNaN(j.SplitHalf) {
		facts = append(facts, fact{w.Say("fact-halves"), w.fixed(j.SplitHalf, 2), w.Say("fact-halves-more", w.Count(j.Splits))})
	}
	facts = append(facts, fact{w.Say("fact-posterior"), w.fixed(j.Posterior, 2), w.Say("fact-posterior-more")})
	all := page{Paper: p, words: w, facts: facts,
		headline: w.Say("page-judging", w.fixed(j.Reliability, 2), w.Count(judges), w.Count(len(j.Judges)), w.Count(items), w.Count(len(j.Items)))}
	for _, c := range []*Chart{Scripts(j, o), GradeChances(j, o), Judges(j, o)} {
		if c != nil {
			all.charts = append(all.charts, c)
		}
	}
	return writePage(ctx, out, all)
}
