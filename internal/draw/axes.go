package draw

import "math"

// Axes are a plane to draw points in.
type Axes struct {
	Left, Top, Right, Bottom float64 // edges
	X1, X2, Y1, Y2           float64 // numbers at the edges
	LogX                     bool
}

// X returns where a number of the x axis is.
func (a *Axes) X(v float64) float64 {
	lo, hi := a.X1, a.X2
	if a.LogX {
		v, lo, hi = math.Log(v), math.Log(lo), math.Log(hi)
	}
	return a.Left + (v-lo)/(hi-lo)*(a.Right-a.Left)
}

// Y returns where a number of the y axis is.
func (a *Axes) Y(v float64) float64 {
	return a.Bottom - (v-a.Y1)/(a.Y2-a.Y1)*(a.Bottom-a.Top)
}

// At returns where a point is.
func (a *Axes) At(x, y float64) Point { return Point{X: a.X(x), Y: a.Y(y)} }

// Grid draws lines and numbers.
func (a *Axes) Grid(s *Scene, xs, ys []Tick) {
	for _, t := range xs {
		x := a.X(t.Value)
		s.Add(Line(x, a.Top, x, a.Bottom, 1, Grid),
			Label{X: x, Y: a.Bottom + 17, Text: t.Text, Size: 11, Ink: Muted, Anchor: Middle})
	}
	for _, t := range ys {
		y := a.Y(t.Value)
		s.Add(Line(a.Left, y, a.Right, y, 1, Grid),
			Label{X: a.Left - 8, Y: y + 4, Text: t.Text, Size: 11, Ink: Muted, Anchor: End})
	}
}

// Titles names the axes: that of x below its numbers, that of y above the
// plane.
func (a *Axes) Titles(s *Scene, x, y string) {
	s.Add(Label{X: (a.Left + a.Right) / 2, Y: a.Bottom + 36, Text: x, Size: 12, Ink: Muted, Anchor: Middle},
		Label{X: 0, Y: a.Top - 12, Text: y, Size: 12, Ink: Muted})
}
