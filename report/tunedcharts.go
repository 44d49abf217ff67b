package report

import (
	"math"
	"strconv"
	"strings"

	"palate/internal/draw"
	"palate/tune"
)

// Slices shows utility along each parameter through the best point.
func Slices(t *Tuned) *Chart {
	w := in(t.Language)
	c := &Chart{
		Name: "slices", Title: w.Say("tuned-slices"), Head: []string{w.Say("chart-parameter"), w.Say("chart-value"), w.Say("chart-utility"), w.percent(believed)},
		Note: w.Say("tuned-slices-note", w.percent(believed), t.zero()),
	}
	var says []string
	for _, s := range t.slices {
		p := &t.Space.Parameters[s.parameter]
		top := 0
		for k, v := range s.values {
			c.Rows = append(c.Rows, []string{label(p.Name), label(w.value(p, v, 4)), w.fixed(s.utility[k].Mean, 2), w.within(s.utility[k])})
			if s.utility[k].Mean > s.utility[top].Mean {
				top = k
			}
		}
		says = append(says, w.Say("tuned-best-at", label(p.Name), label(w.value(p, s.values[top], 4))))
	}
	c.Alt = w.Say("tuned-slices-alt", strings.Join(says, w.Say("comma")))
	c.draw = func(width float64) *draw.Scene {
		s := draw.New(width)
		const gap = 32
		across := max(1, int(width/300))
		each := (width - gap*float64(across-1)) / float64(across)
		for k := range t.slices {
			panel := draw.New(each)
			t.drawSlice(panel, t.slices[k])
			s.Put(panel, float64(k%across)*(each+gap), float64(k/across)*panel.Height)
			s.Height = float64(k/across+1) * panel.Height
		}
		return s
	}
	return c
}

// heights are the lowest and the highest utility of all slices, with room.
func (t *Tuned) heights() (lo, hi float64) {
	for _, s := range t.slices {
		for _, u := range s.utility {
			lo, hi = min(lo, u.Lo), max(hi, u.Hi)
		}
	}
	room := 0.05*(hi-lo) + 1e-6
	return lo - room, hi + room
}

func (t *Tuned) drawSlice(s *draw.Scene, one slice) {
	w := in(t.Language)
	p := &t.Space.Parameters[one.parameter]
	a := &draw.Axes{Left: 40, Right: s.Width - 10, Top: 30, Bottom: 160, LogX: p.Log}
	a.Y1, a.Y2 = t.heights()
	var xs []draw.Tick
	if p.Numeric() {
		a.X1, a.X2 = p.From, p.To
		xs = w.spacedTicks(p, a)
	} else {
		a.X1, a.X2 = -0.5, float64(len(p.Words))-0.5
		room := (a.Right - a.Left) / float64(len(p.Words))
		for k, word := range p.Words {
			xs = append(xs, draw.Tick{Value: float64(k), Text: draw.Fit(label(word), room-4, 11, false)})
		}
	}
	a.Grid(s, xs, w.ticks(a.Y1, a.Y2, 4))
	a.Titles(s, "", draw.Fit(label(p.Name), s.Width, 12, false))
	if !p.Numeric() {
		for k, v := range one.values {
			u := one.utility[k]
			x := a.X(v)
			s.Add(draw.Disc{X: x, Y: a.Y(u.Mean), R: 4, Fill: draw.Accent}, upright(x, a.Y(u.Hi), a.Y(u.Lo)))
		}
	} else {
		var line, upper, lower []draw.Point
		for k, v := range one.values {
			u := one.utility[k]
			line, upper = append(line, a.At(v, u.Mean)), append(upper, a.At(v, u.Hi))
			lower = append([]draw.Point{a.At(v, u.Lo)}, lower...)
		}
		s.Add(draw.Path{Points: append(upper, lower...), Fill: draw.Accent, Opacity: 0.15}, draw.Path{Points: line, Stroke: draw.Accent, Width: 2})
	}
	x := a.X(t.Standing.Best[one.parameter])
	s.Add(draw.Path{Points: []draw.Point{{X: x, Y: a.Top}, {X: x, Y: a.Bottom}}, Stroke: draw.Second, Width: 1.5, Dashed: true})
	s.Height = a.Bottom + 34
}

// spacedTicks are some values of a number, as far apart as their names need.
func (s speech) spacedTicks(p *tune.Parameter, a *draw.Axes) (ticks []draw.Tick) {
	if !p.Log {
		return s.ticks(p.From, p.To, 4)
	}
	end := math.Inf(-1)
	for _, v := range p.Grid(5) {
		t := draw.Tick{Value: v, Text: s.value(p, v, 2)}
		if w := draw.TextWidth(t.Text, 11, false); a.X(v)-w/2 > end+6 {
			ticks, end = append(ticks, t), a.X(v)+w/2
		}
	}
	return ticks
}

