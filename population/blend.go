package population

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
	"palate/likelihood"
)

// Blend is one person's utilities as a family knows them: a Gaussian for each class of
// each member, with its weight. Weights sum to one.
type Blend []Part

// Part is one of the Gaussians of a Blend.
type Part struct {
	Weight float64
	*Posterior
	Win likelihood.Scalar // of a vote
}

// blend weighs classes by how likely they make a person's votes.
func (f *Family) blend(of func(m *Member, c *Class) (*Posterior, error)) (Blend, error) {
	var b Blend
	for _, m := range f.Members {
		first := len(b)
		weight := make([]float64, len(m.Classes))
		for k := range m.Classes {
			c := &m.Classes[k]
			q, err := of(m, c)
			if err != nil {
				return nil, err
			}
			weight[k] = math.Log(c.Share) + q.LogEvidence
			b = append(b, Part{Posterior: q, Win: m.win()})
		}
		total := num.LogSumExp(weight)
		for k, w := range weight {
			b[first+k].Weight = m.Weight * math.Exp(w-total)
		}
	}
	return b, nil
}

// win is the likelihood of a vote for the first of two items.
func (m *Member) win() likelihood.Scalar {
	if m.Win != nil {
		return m.Win
	}
	return likelihood.Probit{Offset: m.Threshold}
}

// Posterior returns what is known of person u, at the sites that the engines hold.
func (f *Family) Posterior(u int) (Blend, error) {
	return f.blend(func(_ *Member, c *Class) (*Posterior, error) { return c.Engine.Posterior(c.Prior, u) })
}

// FoldIn infers a new person from votes and answers, in the family as it is; see the function
// of this name.
func (f *Family) FoldIn(tallies []palate.Tally, features []float64, settings func(m *Member) Settings, answers ...palate.Answer) (Blend, error) {
	return f.blend(func(m *Member, c *Class) (*Posterior, error) {
		return FoldIn(c.Prior, tallies, features, settings(m), answers...)
	})
}

// NewVoter is a person nothing is known of.
func (f *Family) NewVoter() Blend {
	b, _ := f.blend(func(_ *Member, c *Class) (*Posterior, error) { return NewVoter(c.Prior), nil })
	return b
}

// Prefer returns the probability of a win of i over j given that there is no tie.
func (b Blend) Prefer(i, j int) (p float64) { return b.PreferWith(i, j, 0, 0) }

// PreferWith is Prefer with a bonus for i, of which mean and variance are known.
func (b Blend) PreferWith(i, j int, bonus, unsure float64) (p float64) {
	for _, q := range b {
		mean, variance := q.Difference(i, j)
		p += q.Weight * Prefer(q.Win, mean+bonus, variance+unsure)
	}
	return p
}

// moments adds means and variances up to those of all parts.
func (b Blend) moments(of func(*Posterior) (mean, variance float64)) (mean, variance float64) {
	if len(b) == 1 {
		return of(b[0].Posterior)
	}
	var square float64
	first, _ := of(b[0].Posterior) // differences to it do not cancel
	for _, q := range b {
		m, v := of(q.Posterior)
		m -= first
		mean += q.Weight * m
		square += q.Weight * (v + m*m)
	}
	return first + mean, square - mean*mean
}

// Difference returns mean and variance of the utility of item i less that of item j.
func (b Blend) Difference(i, j int) (mean, variance float64) {
	return b.moments(func(q *Posterior) (float64, float64) { return q.Difference(i, j) })
}

// Utility returns mean and variance of the utility of an item.
func (b Blend) Utility(i int) (mean, variance float64) {
	return b.moments(func(q *Posterior) (float64, float64) { return q.Utility(i) })
}

// MeansTo sets dst to the means of the utilities of all items, without their variances.
func (b Blend) MeansTo(dst []float64) {
	clear(dst)
	part := make([]float64, len(dst))
	for _, q := range b {
		q.meansTo(part)
		num.Axpy(q.Weight, part, dst)
	}
}

// CovTo sets dst to the covariances of the utility of an item with those of others.
func (b Blend) CovTo(dst []float64, item int, others []int) {
	if len(b) == 1 {
		b[0].CovTo(dst, item, others)
		return
	}
	part, at, mean := make([]float64, len(dst)), 0.0, make([]float64, len(dst))
	clear(dst)
	for _, q := range b {
		q.Posterior.CovTo(part, item, others)
		m := q.mean(item)
		at += q.Weight * m
		for k, j := range others {
			o := q.mean(j)
			dst[k] += q.Weight * (part[k] + m*o)
			mean[k] += q.Weight * o
		}
	}
	for k, o := range mean {
		dst[k] -= at * o
	}
}

// Draws returns joint draws of the person's utilities, a row each, those of a part after
// those of another and each about as many as its weight says; for each draw the log of
// the true over the approximate likelihood of the person's votes, if that is known
// (Posterior.Draws); and where the draws of each part end.
func (b Blend) Draws(ctx context.Context, n int, rng *rand.Rand) (f *mat.Dense, surprise []float64, ends []int, err error) {
	if len(b) == 1 {
		f, surprise, err = b[0].Posterior.Draws(ctx, n, rng)
		return f, surprise, []int{n}, err
	}
	weight := make([]float64, len(b))
	for k, q := range b {
		weight[k] = q.Weight
	}
	f, ends, err = drawParts(weight, n, rng, func(k, n int) (*mat.Dense, error) {
		g, s, err := b[k].Posterior.Draws(ctx, n, rng)
		surprise = append(surprise, s...)
		return g, err
	})
	return f, surprise, ends, err
}

// drawParts draws n rows from parts, of each as many as its weight says up to one, and
// returns where those of each end.
func drawParts(weight []float64, n int, rng *rand.Rand, draw func(part, n int) (*mat.Dense, error)) (*mat.Dense, []int, error) {
	var f *mat.Dense
	ends := make([]int, len(weight))
	offset, sum, done := rng.Float64(), 0.0, 0
	for k, w := range weight {
		sum += w
		if ends[k] = min(int(sum*float64(n)+offset), n); k == len(weight)-1 {
			ends[k] = n
		}
		if ends[k] == done {
			continue
		}
		g, err := draw(k, ends[k]-done)
		if err != nil {
			return nil, nil, err
		}
		if f == nil {
			_, items := g.Dims()
			f = mat.NewDense(n, items, nil)
		}
		copy(f.RawMatrix().Data[done*f.RawMatrix().Cols:], g.RawMatrix().Data)
		done = ends[k]
	}
	return f, ends, nil
}

// LogChance returns that of what a person says, as a family knows somebody with these features
// of whom nothing else is known.
func (f *Family) LogChance(tallies []palate.Tally, features []float64, settings func(m *Member) Settings, answers ...palate.Answer) (float64, error) {
	var all []float64
	for _, m := range f.Members {
		for _, c := range m.Classes {
			q, err := FoldIn(c.Prior, tallies, features, settings(m), answers...)
			if err != nil {
				return 0, err
			}
			all = append(all, math.Log(m.Weight)+math.Log(c.Share)+q.LogEvidence)
		}
	}
	return num.LogSumExp(all), nil
}
