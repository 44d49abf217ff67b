package draw

import (
	"image"
	"image/color"
	stdraw "image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"
)

// PNG writes the scene as an image with so many dots a pixel.
func (s *Scene) PNG(to io.Writer, t *Theme, dots float64) error {
	size := func(x float64) int { return int(math.Round(x * dots)) }
	im := image.NewRGBA(image.Rect(0, 0, size(s.Width), size(s.Height)))
	stdraw.Draw(im, im.Rect, image.NewUniform(t[Paper]), image.Point{}, stdraw.Src)
	s.painted(dots, func(o outline, k Ink, opacity float64) { colour(im, o, t[k], opacity, dots) })
	return png.Encode(to, im)
}

// colour fills what is within an outline. Only the part of the image around it is
// looked at.
func colour(im *image.RGBA, o outline, c color.NRGBA, opacity, dots float64) {
	lo, hi := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, ring := range o {
		for _, p := range ring {
			lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
		}
	}
	if !(lo.X < hi.X && lo.Y < hi.Y) {
		return
	}
	at := image.Rect(int(math.Floor(dots*lo.X)), int(math.Floor(dots*lo.Y)), int(math.Ceil(dots*hi.X)), int(math.Ceil(dots*hi.Y)))
	z := vector.NewRasterizer(at.Dx(), at.Dy())
	for _, ring := range o {
		for i, p := range ring {
			u, v := float32(dots*p.X-float64(at.Min.X)), float32(dots*p.Y-float64(at.Min.Y))
			if i == 0 {
				z.MoveTo(u, v)
			} else {
				z.LineTo(u, v)
			}
		}
		z.ClosePath()
	}
	cover := image.NewAlpha(image.Rect(0, 0, at.Dx(), at.Dy()))
	z.DrawOp = stdraw.Src
	z.Draw(cover, cover.Rect, image.Opaque, image.Point{})
	if opacity > 0 && opacity < 1 {
		c.A = uint8(math.Round(255 * opacity))
	}
	stdraw.DrawMask(im, at, image.NewUniform(c), image.Point{}, cover, image.Point{}, stdraw.Over)
}
