package draw

import "strings"

// Group is marks that belong together, moved right and down. Its title is shown
// to those who point at it; PNG has none.
type Group struct {
	DX, DY float64
	Title  string
	Marks  []Mark
}

func (g Group) svg(w *svgWriter) {
	w.WriteString("<g")
	if g.DX != 0 || g.DY != 0 {
		w.WriteString(` transform="translate(` + number(g.DX) + " " + number(g.DY) + `)"`)
	}
	w.WriteString(">")
	if g.Title != "" {
		w.WriteString("<title>" + escape(strings.TrimSpace(g.Title)) + "</title>")
	}
	for _, m := range g.Marks {
		m.svg(w)
	}
	w.WriteString("</g>")
}

func (g Group) png(w *pngWriter) {
	w.dx, w.dy = w.dx+g.DX, w.dy+g.DY
	for _, m := range g.Marks {
		m.png(w)
	}
	w.dx, w.dy = w.dx-g.DX, w.dy-g.DY
}
