package draw

import "math"

// painter paints marks as filled outlines, for formats that know nothing else.
type painter struct {
	dx, dy, scale float64 // from places in a group to those in the scene
	dots          float64 // a pixel, for the number of corners of curves
	ink           func(o outline, k Ink, opacity float64)
}

// fill paints what is within an outline.
func (w *painter) fill(o outline, k Ink, opacity float64) {
	if k == None {
		return
	}
	placed := make(outline, len(o))
	for i, ring := range o {
		placed[i] = make([]Point, len(ring))
		for j, p := range ring {
			placed[i][j] = Point{w.dx + w.scale*p.X, w.dy + w.scale*p.Y}
		}
	}
	w.ink(placed, k, opacity)
}

// painted paints all marks.
func (s *Scene) painted(dots float64, ink func(o outline, k Ink, opacity float64)) {
	w := &painter{scale: 1, dots: dots, ink: ink}
	for _, m := range s.marks {
		m.paint(w)
	}
}

// outline is closed rings, in pixels. A point is within it that a ring goes round, one
// within another the other way round being a hole.
type outline [][]Point

// box is a rectangle as a ring.
func box(x1, y1, x2, y2 float64) []Point {
	return []Point{{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}}
}

// arc is a part of a circle, angles clockwise from the right.
func (w *painter) arc(x, y, r, from, to float64) (points []Point) {
	steps := max(2, math.Ceil((to-from)*math.Sqrt(2*r*w.scale*w.dots)))
	for k := range int(steps) + 1 {
		sin, cos := math.Sincos(from + (to-from)*float64(k)/steps)
		points = append(points, Point{x + r*cos, y + r*sin})
	}
	return points
}

// stroke is the outline of a line of some width through points, its ends and corners
// round.
func (w *painter) stroke(points []Point, width float64) (o outline) {
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
