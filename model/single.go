package model

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
)

// Single is one utility for all voters (GPPL).
type Single struct {
	Base

	options    Options
	trained    int           // items of the fit; others were added by their features or links
	features   *mat.Dense    // of the items; nil without
	x          kernel.Points // the items
	z          *mat.Dense    // inducing points; nil without
	own        bool          // what inducing points leave of an item is its own; without them, all of it is
	kernel     kernel.Kernel // nil: independent items
	over       featurePrior
	links      *gp.Links // that inference goes along; nil: none
	voting     voting
	obs        *observations
	voters     []string // whose habits of calling ties are told apart; nil: all have the same
	habitOf    []int    // of each, see observations; −1 where it is not known
	result     *infer.Result
	made       made
	dependence Dependence
	effects    []Effect
	properties []Effect // of the votes, whose effects are among these: nothing is known of them yet
	remarks    []string // on properties that tell nothing, or not all
	gain       *float64 // see overCoins
	grid       *num.Lazy[*scales]
	open       *openKernel
	settled    bool                 // all but the scale is as it was learnt, see Under
	integrated bool                 // chances are means over the grid
	coins      bool                 // see scalePrior
	sides      func() *observations // the votes with their sides apart, until the fit has tried them; nil: there are none
}

// made says how the posterior was inferred, for the model file.
type made struct {
	rule, schedule string
	steps          *Steps // of a stochastic schedule
	tolerance      float64
}

// Fit summarises how a model was fitted.
type Fit struct {
	Objective float64 // with Kind
	Kind      string
	Status    infer.Status
	Stats     infer.Stats
	Scale     float64 // the inverse scale s, or its expectation
	Threshold float64 // of ties; 0 without
	Inducing  int     // inducing points; 0 without

	Likelihood Likelihood
	Votes      float64 // that counted, skips left out
	Ties       float64 // among them

	Rule    string  // of inference; empty where a kind has only one, or it is not known
	Form    string  // what the fit chose of how voters differ; empty where nothing is to choose
	Why     string  // how that did on votes held out; empty where it was asked for
	HeldOut float64 // loss of a vote that was held out, in nats; 0 without
	// Gain is by how many nats differences between items explain the votes better than
	// coins do; nil where it is not known.
	Gain *float64
}

// Ending says how the fit ended, with what was counted on the way: people who were
// not done, cavities that were improper, and people whose prior needed jitter.
func (f Fit) Ending() string {
	out := []string{f.Status.String()}
	for _, c := range []struct {
		n    int
		what string
	}{
		{f.Stats.Unconverged, "voters not done"},
		{f.Stats.Skipped, "improper cavities left out"},
		{f.Stats.Jittered, "voters with jitter on their prior"},
	} {
		if c.n > 0 {
			out = append(out, fmt.Sprintf("%d %s", c.n, c.what))
		}
	}
	return strings.Join(out, ", ")
}

// FitSingle fits one utility to all votes of d. When ctx ends before it is done it
// returns the error of ctx.
func FitSingle(ctx context.Context, d *palate.Dataset, o *Options) (*Single, error) {
	if o == nil {
		o = &Options{}
	}
	m := &Single{Base: newBase(d), options: *o, grid: &num.Lazy[*scales]{}, open: &openKernel{}}
	m.trained = len(m.ids)
	told, d, answers := m.reading(d)
	if len(told) == 0 {
		return nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	}
	var habits []int
	if m.habitual(d) {
		habits = m.habitsOf(d)
		m.voters, m.habitOf = m.Base.withUsers(d).users, habits[:d.NumUsers()]
	}
	more := newCovariates(d)
	if more != nil {
		m.properties, m.remarks = more.effects, more.remarks
	}
	seen := m.observer(d, answers, habits, more)
	if habits != nil || more.any() {
		m.obs = seen(false)
	}
	if err := m.rule().Check(voting{family: o.Likelihood}.win()); err != nil {
		return nil, err
	}
	m.count(told)
	if err := m.setPrior(d.ItemFeatures()); err != nil {
		return nil, err
	}
	m.coins = m.mayBeCoins()
	if more.any() {
		if _, ep := m.rule().(infer.EP); !ep || m.options.Schedule != nil || m.z != nil {
			return nil, fmt.Errorf("model: properties of votes, such as %s, are for EP on whole sweeps with a weight an item, not for other rules, steps and inducing points", more.effects[0].Property)
		}
	}
	if s, ok := o.Schedule.(infer.Stochastic); ok && m.own && (s.Delay != 0 || s.Forget != 0 || m.meanField()) {
		return nil, fmt.Errorf("model: where items have parts of their own beside inducing points, a step replaces what its rows said: there is no delay, no forgetting and no posterior of the scale; make utilities smooth")
	}
	if m.sidesShown(d) {
		m.sides = func() *observations { return seen(true) }
	}
	if err := m.learn(ctx); err != nil {
		return nil, err
	}
	m.integrated = m.kernel == nil
	return m, nil
}

