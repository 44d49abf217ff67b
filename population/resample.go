package population

import (
	"context"
	"math/rand/v2"
)

// Segmented is the heaviest member of several segments, those that people come in if they do; nil
// without.
func (f *Family) Segmented() (best *Member) {
	for _, m := range f.Members {
		if m.Name == inSegments && (best == nil || m.Weight > best.Weight) {
			best = m
		}
	}
	return best
}

// Memberships returns of each class how far each person is of it.
func (m *Member) Memberships(ctx context.Context) ([][]float64, error) { return m.memberships(ctx) }

// Means returns the mean of each class with its uncertainty, given how far each person is of it.
func (m *Member) Means(ctx context.Context, it *Items, member [][]float64) ([]*Consensus, error) {
	var all []*Consensus
	for k, c := range m.Classes {
		mean, err := newConsensus(ctx, c.Engine, c.Prior, it, c.Spread, member[k])
		if err != nil {
			return nil, err
		}
		all = append(all, mean)
	}
	return all, nil
}

// Resample fits as many classes as a member has anew, to people drawn with replacement from those
// whom the family was learnt from, and returns how far everybody is of each. Nothing that was learnt
// of classes is used: it starts from clusters of what is known of the people drawn.
func (f *Family) Resample(ctx context.Context, m *Member, redundancy float64, rng *rand.Rand) ([][]float64, error) {
	people := f.People()
	drawn := make([]int, people.Len())
	for k := range drawn {
		drawn[k] = rng.IntN(len(drawn))
	}
	some, err := people.Listed(drawn)
	if err != nil {
		return nil, err
	}
	whole := newRun(people, f.Items(), redundancy, &Options{})
	whole.leans = f.Leans
	r := newRun(some, f.Items(), redundancy, &Options{})
	if f.Leans != nil {
		leans := *f.Leans
		leans.Of = make([]float64, len(drawn))
		for k, u := range drawn {
			leans.Of[k] = f.Leans.Of[u]
		}
		r.leans = &leans
	}
	own, err := r.ownTastes(ctx, ownGrid[middling], nil)
	if err != nil {
		return nil, err
	}
	points, err := own.means(ctx)
	if err != nil {
		return nil, err
	}
	centres := means(points, make([]int, len(points)), points[:1])
	var count []int
	for len(centres) < len(m.Classes) {
		centres, count = clusters(points, centres)
	}
	s, err := r.newSegments(centres, count, own.prior.Share, own.threshold())
	if err != nil {
		return nil, err
	}
	if err := s.rise(ctx); err != nil {
		return nil, err
	}
	again := s.result(inSegments)
	for k := range again.Classes {
		e, err := whole.engine()
		if err != nil {
			return nil, err
		}
		if s.ties {
			e.setThreshold(s.threshold())
		}
		if _, _, err := e.Evaluate(ctx, again.Classes[k].Prior); err != nil {
			return nil, err
		}
		again.Classes[k].Engine = e
	}
	return again.memberships(ctx)
}
