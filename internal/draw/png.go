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

// pngWriter paints marks on an image.
type pngWriter struct {
	image  *image.RGBA
	theme  *Theme
	dots   float64 // a pixel
	dx, dy float64
}

// PNG writes the scene as an image with so many dots a pixel.
func (s *Scene) PNG(to io.Writer, t *Theme, dots float64) error {
	size := func(x float64) int { return int(math.Round(x * dots)) }
	w := &pngWriter{image: image.NewRGBA(image.Rect(0, 0, size(s.Width), size(s.Height))), theme: t, dots: dots}
	stdraw.Draw(w.image, w.image.Rect, image.NewUniform(t[Paper]), image.Point{}, stdraw.Src)
	for _, m := range s.marks {
		m.png(w)
	}
	return png.Encode(to, w.image)
}

// outline is closed rings, in pixels. A point is within it that a ring goes round, one
// within another the other way round being a hole.
type outline [][]Point

// box is a rectangle as a ring.
func box(x1, y1, x2, y2 float64) []Point {
	return []Point{{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}}
}

// arc is a part of a circle, angles clockwise from the right.
func (w *pngWriter) arc(x, y, r, from, to float64) (points []Point) {
	steps := max(2, math.Ceil((to-from)*math.Sqrt(2*r*w.dots)))
	for k := range int(steps) + 1 {
		sin, cos := math.Sincos(from + (to-from)*float64(k)/steps)
		points = append(points, Point{x + r*cos, y + r*sin})
	}
	return points
}

// paint fills what is within an outline. Only the part of the image around it is
// looked at.
func (w *pngWriter) paint(o outline, k Ink, opacity float64) {
	lo, hi := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, ring := range o {
		for _, p := range ring {
			lo, hi = Point{min(lo.X, p.X), min(lo.Y, p.Y)}, Point{max(hi.X, p.X), max(hi.Y, p.Y)}
		}
	}
	if k == None || !(lo.X < hi.X && lo.Y < hi.Y) {
		return
	}
	x := func(x float64) float64 { return (x + w.dx) * w.dots }
	y := func(y float64) float64 { return (y + w.dy) * w.dots }
	at := image.Rect(int(math.Floor(x(lo.X))), int(math.Floor(y(lo.Y))), int(math.Ceil(x(hi.X))), int(math.Ceil(y(hi.Y))))
	z := vector.NewRasterizer(at.Dx(), at.Dy())
	for _, ring := range o {
		for i, p := range ring {
			u, v := float32(x(p.X)-float64(at.Min.X)), float32(y(p.Y)-float64(at.Min.Y))
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
	c := w.theme[k]
	if opacity > 0 && opacity < 1 {
		c.A = uint8(math.Round(255 * opacity))
	}
	stdraw.DrawMask(w.image, at, image.NewUniform(color.NRGBA(c)), image.Point{}, cover, image.Point{}, stdraw.Over)
}

// stroke is the outline of a line of some width through points, its ends and corners
// round.
func (w *pngWriter) stroke(points []Point, width float64) (o outline) {
	half := width / 2
	for k, p := range points {
		o = append(o, w.arc(p.X, p.Y, half, 0, 2*math.Pi))
		if k == 0 {
			continue
		}
		q := points[k-1]
		length := math.Hypot(p.X-q.X, p.Y-q.Y)
		if length == 0 {
			continue
		}
		x, y := -(p.Y-q.Y)/length*half, (p.X-q.X)/length*half
		o = append(o, []Point{{q.X - x, q.Y - y}, {p.X - x, p.Y - y}, {p.X + x, p.Y + y}, {q.X + x, q.Y + y}})
	}
	return o
}

// dashed cuts a line into dashes.
func dashed(points []Point, dash, gap float64) (parts [][]Point) {
	on, left := true, dash
	for k := 1; k < len(points); k++ {
		p, q := points[k-1], points[k]
		length := math.Hypot(q.X-p.X, q.Y-p.Y)
		if k == 1 {
			parts = append(parts, []Point{p})
		}
		for at := 0.0; at < length; {
			step := min(left, length-at)
			at += step
			end := Point{p.X + (q.X-p.X)*at/length, p.Y + (q.Y-p.Y)*at/length}
			if on {
				parts[len(parts)-1] = append(parts[len(parts)-1], end)
			}
			if left -= step; left > 0 {
				continue
			}
			if on = !on; on {
				left, parts = dash, append(parts, []Point{end})
			} else {
				left = gap
			}
		}
	}
	return parts
}
