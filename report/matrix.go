package report

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"palate/internal/draw"
	"palate/model"
)

// matrixMost is the number of items that a matrix shows.
const matrixMost = 100

// Matrix shows the probability that one item is picked over another, for every
// pair of the board's items, by user or, if negative, by somebody nothing is
// known of. It fails only when ctx ends.
func Matrix(ctx context.Context, p model.Predictor, user int, b *model.Board) (*Chart, error) {
	c := &Chart{
		Name: "matrix", Title: "Who would win",
		Note: "The chance that the item of the row is picked over the item of the column, ties apart, in percent. Columns are numbered like the rows.",
	}
	var rows []model.BoardRow
	var group []int
	total := 0
	for k, g := range b.Groups {
		total += len(g.Rows)
		for _, r := range g.Rows {
			if ranked(g) && len(rows) < matrixMost {
				rows, group = append(rows, r), append(group, k)
			}
		}
	}
	if total > len(rows) {
		c.Note += fmt.Sprintf(" %d more items are not shown.", total-len(rows))
	}
	wins := make([][]float64, len(rows)) // −1: not comparable
	for i := range rows {
		wins[i] = make([]float64, len(rows))
	}
	surest, a, z := 0.0, 0, 0
	for i := range rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		wins[i][i] = -1
		for j := range i {
			wins[i][j], wins[j][i] = -1, -1
			if group[i] == group[j] {
				x := p.Prefer(user, rows[j].Item, rows[i].Item)
				wins[j][i], wins[i][j] = x, 1-x
				if max(x, 1-x) > surest {
					surest, a, z = max(x, 1-x), j, i
					if x < 0.5 {
						a, z = i, j
					}
				}
			}
		}
	}
	c.Head = []string{"item"}
	for i, r := range rows {
		c.Head = append(c.Head, strconv.Itoa(i+1))
		line := []string{fmt.Sprintf("%d %s", i+1, label(r.ID))}
		for _, x := range wins[i] {
			if x < 0 {
				line = append(line, "")
			} else {
				line = append(line, fixed(100*x, 0))
			}
		}
		c.Rows = append(c.Rows, line)
	}
	c.Alt = "Nothing to compare"
	if len(rows) > 1 {
		c.Alt = fmt.Sprintf("Heat map of the chance that one of %d items beats another. The surest: %s over %s, %s", len(rows), label(rows[a].ID), label(rows[z].ID), chance(surest))
	}
	c.draw = func(width float64) *draw.Scene { return drawMatrix(rows, wins, width) }
	return c, nil
}

func drawMatrix(rows []model.BoardRow, wins [][]float64, width float64) *draw.Scene {
	s := draw.New(width)
	h := heatLayout{names: make([]string, len(rows)), columns: len(rows), most: 60, numbered: true}
	for i, r := range rows {
		h.names[i] = label(r.ID)
	}
	h.fit(width)
	inks := make([][]draw.Ink, len(rows))
	for i := range wins {
		inks[i] = make([]draw.Ink, len(rows))
		for j, x := range wins[i] {
			if x >= 0 {
				inks[i][j] = draw.Level(x)
			}
		}
	}
	h.draw(s, inks)
	if h.cell >= 24 {
		for i := range wins {
			for j, x := range wins[i] {
				if x >= 0 {
					s.Add(draw.Label{X: h.left + (float64(j)+0.5)*h.cell, Y: h.top + (float64(i)+0.5)*h.height + 4, Text: fixed(100*x, 0), Size: 11, Ink: draw.Level(x).On(), Anchor: draw.Middle})
				}
			}
		}
	}
	h.key(s, "0 %: the column wins", "50 %", "100 %: the row wins")
	return s
}

// WriteMatrix writes the probability that the item of a row is picked over the item of a
// column, ties apart, as comma-separated values, in the order of the board; empty where
// nothing connects the two. With o.Top it is of the best items. It fails when ctx ends, or w does.
func WriteMatrix(ctx context.Context, w io.Writer, p model.Predictor, user int, b *model.Board, o Options) error {
	var rows []model.BoardRow
	var group []int
	for k, g := range b.Groups {
		for _, r := range o.shown(g) {
			rows, group = append(rows, r), append(group, k)
		}
	}
	out := csv.NewWriter(w)
	cells := []string{"item"}
	for _, r := range rows {
		cells = append(cells, r.ID)
	}
	if err := out.Write(cells); err != nil {
		return err
	}
	for i, r := range rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		cells = append(cells[:0], r.ID)
		for j, against := range rows {
			cell := ""
			if i != j && group[i] == group[j] {
				cell = fixed(p.Prefer(user, r.Item, against.Item), 4)
			}
			cells = append(cells, cell)
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
