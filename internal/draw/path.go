package draw

// Path is a line through points, or the area within it.
type Path struct {
	Points  []Point
	Fill    Ink // of the area
	Stroke  Ink // of the line
	Width   float64
	Dashed  bool
	Opacity float64 // 0 stands for 1
}

// Line is a path between two points.
func Line(x1, y1, x2, y2, width float64, k Ink) Path {
	return Path{Points: []Point{{x1, y1}, {x2, y2}}, Stroke: k, Width: width}
}

const dash, gap = 4, 3

func (p Path) svg(w *svgWriter) {
	w.open("path", p.Fill, p.Stroke, p.Width, p.Opacity)
	if p.Stroke != None {
		w.WriteString(` stroke-linecap="round" stroke-linejoin="round"`)
	}
	if p.Dashed {
		w.WriteString(` stroke-dasharray="` + number(dash) + " " + number(gap) + `"`)
	}
	w.WriteString(` d="`)
	for k, q := range p.Points {
		letter := "L"
		if k == 0 {
			letter = "M"
		}
		w.WriteString(letter + number(q.X) + " " + number(q.Y))
	}
	if p.Stroke == None {
		w.WriteString("z")
	}
	w.WriteString(`"/>`)
}

func (p Path) paint(w *painter) {
	if p.Fill != None {
		w.fill(outline{p.Points}, p.Fill, p.Opacity)
	}
	if p.Stroke == None {
		return
	}
	parts := [][]Point{p.Points}
	if p.Dashed {
		parts = dashed(p.Points, dash, gap)
	}
	var o outline
	for _, part := range parts {
		o = append(o, w.stroke(part, p.Width)...)
	}
	w.fill(o, p.Stroke, p.Opacity)
}
