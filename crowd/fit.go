package crowd

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/simd"
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
	if opt.MaxSweeps == 0 {
		opt.MaxSweeps = 300
	}
	threshold := opt.Threshold
	if v.Ties() && threshold == 0 {
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
	if l.kept == nil {
		l.keep()
	}
	l.on(prior)
	l.order()
	if l.leaning != nil {
		l.leaning.settle(v.Voters())
	}
	if l.classes != nil {
		l.classes.seen = nil
	}
	l.see()
	return l, nil
}

// refined reports whether voters are inferred by EP in the end: that takes voters who
// may differ, of one class, all of them at once, and a consensus without nuggets.
func (o *Options) refined(v *Votes) bool {
	differ := o.Factors > 0 || !o.NoOwn
	return differ && !o.ByBound && !o.Gradient && !o.Nugget && !o.Reliability && !(o.Habits && v.Ties()) && o.Stochastic == nil
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
		e.number()
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

// blank sets q to what is known before any vote.
func (e *engine) blank() *engine {
	for u := range e.Voters() {
		e.stranger(u)
	}
	for k := range e.q {
		e.q[k] = around(e.prior, make([]float64, e.prior.Dim()), 1/startVariance, gp.NewEvidence(e.prior.Dim()))
		e.trace[k] = e.q[k].Trace()
		e.seeColumn(k)
	}
	return e
}

// startVariance is that of an item's utility at the start.
const startVariance = 1

// begin finds a start that does not depend on the order of items or voters. At
// V = 0 the objective is stationary, and bends in the direction of a factor by
// G = Σ_u (g_u g_uᵀ − Σ_p τ_p φ_pφ_pᵀ), g_u the voter's slope: factors start
// along its largest eigenvectors.
func (e *engine) begin() {
	c, keep := e.c, *e
	e.q, e.scale, e.trace, e.scalePrior = e.q[:1], e.scale[:1], e.trace[:1], e.scalePrior[:1]
	e.a, e.s = make([]float64, e.forms.Len()), make([]float64, e.forms.Len())
	e.own, e.c = false, 0
	e.w, e.cov, e.covStart = nil, nil, make([]int, e.Voters()+1)
	e.seeColumn(0)
	e.evaluate()
	rounds := 10
	if c == 0 { // nothing to start but what sweeps do as well
		rounds = 2
	}
	for range rounds {
		if e.common != nil {
			e.updateConsensus()
			continue
		}
		l := e.lookAtRows()
		e.updateMeans(l)
		e.updateCovariances(l)
		e.updateScales()
	}
	start := e.startingFactors(c)
	consensus, trace, scale, common := e.q[0], e.trace[0], e.scale[0], e.common
	*e = keep
	e.q[0], e.trace[0], e.scale[0], e.common = consensus, trace, scale, common
	e.seeColumn(0)
	for k := range start {
		e.q[k+1] = around(e.prior, start[k], 1/startVariance, e.q[k+1].Evidence())
		// As narrow as many votes will make it.
		ev := gp.NewEvidence(len(start[k]))
		for i := range start[k] {
			ev.Quad.SetSym(i, i, 100)
		}
		e.become(k+1, 1/startVariance, ev)
	}
	e.evaluate()
}

func (e *engine) startingFactors(c int) [][]float64 {
	if c == 0 {
		return nil
	}
	d, phi := e.prior.Dim(), e.prior.Features()
	n, _ := phi.Dims()
	l := e.lookAtRows()
	sites := make([]gp.Site, e.forms.Len())
	for r := range sites {
		sites[r].Tau = l.own[r]
	}
	sym := e.prior.Evidence(e.forms, sites, nil).Quad
	sym.ScaleSym(-1, sym)
	const chunk = 256
	for lo := 0; lo < e.Voters(); lo += chunk {
		hi := min(lo+chunk, e.Voters())
		slopes := mat.NewDense(hi-lo, d, nil)
		for u := lo; u < hi; u++ {
			row := simd.Vector{N: d, Data: slopes.RawRowView(u - lo), Inc: 1}
			for p := e.start[u]; p < e.start[u+1]; p++ {
				index, coef := e.forms.Row(int(e.row[p]))
				for t, i := range index {
					simd.Axpy(coef[t]*e.count[p]*e.d1[p], simd.Vector{N: d, Data: phi.RawRowView(i), Inc: 1}, row)
				}
			}
		}
		simd.Syrk(blas.Trans, 1, slopes.RawMatrix(), 1, sym.RawSymmetric())
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		panic("crowd: no eigenvectors of a symmetric matrix")
	}
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	weight := mat.NewVecDense(n, nil) // of items; of rows their votes, as the same pair may be two
	for i := range n {
		weight.SetVec(i, 1)
		if e.spanned {
			weight.SetVec(i, float64(e.rowStart[i+1]-e.rowStart[i]))
		}
	}
	start := make([][]float64, 0, c)
	values := eig.Values(nil)
	least := seenLeast * max(values[d-1], -values[0])
	for k := d - 1; k >= 0 && len(start) < c; k-- {
		if math.Abs(values[k]) <= least {
			continue
		}
		v := mat.Col(nil, k, &vectors)
		f := mat.NewVecDense(n, nil)
		simd.MulVec(f, phi, mat.NewVecDense(d, v))
		f.MulElemVec(f, f)
		size := math.Sqrt(mat.Sum(weight)/simd.Dot(weight.RawVector(), f.RawVector())) * math.Pow(0.8, float64(len(start)))
		for i := range v {
			v[i] *= size
		}
		start = append(start, v)
	}
	for len(start) < c {
		start = append(start, make([]float64, d))
	}
	return start
}

// seenLeast is how much the bound must bend along a direction, beside that along which
// it bends most: along others no vote sees anything, so that rounding would choose
// where a factor starts. Such factors start at zero, and stay there.
const seenLeast = 1e-9

// learn sweeps until the bound stands still.
func (l *Learnt) learn(ctx context.Context, o *Options) error {
	last := math.Inf(-1)
	warm := 0 // sweeps before voters are told apart by class
	if l.classes != nil {
		warm = min(warmUp, o.MaxSweeps/2)
	}
	for sweep := range o.MaxSweeps {
		if sweep >= warm {
			l.updateClasses(true)
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
		if l.Ties() && o.Threshold == 0 && (l.classes == nil || sweep < warm || !o.Habits && sweep%5 == 0) {
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

// pruneEvery is how many sweeps pass between attempts to do without factors.
const pruneEvery = 5

// localSweeps is how many steps a voter takes between those of the items.
const localSweeps = 2
