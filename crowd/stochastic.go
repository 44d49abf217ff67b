package crowd

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"palate/gp"
	"palate/infer"
)

// Stochastic takes random batches of voters: a step does not grow with the
// number of items, voters or votes. It starts from a fit of one batch alone, and
// ends with every voter inferred once. The step is ρ_i = (i + Delay)^−Rate, CROWD
// (17), in the natural parameters of consensus and factors.
type Stochastic struct {
	Batch  int     // voters; 0 stands for 500
	Passes float64 // over all voters; 0 stands for 5, or what mostSteps make if that is less
	Delay  float64 // 0 stands for 10
	Rate   float64 // in (.5, 1]; 0 stands for .9
	Seed   uint64
}

// mostSteps is how many are taken unless more are asked for: by then a step moves
// consensus and factors by a five-hundredth.
const mostSteps = 1000

// Defaults replaces zeros by what they stand for with so many voters.
func (s Stochastic) Defaults(voters int) Stochastic {
	s.Batch = cmp.Or(s.Batch, 500)
	s.Delay = cmp.Or(s.Delay, 10)
	s.Rate = cmp.Or(s.Rate, 0.9)
	if s.Passes == 0 {
		s.Passes = min(5, mostSteps*float64(s.Batch)/float64(voters))
	}
	return s
}

// learn returns q of all voters. Its bound is that of all votes, at the end.
func (s Stochastic) learn(ctx context.Context, v *Votes, prior *gp.Prior, o *Options, threshold float64) (*Learnt, error) {
	rng := rand.New(rand.NewPCG(s.Seed, 0xc20d))
	perm := rng.Perm(v.Voters())
	next := func() *Votes {
		if len(perm) < s.Batch {
			perm = append(perm, rng.Perm(v.Voters())...)
		}
		chosen := slices.Clone(perm[:s.Batch])
		perm = perm[s.Batch:]
		slices.Sort(chosen)
		return v.subset(slices.Compact(chosen))
	}
	first := next()
	l := &Learnt{engine: newEngine(first, prior, o).blank(), Threshold: threshold}
	l.setThreshold(threshold)
	l.begin()
	start := *o
	start.MaxSweeps = min(o.MaxSweeps, 20)
	start.KeepFactors = true // more votes may call for them
	if err := l.learn(ctx, &start); err != nil {
		return nil, err
	}
	l.Status = infer.SweepLimit // so many steps are taken, wherever they lead

	if l.leaning != nil {
		l.leaning.spread(o.About, v, l.factorWeights())
	}
	steps := int(math.Ceil(s.Passes * float64(v.Voters()) / float64(s.Batch)))
	for i := 1; i <= steps; i++ {
		b, err := l.take(ctx, next(), prior, o, freshSweeps)
		if err != nil {
			return nil, err
		}
		b.move(math.Pow(float64(i)+s.Delay, -s.Rate), float64(v.Voters())/float64(b.Voters()), o.Threshold == 0)
		l.engine, l.Threshold = b.engine, b.Threshold
		if o.Progress != nil {
			o.Progress(Progress{Sweep: i, Bound: math.NaN()})
		}
	}
	if !o.KeepFactors {
		l.arrange(l.used(), nil)
	}
	return l.visit(ctx, v, prior, o, s.Batch)
}

// take returns q with the votes of other voters, each inferred from nothing.
func (l *Learnt) take(ctx context.Context, v *Votes, prior *gp.Prior, o *Options, sweeps int) (*Learnt, error) {
	plain := *o
	plain.About, plain.Factors = nil, l.c
	e := newEngine(v, prior, &plain)
	b := &Learnt{engine: e, Threshold: l.Threshold, Status: l.Status}
	e.classes = l.classes.ofNewVoters(v.Voters())
	e.setThreshold(l.Threshold)
	e.ownScale = l.ownScale
	if e.common = l.common; e.common != nil {
		e.residual = nil
	}
	if l.leaning != nil {
		e.leaning = l.leaning.with(o.About, v)
	}
	copy(e.scale, l.scale)
	copy(e.trace, l.trace)
	for k, q := range l.q {
		e.q[k] = q.On(e.prior)
		e.seeColumn(k)
	}
	e.propagated = l.propagated
	if e.classes == nil {
		tolerance := settledTolerance
		if sweeps == freshSweeps {
			tolerance = freshTolerance
		}
		return b, b.infer(ctx, tolerance, sweeps)
	}
	for u := range e.Voters() {
		e.resetVoter(u)
	}
	e.evaluate()
	for last, done := math.Inf(-1), 0; done < sweeps; done += localSweeps {
		e.updateClasses(false, false)
		e.updateVoters(ctx, localSweeps, settledGain)
		value := e.expected() - e.voterDivergence() - e.classes.divergence()
		if value-last < 1e-5*float64(e.Voters()) {
			break
		}
		last = value
	}
	e.noteSites()
	return b, ctx.Err()
}

