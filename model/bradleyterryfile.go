package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"palate/infer"
	"palate/internal/num"
)

// bradleyTerryHeader is model.json of Bradley–Terry scores.
type bradleyTerryHeader struct {
	heading
	Ridge     float64      `json:"ridge"`
	Objective float64      `json:"objective"`
	Status    infer.Status `json:"status"`
	Stats     infer.Stats  `json:"stats"`
	Total     float64      `json:"votes"`
	Ties      float64      `json:"ties,omitempty"`
}

// Save writes the model as a zip of model.json and .npy arrays: the scores, how
// often which item beat which, and what the board says.
func (m *BradleyTerry) Save(ctx context.Context, w io.Writer) error {
	h := bradleyTerryHeader{
		heading: m.heading(m.Name()), Ridge: m.ridge,
		Objective: m.fit.Objective, Status: m.fit.Status, Stats: m.fit.Stats, Total: m.fit.Votes, Ties: m.fit.Ties,
	}
	pairs, weight := make([]int64, 0, 2*len(m.beats)), make([]float64, len(m.beats))
	for r, b := range m.beats {
		pairs = append(pairs, int64(b.win), int64(b.lose))
		weight[r] = b.weight
	}
	return m.save(ctx, w, m, h, func(a *arrayWriter) {
		a.floats("mean", m.score, len(m.ids))
		writeArray(a, "pairs", pairs, len(m.beats), 2)
		a.floats("count", weight, len(m.beats))
	})
}

// loadBradleyTerry reads what Save wrote.
func loadBradleyTerry(z *zip.Reader, raw []byte) (*BradleyTerry, error) {
	var h bradleyTerryHeader
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
	m := &BradleyTerry{Base: b, ridge: h.Ridge}
	m.fit = Fit{Objective: h.Objective, Status: h.Status, Stats: h.Stats, Votes: h.Total, Ties: h.Ties}
	m.settle()
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
		i, j := pairs[2*r], pairs[2*r+1]
		if i < 0 || j < 0 || i >= int64(n) || j >= int64(n) || i == j || !(w > 0) {
			return nil, fmt.Errorf("pairs.npy: row %d: items %d and %d of %d, %g times", r, i, j, n, w)
		}
		m.beats = append(m.beats, beat{int(i), int(j), w})
	}
	_, hessian := m.derivatives()
	m.factor, err = num.NewCholesky(hessian)
	return m, err
}
