package draw

import (
	"strconv"
	"strings"
)

// Group is marks that belong together, enlarged if Scale says so, then moved right and
// down. Its title is shown to those who point at it; PNG and PDF have none.
type Group struct {
	DX, DY float64
	Scale  float64 // 0 stands for 1
	Title  string
	Marks  []Mark
}

func (g Group) svg(w *svgWriter) {
	w.WriteString("<g")
	var move []string
	if g.DX != 0 || g.DY != 0 {
		move = append(move, "translate("+number(g.DX)+" "+number(g.DY)+")")
	}
	if g.Scale != 0 && g.Scale != 1 {
		move = append(move, "scale("+strconv.FormatFloat(g.Scale, 'f', 4, 64)+")")
	}
	if move != nil {
		w.WriteString(` transform="` + strings.Join(move, " ") + `"`)
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

func (g Group) paint(w *painter) {
	before := *w
	w.dx, w.dy = w.dx+w.scale*g.DX, w.dy+w.scale*g.DY
	if g.Scale != 0 {
		w.scale *= g.Scale
	}
	for _, m := range g.Marks {
		m.paint(w)
	}
	*w = before
}
