package published

import (
	"context"
	"math"
	"math/rand/v2"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
)

// Learnt is q after a fit.
type Learnt struct {
	*crowd
	// Objective is what the update climbs: CROWD (51), corrected, for the crowd: the
	// bound with votes as the linearised observations that they are taken for.
	Objective float64
	// Bound is CROWD (35), corrected, with z as Gaussian as its mean and variance
	// allow: with factors it is not, and this no true bound.
	Bound  float64
	Status infer.Status

	weight [][]float64 // of factor c: mean for every voter
	spread [][]float64 // and variance
}

// crowd is q with what it is inferred from. Column 0 is the consensus, whose
// weight is 1.
type crowd struct {
	*Problem
	Options
	items, voters *gp.Prior // voters is nil where no factor has their kernel
	item          []field   // columns; [0] is nil without a consensus
	voter         []field   // [0] is nil
	noise         []float64 // Q of every vote
}

// Fit infers consensus, factors and voters. When ctx ends before the last step it
// returns what it has, with Status Interrupted.
func Fit(ctx context.Context, p *Problem, o *Options) (*Learnt, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	q, err := newCrowd(p, o)
	if err != nil {
		return nil, err
	}
	rng := rand.New(rand.NewPCG(q.Seed, 0x5eed))
	for _, f := range q.voter[1:] {
		f.start(rng)
	}
	l := &Learnt{crowd: q}
	d := deck{rng: rng}
	for i := range q.Steps {
		if ctx.Err() != nil {
			l.Status = infer.Interrupted
			break
		}
		votes := all(len(p.Votes))
		if q.Batch > 0 && q.Batch < len(votes) {
			votes = d.deal(len(votes), q.Batch)
		}
		if err := q.step(q.rate(i), q.see(votes)); err != nil {
			return nil, err
		}
	}
	l.settle()
	return l, nil
}

func newCrowd(p *Problem, o *Options) (*crowd, error) {
	if o == nil {
		o = &Options{}
	}
	q := &crowd{Problem: p, Options: *o}
	q.settle(p)
	var err error
	if q.items, err = p.Items.prior(); err != nil {
		return nil, err
	}
	if q.Featured > 0 {
		if q.voters, err = p.Voters.prior(); err != nil {
			return nil, err
		}
	}
	q.item, q.voter = make([]field, q.Factors+1), make([]field, q.Factors+1)
	if !q.NoConsensus {
		if q.item[0], err = newProcess(q.items, q.ConsensusScale, q.FixedScales); err != nil {
			return nil, err
		}
	}
	for c := 1; c <= q.Factors; c++ {
		if q.item[c], err = newProcess(q.items, q.FactorScale, q.FixedScales); err != nil {
			return nil, err
		}
		if c > q.Featured {
			q.voter[c] = newIndependent(p.Voters.Points.Len(), q.WeightScale, q.FixedScales || q.UnitWeights)
		} else if q.voter[c], err = newProcess(q.voters, q.WeightScale, q.FixedScales || q.UnitWeights); err != nil {
			return nil, err
		}
	}
	q.setNoise()
	return q, nil
}

// setNoise sets Q from the prior variance of z, with inverse scales at their prior
// means: CROWD (9), corrected, in closed form where the authors sample.
func (q *crowd) setNoise() {
	var rows gp.Rows
	at := make(map[[2]int]int)
	place := make([]int, len(q.Votes))
	for k, v := range q.Votes {
		pair := [2]int{min(v.Win, v.Lose), max(v.Win, v.Lose)}
		r, ok := at[pair]
		if !ok {
			r = rows.Len()
			at[pair] = r
			rows.AppendPair(pair[0], pair[1])
		}
		place[k] = r
	}
	prior := q.items.FormVariances(&rows)
	for r, x := range q.items.Residuals(&rows) {
		prior[r] += x
	}
	var scale float64 // of the prior variance of a form
	if !q.NoConsensus {
		scale += 1 / q.ConsensusScale.Mean()
	}
	scale += float64(q.Factors) / q.FactorScale.Mean()
	q.noise = make([]float64, len(q.Votes))
	for k := range q.noise {
		q.noise[k] = q.observer(k).ObservationVar(scale * prior[place[k]])
		if _, probit := q.observer(k).(likelihood.Probit); probit && q.Noise == ReleasedNoise {
			q.noise[k] = released(q.noise[k])
		}
	}
}

// released turns E = ab/(n(n+1)) into ab/n²: with a = 1+γ, b = γ and n = 1+2γ,
// E = (n−1)/4n and ab/n² = (1 − n⁻²)/4.
func released(expected float64) float64 { return 2 * expected * (1 - 2*expected) }

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

func (q *crowd) see(votes []int) *batch {
	var pairs, units gp.Rows
	b := &batch{votes: votes, weight: 1}
	var sum, total float64
	count := make([]float64, len(votes))
	for k, p := range votes {
		v := q.Votes[p]
		pairs.AppendPair(v.Win, v.Lose)
		units.AppendUnit(v.Voter)
		count[k] = v.weight()
		sum += count[k]
	}
	if len(votes) < len(q.Votes) {
		for _, v := range q.Votes {
			total += v.weight()
		}
		b.weight = total / sum
	}
	b.pairs, b.units = newView(q.items, &pairs, count), newView(q.voters, &units, count)
	b.item, b.voter = make([]moments, len(q.item)), make([]moments, len(q.voter))
	num.Parallel(2*len(q.item), 1, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			if c := i / 2; i%2 == 0 {
				b.item[c] = look(q.item[c], b.pairs)
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
func (q *crowd) linearise(b *batch) (change float64) {
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
func (q *crowd) sites(b *batch, x, c moments) []gp.Site {
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

// settled is the change of slopes at which they count as converged.
const settled = 1e-5

// step is one round of updates: the consensus until the linearisation stands still,
// then factors and weights one after the other. Without a consensus the factors
// are what the linearisation follows.
func (q *crowd) step(rho float64, b *batch) error {
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

func (q *crowd) learnFactors(rho float64, b *batch) error {
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
func (q *crowd) learnItem(rho float64, b *batch, c int) error {
	f := q.item[c]
	if err := f.learn(rho, b.weight, b.pairs, q.sites(b, b.item[c], b.voter[c])); err != nil {
		return err
	}
	b.item[c].mean = f.means(b.pairs)
	b.sum()
	return nil
}

// settle derives what follows from the last step.
func (l *Learnt) settle() {
	l.weight, l.spread = make([][]float64, l.Factors+1), make([][]float64, l.Factors+1)
	everybody := newView(l.voters, gp.Units(l.Voters.Points.Len()), nil)
	num.Parallel(l.Factors, 1, func(lo, hi int) {
		for c := lo + 1; c <= hi; c++ {
			l.weight[c], l.spread[c] = l.voter[c].look(everybody)
		}
	})
	b := l.see(all(len(l.Votes)))
	var divergence float64
	for c := range l.item {
		if l.item[c] != nil {
			divergence += l.item[c].divergence()
		}
		if c > 0 {
			divergence += l.voter[c].divergence()
		}
	}
	l.Objective, l.Bound = -divergence, -divergence
	for k, v := range b.variance() {
		p, count := b.votes[k], b.pairs.count[k]
		e, _, _ := likelihood.Expect(l.scalar(p), b.z[k], v)
		l.Bound += count * e
		g, slope, target := l.observer(p).Observe(b.z[k])
		e, _, _ = likelihood.Gaussian{Y: target, Sd: math.Sqrt(l.noise[p])}.Expect(g, slope*slope*v)
		l.Objective += count * e
	}
}

func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
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
