package population

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// BestKnown returns of what may be known of the items that which new votes would say most for, where
// people have tastes of their own of a middling variance. Without any nothing is known.
func BestKnown(ctx context.Context, people *People, known []*Items, redundancy float64, o *Options) (*Items, error) {
	if o == nil {
		o = &Options{}
	}
	it, _, err := bestKnown(ctx, people, known, redundancy, o)
	return it, err
}

// bestKnown is BestKnown with the fit that says so; nil where there was no choice.
func bestKnown(ctx context.Context, people *People, known []*Items, redundancy float64, o *Options) (*Items, *tastes, error) {
	switch len(known) {
	case 0:
		return NewItems(people.items, nil, nil, nil), nil, nil
	case 1:
		return known[0], nil, nil
	}
	var best *tastes
	for _, it := range known {
		t, err := newRun(people, it, redundancy, o).ownTastes(ctx, ownGrid[middling], nil)
		if err != nil {
			return nil, nil, err
		}
		if best == nil || t.score > best.score {
			best = t
		}
	}
	return best.prior.Items, best, nil
}

// Items returns what is known of the items.
func (f *Family) Items() *Items { return f.Members[0].Classes[0].Prior.(*LowRank).Items }

// Extend returns the family with further items, known by their features.
func (f *Family) Extend(features *mat.Dense) (*Family, error) {
	it, err := f.Items().Extend(features)
	if err != nil {
		return nil, err
	}
	out := *f
	out.Members = nil
	for _, m := range f.Members {
		e := *m
		e.Classes = slices.Clone(m.Classes)
		for k, c := range m.Classes {
			p := c.Prior.(*LowRank)
			e.Classes[k].Prior = p.extendTo(it, c.Spread/p.Scale)
		}
		out.Members = append(out.Members, &e)
	}
	return &out, nil
}