// setPrior chooses kernel and inducing points.
func (m *Single) setPrior(f *palate.Features) error {
	o := &m.options
	n := len(m.ids)
	if o.Links != nil {
		return m.setLinks(f)
	}
	if f == nil {
		if o.Kernel != nil {
			return fmt.Errorf("model: a kernel over features, but the items have none")
		}
		o.DenseLimit = cmp.Or(o.DenseLimit, graphItems)
		if m.own = m.onGraph() && n > o.DenseLimit; n > maxWhite && !m.own {
			return fmt.Errorf("model: %d items without features need %.1f GB this way; the most that fits is %d items: leave rule and schedule at their defaults", n, 3*8*float64(n)*float64(n)/1e9, maxWhite)
		}
		m.x = kernel.Indexed(n)
		return nil
	}
	o.DenseLimit = cmp.Or(o.DenseLimit, denseItems)
	m.groups = [][]int{num.Indices(n)} // features bridge what votes do not connect
	m.features = mat.NewDense(f.Rows, f.Cols, f.Data)
	m.x = kernel.Dense(m.features)
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	m.kernel = o.Kernel
	if m.kernel == nil {
		m.setFeatures(f, nil, rng)
	}
	if o.Inducing == 0 && n > o.DenseLimit {
		o.Inducing = 300
	}
	if o.Inducing > 0 {
		m.z = kernel.KMeans(m.x, min(o.Inducing, n), kernel.KMeansOptions{}, rng)
		m.own = kernel.HasIdentity(m.kernel, m.x)
	}
	return nil
}

// denseItems is the number of items with features up to which each has a weight of its own,
// unless Options.DenseLimit says otherwise.
const denseItems = 2000

// maxWhite bounds the memory of independent items where they are not inferred along
// their comparisons: three n×n matrices, 10 GB.
const maxWhite = 20000

// prior builds the prior for a kernel. Inducing points carry what features explain,
// and an item's nugget is its own; where the kernel has none they have identities
// for nothing.
func (m *Single) prior(k kernel.Kernel) (*gp.Prior, error) {
	switch {
	case m.links != nil:
		return m.priorAlong(k), nil
	case k == nil && m.own:
		return gp.White(len(m.ids)).Own(), nil
	case k == nil:
		return gp.White(len(m.ids)), nil
	case m.z == nil:
		return gp.Dense(k, m.x)
	}
	p, err := gp.Inducing(k, m.x, m.anchors())
	if err != nil || !m.own {
		return p, err
	}
	return p.Own(), nil
}

func (m *Single) anchors() kernel.Points {
	rows, _ := m.z.Dims()
	ids := make([]int, rows)
	for i := range ids {
		ids[i] = -1 - i
		if m.own {
			ids[i] = kernel.Nobody
		}
	}
	return kernel.Dense(m.z).WithIDs(ids)
}

// problem is what was observed, at an inverse scale, as voters vote, with tastes of their
// own of a deviation.
func (m *Single) problem(p *gp.Prior, s float64, v voting, taste float64) *infer.Problem {
	problem := &infer.Problem{Prior: p, Rows: &m.obs.rows, Likelihood: v.of(m.obs), Count: v.counts(m.obs), Scale: s}
	if m.obs.group != nil || m.obs.answer != nil || m.obs.context != nil && v.learnt == nil {
		problem.Effects = &infer.Effects{Group: m.obs.group, Own: taste * taste, Repeat: v.repeat, Answer: m.obs.answer, Noise: answerNoise}
		v.context(m.obs, problem.Effects)
	}
	if m.meanField() {
		prior := m.scalePrior().asGamma()
		problem.ScalePrior = &prior
	}
	return problem
}

// Name returns "single".
func (m *Single) Name() string { return "single" }

// Fit returns how the fit went.
func (m *Single) Fit() Fit {
	f := Fit{
		Objective: m.result.Objective,
		Kind:      m.result.Kind.String(),
		Status:    m.result.Status,
		Stats:     m.result.Stats,
		Scale:     m.result.Posterior.Scale,
		Threshold: m.voting.threshold,
	}
	if m.z != nil {
		f.Inducing, _ = m.z.Dims()
	}
	f.Likelihood, f.Rule = m.voting.family, m.made.rule
	f.Votes, f.Ties = m.obs.total()
	f.Gain = m.gain
	if m.obs.group != nil {
		f.Form = m.dependence.String()
	}
	return f
}

// Kernel returns the fitted kernel over features, nil without features.
func (m *Single) Kernel() kernel.Kernel { return m.kernel }

