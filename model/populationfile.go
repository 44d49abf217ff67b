package model

import (
	"archive/zip"
	"cmp"
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
	OwnPart    float64                  `json:"own_part,omitempty"` // of factors, beside the kernel; 0: a half
	Mean       *meanHeader              `json:"mean_prior,omitempty"`
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
	HeldOut    float64                  `json:"held_out,omitempty"` // loss of a vote that was held out
	Kind       string                   `json:"objective_kind"`
	Status     infer.Status             `json:"status"`
	Stats      infer.Stats              `json:"stats"`
	Seed       uint64                   `json:"seed"`
	// Members are those of a family that was learnt several ways at once. Their classes
	// follow one another in the arrays: the rows of mean, site_tau and site_nu, and the
	// columns of factors.
	Members []memberHeader `json:"members,omitempty"`
	Leans   *leansHeader   `json:"leans,omitempty"` // what the left side is worth to voters
}

// meanHeader is what features tell of the mean, where it is not what they tell of factors.
type meanHeader struct {
	Kernel  kernel.Spec `json:"kernel"`
	OwnPart float64     `json:"own_part"`
}

// leansHeader is how they are spread.
type leansHeader struct {
	Centre float64 `json:"mean"`
	Spread float64 `json:"sd"`
}

// Save writes the model as a zip of model.json and .npy arrays: the mean and
// factors (or covariance) of the population, the features, and everybody's
// pairs with their sites.
func (m *Population) Save(ctx context.Context, w io.Writer) error {
	h := populationHeader{
		heading: m.heading("population"), Family: m.collab, Covariance: m.options.Covariance,
		Trained: len(m.ids), Likelihood: likelihoodNames[m.fit.Likelihood], Threshold: m.fit.Threshold, Ties: m.ties, Kinds: m.family.People().Kinds(),
		Objective: m.fit.Objective, HeldOut: m.fit.HeldOut, Kind: m.fit.Kind, Status: m.fit.Status, Stats: m.fit.Stats, Seed: m.options.Seed,
	}
	if m.items != nil && m.items.Kernel != nil {
		s := kernel.SpecOf(m.items.Kernel)
		h.Kernel, h.Trained = &s, m.items.Trained()
		if m.items.Own != population.HalfOwn {
			h.OwnPart = m.items.Own
		}
		if mean := m.items.Mean; mean != nil {
			h.Mean = &meanHeader{kernel.SpecOf(mean.Kernel), mean.Own}
		}
	}
	one := m.family.Members[0].Classes[0]
	if m.family.People().Answers() {
		h.Version = saidVersion
	}
	if m.blended() {
		h.Version = max(h.Version, familyVersion)
		if h.Kernel != nil {
			h.Version = max(h.Version, knownVersion)
		}
		if m.family.Reliable() != nil {
			h.Version = max(h.Version, reliableVersion)
		}
		if l := m.family.Leans; l != nil {
			h.Version, h.Leans = max(h.Version, leanVersion), &leansHeader{l.Centre, l.Spread}
		}
		for _, f := range m.family.Members {
			member := memberHeader{Name: f.Name, Weight: f.Weight, Threshold: f.Threshold}
			for _, c := range f.Classes {
				p := c.Prior.(*population.LowRank)
				member.Classes = append(member.Classes, classHeader{c.Share, p.Scale, p.Share, c.Spread, p.D})
			}
			h.Members = append(h.Members, member)
		}
		return m.save(ctx, w, m, h, m.saveArrays)
	}
	h.Spread = one.Spread
	if low, ok := one.Prior.(*population.LowRank); ok {
		h.Scale, h.Share, h.Rank, h.Features, h.UserLinks = low.Scale, low.Share, low.D, low.F, m.beside.Has(UserLinks)
	}
	return m.save(ctx, w, m, h, m.saveArrays)
}

// blended reports whether the population was learnt several ways at once.
func (m *Population) blended() bool { return m.family.Members[0].Name != "" }

func (m *Population) saveArrays(a *arrayWriter) {
	if a.matrix("features", m.features); m.blended() {
		m.saveFamily(a)
	} else {
		m.saveOne(a)
	}
	people := m.family.People()
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
	if people.Answers() {
		column("person_answer", c.Answer, pairs)
	}
	if l := m.family.Leans; l != nil {
		a.floats("person_lean", l.Of, people.Len())
	}
}

