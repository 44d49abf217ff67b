package paper

import (
	"encoding/csv"
	"errors"
	"image/color"
	"palate/internal/aside"
	"path/filepath"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// heat is a table of numbers drawn as colours, blue below zero and red above, a row at a time from the top.
type heat struct {
	name, title string
	rows        []string
	groups      []string // of columns, side by side
	sizes       []int    // columns of each group
	columns     []string // identifiers
	cells       [][]float64
}

// Dims, Z, X and Y let it be drawn.
func (h *heat) Dims() (c, r int)   { return len(h.columns), len(h.rows) }
func (h *heat) Z(c, r int) float64 { return h.cells[len(h.rows)-1-r][c] }
func (h *heat) X(c int) float64    { return float64(c) }
func (h *heat) Y(r int) float64    { return float64(r) }

// save draws the table into dir, every row scaled to its largest number, and writes the numbers themselves.
func (h *heat) save(dir string) error {
	scaled := *h
	scaled.cells = nil
	for _, row := range h.cells {
		top := 0.0
		for _, x := range row {
			top = max(top, x, -x)
		}
		line := make([]float64, len(row))
		for k, x := range row {
			line[k] = x / max(top, 1e-300)
		}
		scaled.cells = append(scaled.cells, line)
	}
	colours := moreland.SmoothBlueRed()
	colours.SetMin(-1)
	colours.SetMax(1)
	p := plot.New()
	p.Title.Text = h.title
	p.Title.Padding = vg.Points(8)
	m := plotter.NewHeatMap(&scaled, colours.Palette(255))
	m.Min, m.Max = -1, 1
	p.Add(m)
	names := make([]string, len(h.rows))
	for k, name := range h.rows {
		names[len(names)-1-k] = name
	}
	p.NominalY(names...)
	var ticks []plot.Tick
	from := 0
	for k, n := range h.sizes {
		ticks = append(ticks, plot.Tick{Value: float64(from) + float64(n)/2, Label: h.groups[k]})
		from += n
		edge, err := plotter.NewLine(plotter.XYs{{X: float64(from) - 0.5, Y: -0.5}, {X: float64(from) - 0.5, Y: float64(len(h.rows)) - 0.5}})
		if err != nil {
			return err
		}
		edge.Color = color.Black
		p.Add(edge)
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.X.Tick.Length = 0
	return errors.Join(save(p, 20, 8, filepath.Join(dir, h.name+".png")), h.table(filepath.Join(dir, h.name+".csv")))
}

func (h *heat) table(path string) error {
	f, err := aside.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	w := csv.NewWriter(f)
	w.Write(append([]string{"item", "group"}, h.rows...))
	c := 0
	for g, n := range h.sizes {
		for range n {
			line := []string{h.columns[c], h.groups[g]}
			for r := range h.rows {
				line = append(line, strconv.FormatFloat(h.cells[r][c], 'g', 6, 64))
			}
			w.Write(line)
			c++
		}
	}
	w.Flush()
	if err := w.Error(); err != nil {
		return err
	}
	return f.Commit()
}
