package model

import (
	"archive/zip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
	"palate/population"
)

// populationHeader is model.json of a population.
type populationHeader struct {
	heading
	Family     string                   `json:"family,omitempty"` // of COLLAB, in older files
	Covariance Covariance               `json:"covariance"`
	Kernel     *kernel.Spec             `json:"kernel,omitempty"`
	Trained    int                      `json:"trained_items"` // the others were added by their features
	Scale      float64                  `json:"scale"`
	Share      float64                  `json:"kernel_share"`
	Spread     float64                  `json:"consensus_variance"`
	Rank       int                      `json:"rank"`
	Features   int                      `json:"user_features"`
	UserLinks  bool                     `json:"user_links,omitempty"` // are among these features
	Likelihood string                   `json:"likelihood"`
	Threshold  float64                  `json:"tie_threshold,omitempty"`
	Ties       float64                  `json:"ties,omitempty"`
	Kinds      []population.Observation `json:"outcomes"`
	Objective  float64                  `json:"objective"`
	HeldOut    float64                  `json:"held_out,omitempty"` // loss of a vote that was put aside
	Kind       string                   `json:"objective_kind"`
	Status     infer.Status             `json:"status"`
	Stats      infer.Stats              `json:"stats"`
	Seed       uint64                   `json:"seed"`
}

// Save writes the model as a zip of model.json and .npy arrays: the mean and
// factors (or covariance) of the population, the features, and everybody's
// pairs with their sites.
func (m *Population) Save(ctx context.Context, w io.Writer) error {
	h := populationHeader{
		heading: m.heading("population"), Family: m.family, Covariance: m.options.Covariance,
		Trained: len(m.ids), Spread: m.spread, Likelihood: likelihoodNames[m.fit.Likelihood], Threshold: m.threshold, Ties: m.ties, Kinds: m.engine.People.Kinds(),
		Objective: m.fit.Objective, HeldOut: m.fit.HeldOut, Kind: m.fit.Kind, Status: m.fit.Status, Stats: m.fit.Stats, Seed: m.options.Seed,
	}
	if m.items != nil && m.items.Kernel != nil {
		s := kernel.SpecOf(m.items.Kernel)
		h.Kernel, h.Trained = &s, m.items.Trained()
	}
	low, _ := m.prior.(*population.LowRank)
	if low != nil {
		h.Scale, h.Share, h.Rank, h.Features, h.UserLinks = low.Scale, low.Share, low.D, low.F, m.beside.Has(UserLinks)
	}
	return m.save(ctx, w, m, h, m.saveArrays)
}

func (m *Population) saveArrays(a *arrayWriter) {
	n := len(m.ids)
	people := m.engine.People
	a.matrix("features", m.features)
	switch p := m.prior.(type) {
	case *population.LowRank:
		a.floats("mean", p.T, n)
		a.floats("factors", p.A, n, p.D)
		if p.Own != nil {
			a.floats("own_variance", p.Own, n)
		}
		if p.F > 0 {
			a.floats("effects", p.G, n, p.F)
			a.floats("user_features", m.about, len(m.users), p.F)
			a.floats("feature_centre", m.centre, p.F)
			a.floats("feature_width", m.width, p.F)
		}
	case *population.Full:
		a.floats("mean", p.T, n)
		a.floats("covariance", p.S, n, n)
	}
	pairs := people.NumPairs()
	column := func(name string, c population.Column, shape ...int) { writeFunc(a, name, c.At, shape...) }
	c := people.Columns()
	column("person_user", c.Owner, c.Owner.Len)
	column("person_item_start", c.ItemStart, c.ItemStart.Len)
	column("person_items", c.Items, c.Items.Len)
	column("person_pair_start", c.PairStart, c.PairStart.Len)
	column("person_pairs", c.Pairs, pairs, 2)
	if count := people.Counts(); count != nil {
		a.floats("count", count, pairs)
	}
	if kind := people.KindOf(); kind != nil {
		writeArray(a, "outcome", kind, pairs)
	}
	a.floats("site_tau", m.engine.Tau, pairs)
	a.floats("site_nu", m.engine.Nu, pairs)
}

// loadPopulation reads what Save wrote.
func loadPopulation(z *zip.Reader, raw []byte) (*Population, error) {
	var h populationHeader
	if err := json.Unmarshal(raw, &h); err != nil {
		return nil, fmt.Errorf("model.json: %w", err)
	}
	n := len(h.Items)
	switch {
	case n == 0 || h.Trained < 1 || h.Trained > n || h.Rank < 0 || h.Features < 0:
		return nil, fmt.Errorf("model.json: %d items, %d of them trained, rank %d, %d user features", n, h.Trained, h.Rank, h.Features)
	case h.Threshold < 0 || !(h.Spread >= 0) || h.Status < infer.Converged || h.Status > infer.Interrupted:
		return nil, fmt.Errorf("model.json: tie threshold %g, consensus variance %g, status %d", h.Threshold, h.Spread, h.Status)
	}
	b, err := h.base()
	if err != nil {
		return nil, err
	}
	m := &Population{
		Base: b, ties: h.Ties, spread: h.Spread, threshold: h.Threshold, win: likelihood.Probit{Offset: h.Threshold},
		fit: Fit{Objective: h.Objective, HeldOut: h.HeldOut, Kind: h.Kind, Status: h.Status, Stats: h.Stats, Threshold: h.Threshold},
	}
	m.options.Covariance, m.options.Seed = h.Covariance, h.Seed
	switch {
	case h.Family != "":
		m.family, m.rule, m.win = h.Family, familyRule(h.Family), likelihood.Probit{}
		if h.Likelihood == likelihoodNames[Logit] {
			m.win, m.fit.Likelihood = likelihood.Logit{}, Logit
		}
	case h.Likelihood != likelihoodNames[Probit]:
		return nil, fmt.Errorf("model.json: unknown likelihood %q", h.Likelihood)
	}
	a := arrayReader{z: z}
	m.votes = a.floats("votes", n)
	if err := m.loadItems(&a, h); err != nil {
		return nil, err
	}
	if err := m.loadPopulationPrior(&a, h); err != nil {
		return nil, err
	}
	if err := m.loadPeople(&a, h); err != nil {
		return nil, err
	}
	m.beside = ItemFeatures.when(m.features != nil) | UserFeatures.when(h.Features > 0 && (!h.UserLinks || h.UserEncoder != nil)) | UserLinks.when(h.UserLinks)
	return m, nil
}

