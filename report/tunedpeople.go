package report

import (
	"strconv"

	"palate/internal/draw"
)

// People shows how much more each of several voters likes another point than the best of all;
// nil where they are not named.
func People(t *Tuned) *Chart {
	if len(t.People) == 0 {
		return nil
	}
	w := in(t.Language)
	c := &Chart{
		Name: "people", Title: w.Say("tuned-people"), Note: w.Say("tuned-people-note", w.percent(believed)),
		Head: []string{w.Say("chart-voter"), w.Say("chart-answers"), w.Say("chart-best-point"), w.Say("tuned-above-all"), w.percent(believed), w.Say("chart-chance")},
	}
	var says []string
	var rows []forestRow
	for _, p := range t.People {
		g := p.Over.Gain
		c.Rows = append(c.Rows, []string{label(p.Voter), strconv.Itoa(p.Answers), w.point(t.Space, p.Best), w.fixed(g.Mean, 2), w.within(g), w.Chance(p.Over.Better)})
		says = append(says, w.Say("tuned-people-said", label(p.Voter), w.fixed(g.Mean, 2)))
		rows = append(rows, forestRow{legible(p.Voter), "", g.Mean, g.Lo, g.Hi, w.fixed(g.Mean, 2), w.Say("chart-traits-title", label(p.Voter), w.fixed(g.Mean, 2), w.fixed(g.Lo, 2), w.fixed(g.Hi, 2)), draw.Accent})
	}
	c.Alt = w.Say("tuned-people-alt", w.list(says, 6))
	c.forest(w, rows, len(rows), 0)
	return c
}

// compromise says to how many voters the best point of all is one.
func (t *Tuned) compromise() (facts []fact) {
	if len(t.People) == 0 {
		return nil
	}
	yield := 0
	for i := range t.People {
		if t.People[i].Yields() {
			yield++
		}
	}
	w := in(t.Language)
	note := w.Say("tuned-no-compromise")
	if yield > 0 {
		note = w.Say("tuned-compromise", w.Count(yield))
	}
	return []fact{{Name: w.Say("fact-voters"), Value: w.Count(len(t.People)), More: note}}
}
