package report

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"palate/internal/draw"
	"palate/model"
)

// How many items a matrix compares, and up to how many each has a row of its own.
const (
	matrixMost = 300
	matrixOwn  = 60
)

// versus are the chances of items against each other.
type versus struct {
	rows  []model.BoardRow
	group []int
	wins  [][]float64 // −1: not comparable
	speech
}

// Matrix shows the probability that one item is picked over another, for every
// pair of the board's items, by user or, if negative, by somebody nothing is
// known of; where items are too many to be told from each other, those of blocks of
// neighbours on the board. It fails only when ctx ends.
func Matrix(ctx context.Context, p model.Predictor, user int, b *model.Board, o Options) (*Chart, error) {
	v := &versus{speech: in(o.Language)}
	c := &Chart{Name: "matrix", Title: v.Say("chart-matrix"), Note: v.Say("chart-matrix-note")}
	total := 0
	for k, g := range b.Groups {
		total += len(o.shown(g))
		for _, r := range o.shown(g) {
			if ranked(g) && len(v.rows) < matrixMost {
				v.rows, v.group = append(v.rows, r), append(v.group, k)
			}
		}
	}
	n := len(v.rows)
	if total > n {
		c.Note += " " + v.Say("chart-more-hidden", total-n)
	}
	v.wins = make([][]float64, n)
	for i := range v.rows {
		v.wins[i] = make([]float64, n)
	}
	surest, a, z := 0.0, 0, 0
	for i := range v.rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v.wins[i][i] = -1
		for j := range i {
			v.wins[i][j], v.wins[j][i] = -1, -1
			if v.group[i] == v.group[j] {
				x := p.Prefer(user, v.rows[j].Item, v.rows[i].Item)
				v.wins[j][i], v.wins[i][j] = x, 1-x
				if max(x, 1-x) > surest {
					surest, a, z = max(x, 1-x), j, i
					if x < 0.5 {
						a, z = i, j
					}
				}
			}
		}
	}
	shown := v.blocks(n)
	if n > matrixOwn {
		shown = v.blocks(20)
	}
	c.Head = []string{v.Say("chart-item")}
	for i := range shown.names {
		c.Head = append(c.Head, strconv.Itoa(i+1))
		line := []string{fmt.Sprintf("%d %s", i+1, shown.names[i])}
		for _, x := range shown.wins[i] {
			cell := ""
			if x >= 0 {
				cell = fixed(100*x, 0)
			}
			line = append(line, cell)
		}
		c.Rows = append(c.Rows, line)
	}
	c.Alt = v.Say("chart-matrix-none")
	if n > 1 {
		c.Alt = v.Say("chart-matrix-alt", n, label(v.rows[a].ID), label(v.rows[z].ID), v.Chance(surest))
	}
	c.draw = func(width float64) *draw.Scene { return v.draw(width, 0) }
	c.fill = func(width, height float64) *draw.Scene { return v.draw(width, height) }
	return c, nil
}

// blocked are blocks of neighbours on a board, with the mean chance of an item of one
// against an item of another.
type blocked struct {
	names []string
	wins  [][]float64 // −1: not comparable
	size  int         // of the largest
}

// blocks puts the items into so many blocks, or a few more: none has items of two groups.
func (v *versus) blocks(n int) *blocked {
	size := (len(v.rows) + max(n, 1) - 1) / max(n, 1)
	b := &blocked{size: size}
	var from, to []int
	for i := range v.rows {
		if last := len(from) - 1; last < 0 || i-from[last] == size || v.group[i] != v.group[i-1] {
			from, to = append(from, i), append(to, i)
		}
		to[len(to)-1] = i + 1
	}
	for k := range from {
		first := v.rows[from[k]]
		name := legible(first.ID)
		if size > 1 {
			name = between(first.Rank, v.rows[to[k]-1].Rank) + " " + name + " …"
		}
		b.names = append(b.names, name)
		row := make([]float64, len(from))
		for l := range from {
			var sum, pairs float64
			for i := from[k]; i < to[k]; i++ {
				for j := from[l]; j < to[l]; j++ {
					if x := v.wins[i][j]; x >= 0 {
						sum, pairs = sum+x, pairs+1
					}
				}
			}
			if row[l] = -1; pairs > 0 && k != l {
				row[l] = sum / pairs
			}
		}
		b.wins = append(b.wins, row)
	}
	return b
}

// draw gives every item a row of its own, if that is tall enough for a name, and else
// every block of neighbours one.
func (v *versus) draw(width, height float64) *draw.Scene {
	n := len(v.rows)
	layout := func(b *blocked) *heatLayout {
		h := &heatLayout{names: slices.Clone(b.names), columns: len(b.names), most: 60, numbered: true, share: 0.3}
		h.fit(width)
		if room := height - h.top - 60; height > 0 && room < float64(len(b.names))*h.height {
			h.height = max(room/float64(len(b.names)), 12)
			h.cell = min(h.cell, 2.5*h.height)
			h.size = min(h.size, 0.5*h.height+4.5)
		}
		return h
	}
	shown := v.blocks(n)
	h := layout(shown)
	if n > matrixOwn || min(h.cell, h.height) < legibleCell {
		shown = v.blocks(int(min(20, max(8, width/34))))
		h = layout(shown)
	}
	inks := make([][]draw.Ink, len(shown.wins))
	for i, row := range shown.wins {
		inks[i] = make([]draw.Ink, len(row))
		for j, x := range row {
			if x >= 0 {
				inks[i][j] = draw.Level(x)
			}
		}
	}
	s := draw.New(width)
	h.draw(s, inks, shown.size == 1 && n <= matrixOwn || n > matrixOwn && len(shown.names) == len(v.blocks(20).names), nil)
	if h.cell >= 19 && h.height >= 13 {
		h.say(s, inks, func(i, j int) string { return fixed(100*shown.wins[i][j], 0) })
	}
	h.key(s, v.Say("chart-matrix-low", v.percent(0)), v.percent(0.5), v.Say("chart-matrix-high", v.percent(1)))
	if shown.size > 1 {
		s.Height += 4
		footnote(s, v.Say("chart-matrix-blocks", n, strconv.Itoa(shown.size)))
	}
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
