package report

import (
	"math"
	"strconv"
	"strings"

	"palate/internal/draw"
)

// Of how many factors loadings are shown, and of how many items at either end.
const (
	loadingsFactors = 3
	loadingsItems   = 6
)

// Loadings shows which items the first factors of taste raise and lower.
func Loadings(t *Tastes) *Chart {
	k := min(loadingsFactors, len(t.Factors))
	if k == 0 {
		return nil
	}
	w := in(t.Language)
	c := &Chart{
		Name: "factors", Title: w.Say("chart-factors"), Head: []string{w.Say("chart-item")},
		Note: w.Say("chart-factors-note") + " " + t.about(),
	}
	for f := range k {
		c.Head = append(c.Head, w.Say("chart-factor", strconv.Itoa(f+1)))
	}
	for i, id := range t.Items {
		row := []string{label(id)}
		for f := range k {
			row = append(row, w.fixed(t.Factors[f].Loading[i], 2))
		}
		c.Rows = append(c.Rows, row)
	}
	var says []string
	for f := range k {
		most, least := t.ends(f)
		says = append(says, w.Say("chart-factors-alt", strconv.Itoa(f+1), w.Chance(t.Factors[f].Share), w.list(most, 2), w.list(least, 2)))
	}
	c.Alt = strings.Join(says, " ")
	c.draw = func(width float64) *draw.Scene { return drawLoadings(t, k, width) }
	return c
}

// drawLoadings draws a line of two panels for every factor: what it raises, and what it
// lowers, below each other where it is narrow.
func drawLoadings(t *Tastes, k int, width float64) *draw.Scene {
	s := draw.New(width)
	w := in(t.Language)
	var far float64
	for _, f := range t.Factors[:k] {
		for _, x := range f.Loading {
			far = max(far, math.Abs(x))
		}
	}
	const gap = 36
	each, narrow := (width-gap)/2, width < 560
	if narrow {
		each = width
	}
	for f := range k {
		most, least := t.Factors[f].extremes(loadingsItems)
		s.Add(draw.Label{Y: s.Height + 14, Text: w.Say("chart-factor-title", strconv.Itoa(f+1)), Size: 13, Bold: true},
			draw.Label{X: width, Y: s.Height + 14, Text: w.Say("chart-of-differences", w.Chance(t.Factors[f].Share)), Size: 11, Ink: draw.Muted, Anchor: draw.End})
		s.Height += 22
		raised, lowered := draw.New(each), draw.New(each)
		t.drawEnd(raised, f, most, far, w.Say("chart-likes-these-more"))
		t.drawEnd(lowered, f, least, far, w.Say("chart-likes-these-less"))
		s.Put(raised, 0, s.Height)
		if narrow {
			s.Height += raised.Height
			s.Put(lowered, 0, s.Height)
		} else {
			s.Put(lowered, each+gap, s.Height)
		}
		s.Height += lowered.Height + 16
	}
	s.Height -= 10
	return s
}

// drawEnd draws the items at one end of a factor, a name, a bar and a number each.
func (t *Tastes) drawEnd(s *draw.Scene, k int, items []int, far float64, title string) {
	w := in(t.Language)
	s.Add(draw.Label{Y: 13, Text: draw.Fit(title, s.Width, 11, false), Size: 11, Ink: draw.Muted})
	var names []string
	var longest float64
	for _, i := range items {
		names = append(names, legible(t.Items[i]))
		longest = max(longest, draw.TextWidth(legible(t.Items[i]), 12, false))
	}
	room := min(longest, 0.45*s.Width)
	names = draw.Names(names, room, 12, false)
	left, numbers := room+8, 44.0
	y := 20.0
	for j, i := range items {
		x := t.Factors[k].Loading[i]
		ink := draw.Level(1)
		if x < 0 {
			ink = draw.Level(0)
		}
		wide := max(2, math.Abs(x)/far*(s.Width-left-numbers))
		s.Add(draw.Label{X: room, Y: y + 14, Text: names[j], Size: 12, Anchor: draw.End},
			draw.Rect{X: left, Y: y + 3, W: wide, H: 14, Radius: 2, Fill: ink},
			draw.Label{X: left + wide + 5, Y: y + 14, Text: w.fixed(x, 2), Size: 11, Ink: draw.Muted})
		y += 21
	}
	s.Add(draw.Line(left, 21, left, y+1, 1, draw.Quiet))
	s.Height = y + 6
}
