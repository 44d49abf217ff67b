package draw

import (
	"math"
	"slices"
)

// Disc is a dot, with a rim if Stroke says so.
type Disc struct {
	X, Y, R float64
	Fill    Ink
	Stroke  Ink
	Width   float64 // of the rim
	Opacity float64 // 0 stands for 1
}

func (d Disc) svg(w *svgWriter) {
	w.open("circle", d.Fill, d.Stroke, d.Width, d.Opacity)
	w.attribute("cx", d.X)
	w.attribute("cy", d.Y)
	w.attribute("r", d.R)
	w.WriteString("/>")
}

func (d Disc) paint(w *painter) {
	w.fill(outline{w.arc(d.X, d.Y, d.R, 0, 2*math.Pi)}, d.Fill, d.Opacity)
	if d.Stroke != None {
		hole := w.arc(d.X, d.Y, max(d.R-d.Width/2, 0), 0, 2*math.Pi)
		slices.Reverse(hole)
		w.fill(outline{w.arc(d.X, d.Y, d.R+d.Width/2, 0, 2*math.Pi), hole}, d.Stroke, d.Opacity)
	}
}