// familyRule is how a member of COLLAB's family was inferred. Older files hold them;
// they are not fitted any more.
func familyRule(name string) infer.Rule {
	switch {
	case strings.HasSuffix(name, "-Jaakkola"):
		return infer.Jaakkola{}
	case strings.HasSuffix(name, "-Laplace"):
		return infer.Laplace{}
	}
	return infer.EP{}
}

func (m *Population) loadItems(a *arrayReader, h populationHeader) error {
	n := len(h.Items)
	if a.has("features") {
		if m.features = a.matrix("features"); a.err != nil {
			return a.err
		}
		if r, _ := m.features.Dims(); r != n {
			return fmt.Errorf("features.npy: %d rows for %d items", r, n)
		}
	}
	if h.Family != "" {
		return nil
	}
	if h.Kernel == nil {
		m.items = population.NewItems(n, nil, nil, nil)
		return nil
	}
	if m.features == nil {
		return fmt.Errorf("a kernel, but no features.npy")
	}
	k, err := kernel.FromSpec(*h.Kernel)
	if err != nil {
		return err
	}
	_, cols := m.features.Dims()
	if err := checkDims(k, cols); err != nil {
		return err
	}
	m.items = population.NewItems(h.Trained, mat.DenseCopyOf(m.features.Slice(0, h.Trained, 0, cols)), k, nil)
	if h.Trained < n {
		m.items, err = m.items.Extend(mat.DenseCopyOf(m.features.Slice(h.Trained, n, 0, cols)))
	}
	return err
}

func (m *Population) loadPopulationPrior(a *arrayReader, h populationHeader) error {
	n := len(h.Items)
	if a.has("covariance") {
		m.prior = &population.Full{N: n, S: a.floats("covariance", n, n), T: a.floats("mean", n)}
		m.fit.Scale = 1
		return a.err
	}
	if m.items == nil || !(h.Scale > 0) || !(h.Share >= 0 && h.Share < 1) {
		return fmt.Errorf("model.json: scale %g, kernel share %g", h.Scale, h.Share)
	}
	m.fit.Scale = 1 / h.Scale
	p := &population.LowRank{Items: m.items, Scale: h.Scale, Share: h.Share, D: h.Rank, F: h.Features}
	p.T, p.A = a.floats("mean", n), a.floats("factors", n, h.Rank)
	if a.has("own_variance") {
		p.Own = a.floats("own_variance", n)
	}
	if h.Features > 0 {
		p.G = a.floats("effects", n, h.Features)
		m.about = a.floats("user_features", len(h.Users), h.Features)
		m.centre, m.width = a.floats("feature_centre", h.Features), a.floats("feature_width", h.Features)
	}
	m.prior = p
	return a.err
}

func (m *Population) loadPeople(a *arrayReader, h populationHeader) error {
	var people population.Arrays
	people.Kinds = h.Kinds
	people.Owner, _ = readArray[int64](a, "person_user")
	people.ItemStart, _ = readArray[int64](a, "person_item_start")
	people.Items, _ = readArray[int64](a, "person_items")
	people.PairStart, _ = readArray[int64](a, "person_pair_start")
	people.Pairs, _ = readArray[int64](a, "person_pairs")
	pairs := len(people.Pairs) / 2
	if a.has("count") {
		people.Count = a.floats("count", pairs)
	}
	if a.has("outcome") {
		people.Kind, _ = readArray[uint8](a, "outcome")
	}
	tau, nu := a.floats("site_tau", pairs), a.floats("site_nu", pairs)
	if a.err != nil {
		return a.err
	}
	p, err := people.People(len(h.Items))
	if err != nil {
		return err
	}
	for k := range p.Len() {
		if u := p.Owner(k); u < -1 || u >= len(h.Users) {
			return fmt.Errorf("person_user.npy: user %d of %d", u, len(h.Users))
		}
	}
	for k, t := range tau {
		if t < 0 {
			return fmt.Errorf("site_tau.npy: element %d is %g", k, t)
		}
	}
	m.number(p)
	if m.engine, err = population.NewEngine(p, m.settings()); err != nil {
		return err
	}
	m.engine.Tau, m.engine.Nu = tau, nu
	if low, ok := m.prior.(*population.LowRank); ok && low.F > 0 {
		low.Features = make([]float64, p.Len()*low.F)
		for k := range p.Len() {
			if u := p.Owner(k); u >= 0 {
				copy(low.Features[k*low.F:], m.about[u*low.F:(u+1)*low.F])
			}
		}
	}
	return nil
}
