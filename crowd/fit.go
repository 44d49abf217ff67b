package crowd

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
)

// Options are the settings of Fit. The zero value, and nil, are the defaults.
type Options struct {
	// Factors is the most there may be; negative: none; 0 stands for 20, or as
	// many as items and voters allow.
	Factors int
	// KeepFactors keeps factors that votes have switched off in what is learnt,
	// with next to no variance; else they are dropped.
	KeepFactors bool
	// ConsensusScale and FactorScale are the Gamma priors of the inverse scales
	// of consensus and factors. Zero stands for those of the authors' own runs:
	// shape 1, rates 100 and 10.
	ConsensusScale, FactorScale infer.Gamma
	// NoOwn leaves out voters' own tastes, which no factor explains, as CROWD does;
	// OwnScale is the Gamma prior of their inverse scale, zero as the consensus's.
	NoOwn    bool
	OwnScale infer.Gamma
	// Nugget gives every item a part n_i ~ N(0, 1/s_n) of the consensus that its
	// features do not explain, inferred jointly with what they do: t = Φe + n. The
	// prior of s_n is ConsensusScale. It takes whole sweeps. Where more than 2000 items
	// hang together by comparisons the n are taken to be independent given e.
	Nugget       bool
	mostTogether int // in place of 2000
	// Blocks are the numbers of weights of the prior that share an inverse scale
	// in the consensus, in their order; nil: all share one. They need a Nugget. The
	// prior of each inverse scale is ConsensusScale, zero then standing for shape 1,
	// rate .03: a block explains a variance of .03, more or less.
	Blocks []int
	// Reliability tells careful voters from careless ones, by classes with slopes
	// from .2 to 1.8; Habits tells those who call a tie readily from those who do
	// not, by classes whose margins are .1 to 2 of the threshold.
	Reliability, Habits bool
	// Threshold fixes the margin below which voters call a tie; 0: it is learnt
	// when there are ties.
	Threshold float64
	// Tolerance is the rise of the bound, per vote, of a sweep that is the last;
	// 0 stands for 3e-5, or for 3e-4 where the bound is only the start of EP: what it
	// would still gain changes nothing that can be measured on the SUSHI data, for twice
	// the work. Negative: all of MaxSweeps are made.
	Tolerance float64
	MaxSweeps int // 0 stands for 300
	// ByBound stays at the top of the bound: voters are not inferred by EP in the
	// end.
	ByBound bool
	// About, if set, is what is known of voters beside their votes.
	About *About
	// Gradient asks for Learnt.KernelGrad and Learnt.AboutGrad.
	Gradient bool
	// Stochastic, if set, takes batches of voters where there are more than one
	// batch holds.
	Stochastic *Stochastic
	Progress   func(Progress)
}

// Progress describes a fit under way.
type Progress struct {
	Sweep int
	Bound float64
}

// Learnt is q, ordered by the variance that factors explain.
type Learnt struct {
	*engine
	wide      func(context.Context) (*gp.Posterior, error) // of the consensus, tastes integrated out; see joint
	Threshold float64
	// Trace is the lower bound of the log evidence after every sweep.
	Trace  []float64
	Status infer.Status
	// Evidence is EP's estimate of the log evidence of all votes, given consensus and
	// factors, and Voting is how its last pass over them went; both are zero where
	// voters are not inferred by EP.
	Evidence float64
	Voting   infer.Stats
	// KernelGrad is the derivative of the bound in the log-parameters of the
	// prior's kernel where Options.Gradient asks for it: CROWD (40), the terms that
	// it leaves out included. AboutGrad is that in Options.About.Features, through
	// which it depends on a kernel over voters, CROWD (41); nil without.
	KernelGrad []float64
	AboutGrad  *mat.Dense
}

