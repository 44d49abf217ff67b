package paper

import (
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// Draw draws the curves of the table, and a box plot over queries for each, into a folder, which it makes if need be:
// figures 2 to 4 of LINK.
func (t *LinkTable) Draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := fmt.Sprintf("links-%s-noise%.0f", t.Data, 100*t.Noise)
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, %d queries, %.0f%% wrong answers", t.Data, t.Queries, 100*t.Noise)
	p.X.Label.Text, p.Y.Label.Text = "pairs asked", "mean average precision"
	p.Legend.Top, p.Legend.Left = true, true
	for k, c := range t.Curves {
		var points plotter.XYs
		for m, pairs := range t.Marks {
			points = append(points, plotter.XY{X: float64(pairs), Y: t.mean(c, m)})
		}
		line, err := plotter.NewLine(points)
		if err != nil {
			return err
		}
		line.Color, line.Width = ink(k), vg.Points(1.2)
		if k >= 7 { // the inks come round
			line.Dashes = []vg.Length{vg.Points(4), vg.Points(2 * float64(k/7))}
		}
		p.Add(line)
		p.Legend.Add(c.Model+", "+c.Policy, line)
	}
	if err := p.Save(18*vg.Centimeter, 13*vg.Centimeter, filepath.Join(dir, name+".png")); err != nil {
		return err
	}
	for _, c := range t.Curves {
		p := plot.New()
		p.Title.Text = fmt.Sprintf("%s: %s, %s", t.Data, c.Model, c.Policy)
		p.X.Label.Text, p.Y.Label.Text = "pairs asked", "average precision of a query"
		p.Y.Min, p.Y.Max = 0, 1
		var names []string
		for m, pairs := range t.Marks {
			box, err := plotter.NewBoxPlot(vg.Points(18), float64(m), plotter.Values(c.at(m)))
			if err != nil {
				return err
			}
			p.Add(box)
			names = append(names, fmt.Sprint(pairs))
		}
		p.NominalX(names...)
		file := fmt.Sprintf("%s-%s-%s-box.png", name, c.Model, c.Policy)
		if err := p.Save(12*vg.Centimeter, 9*vg.Centimeter, filepath.Join(dir, file)); err != nil {
			return err
		}
	}
	return nil
}
