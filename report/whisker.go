package report

import (
	"sort"
	"strconv"

	"palate/internal/draw"
)

// whisker is an interval as a line with a bar at either end. It is drawn after the dot that
// it belongs to and reaches beyond it, so that a dot never hides how sure it is.
func whisker(from, to, y, tall float64, ink draw.Ink) draw.Path {
	return draw.Path{Points: []draw.Point{
		{X: from, Y: y - tall}, {X: from, Y: y + tall}, {X: from, Y: y}, {X: to, Y: y}, {X: to, Y: y - tall}, {X: to, Y: y + tall},
	}, Stroke: ink, Width: 1.5}
}

// upright is an interval as an upright line.
func upright(x, from, to float64) draw.Path {
	p := whisker(from, to, x, 5.5, draw.Accent)
	for k, q := range p.Points {
		p.Points[k] = draw.Point{X: q.Y, Y: q.X}
	}
	return p
}

// fewest is the number of rows that a picture cut to a frame has at least.
const fewest = 30

// list draws rows below each other, of all that there are at most the first so many, and where
// its height is given as many as that has room for; it says so where these are not all. Where
// they are too few the picture is taller: letters must become smaller then.
func (c *Chart) list(w speech, most, all int, rows func(width float64, n int) *draw.Scene) {
	first := func(width float64, n int) *draw.Scene {
		s := rows(width, n)
		if n < all {
			s.Height += 4
			footnote(s, w.Say("chart-shown-of", strconv.Itoa(n), all))
		}
		return s
	}
	c.draw = func(width float64) *draw.Scene { return first(width, most) }
	c.fill = func(width, height float64) *draw.Scene {
		n := sort.Search(most, func(n int) bool { return first(width, n+1).Height > height })
		return first(width, max(n, min(most, fewest)))
	}
}

// footnote writes lines below a picture, about what it leaves out at its width.
func footnote(s *draw.Scene, text string) {
	for _, line := range draw.Wrap(text, s.Width, 11) {
		s.Height += 15
		s.Add(draw.Label{Y: s.Height, Text: line, Size: 11, Ink: draw.Muted})
	}
	s.Height += 4
}
