package paper

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"palate"
	"palate/active"
	"palate/internal/draw"
	"palate/internal/num"
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
	prior := utilities(m, "before any answer, with three draws", 3)
	before := square("covariance before", names, covariances(m))
	if err := m.Observe(palate.Vote{User: -1, Left: 1, Right: 4, Weight: 1}); err != nil {
		return err
	}
	after := utilities(m, "after b beat e", 0)
	then := square("covariance after", names, covariances(m))
	loss := square("expected loss, by LINK (29)", names, losses(m))
	if err := m.Observe(palate.Vote{User: -1, Left: 1, Right: 5, Weight: 1}); err != nil {
		return err
	}
	last := utilities(m, "after b beat f as well", 0)
	s := draw.New(3 * tile)
	for k, panel := range []*draw.Scene{prior, after, loss, before, then, last} {
		s.Put(panel, float64(k%3)*tile, float64(k/3)*tile)
	}
	s.Height = 2 * tile
	return writePNG(page("LINK figure 1", s), curveTheme(), filepath.Join(dir, "links-figure1.png"))
}

// tile is the size of one of the pictures of figure 1.
const tile = 300

// utilities draws means with 95% bands, and some joint draws.
func utilities(m *model.Linked, title string, draws int) *draw.Scene {
	s := draw.New(tile)
	n := m.NumItems()
	a := &draw.Axes{Left: 40, Right: tile - 20, Top: 40, Bottom: tile - 50, X1: -0.3, X2: float64(n) - 0.7, Y1: -3.6, Y2: 3.6}
	c := &curve{}
	var names []draw.Tick
	for i := range n {
		mean, v := m.Utility(-1, i)
		c.add(float64(i), mean)
		c.lo, c.hi = append(c.lo, mean-1.96*math.Sqrt(v)), append(c.hi, mean+1.96*math.Sqrt(v))
		names = append(names, draw.Tick{Value: float64(i), Text: m.ItemID(i)})
	}
	a.Grid(s, names, draw.Ticks(a.Y1, a.Y2, 6))
	a.Titles(s, title, "utility")
	c.draw(s, a, hue(0))
	if draws > 0 {
		drawn, err := m.Draws(context.Background(), -1, draws, rand.New(rand.NewPCG(1, 1)))
		if err != nil {
			panic(err) // the context does not end
		}
		for k := range draws {
			d := &curve{dashed: true}
			for i := range n {
				d.add(float64(i), drawn.F.At(k, i))
			}
			d.draw(s, a, hue(k+1))
		}
	}
	return s
}

func covariances(m *model.Linked) [][]float64 {
	all := num.Indices(m.NumItems())
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

// square draws a matrix, the fainter the smaller a number.
func square(title string, names []string, cells [][]float64) *draw.Scene {
	const left, top = 40, 40
	s := draw.New(tile)
	size := float64(tile-left-20-50) / float64(len(names))
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, row := range cells {
		for _, x := range row {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	for i, row := range cells {
		for j, x := range row {
			s.Add(draw.Rect{X: left + float64(j)*size, Y: top + float64(i)*size, W: size - 1, H: size - 1, Fill: hue(0), Opacity: 0.05 + 0.95*(x-lo)/max(hi-lo, 1e-300)})
		}
		middle := (float64(i) + 0.5) * size
		say(s, left-8, top+middle+4, names[i], draw.End)
		say(s, left+middle, top+size*float64(len(names))+17, names[i], draw.Middle)
	}
	s.Add(draw.Label{X: left, Y: top - 12, Text: title, Size: 12, Ink: draw.Muted})
	return s
}
