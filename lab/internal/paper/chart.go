package paper

import (
	"encoding/csv"
	"errors"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"palate/internal/aside"
	axes "palate/internal/draw"
)

// chart is curves in one picture, with their numbers in a table beside it.
type chart struct {
	name, title string
	x, y        string // what the axes show
	logX        bool
	height      float64 // the least that the y axis shows, so that chance does not look like much
	rising      bool    // from the lower left, so that the legend has room at the upper left
	curves      []*curve
}

// curve is a line through points.
type curve struct {
	name   string
	points plotter.XYs
	lo, hi []float64 // of a band around it; nil without
	cpu    []float64 // seconds that each point took; nil when not told
	dashed bool
}

func (c *chart) curve(name string) *curve {
	k := &curve{name: name}
	c.curves = append(c.curves, k)
	return k
}

func (k *curve) add(x, y float64) { k.points = append(k.points, plotter.XY{X: x, Y: y}) }

// save draws the chart into dir and writes its table.
func (c *chart) save(dir string) error {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.title, c.x, c.y
	p.Title.Padding = vg.Points(8)
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.Add(plotter.NewGrid())
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(roundTicks), plot.TickerFunc(roundTicks)
	if c.logX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, c.ticks()
	}
	for i, k := range c.curves {
		if err := k.draw(p, ink(i)); err != nil {
			return err
		}
	}
	if lack := c.height - (p.Y.Max - p.Y.Min); lack > 0 {
		p.Y.Min, p.Y.Max = p.Y.Min-lack/2, p.Y.Max+lack/2
	}
	// Room for the legend above the curves, and for points at the edges.
	height := p.Y.Max - p.Y.Min
	room := 0.07
	if c.rising {
		p.Legend.Left, room = true, 0.02
	}
	p.Y.Min, p.Y.Max = p.Y.Min-0.04*height, p.Y.Max+(0.04+room*float64(len(c.curves)))*height
	if width := p.X.Max - p.X.Min; c.logX {
		p.X.Min, p.X.Max = p.X.Min/1.1, p.X.Max*1.1
	} else {
		p.X.Min, p.X.Max = p.X.Min-0.03*width, p.X.Max+0.03*width
	}
	return errors.Join(save(p, 15, 11, filepath.Join(dir, c.name+".png")), c.table(filepath.Join(dir, c.name+".csv")))
}

// roundTicks are those of all our drawings.
func roundTicks(lo, hi float64) (ticks []plot.Tick) {
	for _, t := range axes.Ticks(lo, hi, 6) {
		ticks = append(ticks, plot.Tick{Value: t.Value, Label: t.Text})
	}
	return ticks
}

// ticks of a logarithmic axis are where points are, or at powers of ten where there are many.
func (c *chart) ticks() plot.Ticker {
	var at []float64
	for _, k := range c.curves {
		for _, q := range k.points {
			at = append(at, q.X)
		}
	}
	slices.Sort(at)
	if at = slices.Compact(at); len(at) > 10 {
		return plot.LogTicks{Prec: -1}
	}
	var ticks plot.ConstantTicks
	for _, x := range at {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', 6, 64)})
	}
	return ticks
}

func (k *curve) draw(p *plot.Plot, c color.RGBA) error {
	line, dots, err := plotter.NewLinePoints(k.points)
	if err != nil {
		return err
	}
	if k.lo != nil {
		var edge plotter.XYs
		for i, q := range k.points {
			edge = append(edge, plotter.XY{X: q.X, Y: k.lo[i]})
		}
		for i := len(k.points) - 1; i >= 0; i-- {
			edge = append(edge, plotter.XY{X: k.points[i].X, Y: k.hi[i]})
		}
		band, err := plotter.NewPolygon(edge)
		if err != nil {
			return err
		}
		faint := c
		for _, x := range []*uint8{&faint.R, &faint.G, &faint.B} { // colours are premultiplied
			*x = uint8(float64(*x) * 0.15)
		}
		faint.A = 38
		band.Color, band.LineStyle.Width = faint, 0
		p.Add(band)
	}
	line.Color, line.Width = c, vg.Points(1.2)
	dots.Color, dots.Shape, dots.Radius = c, draw.CircleGlyph{}, vg.Points(2.5)
	if k.dashed {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(4)}
		p.Add(line)
		p.Legend.Add(k.name, line)
		return nil
	}
	p.Add(line, dots)
	p.Legend.Add(k.name, line, dots)
	return nil
}

// table writes the points as curve,x,y,lo,hi,cpu_s.
func (c *chart) table(path string) error {
	f, err := aside.Create(path)
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
