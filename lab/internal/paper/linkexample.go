package paper

import (
	"fmt"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"palate"
	"palate/active"
	"palate/kernel"
	"palate/model"
)

// DrawLinkExample draws figure 1 of LINK into a folder: six papers a to f, of which a and b, and d and e, share an
// author; what is known of them before, after the answer b over e, and after b over f, which the loss asks for next.
func DrawLinkExample(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	names := []string{"a", "b", "c", "d", "e", "f"}
	g, err := kernel.NewGraph(len(names), []kernel.Edge{{From: 0, To: 1, Weight: 1}, {From: 3, To: 4, Weight: 1}})
	if err != nil {
		return err
	}
	m, err := model.NewLinked(names, kernel.NewLinks(g, kernel.Laplacian, 1, math.Sqrt2), kernel.Indexed(len(names)), nil)
	if err != nil {
		return err
	}
	prior, err := utilities(m, "before any answer, with three draws", 3)
	if err != nil {
		return err
	}
	before := square("covariance before", names, covariances(m))
	if err := m.Observe(palate.Vote{User: -1, Left: 1, Right: 4, Weight: 1}); err != nil {
		return err
	}
	after, err := utilities(m, "after b beat e", 0)
	if err != nil {
		return err
	}
	then := square("covariance after", names, covariances(m))
	loss := square("expected loss, by LINK (29)", names, losses(m))
	if err := m.Observe(palate.Vote{User: -1, Left: 1, Right: 5, Weight: 1}); err != nil {
		return err
	}
	last, err := utilities(m, "after b beat f as well", 0)
	if err != nil {
		return err
	}
	return tiles([][]*plot.Plot{{prior, after, loss}, {before, then, last}}, 26, 16, filepath.Join(dir, "links-figure1.png"))
}

// utilities draws means with 95% bands, and some joint draws.
func utilities(m *model.Linked, title string, draws int) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.Y.Label.Text = title, "utility"
	c := &curve{name: "mean"}
	var names []string
	for i := range m.NumItems() {
		mean, v := m.Utility(-1, i)
		c.add(float64(i), mean)
		c.lo, c.hi = append(c.lo, mean-1.96*math.Sqrt(v)), append(c.hi, mean+1.96*math.Sqrt(v))
		names = append(names, m.ItemID(i))
	}
	if err := c.draw(p, ink(0)); err != nil {
		return nil, err
	}
	if draws > 0 {
		f := m.Draws(-1, draws, rand.New(rand.NewPCG(1, 1))).F
		for k := range draws {
			d := &curve{name: fmt.Sprint("draw ", k+1), dashed: true}
			for i := range names {
				d.add(float64(i), f.At(k, i))
			}
			if err := d.draw(p, ink(k+1)); err != nil {
				return nil, err
			}
		}
	}
	p.Legend = plot.NewLegend()
	p.NominalX(names...)
	p.X.Min, p.X.Max = -0.3, float64(len(names))-0.7
	p.Y.Min, p.Y.Max = -3, 3
	return p, nil
}

func covariances(m *model.Linked) [][]float64 {
	all := make([]int, m.NumItems())
	for i := range all {
		all[i] = i
	}
	out := make([][]float64, len(all))
	for i := range all {
		out[i] = make([]float64, len(all))
		m.CovarianceTo(out[i], -1, i, all)
	}
	return out
}

// losses are those of LINK (29), by pair: (28) times e^−rank of the better one. Nothing is lost between an item and
// itself.
func losses(m *model.Linked) [][]float64 {
	c := covariances(m)
	mean := make([]float64, len(c))
	for i := range mean {
		mean[i], _ = m.Utility(-1, i)
	}
	rank := make([]int, len(c))
	for r, i := range bestFirst(mean) {
		rank[i] = r
	}
	out := make([][]float64, len(c))
	for i := range c {
		out[i] = make([]float64, len(c))
		for j := range c {
			if i != j {
				out[i][j] = math.Exp(active.LogLoss(mean[i]-mean[j], c[i][i]+c[j][j]-2*c[i][j]) - float64(min(rank[i], rank[j])))
			}
		}
	}
	return out
}

// tableau is a matrix, its first row at the top.
type tableau [][]float64

func (t tableau) Dims() (c, r int)   { return len(t[0]), len(t) }
func (t tableau) Z(c, r int) float64 { return t[len(t)-1-r][c] }
func (t tableau) X(c int) float64    { return float64(c) }
func (t tableau) Y(r int) float64    { return float64(r) }

// square draws a matrix, dark where it is small.
func square(title string, names []string, cells [][]float64) *plot.Plot {
	p := plot.New()
	p.Title.Text = title
	colours := moreland.BlackBody()
	colours.SetMin(0)
	colours.SetMax(1)
	h := plotter.NewHeatMap(tableau(cells), colours.Palette(255))
	p.Add(h)
	p.NominalX(names...)
	reversed := make([]string, len(names))
	for i, name := range names {
		reversed[len(names)-1-i] = name
	}
	p.NominalY(reversed...)
	return p
}

// tiles writes plots in rows and columns, sizes in centimetres.
func tiles(plots [][]*plot.Plot, width, height float64, path string) error {
	c := vgimg.New(vg.Length(width)*vg.Centimeter, vg.Length(height)*vg.Centimeter)
	dc := draw.New(c)
	dc.SetColor(color.White)
	dc.Fill(dc.Rectangle.Path())
	at := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: vg.Points(12), PadY: vg.Points(12), PadTop: vg.Points(8), PadBottom: vg.Points(8), PadLeft: vg.Points(8), PadRight: vg.Points(8)}
	for r, row := range plot.Align(plots, at, dc) {
		for k := range row {
			plots[r][k].Draw(row[k])
		}
	}
	return writePNG(c, path)
}
