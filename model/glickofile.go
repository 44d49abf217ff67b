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
	Format     string   `json:"format"` // "palate"
	Version    int      `json:"version"`
	Model      string   `json:"model"` // of GlickoRule
	DataDigest string   `json:"data_digest"`
	Items      []string `json:"items"`
	First      float64  `json:"first_variance"`
	Objective  float64  `json:"objective"`
	Kind       string   `json:"objective_kind"`
	Total      float64  `json:"votes"`
	Ties       float64  `json:"ties,omitempty"`
	Groups     [][]int  `json:"groups"`
}

// Save writes the model as a zip of model.json and .npy arrays: mean, variance
// and votes of every item.
func (m *Glicko) Save(ctx context.Context, w io.Writer) error {
	z := zip.NewWriter(w)
	if err := writeHeader(z, glickoHeader{
		Format: "palate", Version: fileVersion, Model: m.Name(), DataDigest: m.digest, Items: m.ids, First: m.first,
		Objective: m.fit.Objective, Kind: m.fit.Kind, Total: m.fit.Votes, Ties: m.fit.Ties, Groups: m.groups,
	}); err != nil {
		return err
	}
	n := len(m.ids)
	a := arrayWriter{z: z}
	a.floats("votes", m.votes, n)
	a.writeScores(ctx, m)
	a.floats("mean", m.mean, n)
	a.floats("variance", m.variance, n)
	if a.err != nil {
		return fmt.Errorf("model: save: %w", a.err)
	}
	return z.Close()
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
	if err := checkGroups(h.Groups, len(h.Items)); err != nil {
		return nil, err
	}
	m.groups, m.digest = h.Groups, h.DataDigest
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
