package paper

import (
	"encoding/csv"
	"errors"
	"path/filepath"
	"strconv"

	"palate/internal/atomicfile"
	"palate/internal/draw"
)

// heat is a table of numbers drawn as colours, one colour below zero and another above, a row at a time from the top.
type heat struct {
	name, title string
	rows        []string
	groups      []string // of columns, side by side
	sizes       []int    // columns of each group
	columns     []string // identifiers
	cells       [][]float64
}

// save draws the table into dir, every row scaled to its largest number, and writes the numbers themselves.
func (h *heat) save(dir string) error {
	const left, cell, tall = 70, 2, 40
	s := draw.New(left + cell*float64(len(h.columns)))
	inks := make([][]draw.Ink, len(h.rows))
	for r, row := range h.cells {
		top := 1e-300
		for _, x := range row {
			top = max(top, x, -x)
		}
		for _, x := range row {
			inks[r] = append(inks[r], draw.Level(0.5+0.5*x/top))
		}
		say(s, left-8, tall*(float64(r)+0.5)+4, h.rows[r], draw.End)
	}
	s.Add(draw.Cells{X: left, W: cell, H: tall, Inks: inks})
	s.Height = tall * float64(len(h.rows))
	at := float64(left)
	for k, n := range h.sizes {
		wide := cell * float64(n)
		say(s, at+wide/2, s.Height+16, h.groups[k], draw.Middle)
		at += wide
		s.Add(draw.Line(at, 0, at, s.Height, 1, draw.Text))
	}
	s.Height += 24
	return errors.Join(writePNG(page(h.title, s), draw.Light(), filepath.Join(dir, h.name+".png")), h.table(filepath.Join(dir, h.name+".csv")))
}

func (h *heat) table(path string) error {
	f, err := atomicfile.Create(path)
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
