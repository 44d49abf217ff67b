package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"palate/rating"
)

// ratedHeader is model.json of ratings.
type ratedHeader struct {
	heading
	Scale     *rating.Scale    `json:"scale"`
	Answering rating.Answering `json:"answering"`
	Factors   int              `json:"factors"`
	Offset    float64          `json:"offset_variance"`
	Prior     float64          `json:"consensus_variance"`
	Blur      float64          `json:"unit_variance"`
	Relevance []float64        `json:"factor_precisions,omitempty"`
	Evidence  float64          `json:"objective"`
	Rounds    int              `json:"rounds"`
	Converged bool             `json:"converged"`
	Skipped   int              `json:"skipped"`
	Total     float64          `json:"votes"`
	Compared  float64          `json:"compared,omitempty"`
	Ties      float64          `json:"ties,omitempty"`
	Constant  int              `json:"constant_people,omitempty"`
	Seed      uint64           `json:"seed"`
}

// Save writes the model as a zip of model.json and .npy arrays: what is known of every item and
// of every person, and of the consensus.
func (m *Rated) Save(ctx context.Context, w io.Writer) error {
	f := m.fit
	h := ratedHeader{
		heading: m.heading(m.Name()), Scale: f.Scale, Answering: f.Answering, Factors: f.Factors, Offset: f.Offset, Prior: f.Prior, Blur: f.Blur,
		Relevance: f.Relevance, Evidence: f.Evidence, Rounds: f.Rounds, Converged: f.Converged, Skipped: f.Skipped,
		Total: m.total, Compared: m.compared, Ties: m.ties, Constant: m.constant, Seed: m.options.Seed,
	}
	h.Version = ratedVersion
	n, u, q := len(m.ids), len(m.users), 1+f.Factors
	return m.save(ctx, w, m, h, func(a *arrayWriter) {
		a.floats("item", f.Items, n, q)
		a.floats("item_open", f.Open, n, q, q)
		a.floats("person", f.Mean, u, q)
		a.floats("person_cov", f.Cov, u, q, q)
		a.floats("spread", f.Spreads, u)
		a.floats("mean", m.consensus.Mean, n)
		a.floats("variance", m.consensus.Var, n)
		if m.consensus.Cov != nil {
			a.floats("covariance", m.consensus.Cov, n, n)
		}
	})
}

// loadRated reads what Save wrote.
func loadRated(z *zip.Reader, raw []byte) (*Rated, error) {
	var h ratedHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	s, x := h.Scale, h.Answering
	switch {
	case s == nil:
		return nil, fmt.Errorf("model.json: ratings without a scale")
	case s.Check() != nil:
		return nil, fmt.Errorf("model.json: %w", s.Check())
	case s.Numbers() != (x.Unit > 0) || !s.Numbers() && len(x.Cuts) != len(s.Edges) || !slices.IsSorted(x.Cuts) || !(x.Vote > 0) || !(x.Margin >= 0) || !(x.Spread >= 0):
		return nil, fmt.Errorf("model.json: %d cut points of %d classes, a unit of %g, votes with noise %g and a margin of %g, spreads %g", len(x.Cuts), len(s.Values), x.Unit, x.Vote, x.Margin, x.Spread)
	case h.Factors < 0 || len(h.Relevance) != h.Factors || !(h.Offset > 0) || !(h.Prior > 0) || !(h.Blur >= 0):
		return nil, fmt.Errorf("model.json: %d factors, variances %g, %g and %g", h.Factors, h.Offset, h.Prior, h.Blur)
	}
	f := &rating.Fit{
		Answering: x, Scale: s, Factors: h.Factors, Offset: h.Offset, Prior: h.Prior, Blur: h.Blur, Relevance: h.Relevance,
		Evidence: h.Evidence, Rounds: h.Rounds, Converged: h.Converged, Skipped: h.Skipped,
	}
	m := &Rated{Base: b, fit: f, consensus: &rating.Consensus{}, total: h.Total, compared: h.Compared, ties: h.Ties, constant: h.Constant, options: RatedOptions{Seed: h.Seed}}
	a := arrayReader{z: z}
	n, u, q := len(m.ids), len(m.users), 1+f.Factors
	m.votes = a.floats("votes", n)
	f.Items, f.Open = a.floats("item", n, q), a.floats("item_open", n, q, q)
	f.Mean, f.Cov, f.Spreads = a.floats("person", u, q), a.floats("person_cov", u, q, q), a.floats("spread", u)
	m.consensus.Mean, m.consensus.Var = a.floats("mean", n), a.floats("variance", n)
	if a.has("covariance") {
		m.consensus.Cov = a.floats("covariance", n, n)
	}
	if a.err != nil {
		return nil, a.err
	}
	for k, x := range f.Spreads {
		if !(x > 0) {
			return nil, fmt.Errorf("spread.npy: person %d has %g", k, x)
		}
	}
	for i, v := range m.consensus.Var {
		if !(v > 0) {
			return nil, fmt.Errorf("variance.npy: item %d has %g", i, v)
		}
	}
	return m, nil
}
