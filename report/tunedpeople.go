package report

import (
	"fmt"
	"strings"

	"palate/internal/draw"
)

// People shows how much more each of several voters likes another point than the best of all;
// nil where they are not named.
func People(t *Tuned) *Chart {
	if len(t.People) == 0 {
		return nil
	}
	c := &Chart{
		Name: "people", Title: "What each voter likes best", Head: []string{"voter", "answers", "best point", "above the best of all", "90 %", "chance"},
		Note: "By how much the point that a voter likes best is above the best point of all to that voter, in units of the noise of a duel, with the middle 90 % of what is believed. Where that is above zero the best of all is a compromise to them.",
	}
	var says []string
	lo, hi := 0.0, 0.5
	for _, p := range t.People {
		g := p.Over.Gain
		c.Rows = append(c.Rows, []string{label(p.Voter), fmt.Sprint(p.Answers), t.Space.Describe(p.Best), fixed(g.Mean, 2), within(g), chance(p.Over.Better)})
		says = append(says, fmt.Sprintf("%s likes another by %s", p.Voter, fixed(g.Mean, 2)))
		lo, hi = min(lo, g.Lo), max(hi, g.Hi)
	}
	room := 0.03 * (hi - lo)
	c.Alt = "What each voter likes more than the best point of all: " + strings.Join(says, ", ")
	c.draw = func(width float64) *draw.Scene {
		s := draw.New(width)
		a := &draw.Axes{Left: min(0.3*width, 140), Right: width - 12, Top: 8, X1: lo - room, X2: hi + room, Y1: 0, Y2: 1}
		a.Bottom = a.Top + 26*float64(len(t.People))
		a.Grid(s, draw.Ticks(a.X1, a.X2, 5), nil)
		a.Titles(s, "above the best point of all", "")
		for k, p := range t.People {
			g, y := p.Over.Gain, a.Top+26*float64(k)+13
			s.Add(draw.Label{X: a.Left - 8, Y: y + 4, Text: draw.Fit(label(p.Voter), a.Left-8, 12, false), Size: 12, Anchor: draw.End},
				draw.Line(a.X(g.Lo), y, a.X(g.Hi), y, 3, draw.Quiet),
				draw.Disc{X: a.X(g.Mean), Y: y, R: 4.5, Fill: draw.Accent, Stroke: draw.Paper, Width: 1.5})
		}
		zero := a.X(0)
		s.Add(draw.Path{Points: []draw.Point{{X: zero, Y: a.Top}, {X: zero, Y: a.Bottom}}, Stroke: draw.Second, Width: 1.5, Dashed: true})
		s.Height = a.Bottom + 50
		return s
	}
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
	note := "nobody is known to like another point better"
	if yield > 0 {
		note = fmt.Sprintf("to %d the best point of all is a compromise", yield)
	}
	return []fact{{"Voters", fmt.Sprint(len(t.People)), note}}
}
