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
func upright(x, from, to, wide float64, ink draw.Ink) draw.Path {
	p := whisker(from, to, x, wide, ink)
	for k, q := range p.Points {
		p.Points[k] = draw.Point{X: q.Y, Y: q.X}
	}
	return p
}

// fewest is the number of rows that a picture cut to a frame has at least.
const fewest = 30

// fitting draws as many of some rows as a height has room for, and says so where that is not
// all. Where it is too few the picture is taller: letters must become smaller then.
func fitting(w speech, total int, height float64, rows func(n int) *draw.Scene) *draw.Scene {
	all := rows(total)
	if all.Height <= height {
		return all
	}
	const note = 23
	n := sort.Search(total, func(n int) bool { return rows(n+1).Height+note > height })
	if n >= total {
		return all
	}
	s := rows(max(n, min(total, fewest)))
	if n := max(n, min(total, fewest)); n < total {
		s.Height += 4
		footnote(s, w.Say("chart-shown-of", strconv.Itoa(n), total))
	}
	return s
}

// footnote writes lines below a picture, about what it leaves out at its width.
func footnote(s *draw.Scene, text string) {
	for _, line := range draw.Wrap(text, s.Width, 11) {
		s.Height += 15
		s.Add(draw.Label{Y: s.Height, Text: line, Size: 11, Ink: draw.Muted})
	}
	s.Height += 4
}
