package published

import (
	"math"
	"math/rand/v2"

	"palate/gp"
	"palate/internal/num"
)

// batch is some of the votes, seen from both spaces.
type batch struct {
	votes        []int
	pairs, units *view
	weight       float64 // how many votes each stands for
	z            []float64
	slope        []float64 // G
	item, voter  []moments // by column; those of the consensus's voters are 1 and 0
}

// moments are mean and variance of the forms of a column.
type moments struct{ mean, variance []float64 }

// see looks at some votes, with the variances of both spaces.
func (q *engine) see(votes []int) *batch { return q.seeBy(votes, look) }

// glance is see without the variances of items, which a step looks at when it has learnt them.
func (q *engine) glance(votes []int) *batch {
	return q.seeBy(votes, func(f field, v *view) moments {
		if f == nil {
			return look(nil, v)
		}
		return moments{mean: f.means(v)}
	})
}

func (q *engine) seeBy(votes []int, lookAtItem func(field, *view) moments) *batch {
	var pairs, units gp.Rows
	b := &batch{votes: votes, weight: 1}
	var sum float64
	count := make([]float64, len(votes))
	for k, p := range votes {
		v := q.Votes[p]
		pairs.AppendPair(v.Win, v.Lose)
		units.AppendUnit(v.Voter)
		count[k] = v.weight()
		sum += count[k]
	}
	if len(votes) < len(q.Votes) {
		b.weight = q.total / sum
	}
	b.pairs, b.units = newView(q.items, &pairs, count), newView(q.voters, &units, count)
	b.item, b.voter = make([]moments, len(q.item)), make([]moments, len(q.voter))
	num.Parallel(2*len(q.item), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if c := i / 2; i%2 == 0 {
				b.item[c] = lookAtItem(q.item[c], b.pairs)
			} else {
				b.voter[c] = look(q.voter[c], b.units)
			}
		}
	})
	for k := range votes {
		b.voter[0].mean[k] = 1
	}
	b.sum()
	b.slope = make([]float64, len(votes))
	return b
}

// look is that of a field; without one all is zero.
func look(f field, v *view) moments {
	if f == nil {
		return moments{make([]float64, v.rows.Len()), make([]float64, v.rows.Len())}
	}
	m, s := f.look(v)
	return moments{m, s}
}

// sum sets z to its mean.
func (b *batch) sum() {
	b.z = make([]float64, len(b.votes))
	for c := range b.item {
		for k, x := range b.item[c].mean {
			b.z[k] += x * b.voter[c].mean[k]
		}
	}
}

// variance returns that of z, the products taken exactly.
func (b *batch) variance() []float64 {
	out := make([]float64, len(b.votes))
	for c := range b.item {
		x, w := b.item[c], b.voter[c]
		for k := range out {
			out[k] += w.mean[k]*w.mean[k]*x.variance[k] + x.mean[k]*x.mean[k]*w.variance[k] + x.variance[k]*w.variance[k]
		}
	}
	return out
}

// linearise sets the slopes at the mean of z, CROWD (11) and (25), corrected, and
// returns by how much the largest change was.
func (q *engine) linearise(b *batch) (change float64) {
	for k, p := range b.votes {
		_, slope, _ := q.observer(p).Observe(b.z[k])
		change = math.Max(change, math.Abs(slope-b.slope[k]))
		b.slope[k] = slope
	}
	return change
}

// sites returns what the votes say of the forms x of one column, whose coefficients
// in z are c with the other column's moments: with the target y − Φ(ẑ) + G·E[c]x̂
// for G·c·x, CROWD (23)–(24), (27)–(28) and (30)–(31), corrected.
func (q *engine) sites(b *batch, x, c moments) []gp.Site {
	out := make([]gp.Site, len(b.votes))
	for k, p := range b.votes {
		g, _, target := q.observer(p).Observe(b.z[k])
		slope, noise := b.slope[k], q.noise[p]
		m := c.mean[k]
		out[k] = gp.Site{
			Tau: slope * slope * (m*m + c.variance[k]) / noise,
			Nu:  slope * m * (target - g + slope*m*x.mean[k]) / noise,
		}
	}
	return out
}

// deck deals votes in random order, all before any comes again.
type deck struct {
	rng   *rand.Rand
	cards []int
}

func (d *deck) deal(n, k int) []int {
	if len(d.cards) == 0 {
		d.cards = d.rng.Perm(n)
	}
	k = min(k, len(d.cards))
	out := d.cards[:k]
	d.cards = d.cards[k:]
	return out
}
