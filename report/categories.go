package report

import (
	"math"
	"strconv"

	"palate/internal/draw"
	"palate/model"
)

// How many items and categories a chart of categories shows.
const (
	categoryItems = 40
	categoryMost  = 30
)

// Categories shows the rank of every item on the board of every category, and where it is
// above or below its mean.
func Categories(b *Breakdown, o Options) *Chart {
	w := in(o.Language)
	c := &Chart{Name: "categories", Title: w.Say("chart-categories"), Note: w.Say("chart-categories-note"), Head: []string{w.Say("chart-item")}}
	if len(b.Overall.Groups) == 0 || len(b.Categories) == 0 {
		return nil
	}
	rows := o.shown(b.Overall.Groups[0])
	all := len(rows)
	rows = rows[:min(all, categoryItems)]
	categories := b.Categories[:min(len(b.Categories), categoryMost)]
	if len(categories) < len(b.Categories) {
		c.Note += " " + w.Say("chart-categories-shown", strconv.Itoa(len(categories)), len(b.Categories))
	}
	var boards []map[string]model.BoardRow
	for _, x := range categories {
		c.Head = append(c.Head, label(x.Name))
		boards = append(boards, byItem(x.Board))
	}
	departs := b.departures()
	far, surest := 1e-9, 0
	for _, r := range rows {
		line := []string{label(r.ID)}
		for k, x := range categories {
			d, cell := departs[[2]string{x.Name, r.ID}], ""
			if row, found := boards[k][r.ID]; found {
				cell = rankOf(row, d.Sure)
				far = max(far, math.Abs(d.Difference))
			}
			if d.Sure {
				surest++
			}
			line = append(line, cell)
		}
		c.Rows = append(c.Rows, line)
	}
	c.Alt = w.Say("chart-categories-alt", len(rows), w.Count(len(categories)), w.Count(surest))
	c.list(w, len(rows), all, func(width float64, n int) *draw.Scene {
		rows := rows[:n]
		s := draw.New(width)
		h := heatLayout{most: 60, share: 0.36}
		var longest float64
		for _, r := range rows {
			h.names = append(h.names, legible(r.ID))
			longest = max(longest, draw.TextWidth(legible(r.ID), 12, false))
		}
		const cell = 27
		shown := min(len(categories), int((width-min(longest+1, h.share*width)-11)/cell))
		h.columns = shown
		var at []int
		for k := range shown {
			h.heads = append(h.heads, legible(categories[k].Name))
			at = append(at, k)
		}
		h.fit(width)
		inks := make([][]draw.Ink, len(rows))
		for i, r := range rows {
			inks[i] = make([]draw.Ink, shown)
			for k := range shown {
				if _, found := boards[k][r.ID]; found {
					inks[i][k] = draw.Level(0.5 + 0.5*departs[[2]string{categories[k].Name, r.ID}].Difference/far)
				}
			}
		}
		h.draw(s, inks, false, at)
		h.say(s, inks, func(i, k int) string {
			return rankOf(boards[k][rows[i].ID], departs[[2]string{categories[k].Name, rows[i].ID}].Sure)
		})
		scale := o.scale()
		h.key(s, w.Say("chart-below-mean", w.fixed(-scale.factor*far, scale.decimals)), w.Say("chart-as-mean"), w.Say("chart-above-mean", w.fixed(scale.factor*far, scale.decimals)))
		if shown < len(categories) {
			s.Height += 4
			footnote(s, w.Say("chart-categories-shown", strconv.Itoa(shown), len(categories)))
		}
		return s
	})
	return c
}

// rankOf shows a rank, with a star where it surely differs from that on other boards.
func rankOf(r model.BoardRow, sure bool) string {
	if sure {
		return strconv.Itoa(r.Rank) + "*"
	}
	return strconv.Itoa(r.Rank)
}
