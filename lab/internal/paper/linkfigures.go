package paper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"palate/active"
)

// Draw draws the table into a folder, which it makes if need be: figures 2 to 4 of LINK, as far as the table has them.
// Pictures of curves have their numbers in a table beside them.
func (t *LinkTable) Draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := fmt.Sprintf("links-%s-noise%.0f", t.Data, 100*t.Noise)
	about := fmt.Sprintf("%s, %d queries, %.0f%% wrong answers", t.Data, t.Queries, 100*t.Noise)
	precision := func(c *Curve) (x, half []float64) {
		for m := range t.Marks {
			mean, se := meanSE(c.at(m))
			x, half = append(x, mean), append(half, se)
		}
		return x, half
	}
	seconds := func(c *Curve) (x, half []float64) { return c.Seconds, nil }
	const ap, pairs = "mean average precision", "pairs asked"
	usual := active.Default().Name
	for _, p := range []struct {
		what, y string
		of      func(c *Curve) bool
		value   func(c *Curve) (x, half []float64)
	}{
		{"models", ap, func(c *Curve) bool { return c.Policy == usual && c.Model != "linked-full" && c.Model != "linked-adf" }, precision},
		{"policies", ap, func(c *Curve) bool { return c.Model == t.Curves[0].Model }, precision},
		{"policies-glicko", ap, func(c *Curve) bool { return c.Model == "glicko" }, precision},
		{"full", ap, func(c *Curve) bool { return c.Policy == usual && full(c.Model) }, precision},
		{"time", "seconds", func(c *Curve) bool { return c.Policy == usual && (full(c.Model) || c.Model == "glicko") }, seconds},
	} {
		c := &chart{name: name + "-" + p.what, title: about, x: pairs, y: p.y, rising: true}
		curves := slices.DeleteFunc(slices.Clone(t.Curves), func(k *Curve) bool { return !p.of(k) })
		for i, k := range curves {
			line := c.curve(k.Model + ", " + k.Policy)
			line.dashed = i >= 7 // the inks come round
			x, half := p.value(k)
			for m, n := range t.Marks {
				line.add(float64(n), x[m])
				if half != nil && len(k.AP) > 1 && len(curves) < 5 { // more bands cannot be told apart
					line.lo, line.hi = append(line.lo, x[m]-half[m]), append(line.hi, x[m]+half[m])
				}
			}
		}
		if len(c.curves) > 1 {
			if err := c.save(dir); err != nil {
				return err
			}
		}
	}
	var errs []error
	for _, c := range t.Curves {
		if slices.Contains([]string{usual, "lelpair", "random"}, c.Policy) && slices.Contains([]string{"linked", "glicko", "features"}, c.Model) {
			errs = append(errs, t.boxes(c, about, filepath.Join(dir, fmt.Sprintf("%s-%s-%s-box.png", name, c.Model, c.Policy))))
		}
	}
	return errors.Join(errs...)
}

// full reports whether a model is the linked one, at whatever accuracy.
func full(model string) bool {
	return slices.Contains([]string{"linked", "linked-adf", "linked-full"}, model)
}

// boxes draws how much queries differ.
func (t *LinkTable) boxes(c *Curve, about, path string) error {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("%s, %s: %s", c.Model, c.Policy, about)
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text, p.Y.Label.Text = "pairs asked", "average precision of a query"
	var names []string
	for m, pairs := range t.Marks {
		box, err := plotter.NewBoxPlot(vg.Points(18), float64(m), plotter.Values(c.at(m)))
		if err != nil {
			return err
		}
		box.FillColor = ink(5)
		p.Add(box)
		names = append(names, fmt.Sprint(pairs))
	}
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.5, float64(len(names))-0.5
	p.Y.Min, p.Y.Max = 0, 1.02
	return save(p, 15, 10, path)
}
