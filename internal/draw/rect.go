package draw

import "math"

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

func (r Rect) paint(w *painter) {
	a := min(r.Radius, r.W/2, r.H/2)
	if a <= 0 {
		w.fill(outline{box(r.X, r.Y, r.X+r.W, r.Y+r.H)}, r.Fill, r.Opacity)
		return
	}
	var ring []Point
	for k, c := range box(r.X+a, r.Y+a, r.X+r.W-a, r.Y+r.H-a) {
		from := math.Pi + float64(k)*math.Pi/2
		ring = append(ring, w.arc(c.X, c.Y, a, from, from+math.Pi/2)...)
	}
	w.fill(outline{ring}, r.Fill, r.Opacity)
}
