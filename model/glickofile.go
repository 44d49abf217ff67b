package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
)

// glickoHeader is model.json of a Glicko.
type glickoHeader struct {
	heading
	First     float64 `json:"first_variance"`
	Objective float64 `json:"objective"`
	Kind      string  `json:"objective_kind"`
	Total     float64 `json:"votes"`
	Ties      float64 `json:"ties,omitempty"`
}

// Save writes the model as a zip of model.json and .npy arrays: mean, variance
// and votes of every item.
func (m *Glicko) Save(ctx context.Context, w io.Writer) error {
	h := glickoHeader{
		heading: m.heading(m.Name()), First: m.first,
		Objective: m.fit.Objective, Kind: m.fit.Kind, Total: m.fit.Votes, Ties: m.fit.Ties,
	}
	return m.save(ctx, w, m, h, func(a *arrayWriter) {
		a.floats("mean", m.mean, len(m.ids))
		a.floats("variance", m.variance, len(m.ids))
	})
}

// loadGlicko reads what Save wrote.
func loadGlicko(z *zip.Reader, raw []byte) (*Glicko, error) {
	var h glickoHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	rule := Glickman
	if h.Model == Diagonal.String() {
		rule = Diagonal
	}
	m, err := NewGlicko(h.Items, h.First, rule)
	if err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	if m.Base, err = h.base(); err != nil {
		return nil, err
	}
	m.fit = Fit{Objective: h.Objective, Kind: h.Kind, Scale: 1 / h.First, Votes: h.Total, Ties: h.Ties}
	a := arrayReader{z: z}
	n := len(m.ids)
	m.votes, m.mean, m.variance = a.floats("votes", n), a.floats("mean", n), a.floats("variance", n)
	if a.err != nil {
		return nil, a.err
	}
	for i, v := range m.variance {
		if !(v > 0) || math.IsInf(v, 1) {
			return nil, fmt.Errorf("variance.npy: item %d has %g", i, v)
		}
	}
	return m, nil
}
