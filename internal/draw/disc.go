package draw

import (
	"math"

	"gonum.org/v1/plot/vg"
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

func (d Disc) png(w *pngWriter) {
	var p vg.Path
	c := w.at(d.X, d.Y)
	p.Move(vg.Point{X: c.X + vg.Length(d.R), Y: c.Y})
	p.Arc(c, vg.Length(d.R), 0, 2*math.Pi)
	p.Close()
	w.paint(p, d.Fill, d.Stroke, d.Width, d.Opacity)
}
