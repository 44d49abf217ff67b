package draw

import "gonum.org/v1/plot/vg"

// Rect is a rectangle, with round corners if Radius says so.
type Rect struct {
	X, Y, W, H float64
	Radius     float64
	Fill       Ink
	Opacity    float64 // 0 stands for 1
}

func (r Rect) svg(w *svgWriter) {
	w.open("rect", r.Fill, None, 0, r.Opacity)
	w.attribute("x", r.X)
	w.attribute("y", r.Y)
	w.attribute("width", r.W)
	w.attribute("height", r.H)
	if r.Radius > 0 {
		w.attribute("rx", r.Radius)
	}
	w.WriteString("/>")
}

func (r Rect) png(w *pngWriter) {
	var p vg.Path
	a := min(r.Radius, r.W/2, r.H/2)
	p.Move(w.at(r.X+a, r.Y))
	p.Line(w.at(r.X+r.W-a, r.Y))
	p.QuadTo(w.at(r.X+r.W, r.Y), w.at(r.X+r.W, r.Y+a))
	p.Line(w.at(r.X+r.W, r.Y+r.H-a))
	p.QuadTo(w.at(r.X+r.W, r.Y+r.H), w.at(r.X+r.W-a, r.Y+r.H))
	p.Line(w.at(r.X+a, r.Y+r.H))
	p.QuadTo(w.at(r.X, r.Y+r.H), w.at(r.X, r.Y+r.H-a))
	p.Line(w.at(r.X, r.Y+a))
	p.QuadTo(w.at(r.X, r.Y), w.at(r.X+a, r.Y))
	p.Close()
	w.paint(p, r.Fill, None, 0, r.Opacity)
}
