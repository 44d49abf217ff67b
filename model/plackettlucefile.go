package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"palate/infer"
)

// logitHeader is model.json of a PlackettLuce.
type logitHeader struct {
	heading
	Ridge     float64      `json:"ridge"`
	Objective float64      `json:"objective"`
	Status    infer.Status `json:"status"`
	Stats     infer.Stats  `json:"stats"`
	Total     float64      `json:"votes"`
	Ties      float64      `json:"ties,omitempty"`
}

// Save writes the model as a zip of model.json and .npy arrays: the scores, how
// often which item beat which, how often which was chosen from among several, and what
// the board says.
func (m *PlackettLuce) Save(ctx context.Context, w io.Writer) error {
	h := logitHeader{
		heading: m.heading(m.Name()), Ridge: m.ridge,
		Objective: m.fit.Objective, Status: m.fit.Status, Stats: m.fit.Stats, Total: m.fit.Votes, Ties: m.fit.Ties,
	}
	if m.name != "bt" {
		h.Version = choiceVersion
	}
	var pairs, items, size, worst []int64
	var weight, count []float64
	for _, c := range m.choices {
		list, of := &items, &count
		if len(c.items) == 2 {
			list, of = &pairs, &weight
		} else {
			size, worst = append(size, int64(len(c.items))), append(worst, int64(indicator(c.worst)))
		}
		for _, i := range c.items {
			*list = append(*list, int64(i))
		}
		*of = append(*of, c.weight)
	}
	return m.save(ctx, w, m, h, func(a *arrayWriter) {
		a.floats("mean", m.score, len(m.ids))
		writeArray(a, "pairs", pairs, len(weight), 2)
		a.floats("count", weight, len(weight))
		if len(size) > 0 {
			writeArray(a, "choice_items", items, len(items))
			writeArray(a, "choice_size", size, len(size))
			writeArray(a, "choice_worst", worst, len(size))
			a.floats("choice_count", count, len(size))
		}
	})
}

// loadLogit reads what Save wrote.
func loadLogit(z *zip.Reader, raw []byte) (*PlackettLuce, error) {
	var h logitHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	n := len(h.Items)
	if n == 0 || n > maxWhite || !(h.Ridge > 0) || math.IsInf(h.Ridge, 1) || h.Status < infer.Converged || h.Status > infer.Interrupted {
		return nil, fmt.Errorf("model.json: %d items, ridge %g, status %d", n, h.Ridge, h.Status)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	m := &PlackettLuce{Base: b, name: h.Model, ridge: h.Ridge}
	m.fit = Fit{Objective: h.Objective, Status: h.Status, Stats: h.Stats, Votes: h.Total, Ties: h.Ties}
	a := arrayReader{z: z}
	m.votes, m.score = a.floats("votes", n), a.floats("mean", n)
	pairs, shape := readArray[int64](&a, "pairs")
	if a.err == nil && (len(shape) != 2 || shape[1] != 2) {
		return nil, fmt.Errorf("pairs.npy: shape %v", shape)
	}
	weight := a.floats("count", len(pairs)/2)
	if a.err != nil {
		return nil, a.err
	}
	for r, w := range weight {
		if err := m.take("pairs", r, pairs[2*r:2*r+2], false, w); err != nil {
			return nil, err
		}
	}
	if a.has("choice_size") {
		items, _ := readArray[int64](&a, "choice_items")
		size, _ := readArray[int64](&a, "choice_size")
		worst, count := a.numbers("choice_worst", len(size)), a.floats("choice_count", len(size))
		if a.err != nil {
			return nil, a.err
		}
		for r, k := range size {
			if k < 3 || k > int64(len(items)) {
				return nil, fmt.Errorf("choice_size.npy: row %d: a choice of %d, and %d items left", r, k, len(items))
			}
			if err := m.take("choice_items", r, items[:k], worst[r] != 0, count[r]); err != nil {
				return nil, err
			}
			items = items[k:]
		}
		if len(items) > 0 {
			return nil, fmt.Errorf("choice_items.npy: %d items are of no choice", len(items))
		}
	}
	return m, m.settle()
}

// take adds the choice in a row of an array, if it can be one.
func (m *PlackettLuce) take(array string, row int, items []int64, worst bool, weight float64) error {
	c := choice{worst: worst, weight: weight}
	for _, i := range items {
		if i < 0 || i >= int64(len(m.ids)) || slices.Contains(c.items, int(i)) {
			return fmt.Errorf("%s.npy: row %d: item %d of %d, or it is there twice", array, row, i, len(m.ids))
		}
		c.items = append(c.items, int(i))
	}
	if !(weight > 0) || math.IsInf(weight, 1) {
		return fmt.Errorf("%s.npy: row %d: %g times", array, row, weight)
	}
	m.choices = append(m.choices, c)
	return nil
}
