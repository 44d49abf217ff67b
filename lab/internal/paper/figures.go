package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"palate/internal/draw"
)

// Draw draws the table's figures into a folder, which it makes if need be: reliability curves, and losses beside the
// published ones.
func (t *Table) Draw(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	name := strings.ReplaceAll(t.Name(), "/", "-")
	if err := t.reliability().picture(filepath.Join(dir, name+"-reliability.png")); err != nil {
		return err
	}
	return writePNG(page(t.Name()+", "+t.howMany(), t.losses()), curveTheme(), filepath.Join(dir, name+"-loss.png"))
}

// reliability shows what came about against what was predicted, a curve a row. A bin with little in it is left out.
func (t *Table) reliability() *chart {
	c := &chart{title: t.Name() + ", " + t.howMany(), x: "predicted probability", y: "share that came about", shares: true}
	for _, r := range t.Rows {
		k := c.curve(fmt.Sprintf("%s (ECE %.3f)", r.Model, r.Mean[ECE]))
		bins := r.Reliability()
		var total float64
		for _, b := range bins {
			total += b.Weight
		}
		for _, b := range bins {
			if b.Weight > 0.002*total {
				k.add(b.Predicted, b.Observed)
			}
		}
	}
	return c
}

// loss is a row of a picture of losses, between two standard errors either side.
type loss struct {
	name      string
	x, se     float64
	published bool
}

// losses shows our losses with two standard errors either side, and the published ones below.
func (t *Table) losses() *draw.Scene {
	var rows []loss
	for _, r := range t.Rows {
		if x := r.Mean[t.Loss]; !math.IsInf(x, 0) {
			se := r.SE[t.Loss]
			if math.IsNaN(se) {
				se = 0
			}
			rows = append(rows, loss{name: r.Model, x: x, se: se})
		}
	}
	for _, f := range t.Printed {
		name := f.Paper + ": " + f.Method
		if f.Setting != "" {
			name += ", " + f.Setting
		}
		if x := f.figures()[t.Loss]; !math.IsNaN(x) {
			rows = append(rows, loss{name: name, x: x, published: true})
		}
	}
	const tall = 22
	s := draw.New(600)
	a := &draw.Axes{Right: s.Width - 12, Bottom: tall * float64(len(rows)), X1: math.Inf(1), X2: math.Inf(-1), Y2: 1}
	for _, r := range rows {
		a.Left = max(a.Left, min(draw.TextWidth(r.name, 11, false)+12, 280))
		a.X1, a.X2 = min(a.X1, r.x-2*r.se), max(a.X2, r.x+2*r.se)
	}
	room := max(0.04*(a.X2-a.X1), 1e-6)
	a.X1, a.X2 = a.X1-room, a.X2+room
	a.Grid(s, draw.Ticks(a.X1, a.X2, 6), nil)
	say(s, (a.Left+a.Right)/2, a.Bottom+36, map[Measure]string{CE: "cross-entropy of a test vote, nats", Bits: "loss of a test vote, bits"}[t.Loss], draw.Middle)
	for k, r := range rows {
		y := tall * (float64(k) + 0.5)
		say(s, a.Left-8, y+4, draw.Fit(r.name, a.Left-12, 11, false), draw.End)
		if r.published {
			s.Add(draw.Disc{X: a.X(r.x), Y: y, R: 3.5, Fill: draw.Paper, Stroke: draw.Muted, Width: 1.5})
			continue
		}
		s.Add(draw.Line(a.X(r.x-2*r.se), y, a.X(r.x+2*r.se), y, 1.5, hue(0)), draw.Disc{X: a.X(r.x), Y: y, R: 3.5, Fill: hue(0)})
	}
	s.Height = a.Bottom + 46
	return s
}