// Fit infers consensus, factors and voters. When ctx ends before it is done it
// returns the error of ctx.
func Fit(ctx context.Context, v *Votes, prior *gp.Prior, o *Options) (*Learnt, error) {
	if o == nil {
		o = &Options{}
	}
	opt := *o
	if v.Len() == 0 {
		return nil, fmt.Errorf("crowd: no votes to learn from")
	}
	if prior.Len() != v.items {
		panic(fmt.Sprintf("crowd: a prior of %d items for votes on %d", prior.Len(), v.items))
	}
	opt.Factors = o.factors(v, prior.Dim())
	if o.About != nil {
		if err := o.About.check(slices.Max(v.owner) + 1); err != nil {
			return nil, err
		}
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = 3e-5
		if opt.refined(v) {
			opt.Tolerance = 3e-4
		}
	}
	opt.MaxSweeps = cmp.Or(opt.MaxSweeps, 300)
	threshold := opt.Threshold
	if v.ties() && threshold == 0 {
		threshold = typicalThreshold
	}
	switch {
	case opt.Nugget && opt.Stochastic != nil:
		return nil, fmt.Errorf("crowd: items with a nugget take whole sweeps, not batches")
	case opt.Blocks != nil && !opt.Nugget:
		return nil, fmt.Errorf("crowd: blocks of weights, but no nugget")
	}
	var l *Learnt
	var err error
	if opt.batches(v) {
		l, err = opt.Stochastic.Defaults(v.Voters()).learn(ctx, v, prior, &opt, threshold)
	} else {
		l = &Learnt{engine: newEngine(v, prior, &opt).blank(), Threshold: threshold}
		l.setThreshold(threshold)
		if opt.Nugget {
			if l.common, err = newConsensus(v, prior, &opt); err != nil {
				return nil, err
			}
			l.residual = nil
			l.seeColumn(0)
		}
		l.begin()
		err = l.learn(ctx, &opt)
	}
	if err != nil {
		return nil, err
	}
	if o.Gradient {
		if opt.Stochastic != nil || l.common != nil {
			return nil, fmt.Errorf("crowd: the gradient in the kernel needs whole sweeps and no nuggets")
		}
		if prior.Kernel() != nil {
			l.KernelGrad = prior.KernelGrad(l.sensitivity(prior), &v.rows)
		}
		if l.leaning != nil {
			l.AboutGrad = l.slopes(opt.About)
		}
	} else if opt.refined(v) {
		if err := l.refine(ctx, &opt); err != nil {
			return nil, err
		}
	}
	if l.sites == nil {
		l.noteSites()
	}
	l.on(prior)
	l.order()
	if l.leaning != nil {
		l.leaning.settle(v.Voters())
	}
	if l.classes != nil {
		l.classes.seen = nil
	}
	l.prepareJoint()
	return l, nil
}

// refined reports whether voters are inferred by EP in the end: that takes voters who
// may differ, of one class, all of them at once, and a consensus without nuggets.
func (o *Options) refined(v *Votes) bool {
	differ := o.Factors > 0 || !o.NoOwn
	return differ && !o.ByBound && !o.Gradient && !o.Nugget && !o.Reliability && !(o.Habits && v.ties()) && o.Stochastic == nil
}

// batches reports whether there are more voters than one batch holds.
func (o *Options) batches(v *Votes) bool {
	return o.Stochastic != nil && v.Voters() > o.Stochastic.Defaults(v.Voters()).Batch
}

// on sees the columns at all items.
func (l *Learnt) on(prior *gp.Prior) {
	l.prior = prior
	if l.common != nil {
		l.common = l.common.on(prior)
	}
	l.a, l.s = nil, nil // those of rows
	for k, q := range l.q {
		l.q[k] = q.On(prior)
	}
}

