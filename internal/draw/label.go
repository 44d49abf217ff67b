package draw

import (
	"cmp"
	"math"
)

// Anchor says which end of a text its place is.
type Anchor int

const (
	Start Anchor = iota
	Middle
	End
)

// Label is a line of text; Y is that of the line it stands on.
type Label struct {
	X, Y   float64
	Text   string
	Size   float64 // 0 stands for 12
	Ink    Ink     // None stands for Text
	Bold   bool
	Anchor Anchor
	Turn   float64 // clockwise around its place, in degrees
}

func (l Label) defaults() Label {
	l.Size = cmp.Or(l.Size, 12)
	if l.Ink == None {
		l.Ink = Text
	}
	return l
}

func (l Label) svg(w *svgWriter) {
	l = l.defaults()
	w.open("text", l.Ink, None, 0, 0)
	w.attribute("x", l.X)
	w.attribute("y", l.Y)
	w.attribute("font-size", l.Size)
	if l.Bold {
		w.WriteString(` font-weight="600"`)
	}
	if l.Anchor != Start {
		w.WriteString(` text-anchor="` + [...]string{"start", "middle", "end"}[l.Anchor] + `"`)
	}
	if l.Turn != 0 {
		w.WriteString(` transform="rotate(` + number(l.Turn) + " " + number(l.X) + " " + number(l.Y) + `)"`)
	}
	w.WriteString(">" + escape(l.Text) + "</text>")
}

func (l Label) paint(w *painter) {
	l = l.defaults()
	f := face(l.Bold)
	text := f.written(l.Text)
	sin, cos := math.Sincos(l.Turn * math.Pi / 180)
	before := f.width(text, l.Size) * float64(l.Anchor) / 2
	o := f.outline(text, l.Size, func(p Point) Point {
		p.X -= before
		return Point{l.X + p.X*cos - p.Y*sin, l.Y + p.X*sin + p.Y*cos}
	})
	w.fill(o, l.Ink, 1)
}