// saveOne writes the only class of the only member.
func (m *Population) saveOne(a *arrayWriter) {
	n := len(m.ids)
	one := m.family.Members[0].Classes[0]
	switch p := one.Prior.(type) {
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
	pairs := one.Engine.People.NumPairs()
	a.floats("site_tau", one.Engine.Tau, pairs)
	a.floats("site_nu", one.Engine.Nu, pairs)
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
		Base: b, ties: h.Ties,
		fit: Fit{Objective: h.Objective, HeldOut: h.HeldOut, Kind: h.Kind, Status: h.Status, Stats: h.Stats, Threshold: h.Threshold},
	}
	m.options.Covariance, m.options.Seed = h.Covariance, h.Seed
	if m.family, err = h.family(); err != nil {
		return nil, err
	}
	switch {
	case h.Family != "":
		win := likelihood.Scalar(likelihood.Probit{})
		if h.Likelihood == likelihoodNames[Logit] {
			win, m.fit.Likelihood = likelihood.Logit{}, Logit
		}
		m.collab, m.rule, m.family.Members[0].Win = h.Family, familyRule(h.Family), win
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
	switch {
	case h.Family != "":
		return nil
	case h.Kernel == nil:
		m.items = population.NewItems(n, nil, nil, nil)
		return nil
	}
	if m.features == nil {
		return fmt.Errorf("a kernel, but no features.npy")
	}
	h.OwnPart = cmp.Or(h.OwnPart, population.HalfOwn)
	var err error
	if m.items, err = m.itemsOf(meanHeader{*h.Kernel, h.OwnPart}, h.Trained); err == nil && h.Mean != nil {
		var mean *population.Items
		if mean, err = m.itemsOf(*h.Mean, h.Trained); err == nil {
			m.items = m.items.Under(mean)
		}
	}
	if err != nil {
		return err
	}
	if h.Trained < n {
		_, cols := m.features.Dims()
		m.items, err = m.items.Extend(mat.DenseCopyOf(m.features.Slice(h.Trained, n, 0, cols)))
	}
	return err
}

// itemsOf are the items that the population was learnt on, under a kernel over their features.
func (m *Population) itemsOf(h meanHeader, trained int) (*population.Items, error) {
	k, err := kernel.FromSpec(h.Kernel)
	if err != nil {
		return nil, err
	}
	_, cols := m.features.Dims()
	if err := checkDims(k, cols); err != nil {
		return nil, err
	}
	if !(h.OwnPart > 0 && h.OwnPart < 1) {
		return nil, fmt.Errorf("model.json: a part of %g is each item's own", h.OwnPart)
	}
	it := population.NewItems(trained, mat.DenseCopyOf(m.features.Slice(0, trained, 0, cols)), k, nil)
	if h.OwnPart != it.Own {
		it = it.Mixed(h.OwnPart)
	}
	return it, nil
}

func (m *Population) loadPopulationPrior(a *arrayReader, h populationHeader) error {
	n := len(h.Items)
	one := &m.family.Members[0].Classes[0]
	switch {
	case h.Members != nil:
		m.fit.Scale = 1
		return m.loadFamily(a, n)
	case a.has("covariance"):
		one.Prior = &population.Full{N: n, S: a.floats("covariance", n, n), T: a.floats("mean", n)}
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
	one.Prior = p
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
	if a.has("person_answer") {
		people.Answer, _ = readArray[int64](a, "person_answer")
	}
	shape, classes := []int{pairs}, 1
	if h.Members != nil {
		classes = 0
		for _, f := range m.family.Members {
			classes += len(f.Classes)
		}
		shape = []int{classes, pairs}
	}
	tau, nu := a.floats("site_tau", shape...), a.floats("site_nu", shape...)
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
	if err := m.loadLeans(a, h, p.Len()); err != nil {
		return err
	}
	m.number(p)
	for _, f := range m.family.Members {
		for k := range f.Classes {
			e, err := population.NewEngine(p, m.settings(f))
			if err != nil {
				return err
			}
			if m.family.Leans != nil {
				e.Leans = m.family.Leans.Of
			}
			e.Tau, tau = tau[:pairs:pairs], tau[pairs:]
			e.Nu, nu = nu[:pairs:pairs], nu[pairs:]
			f.Classes[k].Engine = e
		}
	}
	if low, ok := m.family.Members[0].Classes[0].Prior.(*population.LowRank); ok && low.F > 0 {
		low.Features = make([]float64, p.Len()*low.F)
		for k := range p.Len() {
			if u := p.Owner(k); u >= 0 {
				copy(low.Features[k*low.F:], m.about[u*low.F:(u+1)*low.F])
			}
		}
	}
	return nil
}
