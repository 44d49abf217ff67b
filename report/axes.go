package report

import (
	"math"

	"palate/internal/draw"
)

// axes are a plane to draw points in.
type axes struct {
	left, top, right, bottom float64 // edges
	x1, x2, y1, y2           float64 // numbers at the edges
	logX                     bool
}

func (a *axes) x(v float64) float64 {
	lo, hi := a.x1, a.x2
	if a.logX {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	return a.left + (v-lo)/(hi-lo)*(a.right-a.left)
}

func (a *axes) y(v float64) float64 {
	return a.bottom - (v-a.y1)/(a.y2-a.y1)*(a.bottom-a.top)
}

func (a *axes) at(x, y float64) draw.Point { return draw.Point{X: a.x(x), Y: a.y(y)} }

// grid draws lines and numbers.
func (a *axes) grid(s *draw.Scene, xs, ys []draw.Tick) {
	for _, t := range xs {
		x := a.x(t.Value)
		s.Add(draw.Line(x, a.top, x, a.bottom, 1, draw.Grid),
			draw.Label{X: x, Y: a.bottom + 17, Text: t.Text, Size: 11, Ink: draw.Muted, Anchor: draw.Middle})
	}
	for _, t := range ys {
		y := a.y(t.Value)
		s.Add(draw.Line(a.left, y, a.right, y, 1, draw.Grid),
			draw.Label{X: a.left - 8, Y: y + 4, Text: t.Text, Size: 11, Ink: draw.Muted, Anchor: draw.End})
	}
}

// titles names the axes: that of x below its numbers, that of y above the
// plane.
func (a *axes) titles(s *draw.Scene, x, y string) {
	s.Add(draw.Label{X: (a.left + a.right) / 2, Y: a.bottom + 36, Text: x, Size: 12, Ink: draw.Muted, Anchor: draw.Middle},
		draw.Label{X: 0, Y: a.top - 12, Text: y, Size: 12, Ink: draw.Muted})
}

// percents are ticks of a share.
func percents(lo, hi float64, n int) []draw.Tick {
	ticks := draw.Ticks(100*lo, 100*hi, n)
	for k := range ticks {
		ticks[k].Value /= 100
		ticks[k].Text += " %"
	}
	return ticks
}
