package paper

import (
	"encoding/csv"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"palate/internal/atomicfile"
	"palate/internal/draw"
)

// chart is curves in one picture, with their numbers in a table beside it.
type chart struct {
	name, title string
	x, y        string // what the axes show
	logX        bool
	shares      bool    // both axes go from 0 to 1, and the diagonal is drawn
	height      float64 // the least that the y axis shows, so that chance does not look like much
	curves      []*curve
}

// curve is a line through points.
type curve struct {
	name   string
	points []draw.Point
	lo, hi []float64 // of a band around it; nil without
	cpu    []float64 // seconds that each point took; nil when not told
	dashed bool
}

func (c *chart) curve(name string) *curve {
	k := &curve{name: name}
	c.curves = append(c.curves, k)
	return k
}

func (k *curve) add(x, y float64) { k.points = append(k.points, draw.Point{X: x, Y: y}) }

// save draws the chart into dir and writes its table.
func (c *chart) save(dir string) error {
	return errors.Join(c.picture(filepath.Join(dir, c.name+".png")), c.table(filepath.Join(dir, c.name+".csv")))
}

// picture draws the chart.
func (c *chart) picture(path string) error {
	s := draw.New(560)
	a := &draw.Axes{Left: 52, Right: s.Width - 12, Top: c.legend(s) + 32, LogX: c.logX}
	a.Bottom = a.Top + 340
	c.fitAxes(a)
	xs := draw.Ticks(a.X1, a.X2, 6)
	if c.logX {
		xs = c.ticks(a)
	}
	a.Grid(s, xs, draw.Ticks(a.Y1, a.Y2, 6))
	a.Titles(s, c.x, c.y)
	if c.shares {
		s.Add(draw.Line(a.X(0), a.Y(0), a.X(1), a.Y(1), 1, draw.Quiet))
	}
	for i, k := range c.curves {
		k.draw(s, a, hue(i))
	}
	s.Height = a.Bottom + 46
	return writePNG(page(c.title, s), curveTheme(), path)
}

// legend names the curves, side by side in as many lines as it takes, and returns how
// much room they took.
func (c *chart) legend(s *draw.Scene) float64 {
	x, y := 0.0, 10.0
	for i, k := range c.curves {
		wide := 26 + draw.TextWidth(k.name, 11.5, false)
		if x > 0 && x+wide > s.Width {
			x, y = 0, y+17
		}
		sample := &curve{points: []draw.Point{{X: 0, Y: 0}, {X: 1, Y: 0}}, dashed: k.dashed}
		sample.draw(s, &draw.Axes{Left: x, Right: x + 18, Top: y - 5, Bottom: y - 3, X2: 1, Y1: -1, Y2: 1}, hue(i))
		s.Add(draw.Label{X: x + 24, Y: y, Text: k.name, Size: 11.5})
		x += wide + 14
	}
	return y
}

// fitAxes sets the numbers at the edges, with room for points there.
func (c *chart) fitAxes(a *draw.Axes) {
	if c.shares {
		a.X2, a.Y2 = 1, 1
		return
	}
	a.X1, a.X2, a.Y1, a.Y2 = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	see := func(y float64) {
		if !math.IsNaN(y) && !math.IsInf(y, 0) {
			a.Y1, a.Y2 = min(a.Y1, y), max(a.Y2, y)
		}
	}
	for _, k := range c.curves {
		for i, q := range k.points {
			a.X1, a.X2 = min(a.X1, q.X), max(a.X2, q.X)
			see(q.Y)
			if k.lo != nil {
				see(k.lo[i])
				see(k.hi[i])
			}
		}
	}
	if lack := max(c.height, 1e-9*math.Abs(a.Y1), 1e-12) - (a.Y2 - a.Y1); lack > 0 {
		a.Y1, a.Y2 = a.Y1-lack/2, a.Y2+lack/2
	}
	height := a.Y2 - a.Y1
	a.Y1, a.Y2 = a.Y1-0.04*height, a.Y2+0.04*height
	if c.logX {
		a.X1, a.X2 = a.X1/1.1, a.X2*1.1
		return
	}
	width := max(a.X2-a.X1, 1e-12)
	a.X1, a.X2 = a.X1-0.03*width, a.X2+0.03*width
}

// ticks of a logarithmic axis are where points are, or at powers of ten where there are
// many; those that would run into each other are left out.
func (c *chart) ticks(a *draw.Axes) (ticks []draw.Tick) {
	var at []float64
	for _, k := range c.curves {
		for _, q := range k.points {
			at = append(at, q.X)
		}
	}
	slices.Sort(at)
	if at = slices.Compact(at); len(at) > 10 {
		first, last := at[0], at[len(at)-1]
		at = nil
		for x := math.Pow(10, math.Ceil(math.Log10(first))); x <= last; x *= 10 {
			at = append(at, x)
		}
	}
	end := math.Inf(-1)
	for _, x := range at {
		t := draw.Tick{Value: x, Text: strconv.FormatFloat(x, 'g', 6, 64)}
		if half := draw.TextWidth(t.Text, 11, false) / 2; a.X(x)-half > end+6 {
			ticks, end = append(ticks, t), a.X(x)+half
		}
	}
	return ticks
}

// draw draws the curve within axes.
func (k *curve) draw(s *draw.Scene, a *draw.Axes, ink draw.Ink) {
	var line, upper, lower []draw.Point
	for i, q := range k.points {
		if math.IsNaN(q.Y) || math.IsInf(q.Y, 0) {
			continue
		}
		line = append(line, a.At(q.X, q.Y))
		if k.lo != nil && !math.IsNaN(k.lo[i]) && !math.IsNaN(k.hi[i]) {
			upper, lower = append(upper, a.At(q.X, k.hi[i])), append(lower, a.At(q.X, k.lo[i]))
		}
	}
	if len(upper) > 1 {
		slices.Reverse(lower)
		s.Add(draw.Path{Points: append(upper, lower...), Fill: ink, Opacity: 0.15})
	}
	s.Add(draw.Path{Points: line, Stroke: ink, Width: 1.6, Dashed: k.dashed})
	if k.dashed {
		return
	}
	for _, p := range line {
		s.Add(draw.Disc{X: p.X, Y: p.Y, R: 3, Fill: ink})
	}
}

// table writes the points as curve,x,y,lo,hi,cpu_s.
func (c *chart) table(path string) error {
	f, err := atomicfile.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	w := csv.NewWriter(f)
	cell := func(x []float64, i int) string {
		if x == nil || math.IsNaN(x[i]) {
			return ""
		}
		return strconv.FormatFloat(x[i], 'g', 6, 64)
	}
	w.Write([]string{"curve", c.x, c.y, "lo", "hi", "cpu_s"})
	for _, k := range c.curves {
		for i, q := range k.points {
			w.Write([]string{k.name, strconv.FormatFloat(q.X, 'g', 6, 64), strconv.FormatFloat(q.Y, 'g', 6, 64), cell(k.lo, i), cell(k.hi, i), cell(k.cpu, i)})
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return f.Commit()
}
