package paper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"palate/active"
	"palate/internal/draw"
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
	usual := active.For(active.TopFirst()).Name
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
		c := &chart{name: name + "-" + p.what, title: about, x: pairs, y: p.y}
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

// boxes draws how much queries differ: the middle half of them as a box around the median, lines to the last within one
// and a half times its height, and those beyond as dots.
func (t *LinkTable) boxes(c *Curve, about, path string) error {
	s := draw.New(560)
	a := &draw.Axes{Left: 52, Right: s.Width - 12, Top: 30, Bottom: 330, X1: -0.5, X2: float64(len(t.Marks)) - 0.5, Y2: 1.02}
	var names []draw.Tick
	for m, pairs := range t.Marks {
		names = append(names, draw.Tick{Value: float64(m), Text: fmt.Sprint(pairs)})
	}
	a.Grid(s, names, draw.Ticks(a.Y1, a.Y2, 6))
	a.Titles(s, "pairs asked", "average precision of a query")
	for m := range t.Marks {
		x := slices.Sorted(slices.Values(c.at(m)))
		quartile := func(p float64) float64 { return stat.Quantile(p, stat.LinInterp, x, nil) }
		lo, middle, hi := quartile(0.25), quartile(0.5), quartile(0.75)
		reach := 1.5 * (hi - lo)
		first, last := middle, middle
		at, half := a.X(float64(m)), 9.0
		for _, v := range x {
			if v < lo-reach || v > hi+reach {
				s.Add(draw.Disc{X: at, Y: a.Y(v), R: 2, Fill: draw.Muted})
				continue
			}
			first, last = min(first, v), max(last, v)
		}
		s.Add(draw.Line(at, a.Y(first), at, a.Y(last), 1, draw.Text),
			draw.Rect{X: at - half, Y: a.Y(hi), W: 2 * half, H: a.Y(lo) - a.Y(hi), Fill: hue(5)},
			draw.Line(at-half, a.Y(middle), at+half, a.Y(middle), 1.5, draw.Text))
	}
	s.Height = a.Bottom + 46
	return writePNG(page(fmt.Sprintf("%s, %s: %s", c.Model, c.Policy, about), s), curveTheme(), path)
}
