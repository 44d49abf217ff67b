package paper

import (
	"fmt"
	"image/color"
	"math"
	"os"
	"palate/internal/aside"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Draw draws the table's figures into a folder, which it makes if need be: reliability curves, and losses beside the
// published ones.
func (t *Table) Draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := strings.ReplaceAll(t.Name(), "/", "-")
	curves, err := t.drawReliability()
	if err != nil {
		return err
	}
	if err := save(curves, 13, 12, filepath.Join(dir, name+"-reliability.png")); err != nil {
		return err
	}
	losses, err := t.drawLosses()
	if err != nil {
		return err
	}
	lines := len(t.Rows) + len(t.Printed)
	return save(losses, 16, 3+0.6*float64(lines), filepath.Join(dir, name+"-loss.png"))
}

// save writes a plot, sizes in centimetres, with a margin around it so that no label is cut.
func save(p *plot.Plot, width, height float64, path string) error {
	c := vgimg.New(vg.Length(width)*vg.Centimeter, vg.Length(height)*vg.Centimeter)
	const margin = 8
	p.Draw(draw.Crop(draw.New(c), margin, -margin, margin, -margin))
	return writePNG(c, path)
}

func writePNG(c *vgimg.Canvas, path string) error {
	f, err := aside.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(f); err != nil {
		return err
	}
	return f.Commit()
}

// drawReliability draws what came about against what was predicted, a curve a row. A bin with little in it is left out.
func (t *Table) drawReliability() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Padding = vg.Points(8)
	p.Title.Text = t.Name() + ", " + t.howMany()
	p.X.Label.Text, p.Y.Label.Text = "predicted probability", "share that came about"
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	diagonal, err := plotter.NewLine(plotter.XYs{{X: 0, Y: 0}, {X: 1, Y: 1}})
	if err != nil {
		return nil, err
	}
	diagonal.Color = color.Gray{180}
	p.Add(diagonal)
	for k, r := range t.Rows {
		var points plotter.XYs
		curve := r.Reliability()
		var total float64
		for _, b := range curve {
			total += b.Weight
		}
		for _, b := range curve {
			if b.Weight > 0.002*total {
				points = append(points, plotter.XY{X: b.Predicted, Y: b.Observed})
			}
		}
		line, dots, err := plotter.NewLinePoints(points)
		if err != nil {
			return nil, err
		}
		line.Color, dots.Color, dots.Shape, dots.Radius = ink(k), ink(k), draw.CircleGlyph{}, vg.Points(2.5)
		line.Width = vg.Points(1.2)
		p.Add(line, dots)
		p.Legend.Add(fmt.Sprintf("%s (ECE %.3f)", r.Model, r.Mean[ECE]), line, dots)
	}
	return p, nil
}

// drawLosses draws our losses with two standard errors either side, and the published ones below.
func (t *Table) drawLosses() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Padding = vg.Points(8)
	p.Title.Text = t.Name() + ", " + t.howMany()
	p.X.Label.Text = map[Measure]string{CE: "cross-entropy of a test vote, nats", Bits: "loss of a test vote, bits"}[t.Loss]
	var names []string
	var ours spread
	var theirs plotter.XYs
	for k := len(t.Printed) - 1; k >= 0; k-- { // the first on top
		f := t.Printed[k]
		x := f.figures()[t.Loss]
		if math.IsNaN(x) {
			continue
		}
		name := f.Paper + ": " + f.Method
		if f.Setting != "" {
			name += ", " + f.Setting
		}
		theirs = append(theirs, plotter.XY{X: x, Y: float64(len(names))})
		names = append(names, name)
	}
	for k := len(t.Rows) - 1; k >= 0; k-- {
		r := t.Rows[k]
		if x := r.Mean[t.Loss]; !math.IsInf(x, 0) {
			ours.XYs = append(ours.XYs, plotter.XY{X: x, Y: float64(len(names))})
			se := r.SE[t.Loss]
			if math.IsNaN(se) {
				se = 0
			}
			ours.XErrors = append(ours.XErrors, struct{ Low, High float64 }{2 * se, 2 * se})
			names = append(names, r.Model)
		}
	}
	p.NominalY(names...)
	p.Y.Min, p.Y.Max = -0.5, float64(len(names))-0.5
	p.Y.Padding = vg.Points(8)
	p.Add(plotter.NewGrid())
	if len(theirs) > 0 {
		dots, err := plotter.NewScatter(theirs)
		if err != nil {
			return nil, err
		}
		dots.Shape, dots.Color, dots.Radius = draw.RingGlyph{}, color.Gray{90}, vg.Points(3)
		p.Add(dots)
	}
	if len(ours.XYs) > 0 {
		dots, err := plotter.NewScatter(ours.XYs)
		if err != nil {
			return nil, err
		}
		bars, err := plotter.NewXErrorBars(ours)
		if err != nil {
			return nil, err
		}
		dots.Shape, dots.Color, dots.Radius = draw.CircleGlyph{}, ink(0), vg.Points(3)
		bars.Color = ink(0)
		p.Add(bars, dots)
	}
	margin := 0.04 * (p.X.Max - p.X.Min)
	p.X.Min, p.X.Max = p.X.Min-margin, p.X.Max+margin
	return p, nil
}

// spread is points with errors.
type spread struct {
	plotter.XYs
	plotter.XErrors
}

// ink is a palette told apart by colour-blind readers too (Okabe and Ito 2008).
func ink(k int) color.RGBA {
	inks := []color.RGBA{{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {230, 159, 0, 255}, {86, 180, 233, 255}, {0, 0, 0, 255}}
	return inks[k%len(inks)]
}