// Plane shows utility over the two most important numbers, and how sure it is; nil where there
// are no two.
func Plane(t *Tuned) *Chart {
	m := t.plane
	if m == nil {
		return nil
	}
	w := in(t.Language)
	px, py := &t.Space.Parameters[m.x], &t.Space.Parameters[m.y]
	c := &Chart{
		Name: "plane", Title: w.Say("tuned-plane", label(px.Name), label(py.Name)),
		Head: []string{label(py.Name), label(px.Name), w.Say("chart-utility"), w.Say("tuned-width", w.percent(believed))},
		Note: w.Say("tuned-plane-note", w.percent(believed)),
	}
	for i, y := range m.ys {
		for k, x := range m.xs {
			if m.inside[i][k] && i%3 == 0 && k%3 == 0 {
				c.Rows = append(c.Rows, []string{w.value(py, y, 4), w.value(px, x, 4), w.fixed(m.mean[i][k], 2), w.fixed(m.spread[i][k], 2)})
			}
		}
	}
	c.Alt = w.Say("tuned-plane-alt", label(px.Name), label(py.Name), w.value(px, t.Standing.Best[m.x], 4), w.value(py, t.Standing.Best[m.y], 4))
	c.draw = func(width float64) *draw.Scene {
		s := draw.New(width)
		const gap = 32
		each := (width - gap) / 2
		if width < 600 {
			each = width
		}
		for k, values := range [][][]float64{m.mean, m.spread} {
			panel := draw.New(each)
			t.drawPlane(panel, []string{w.Say("tuned-expected"), w.Say("tuned-width", w.percent(believed))}[k], values)
			if each == width {
				s.Put(panel, 0, s.Height)
				s.Height += panel.Height
				continue
			}
			s.Put(panel, float64(k)*(each+gap), 0)
			s.Height = panel.Height
		}
		return s
	}
	return c
}

