package model

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/population"
)

// Population is many voters of one population: each has utilities of their
// own, drawn from a common Gaussian that is learnt from everybody's votes
// (COLLAB). Its consensus is the mean of that Gaussian; to prefer as the
// consensus does is to prefer as a person nothing is known of.
type Population struct {
	Base

	ties        float64
	withoutTies bool // ties are not learnt from, see decideTies
	asPairs     bool // answers about several items are not taken as such
	options     PopulationOptions
	person      []int // of each user; −1 without votes

	family   *population.Family
	items    *population.Items
	features *mat.Dense // of the items; nil without
	centre   []float64  // of the user features, and
	width    []float64  // how they were scaled; nil without
	about    []float64  // scaled features of all users
	collab   string     // a member of COLLAB's family, from an older file; empty: none
	rule     infer.Rule // of the member collab
	fit      Fit
	beside   Reads // what it was fitted to beside votes

	recent    [64]atomic.Pointer[remembered]
	consensus num.Lazy[*population.Consensus]
	effects   num.Lazy[*population.PersonEffects]
}

// remembered is a posterior that was asked for before.
type remembered struct {
	user int
	population.Blend
}

// FitPopulation learns a population from the votes of d. When ctx ends before
// it is done it returns the error of ctx.
func FitPopulation(ctx context.Context, d *palate.Dataset, o *PopulationOptions) (*Population, error) {
	if o == nil {
		o = &PopulationOptions{}
	}
	m := &Population{Base: newBase(d).withUsers(d), options: *o}
	n := d.NumItems()
	if f := d.ItemFeatures(); f != nil && f.Cols > 0 {
		m.features = mat.NewDense(f.Rows, f.Cols, f.Data)
	}
	if err := m.decideTies(ctx, d); err != nil {
		return nil, err
	}
	people, heldOut, err := m.gather(d)
	if err != nil {
		return nil, err
	}
	m.number(people)
	if m.features == nil && o.Kernel != nil {
		return nil, fmt.Errorf("model: a kernel over features, but the items have none")
	}
	limit := o.MaxMemory
	limit = cmp.Or(limit, 8e9)
	full := o.Covariance == FullCovariance
	if o.UserLinks != nil && full {
		return nil, fmt.Errorf("model: %s has no place for links between users; the default population model has", m.Name())
	}
	about, err := userFeatures(d, o.usesFeatures(d), o.UserLinks)
	if err != nil {
		return nil, err
	}
	m.beside = ItemFeatures.when(m.features != nil) | UserFeatures.when(o.usesFeatures(d)) | UserLinks.when(o.UserLinks != nil)
	f := 0
	if about != nil {
		f = about.Cols
	}
	need := population.Memory(people, m.features != nil, full, &population.Options{Rank: o.Rank}, f)
	if o.Plan != nil {
		o.Plan(Need{need.Items, need.Votes, need.Working, need.Total(), need.Disk})
	}
	if err := need.Check(limit, n, m.features != nil, full); err != nil {
		return nil, err
	}
	if len(heldOut) > 0 && full {
		return nil, fmt.Errorf("model: votes held out are for the low-rank population model only")
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	k := o.Kernel
	if k == nil && m.features != nil {
		features := FeatureKernel{}
		if o.Features != nil {
			features = *o.Features
		}
		k = features.at(kernel.Dense(m.features), rng)
	}
	if o.Kernel == nil && o.Lengths == LearntLengths && m.features != nil {
		kernels := population.Lengths(k)
		best, _, err := population.ChooseKernel(ctx, people, m.features, kernels, &population.Options{Rank: o.Rank, Penalty: o.Penalty, Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		k = kernels[best]
	}
	m.items = population.NewItems(n, m.features, k, rng)
	blends := m.blends(people, f)
	known, err := m.itemsKnown(ctx, d.ItemFeatures(), people, blends, rng)
	if err != nil {
		return nil, err
	}
	if m.items.Kernel != nil { // features bridge what votes do not connect
		m.groups = [][]int{num.Indices(n)}
	}
	var x []float64
	if f > 0 {
		x = m.scaleFeatures(about, people)
	}
	switch {
	case full:
		return m.orError(m.fitFull(ctx, people))
	case blends:
		return m.orError(m.fitFamily(ctx, people, known, heldOut))
	}
	return m.orError(m.fitLowRank(ctx, people, heldOut, x, f))
}

// orError returns the model, or nothing with an error.
func (m *Population) orError(err error) (*Population, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// number notes which person each user is.
func (m *Population) number(p *population.People) {
	m.person = make([]int, len(m.users))
	for u := range m.person {
		m.person[u] = -1
	}
	for k := range p.Len() {
		if u := p.Owner(k); u >= 0 {
			m.person[u] = k
		}
	}
}

// scaleFeatures brings every user feature to mean zero and mean square one over
// those who voted, keeps those of all users, and returns those of the persons.
func (m *Population) scaleFeatures(f *palate.Features, p *population.People) []float64 {
	voted := make([]bool, f.Rows)
	for u, k := range m.person {
		voted[u] = k >= 0
	}
	m.centre, m.width = standards(f, voted)
	for u := range f.Rows {
		m.about = append(m.about, standardised(f.Row(u), m.centre, m.width)...)
	}
	out := make([]float64, p.Len()*f.Cols)
	for k := range p.Len() {
		if u := p.Owner(k); u >= 0 {
			copy(out[k*f.Cols:], m.about[u*f.Cols:(u+1)*f.Cols])
		}
	}
	return out
}

// standardised are features less their centres, in units of their widths.
func standardised(x, centre, width []float64) []float64 {
	out := make([]float64, len(x))
	for j, v := range x {
		out[j] = (v - centre[j]) / width[j]
	}
	return out
}