func newEngine(v *Votes, prior *gp.Prior, o *Options) *engine {
	c, n := o.Factors, v.Voters()
	e := &engine{Votes: v, prior: prior, onItems: prior, forms: &v.rows, c: c, spanned: prior.Sparse()}
	if prior.Sparse() { // rows need not touch all items
		e.prior, e.forms = prior.AtRows(&v.rows), gp.Units(v.rows.Len())
	}
	e.residual = e.prior.Residuals(e.forms)
	e.classes = newClasses(v, o)
	e.own = !o.NoOwn
	e.ownPrior = o.OwnScale
	if e.ownPrior == (infer.Gamma{}) {
		e.ownPrior = infer.Gamma{Shape: 1, Rate: 100}
	}
	if e.own {
		e.numberOwnItems()
		shape := e.ownPrior.Shape + 0.5*float64(len(e.ownItem))
		e.ownScale = infer.Gamma{Shape: shape, Rate: shape * startVariance}
	}
	dims := 0
	e.covStart = []int{0}
	for u := range n {
		d := e.dim(u)
		dims += d
		e.covStart = append(e.covStart, e.covStart[u]+d*d)
	}
	e.w, e.cov, e.logDet = make([]float64, dims), make([]float64, e.covStart[n]), make([]float64, n)
	e.a, e.s = make([]float64, v.rows.Len()*(c+1)), make([]float64, v.rows.Len()*(c+1))
	e.g, e.d1, e.d2 = make([]float64, v.Len()), make([]float64, v.Len()), make([]float64, v.Len())
	e.trace = make([]float64, c+1)
	e.rowStart, e.rowVote, e.rowVoter = v.byRow()
	for k := range c + 1 {
		g, rate := o.FactorScale, 10.0
		if k == 0 {
			g, rate = o.ConsensusScale, 100
		}
		if g == (infer.Gamma{}) {
			g = infer.Gamma{Shape: 1, Rate: rate}
		}
		e.scalePrior = append(e.scalePrior, g)
		shape := g.Shape + 0.5*float64(prior.Dim())
		e.scale = append(e.scale, infer.Gamma{Shape: shape, Rate: shape * startVariance})
		e.q = append(e.q, nil)
	}
	if o.About != nil && c > 0 {
		e.leaning = newLeaning(o.About, v, c)
	}
	return e
}

// learn sweeps until the bound stands still.
func (l *Learnt) learn(ctx context.Context, o *Options) error {
	last := math.Inf(-1)
	warm := 0 // sweeps before voters are told apart by class
	if l.classes != nil {
		warm = min(warmUp, o.MaxSweeps/2)
	}
	for sweep := range o.MaxSweeps {
		if sweep >= warm {
			l.updateClasses(true, (sweep-warm)%recallEvery == 0)
		}
		l.updateVoters(ctx, localSweeps, settledGain)
		if err := ctx.Err(); err != nil {
			return err
		}
		if l.common != nil {
			l.updateConsensus()
		}
		p := l.lookAtRows()
		l.updateMeans(p)
		p = l.lookAtRows()
		l.updateScales()
		l.updateOwn()
		l.updateCovariances(p)
		l.lean()
		l.rescale()
		// With classes it takes long, and those of margins do as much.
		if l.ties() && o.Threshold == 0 && (l.classes == nil || sweep < warm || !o.Habits && sweep%5 == 0) {
			l.updateThreshold()
		}
		if !o.KeepFactors && sweep%pruneEvery == pruneEvery-1 {
			l.prune()
		}
		b := l.bound()
		l.Trace = append(l.Trace, b)
		if o.Progress != nil {
			o.Progress(Progress{sweep + 1, b})
		}
		if o.Tolerance > 0 && b-last < o.Tolerance*float64(l.Len()) && sweep > warm {
			return nil
		}
		last = b
	}
	l.Status = infer.SweepLimit
	return nil
}

// warmUp is how many sweeps go before voters are told apart by class: they take a
// tenth of the time of those that follow, and bring the rest near to where it ends.
const warmUp = 4

// recallEvery is how many sweeps pass between looks at classes that were dropped.
const recallEvery = 4

// pruneEvery is how many sweeps pass between attempts to do without factors.
const pruneEvery = 5

// localSweeps is how many steps a voter takes between those of the items.
const localSweeps = 2