// Prefer returns the probability that left beats right, ties apart: CROWD (3), corrected.
// Users differ only in how they call ties: who often does means the more by a vote that
// is none. Where items are independent it is the mean over the scales, and what else is
// on their grid, by evidence: with few votes a chance at the likeliest scale claims too
// much. Files of earlier versions keep to that scale.
func (m *Single) Prefer(user, left, right int) float64 {
	return m.prefer(user, left, right, 0, 0, false)
}

// prefer is Prefer where the left item has a lead beside the utilities, with a variance. What
// the side is worth is in it where items are shown on these sides.
func (m *Single) prefer(user, left, right int, lead, spread float64, shown bool) float64 {
	var rows gp.Rows
	rows.AppendPair(left, right)
	return one(func(dst []float64) { m.prefersTo(dst, user, &rows, lead, spread, shown) })
}

// prefersTo sets dst to what prefer says of every row.
func (m *Single) prefersTo(dst []float64, user int, rows *gp.Rows, lead, spread float64, shown bool) {
	side := 0.0
	if !shown {
		side = m.sideVariance()
	}
	prefer := m.voting.prefer
	if user >= 0 && user < len(m.habitOf) && m.habitOf[user] >= 0 && m.voting.habits != nil {
		prefer = func(mean, variance float64) float64 {
			win, lose := m.voting.chancesOf(m.voting.habits.Of[m.habitOf[user]], mean, variance)
			return win / (win + lose)
		}
	}
	if m.integrated {
		if s, err := m.scales(context.Background()); err == nil { // it ends with the context alone
			clear(dst)
			for k, q := range s.at {
				own := 0.0
				if s.sides[k] == m.voting.sides {
					own = side
				}
				mean, variance := q.Forms(rows)
				num.Parallel(len(dst), preferChunk, func(lo, hi int) {
					for r := lo; r < hi; r++ {
						dst[r] += s.mass[k] * prefer(mean[r]+lead, variance[r]+own+spread)
					}
				})
			}
			return
		}
	}
	mean, variance := m.forms(rows)
	num.Parallel(len(dst), preferChunk, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			dst[r] = prefer(mean[r]+lead, variance[r]+spread+side)
		}
	})
}

// sideVariance is that of what the side adds to an item on either with the same chance, of
// a new voter.
func (m *Single) sideVariance() (v float64) {
	unit := m.dependence.unit()
	for _, e := range m.effects {
		if e.Name == leftEffect {
			v += unit * unit * (e.Mean*e.Mean + e.SD*e.SD + e.Lean*e.Lean)
		}
	}
	return v
}

// Utility returns mean and variance of an item's utility, the same for any
// user.
func (m *Single) Utility(_, item int) (mean, variance float64) {
	var rows gp.Rows
	rows.AppendUnit(item)
	means, variances := m.forms(&rows)
	return means[0], variances[0]
}

func (m *Single) forms(rows *gp.Rows) (mean, variance []float64) {
	q := m.result.Posterior
	mean, variance = q.Forms(rows)
	for r, x := range q.Prior.Residuals(rows) {
		variance[r] += x / q.Scale
	}
	return mean, variance
}

// Extend returns the model with further items, known only by their features
// (one row an item, as wide as those of the fit).
func (m *Single) Extend(ids []string, features *mat.Dense) (Model, error) {
	if m.kernel == nil || m.features == nil {
		return nil, fmt.Errorf("model: the model has no item features, so it cannot say anything of new items")
	}
	if err := m.checkFeatures(ids, features); err != nil {
		return nil, err
	}
	return m.extend(ids, features, m.kernel, [][]int{num.Indices(len(m.ids) + len(ids))}), nil
}

func (m *Single) checkFeatures(ids []string, features *mat.Dense) error {
	if rows, cols := features.Dims(); cols != m.x.Dim() || rows != len(ids) {
		return fmt.Errorf("model: %d×%d features for %d new items; the model has %d features", rows, cols, len(ids), m.x.Dim())
	}
	return nil
}

// extend adds items under a kernel that knows them; features are nil without.
func (m *Single) extend(ids []string, features *mat.Dense, k kernel.Kernel, groups [][]int) *Single {
	e := *m
	e.grid = &num.Lazy[*scales]{}
	e.Base = m.grown(ids)
	e.x = kernel.Indexed(len(e.ids))
	if features != nil {
		e.features = &mat.Dense{}
		e.features.Stack(m.features, features)
		e.x = kernel.Dense(e.features)
	}
	e.kernel, e.groups = k, groups
	r := *m.result
	r.Posterior = m.result.Posterior.On(m.result.Posterior.Prior.ExtendBy(k, e.x))
	e.result = &r
	return &e
}