// infer infers every voter from that voter's votes, and notes the sites.
func (l *Learnt) infer(ctx context.Context, tolerance float64, sweeps int) error {
	g := newPropagation(ctx, l.engine, tolerance, sweeps)
	evidence, _, err := g.all(1, true)
	if err != nil {
		return err
	}
	l.noteSites()
	if l.Voting = g.stats; l.propagated {
		l.Evidence = evidence
	} else {
		l.evaluate()
	}
	return nil
}

// freshSweeps is how many steps a voter of a batch takes, settledSweeps how many
// where it matters; they end when sites move by less than a tolerance. For a batch,
// which tells of all voters only roughly, less will do.
const (
	freshSweeps      = 15
	settledSweeps    = 200
	freshTolerance   = 1e-2
	settledTolerance = 1e-6
)

// move takes a step of size rho, the votes counted times over; the margin of
// ties moves too where it is learnt.
func (l *Learnt) move(rho, times float64, margin bool) {
	k := l.columns()
	look := l.lookAtRows()
	for c, q := range l.q {
		sites := make([]gp.Site, l.forms.Len())
		for r := range sites {
			own := look.own[r*k+c]
			sites[r] = gp.Site{Tau: own, Nu: look.slope[r*k+c] + own*l.a[r*k+c]}
		}
		ev := q.Evidence().Clone()
		ev.Mix(rho, times, l.prior.Evidence(l.forms, sites, nil))
		next, err := gp.NewPosterior(l.prior, (1-rho)*q.Scale+rho*l.scale[c].Mean(), ev)
		if err != nil {
			panic(err) // a sum of precisions
		}
		l.q[c], l.trace[c] = next, next.Trace()
		l.scale[c].Rate += rho * (l.bestScale(c, times).Rate - l.scale[c].Rate)
	}
	if l.own {
		old := l.ownScale
		l.updateOwn()
		p, got := l.ownPrior, l.ownScale
		l.ownScale = infer.Gamma{
			Shape: old.Shape + rho*(p.Shape+times*(got.Shape-p.Shape)-old.Shape),
			Rate:  old.Rate + rho*(p.Rate+times*(got.Rate-p.Rate)-old.Rate),
		}
	}
	if k := l.classes; k != nil {
		old := k.share
		l.updateClasses(true, true)
		for c, x := range old {
			k.share[c] = x + rho*(k.share[c]-x)
		}
	}
	if l.leaning != nil {
		l.leaning.move(rho, times, l.factorWeights())
	}
	if margin && l.ties() {
		before := l.Threshold
		l.updateThreshold()
		l.Threshold = math.Exp(math.Log(before) + rho*math.Log(l.Threshold/before))
	}
}

// visit infers every voter once and adds up the bound.
func (l *Learnt) visit(ctx context.Context, v *Votes, prior *gp.Prior, o *Options, batch int) (*Learnt, error) {
	var all *Learnt
	var bound float64
	for lo := 0; lo < v.Voters(); lo += batch {
		voters := make([]int, 0, batch)
		for u := lo; u < min(lo+batch, v.Voters()); u++ {
			voters = append(voters, u)
		}
		b, err := l.take(ctx, v.subset(voters), prior, o, settledSweeps)
		if err != nil {
			return nil, err
		}
		bound += b.expected() - b.voterDivergence() - b.classes.divergence()
		if b.own && b.classes == nil {
			b.cov = nil
		}
		if all == nil {
			all = b
			for k := range b.columns() {
				bound -= b.divergence(k)
			}
			if b.own {
				bound -= b.ownScale.KL(b.ownPrior)
			}
			if b.leaning != nil {
				bound -= b.leaning.divergence()
			}
			continue
		}
		all.append(b.engine)
	}
	all.Trace = []float64{bound}
	return all, nil
}

// append adds the voters of o, with what is known of them.
func (e *engine) append(o *engine) {
	e.w, e.logDet = append(e.w, o.w...), append(e.logDet, o.logDet...)
	compact := e.compact()
	e.sites.append(o.sites)
	if !compact {
		e.cov = append(e.cov, o.cov...)
		n := e.covStart[len(e.covStart)-1]
		for _, x := range o.covStart[1:] {
			e.covStart = append(e.covStart, n+x)
		}
	}
	if e.own {
		n := len(e.ownItem)
		e.ownItem = append(e.ownItem, o.ownItem...)
		for _, x := range o.ownStart[1:] {
			e.ownStart = append(e.ownStart, n+x)
		}
	}
	if e.classes != nil {
		e.classes.of = append(e.classes.of, o.classes.of...)
	}
	e.owner = append(e.owner, o.owner...)
}
