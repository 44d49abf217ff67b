package paper

import (
	"image/color"

	"palate/internal/atomicfile"
	"palate/internal/draw"
)

// hues are told apart by colour-blind readers too (Okabe and Ito 2008).
var hues = []color.NRGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}}

// hue is the ink of curve k in a picture of curves.
func hue(k int) draw.Ink { return draw.Level(float64(k%len(hues)) / (draw.Levels - 1)) }

// curveTheme is the light one with hues in the place of the scale of colours.
func curveTheme() *draw.Theme {
	t := *draw.Light()
	for k, c := range hues {
		t[hue(k)] = c
	}
	return &t
}

// page puts a title above a picture, and a margin around it.
func page(title string, inner *draw.Scene) *draw.Scene {
	const margin = 20
	s := draw.New(inner.Width + 2*margin)
	s.Add(draw.Label{X: margin, Y: margin + 15, Text: draw.Fit(title, inner.Width, 15, true), Size: 15, Bold: true})
	s.Put(inner, margin, margin+30)
	s.Height = inner.Height + 2*margin + 30
	return s
}

// writePNG writes a picture, two dots a pixel.
func writePNG(s *draw.Scene, t *draw.Theme, path string) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := s.PNG(f, t, 2); err != nil {
		return err
	}
	return f.Commit()
}

// say is a muted word at a place.
func say(s *draw.Scene, x, y float64, text string, a draw.Anchor) {
	s.Add(draw.Label{X: x, Y: y, Text: text, Size: 11, Ink: draw.Muted, Anchor: a})
}