func (t *Tuned) drawPlane(s *draw.Scene, title string, values [][]float64) {
	m, w := t.plane, in(t.Language)
	px, py := &t.Space.Parameters[m.x], &t.Space.Parameters[m.y]
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, row := range values {
		for k, v := range row {
			if m.inside[i][k] {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	const left, top, height = 52.0, 44.0, 240.0
	wide := (s.Width - left - 6) / float64(len(m.xs))
	tall := height / float64(len(m.ys))
	inks := make([][]draw.Ink, len(values))
	for i, row := range values {
		inks[i] = make([]draw.Ink, len(row))
		for k, v := range row {
			if m.inside[i][k] {
				inks[i][k] = draw.Level((v - lo) / max(hi-lo, 1e-9))
			}
		}
	}
	s.Add(draw.Cells{X: left, Y: top, W: wide, H: tall, Inks: inks})
	across := func(v float64) float64 { return left + (nearest(m.xs, v)+0.5)*wide }
	down := func(v float64) float64 { return top + (nearest(m.ys, v)+0.5)*tall }
	for _, d := range t.Duels {
		for _, x := range []tune.Point{d.Left, d.Right} {
			s.Add(draw.Disc{X: across(x[m.x]), Y: down(x[m.y]), R: 2.2, Fill: draw.Text, Opacity: 0.7})
		}
	}
	best := t.Standing.Best
	s.Add(draw.Disc{X: across(best[m.x]), Y: down(best[m.y]), R: 6, Stroke: draw.Text, Width: 2})
	for _, k := range []int{0, len(m.xs) / 2, len(m.xs) - 1} {
		anchor := []draw.Anchor{draw.Start, draw.Middle, draw.End}[min(2, k*2/max(1, len(m.xs)-1))]
		x := left + (float64(k)+0.5)*wide
		switch k {
		case 0:
			x = left
		case len(m.xs) - 1:
			x = left + float64(len(m.xs))*wide
		}
		s.Add(draw.Label{X: x, Y: top + height + 16, Text: w.value(px, m.xs[k], 3), Size: 11, Ink: draw.Muted, Anchor: anchor})
	}
	for _, i := range []int{0, len(m.ys) / 2, len(m.ys) - 1} {
		s.Add(draw.Label{X: left - 8, Y: top + (float64(i)+0.5)*tall + 4, Text: w.value(py, m.ys[i], 3), Size: 11, Ink: draw.Muted, Anchor: draw.End})
	}
	s.Add(draw.Label{Y: 14, Text: title + w.Say("comma") + w.span(lo, hi, 2), Size: 13, Bold: true},
		draw.Label{Y: top - 12, Text: draw.Fit(label(py.Name), s.Width, 12, false), Size: 12, Ink: draw.Muted},
		draw.Label{X: left + float64(len(m.xs))*wide/2, Y: top + height + 34, Text: draw.Fit(label(px.Name), s.Width, 12, false), Size: 12, Ink: draw.Muted, Anchor: draw.Middle})
	s.Height = top + height + 44
}

// nearest returns the place of the nearest of some values, in parts of the way to the next.
func nearest(values []float64, v float64) float64 {
	for k := 1; k < len(values); k++ {
		a, b := values[k-1], values[k]
		if share := (v - a) / (b - a); share >= 0 && share <= 1 {
			return float64(k-1) + share
		}
	}
	if math.Abs(v-values[0]) < math.Abs(v-values[len(values)-1]) {
		return 0
	}
	return float64(len(values) - 1)
}

// Path shows how good the best points after fewer duels are, as it is seen after all.
func Path(t *Tuned) *Chart {
	if len(t.path) < 2 {
		return nil
	}
	w := in(t.Language)
	c := &Chart{
		Name: "path", Title: w.Say("path"), Head: []string{w.Say("chart-duels"), w.Say("chart-best-point"), w.Say("chart-utility"), w.percent(believed)},
		Note: w.Say("tuned-path-note", t.zero()),
	}
	for _, p := range t.path {
		c.Rows = append(c.Rows, []string{strconv.Itoa(p.Duels), w.point(t.Space, p.Best), w.fixed(p.gain.Mean, 2), w.within(p.gain)})
	}
	first, last := t.path[0], t.path[len(t.path)-1]
	c.Alt = w.Say("tuned-path-alt", w.fixed(first.gain.Mean, 2), w.Count(first.Duels), w.fixed(last.gain.Mean, 2), w.Count(last.Duels))
	c.draw = func(width float64) *draw.Scene {
		s := draw.New(width)
		a := &draw.Axes{Left: 46, Right: s.Width - 12, Top: 30, Bottom: 210, X1: float64(first.Duels), X2: float64(last.Duels)}
		for _, p := range t.path {
			a.Y1, a.Y2 = min(a.Y1, p.gain.Lo), max(a.Y2, p.gain.Hi)
		}
		room := 0.05*(a.Y2-a.Y1) + 1e-6
		a.Y1, a.Y2 = a.Y1-room, a.Y2+room
		a.Grid(s, w.ticks(a.X1, a.X2, 6), w.ticks(a.Y1, a.Y2, 5))
		a.Titles(s, w.Say("chart-duels"), w.Say("chart-utility"))
		var line, upper, lower []draw.Point
		for _, p := range t.path {
			n := float64(p.Duels)
			line, upper = append(line, a.At(n, p.gain.Mean)), append(upper, a.At(n, p.gain.Hi))
			lower = append([]draw.Point{a.At(n, p.gain.Lo)}, lower...)
		}
		s.Add(draw.Path{Points: append(upper, lower...), Fill: draw.Accent, Opacity: 0.15}, draw.Path{Points: line, Stroke: draw.Accent, Width: 2})
		for _, p := range line {
			s.Add(draw.Disc{X: p.X, Y: p.Y, R: 2.5, Fill: draw.Accent})
		}
		s.Height = a.Bottom + 50
		return s
	}
	return c
}

// Importance shows the share of each parameter in how utility varies.
func Importance(t *Tuned) *Chart {
	w := in(t.Language)
	c := &Chart{
		Name: "importance", Title: w.Say("tuned-importance"), Head: []string{w.Say("chart-parameter"), w.Say("tuned-share"), w.percent(believed)},
		Note: w.Say("tuned-importance-note", w.percent(believed)),
	}
	order := t.byImportance()
	var says []string
	for _, j := range order {
		i := t.Standing.Importance[j]
		c.Rows = append(c.Rows, []string{label(t.Space.Parameters[j].Name), w.fixed(i.Mean, 2), w.within(i)})
		says = append(says, label(t.Space.Parameters[j].Name)+" "+w.Chance(i.Mean))
	}
	c.Alt = w.Say("tuned-importance-alt", strings.Join(says, w.Say("comma")))
	c.draw = func(width float64) *draw.Scene {
		s := draw.New(width)
		left := min(0.35*width, 160)
		at := func(v float64) float64 { return left + v*(width-left-50) }
		y := 6.0
		for _, j := range order {
			i := t.Standing.Importance[j]
			s.Add(draw.Label{X: left - 8, Y: y + 14, Text: draw.Fit(label(t.Space.Parameters[j].Name), left-8, 12, false), Size: 12, Anchor: draw.End},
				draw.Rect{X: left, Y: y + 3, W: max(1, at(i.Mean)-left), H: 14, Radius: 2, Fill: draw.Accent},
				draw.Line(at(i.Lo), y+10, at(i.Hi), y+10, 2, draw.Text),
				draw.Label{X: at(max(i.Mean, i.Hi)) + 6, Y: y + 14, Text: w.Chance(i.Mean), Size: 11, Ink: draw.Muted})
			y += 24
		}
		s.Height = y + 8
		return s
	}
	return c
}
