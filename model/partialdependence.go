package model

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"palate/kernel"
	"palate/population"
)

// Featured is a model that knows the utilities of the consensus as a function of the features of
// items, beside what is each item's own.
type Featured interface {
	Model
	// Features returns those of the items, a row each, as encoded; nil without.
	Features() *mat.Dense
	// Relevances returns what was learnt of them: terms of the kernel, with length-scales.
	Relevances() []kernel.Relevance
	// PartialDependence returns what is known of the means of the function over blocks of size rows of
	// x each, which differ in some columns alone. It fails where the model has no such function,
	// and when ctx ends.
	PartialDependence(ctx context.Context, x *mat.Dense, size int, columns []int) (*PartialDependence, error)
}

var (
	_ Featured = (*Single)(nil)
	_ Featured = (*Population)(nil)
)

// AsFeatured returns the model, or the part of an average that speaks for the consensus, as one that
// knows utilities as a function of features. It fails where there is none.
func AsFeatured(m Model) (Featured, error) {
	if a, ok := m.(*Average); ok {
		m = a.parts[0]
	}
	f, ok := m.(Featured)
	if p, is := m.(*Population); is {
		_, ok = p.family.Members[0].Classes[0].Prior.(*population.LowRank)
	}
	switch {
	case !ok:
		return nil, fmt.Errorf("model: a %s model does not know utilities as a function of features; single and population do", m.Name())
	case f.Features() == nil:
		return nil, fmt.Errorf("model: the items of the model have no features to explain them by: it was fitted without a table of them")
	}
	return f, nil
}

// PartialDependence is what is known of some means of a function of features: a Gaussian, and the covariance
// of the same before the votes, at what was learnt of the kernel. All is up to a constant in common.
type PartialDependence struct {
	Mean        []float64
	Cov, Before *mat.SymDense
}

// Features returns those of the items, a row each, as encoded; nil without.
func (m *Single) Features() *mat.Dense { return m.features }

// Relevances returns what was learnt of features, with variances in units of the noise of a vote.
func (m *Single) Relevances() []kernel.Relevance {
	all := kernel.Relevances(m.kernel)
	for i := range all {
		all[i].Variance /= m.result.Posterior.Scale
	}
	return all
}

// PartialDependence returns what is known of the means of utilities as a function of features over blocks of
// rows. What votes leave open of the hyper-parameters of a kernel that they settled is in it, and of
// others that of the scale where boards have it so.
func (m *Single) PartialDependence(ctx context.Context, x *mat.Dense, size int, columns []int) (*PartialDependence, error) {
	of := kernel.OfFeatures(m.kernel)
	if of == nil || m.links != nil {
		return nil, fmt.Errorf("model: what spreads along links is not told by features alone; fit without links")
	}
	if m.opensKernel() {
		all, err := m.kernels(ctx, columns)
		if err != nil {
			return nil, err
		}
		return partialDependenceOfDraws(all, x, size), ctx.Err()
	}
	s, err := m.scales(ctx)
	if err != nil {
		return nil, err
	}
	over := s.at[0].Prior.Means(of, kernel.Dense(x), size)
	var parts []*PartialDependence
	for _, q := range s.at {
		mean, cov, before := q.Means(over)
		parts = append(parts, &PartialDependence{mean, cov, before})
	}
	return mixed(parts, func(k int) float64 { return s.mass[k] }), ctx.Err()
}

// Features returns those of the items, a row each, as encoded; nil without.
func (m *Population) Features() *mat.Dense { return m.features }

// Relevances returns what was learnt of what features tell of the consensus.
func (m *Population) Relevances() []kernel.Relevance {
	it := m.family.Items().OfMean()
	if it.Kernel == nil {
		return nil
	}
	all := kernel.Relevances(it.Kernel)
	for i := range all {
		all[i].Variance *= (1 - it.Own) / it.Variance() * m.family.Spread()
	}
	return all
}

// PartialDependence returns what is known of the means of the consensus as a function of features over blocks
// of rows.
func (m *Population) PartialDependence(ctx context.Context, x *mat.Dense, size int, _ []int) (*PartialDependence, error) {
	c, err := m.mean(ctx)
	if err != nil {
		return nil, err
	}
	mean, cov, before, err := m.family.PartialDependence(c, x, size)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return &PartialDependence{mean, cov, before}, nil
}
