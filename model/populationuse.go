package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate/population"
)

// Name returns "population".
func (m *Population) Name() string { return "population" }

// Fit returns how the fit went. Scale is the inverse of the variance that the
// covariance is measured in; Stats.Sweeps counts evaluations of the objective. Form says
// how much of own tastes, factors and segments there is in what the model says, where it
// was fitted in several forms at once.
func (m *Population) Fit() Fit {
	f := m.fit
	f.Ties = m.ties
	if m.blended() {
		f.Form = m.family.String()
	}
	for _, v := range m.votes {
		f.Votes += v / 2 // every vote has two sides
	}
	return f
}

// posterior returns what is known of a user.
func (m *Population) posterior(user int) population.Blend {
	if user < 0 || user >= len(m.person) {
		return m.family.NewVoter()
	}
	slot := &m.recent[user%len(m.recent)]
	if r := slot.Load(); r != nil && r.user == user {
		return r.Blend
	}
	var q population.Blend
	var err error
	switch k := m.person[user]; {
	case k >= 0:
		q, err = m.family.Posterior(k)
	case m.about != nil:
		f := len(m.centre)
		q, err = m.family.FoldIn(nil, m.about[user*f:(user+1)*f], m.settings)
	default:
		q = m.family.NewVoter()
	}
	if err != nil {
		panic(err) // the same covariance was factored during the fit
	}
	slot.Store(&remembered{user, q})
	return q
}

// Prefer returns the probability that user picks left over right, ties apart;
// for a negative user that of a person nothing is known of.
func (m *Population) Prefer(user, left, right int) float64 {
	return m.posterior(user).Prefer(left, right)
}

// preferTo sets dst to what Prefer says of pairs.
func (m *Population) preferTo(dst []float64, user int, left, right []int) {
	m.posterior(user).PreferTo(dst, left, right)
}

// Utility returns mean and variance of an item's utility to user; for a
// negative user those of the consensus, in units of the noise of a new voter's vote.
func (m *Population) Utility(user, item int) (mean, variance float64) {
	if user < 0 {
		c := m.known()
		return c.Mean[item], c.Cov(item, item)
	}
	return m.posterior(user).Utility(item)
}

// meansTo sets dst to the means of UtilitiesTo alone.
func (m *Population) meansTo(dst []float64, user int) {
	if user < 0 {
		copy(dst, m.known().Mean)
		return
	}
	m.posterior(user).MeansTo(dst)
}

// CovarianceTo sets dst to the covariances between the utilities of item and
// others.
func (m *Population) CovarianceTo(dst []float64, user, item int, others []int) {
	if user < 0 {
		c := m.known()
		for k, o := range others {
			dst[k] = c.Cov(item, o)
		}
		return
	}
	m.posterior(user).CovTo(dst, item, others)
}

// UtilitiesTo sets mean and variance to those of the utilities of all items to
// user; for a negative user those of the consensus.
func (m *Population) UtilitiesTo(ctx context.Context, mean, variance []float64, user int) error {
	if user < 0 {
		if _, err := m.mean(ctx); err != nil {
			return err
		}
	}
	for i := range m.ids {
		mean[i], variance[i] = m.Utility(user, i)
	}
	return ctx.Err()
}

// Segments returns the probability of each number of segments of voters who are alike, that
// of one first; of a fit of one form there is one.
func (m *Population) Segments() []float64 { return m.family.Segments() }

// mean returns the consensus, which is found when first asked for. It fails only when
// ctx ends: the same covariances were factored during the fit.
func (m *Population) mean(ctx context.Context) (*population.Consensus, error) {
	return m.consensus.Get(ctx, func(ctx context.Context) (*population.Consensus, error) {
		return m.family.Consensus(ctx, m.items)
	})
}

// known is mean without a context.
func (m *Population) known() *population.Consensus {
	c, err := m.mean(context.Background())
	if err != nil {
		panic(err)
	}
	return c
}

// Draws returns joint draws of the utilities of all items to user, weighted by
// the true over the approximate likelihood of that user's votes; for a negative
// user draws of the consensus.
func (m *Population) Draws(ctx context.Context, user, n int, rng *rand.Rand) (Draws, error) {
	if user >= 0 {
		return mended(m.posterior(user).Draws(ctx, n, rng))
	}
	c, err := m.mean(ctx)
	if err != nil {
		return Draws{}, err
	}
	return evenDraws(c.Draws(ctx, n, rng))
}

// evenDraws weighs all draws alike, if there are any.
func evenDraws(f *mat.Dense, err error) (Draws, error) {
	if err != nil {
		return Draws{}, err
	}
	n, _ := f.Dims()
	d := Draws{F: f, Weight: make([]float64, n), ESS: float64(n)}
	for k := range d.Weight {
		d.Weight[k] = 1 / float64(n)
	}
	return d, nil
}

// mended weighs the draws of each part by log weights, where there are any that can be trusted.
func mended(f *mat.Dense, logW []float64, ends []int, err error) (Draws, error) {
	d, err := evenDraws(f, err)
	if err != nil || logW == nil {
		return d, err
	}
	lo, n := 0, float64(len(logW))
	for _, hi := range ends {
		if hi-lo >= minESS {
			if w, k := smoothWeights(logW[lo:hi]); k < maxTail && effective(w) >= minESS {
				for i, x := range w {
					d.Weight[lo+i] = x * float64(hi-lo) / n
				}
				d.Mended = true
			}
		}
		lo = hi
	}
	if d.Mended {
		d.ESS = effective(d.Weight)
	}
	return d, nil
}

// Extend returns the model with further items, known only by their features
// (one row an item, as wide as those of the fit).
func (m *Population) Extend(ids []string, features *mat.Dense) (Model, error) {
	if _, ok := m.family.Members[0].Classes[0].Prior.(*population.LowRank); !ok {
		return nil, fmt.Errorf("model: %s cannot say anything of new items", m.Name())
	}
	if r, _ := features.Dims(); r != len(ids) {
		return nil, fmt.Errorf("model: %d rows of features for %d new items", r, len(ids))
	}
	f, err := m.family.Extend(features)
	if err != nil {
		return nil, fmt.Errorf("model: %s", strings.TrimPrefix(err.Error(), "population: "))
	}
	e := &Population{
		Base: m.grown(ids), options: m.options, person: m.person,
		family: f, items: f.Items(), centre: m.centre, width: m.width, about: m.about,
		ties: m.ties, beside: m.beside, collab: m.collab, rule: m.rule, fit: m.fit,
	}
	e.features = &mat.Dense{}
	e.features.Stack(m.features, features)
	return e, nil
}
