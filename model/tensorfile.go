package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/likelihood"
)

// tensorHeader is model.json of a joint process.
type tensorHeader struct {
	heading
	ItemLength float64             `json:"item_length"`
	UserLength float64             `json:"user_length"`
	Jitter     float64             `json:"jitter"`
	Variance   float64             `json:"variance"`
	Objective  float64             `json:"objective"`
	Kind       infer.ObjectiveKind `json:"objective_kind"`
	Status     infer.Status        `json:"status"`
	Stats      infer.Stats         `json:"stats"`
}

// Save writes the model as a zip of model.json and .npy arrays: features scaled
// to [0, 1], the cells (user and item) that were voted on, and the pairs of cells
// with their sites.
func (m *Tensor) Save(ctx context.Context, w io.Writer) error {
	h := tensorHeader{
		heading: m.heading(m.Name()), ItemLength: m.itemSpace.length, UserLength: m.userSpace.length,
		Jitter: m.itemSpace.jitter, Variance: m.variance,
		Objective: m.result.Objective, Kind: m.result.Kind, Status: m.result.Status, Stats: m.result.Stats,
	}
	return m.save(ctx, w, m, h, m.saveArrays)
}

func (m *Tensor) saveArrays(a *arrayWriter) {
	for k, s := range []unitSpace{m.itemSpace, m.userSpace} {
		if name := []string{"item", "user"}[k]; s.x != nil {
			a.matrix(name+"_features", s.x)
			a.floats(name+"_feature_low", s.low, len(s.low))
			a.floats(name+"_feature_width", s.width, len(s.width))
		}
	}
	var cells, pairs []int64
	for _, c := range m.cells {
		cells = append(cells, int64(c.user), int64(c.item))
	}
	n := m.problem.Rows.Len()
	tau, nu, weight := make([]float64, n), make([]float64, n), make([]float64, n)
	for r, s := range m.result.Sites {
		index, _ := m.problem.Rows.Row(r)
		pairs = append(pairs, int64(index[0]), int64(index[1]))
		tau[r], nu[r], weight[r] = s.Tau, s.Nu, m.problem.Count[r]
		if p, ok := m.problem.Likelihood[r].(likelihood.Power); ok {
			weight[r] *= p.Weight
		}
	}
	writeArray(a, "cells", cells, len(m.cells), 2)
	writeArray(a, "pairs", pairs, n, 2)
	a.floats("weight", weight, n)
	a.floats("site_tau", tau, n)
	a.floats("site_nu", nu, n)
}

// loadTensor reads what Save wrote.
func loadTensor(z *zip.Reader, raw []byte) (*Tensor, error) {
	var h tensorHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	n, u := len(h.Items), len(h.Users)
	if n == 0 || u == 0 || !(h.Variance > 0) || !(h.Jitter > 0) || !(h.ItemLength > 0) || !(h.UserLength > 0) {
		return nil, fmt.Errorf("model.json: %d items, %d users, variance %g, jitter %g, length-scales %g and %g", n, u, h.Variance, h.Jitter, h.ItemLength, h.UserLength)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	m := &Tensor{Base: b, variance: h.Variance, problem: &infer.Problem{Rows: &gp.Rows{}}, together: &together{}}
	a := arrayReader{z: z}
	m.votes = a.floats("votes", n)
	m.itemSpace, m.userSpace = loadSpace(&a, "item", n, h.ItemLength, h.Jitter), loadSpace(&a, "user", u, h.UserLength, h.Jitter)
	cells, shape := readArray[int64](&a, "cells")
	if a.err == nil && (len(shape) != 2 || shape[1] != 2 || shape[0] == 0) {
		a.err = fmt.Errorf("cells.npy: shape %v", shape)
	}
	for k := 0; a.err == nil && k < len(cells); k += 2 {
		c := cell{int(cells[k]), int(cells[k+1])}
		if c.user < 0 || c.user >= u || c.item < 0 || c.item >= n {
			a.err = fmt.Errorf("cells.npy: user %d of %d, item %d of %d", c.user, u, c.item, n)
		}
		m.cells = append(m.cells, c)
	}
	sites := m.loadSites(&a)
	if a.err != nil {
		return nil, a.err
	}
	if err := m.setPrior(); err != nil {
		return nil, err
	}
	m.result = &infer.Result{Sites: sites, Objective: h.Objective, Kind: h.Kind, Status: h.Status, Stats: h.Stats}
	m.result.Posterior, err = gp.NewPosterior(m.problem.Prior, 1, m.problem.Prior.Evidence(m.problem.Rows, sites, m.problem.Count))
	return m, err
}

func loadSpace(a *arrayReader, name string, n int, length, jitter float64) unitSpace {
	s := unitSpace{length: length, jitter: jitter}
	if a.err != nil || !a.has(name+"_features") {
		return s
	}
	var x *mat.Dense
	if x = a.matrix(name + "_features"); a.err != nil {
		return s
	}
	r, c := x.Dims()
	if r != n {
		a.err = fmt.Errorf("%s_features.npy: %d rows for %d", name, r, n)
	}
	s.x, s.low, s.width = x, a.floats(name+"_feature_low", c), a.floats(name+"_feature_width", c)
	for j, w := range s.width {
		if !(w > 0) {
			a.err = fmt.Errorf("%s_feature_width.npy: element %d is %g", name, j, w)
		}
	}
	return s
}

// loadSites reads the pairs with their weights and returns their sites.
func (m *Tensor) loadSites(a *arrayReader) []gp.Site {
	pairs, shape := readArray[int64](a, "pairs")
	if a.err != nil {
		return nil
	}
	if len(shape) != 2 || shape[1] != 2 || shape[0] == 0 {
		a.err = fmt.Errorf("pairs.npy: shape %v", shape)
		return nil
	}
	n := shape[0]
	weight, tau, nu := a.floats("weight", n), a.floats("site_tau", n), a.floats("site_nu", n)
	if a.err != nil {
		return nil
	}
	sites := make([]gp.Site, n)
	for r := range sites {
		i, j := pairs[2*r], pairs[2*r+1]
		cells := int64(len(m.cells))
		if i < 0 || j < 0 || i >= cells || j >= cells || i == j || !(weight[r] > 0) || tau[r] < 0 {
			a.err = fmt.Errorf("pairs.npy: row %d: cells %d and %d of %d, weight %g, precision %g", r, i, j, cells, weight[r], tau[r])
			return nil
		}
		m.observe(int(i), int(j), weight[r])
		sites[r] = gp.Site{Tau: tau[r], Nu: nu[r]}
	}
	return sites
}
