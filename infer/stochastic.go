package infer

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"palate/gp"
)

// Stochastic follows natural gradients of random batches of rows (CROWD
// Algorithm 1): step i mixes the evidence of its batch, weighted by
// w = rows/batch, into the running one by ρ_i = (i + Delay)^−Forget. On
// inducing points the cost of a step depends on Batch and the number of
// inducing points only.
type Stochastic struct {
	Batch  int     // rows a step; 0 stands for 1000
	Steps  int     // 0 stands for 10 passes over the rows, at least 200 steps
	Delay  float64 // ε; 0 stands for 1
	Forget float64 // r, in (½, 1]; 0 stands for 0.9
	Inner  int     // looks at a batch a step, as in Algorithm 1; 0 stands for 1
	Seed   uint64
}

func (s Stochastic) run(ctx context.Context, e *engine) error {
	if e.Prior.Owned() {
		return s.runOwn(ctx, e)
	}
	t, err := newStochastic(s, e)
	if err != nil {
		return err
	}
	if err := e.steps(ctx, t.Steps, t.step); err != nil {
		return err
	}
	e.finishBound(t.q)
	return nil
}

// steps takes so many, or fewer when weights do not move any more.
func (e *engine) steps(ctx context.Context, most int, step func() error) error {
	e.result.Status = SweepLimit
	for range most {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
		e.progress()
		if e.result.Stats.Change < e.Tolerance {
			e.result.Status = Converged
			break
		}
	}
	return nil
}

// stochastic is a run under way.
type stochastic struct {
	Stochastic
	e     *engine
	order *shuffle
	ev    gp.Evidence
	q     *gp.Posterior
}

func newStochastic(s Stochastic, e *engine) (*stochastic, error) {
	n := e.Rows.Len()
	s = s.Defaults(n)
	t := &stochastic{Stochastic: s, e: e, ev: gp.NewEvidence(e.Prior.Dim())}
	t.order = newShuffle(n, rand.New(rand.NewPCG(s.Seed, 0x5eed)))
	var err error
	t.q, err = gp.NewPosterior(e.Prior, e.scale, t.ev)
	return t, err
}

// Defaults replaces zeros by what they stand for with n rows.
func (s Stochastic) Defaults(n int) Stochastic {
	s.Batch = cmp.Or(s.Batch, 1000)
	s.Batch = min(s.Batch, n)
	if s.Steps == 0 && n > 0 {
		s.Steps = max(200, 10*n/s.Batch)
	}
	s.Delay = cmp.Or(s.Delay, 1)
	s.Forget = cmp.Or(s.Forget, 0.9)
	return s
}

// step takes one batch: CROWD (17)–(18), corrected, in weight space.
func (t *stochastic) step() error {
	e := t.e
	st := &e.result.Stats
	st.Sweeps++
	st.Step = math.Pow(float64(st.Sweeps)+t.Delay, -t.Forget)
	weight := float64(e.Rows.Len()) / float64(t.Batch)
	b := e.batch(t.order.next(t.Batch))
	q, ev := t.q, t.ev
	for k := range max(1, t.Inner) {
		if k > 0 { // see the batch through its own update
			var err error
			if q, err = gp.NewPosterior(e.Prior, e.scale, ev); err != nil {
				return err
			}
		}
		l := b.updates(q.On(b.Prior))
		st.Skipped += l.skipped
		for r := range b.sites {
			b.sites[r] = l.updates[r].Site
		}
		ev = t.ev.Clone()
		ev.Mix(st.Step, weight, b.Prior.Evidence(b.Rows, b.sites, b.Count))
	}
	t.ev = ev
	for k, r := range b.rows {
		e.sites[r] = b.sites[k]
	}
	if e.ScalePrior != nil {
		e.scale += st.Step * (e.scaleFrom(t.q) - e.scale)
	}
	next, err := gp.NewPosterior(e.Prior, e.scale, t.ev)
	if err != nil {
		return err
	}
	st.Change = weightChange(t.q, next)
	t.q = next
	return nil
}

// weightChange is the largest move of a weight's mean, in units of its prior
// spread, or of the precision's log determinant, a weight.
func weightChange(a, b *gp.Posterior) float64 {
	c := math.Abs(a.LogDet()-b.LogDet()) / float64(len(a.Mean))
	for i, m := range a.Mean {
		c = math.Max(c, math.Abs(b.Mean[i]-m)*math.Sqrt(b.Scale))
	}
	return c
}

// batch is the engine of some rows only, on the items they touch.
type batch struct {
	*engine
	rows []int
}

func (e *engine) batch(rows []int) batch {
	sub := &Problem{Prior: e.Prior, Rows: e.Rows.Select(rows), Scale: e.Scale, ScalePrior: e.ScalePrior}
	if e.Prior.Sparse() {
		sub.Prior, sub.Rows = e.Prior.AtRows(sub.Rows), gp.Units(len(rows))
	}
	b := &engine{Problem: sub, Settings: e.Settings, scale: e.scale, sites: make([]gp.Site, len(rows))}
	for k, r := range rows {
		sub.Likelihood = append(sub.Likelihood, e.Likelihood[r])
		b.sites[k] = e.sites[r]
		if e.Count != nil {
			sub.Count = append(sub.Count, e.Count[r])
		}
	}
	b.prepare()
	return batch{b, rows}
}

// scaleFrom is scaleTarget for a posterior that no full look has seen.
func (e *engine) scaleFrom(q *gp.Posterior) float64 {
	d := float64(e.Prior.Dim())
	return e.scaleTarget(q, siteUpdates{fit: d - e.scale*q.Trace()})
}

// finishBound reports the lower bound of the posterior that a stochastic run
// ended at, by one pass over all rows. Any Gaussian has one, so this holds for
// every rule.
func (e *engine) finishBound(q *gp.Posterior) {
	const block = 4096
	e.result.Posterior = q
	l := siteUpdates{fit: float64(e.Prior.Dim()) - e.scale*q.Trace()}
	bound := *e
	bound.Settings.Rule = VI{}
	rows := make([]int, 0, block)
	for lo := 0; lo < e.Rows.Len(); lo += block {
		rows = rows[:0]
		for r := lo; r < min(lo+block, e.Rows.Len()); r++ {
			rows = append(rows, r)
		}
		b := bound.batch(rows)
		bl := b.updates(q.On(b.Prior))
		l.terms += bl.terms
	}
	e.result.Kind = LowerBound
	e.result.Objective = bound.objective(q, l)
	if e.ScalePrior != nil {
		e.result.Scale = e.scalePosterior()
	}
}

// shuffle deals row numbers in random order, all before any comes again.
type shuffle struct {
	rng  *rand.Rand
	deck []int
	at   int
}

func newShuffle(n int, rng *rand.Rand) *shuffle {
	s := &shuffle{rng: rng, deck: make([]int, n)}
	for i := range s.deck {
		s.deck[i] = i
	}
	return s
}

// next deals k ≤ n distinct rows. They lie ahead of those dealt last, except
// where the deck ends and is dealt anew.
func (s *shuffle) next(k int) []int {
	if s.at+k > len(s.deck) {
		s.at = 0
	}
	// Fisher–Yates, only as far as needed.
	for i := s.at; i < s.at+k; i++ {
		j := i + s.rng.IntN(len(s.deck)-i)
		s.deck[i], s.deck[j] = s.deck[j], s.deck[i]
	}
	s.at += k
	return s.deck[s.at-k : s.at]
}
