package draw

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// svgWriter writes marks as SVG. Without a theme inks become classes.
type svgWriter struct {
	bytes.Buffer
	theme *Theme
}

// SVG returns the scene as an SVG element for a page that has [Style]. The label
// says what is to be seen to those who do not see it; empty: the picture is
// hidden from them.
func (s *Scene) SVG(label string) string {
	w := &svgWriter{}
	about := `aria-hidden="true"`
	if label != "" {
		about = `role="img" aria-label="` + escape(label) + `"`
	}
	fmt.Fprintf(w, `<svg class="pl" %s viewBox="0 0 %s %s" width="%s" height="%s">`, about, number(s.Width), number(s.Height), number(s.Width), number(s.Height))
	for _, m := range s.marks {
		m.svg(w)
	}
	w.WriteString("</svg>")
	return w.String()
}

// File writes the scene as an SVG file of its own. With a nil theme it adapts to
// the screen, which not all programs understand.
func (s *Scene) File(to io.Writer, t *Theme, label string) error {
	w := &svgWriter{theme: t}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" class="pl" role="img" aria-label="%s" viewBox="0 0 %s %s" width="%s" height="%s" font-family="%s">`+"\n",
		escape(label), number(s.Width), number(s.Height), number(s.Width), number(s.Height), escape(Font))
	if t == nil {
		fmt.Fprintf(w, "<style>%s</style>\n", Style())
	}
	Rect{W: s.Width, H: s.Height, Fill: Paper}.svg(w)
	for _, m := range s.marks {
		m.svg(w)
	}
	w.WriteString("</svg>\n")
	_, err := to.Write(w.Bytes())
	return err
}

// open begins an element and paints it.
func (w *svgWriter) open(name string, fill, stroke Ink, width, opacity float64) {
	w.WriteString("<" + name)
	switch {
	case w.theme != nil:
		w.WriteString(` fill="` + w.colour(fill) + `"`)
		if stroke != None {
			w.WriteString(` stroke="` + w.colour(stroke) + `"`)
		}
	case stroke == None:
		w.WriteString(` class="` + fill.class() + `"`)
	case fill == None:
		w.WriteString(` class="` + stroke.class() + `-s" fill="none"`)
	default:
		w.WriteString(` class="` + fill.class() + " " + stroke.class() + `-s"`)
	}
	if stroke != None && width != 1 {
		w.attribute("stroke-width", width)
	}
	if opacity > 0 && opacity < 1 {
		w.attribute("opacity", opacity)
	}
}

func (w *svgWriter) colour(k Ink) string {
	if k == None {
		return "none"
	}
	return w.theme.Colour(k)
}

func (w *svgWriter) attribute(name string, x float64) {
	w.WriteString(" " + name + `="` + number(x) + `"`)
}

// number shows a coordinate to a hundredth of a pixel.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

func escape(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(text)
}
