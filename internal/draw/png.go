package draw

import (
	"image/color"
	"image/png"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// pngWriter paints marks on an image.
type pngWriter struct {
	canvas *vgimg.Canvas
	theme  *Theme
	height float64
	dx, dy float64
}

// PNG writes the scene as an image with so many dots a pixel.
func (s *Scene) PNG(to io.Writer, t *Theme, dots float64) error {
	w := &pngWriter{
		canvas: vgimg.NewWith(vgimg.UseWH(vg.Length(s.Width), vg.Length(s.Height)), vgimg.UseDPI(int(math.Round(72*dots))), vgimg.UseBackgroundColor(t[Paper])),
		theme:  t, height: s.Height,
	}
	for _, m := range s.marks {
		m.png(w)
	}
	return png.Encode(to, w.canvas.Image())
}

// at turns a place into that of the canvas, whose y points up.
func (w *pngWriter) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x + w.dx), Y: vg.Length(w.height - y - w.dy)}
}

func (w *pngWriter) use(k Ink, opacity float64) {
	c := w.theme[k]
	if opacity > 0 && opacity < 1 {
		c.A = uint8(math.Round(255 * opacity))
	}
	w.canvas.SetColor(color.NRGBA(c))
}

// paint fills and strokes an outline.
func (w *pngWriter) paint(p vg.Path, fill, stroke Ink, width, opacity float64) {
	if fill != None {
		w.use(fill, opacity)
		w.canvas.Fill(p)
	}
	if stroke != None {
		w.use(stroke, opacity)
		w.canvas.SetLineWidth(vg.Length(width))
		w.canvas.Stroke(p)
	}
}
