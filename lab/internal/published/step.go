package published

import "palate/internal/num"

// settled is the change of slopes at which they count as converged.
const settled = 1e-5

// step is one round of updates: the consensus until the linearisation stands still,
// then factors and weights one after the other. Without a consensus the factors
// are what the linearisation follows.
func (q *engine) step(rho float64, b *batch) error {
	for c := range q.item {
		if q.item[c] != nil {
			q.item[c].begin()
		}
		if c > 0 {
			q.voter[c].begin()
		}
	}
	if t := q.item[0]; t != nil {
		for range q.Inner {
			if q.linearise(b) < settled {
				break
			}
			if err := q.learnItem(rho, b, 0); err != nil {
				return err
			}
		}
		t.rescale()
	}
	if err := q.learnFactors(rho, b); err != nil {
		return err
	}
	for c := 1; c <= q.Factors; c++ {
		w := q.voter[c]
		if err := w.learn(rho, b.weight, b.units, q.sites(b, b.voter[c], b.item[c])); err != nil {
			return err
		}
		b.voter[c].mean = w.means(b.units)
		b.sum()
	}
	num.Parallel(q.Factors, 1, func(lo, hi int) {
		for c := lo + 1; c <= hi; c++ {
			q.voter[c].rescale()
		}
	})
	return nil
}

func (q *engine) learnFactors(rho float64, b *batch) error {
	rounds := 1
	if q.NoConsensus {
		rounds = q.Inner
	}
	for range rounds {
		if q.NoConsensus && q.linearise(b) < settled {
			break
		}
		for c := 1; c <= q.Factors; c++ {
			if err := q.learnItem(rho, b, c); err != nil {
				return err
			}
		}
	}
	for c := 1; c <= q.Factors; c++ {
		b.item[c] = look(q.item[c], b.pairs)
		q.item[c].rescale()
	}
	return nil
}

// learnItem updates a column of the items.
func (q *engine) learnItem(rho float64, b *batch, c int) error {
	f := q.item[c]
	if err := f.learn(rho, b.weight, b.pairs, q.sites(b, b.item[c], b.voter[c])); err != nil {
		return err
	}
	b.item[c].mean = f.means(b.pairs)
	b.sum()
	return nil
}
