package model

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	crowds "palate/crowd"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
)

// FitCrowd learns consensus, factors and voters from the votes of d. When ctx
// ends before it is done it returns the error of ctx.
//
// With 100 votes or more the form that the options leave open is chosen first, by
// the loss of votes that are held out, a fifth of everybody's at a time; the folds
// depend on the seed alone. Of more than 5000 votes those of some voters are tried,
// and of more than 2000 items none: so few votes would say nothing of most. WideTastes and Rough stay unless another form is better
// by more than a standard error: smooth first, then the other tastes, then smooth
// again under those.
//
// Ties are learnt from unless votes held out are predicted better without, or Habits or a
// Threshold say what they mean: a tie may tell more of a voter's habits than of how near
// two items are.
func FitCrowd(ctx context.Context, d *palate.Dataset, o *CrowdOptions) (*Crowd, error) {
	if o == nil {
		o = &CrowdOptions{}
	}
	learnt := d
	if o.Threshold == 0 && !o.Habits {
		harm, err := tiesHarm(ctx, o.tempered(d), o.Seed)
		if err != nil {
			return nil, err
		}
		if harm {
			learnt = withoutTies(d)
		}
	}
	form, err := chooseForm(ctx, learnt, o)
	if err != nil {
		return nil, err
	}
	m, err := fitCrowd(ctx, learnt, o, form)
	if err == nil && learnt != d {
		clear(m.votes)
		m.digest = digestOf(d)
		m.fit.Votes, m.fit.Ties = m.count(o.tempered(d).Tallies(true))
	}
	return m, err
}

// tempered returns votes that weigh no more than the answers that they follow from tell.
func (o *CrowdOptions) tempered(d *palate.Dataset) *palate.Dataset {
	if !o.Whole {
		return d
	}
	return d.Tempered()
}

// voters returns the votes, and answers about several items as such where settings take them.
func (m *Crowd) voters(d *palate.Dataset, tallies []palate.Tally, settings *crowds.Options) (*crowds.Votes, error) {
	if m.options.Whole && d.HasGroups() {
		answers, rest := d.Answers(usersOf(d))
		votes := rest.Tallies(true)
		if m.answers = answers != nil && settings.TakesAnswers(votes, answers); m.answers {
			return crowds.NewVotes(len(m.ids), votes, answers...)
		}
		m.weighed = true
	}
	return crowds.NewVotes(len(m.ids), tallies)
}

// fitCrowd is FitCrowd under a form.
func fitCrowd(ctx context.Context, d *palate.Dataset, o *CrowdOptions, form CrowdForm) (*Crowd, error) {
	settled := o.with(form)
	o = &settled
	m := &Crowd{Base: newBase(d).withUsers(d), options: *o, form: form, forms: &crowdForms{}}
	tallies := o.tempered(d).Tallies(true)
	if len(tallies) == 0 {
		return nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	}
	m.fit.Votes, m.fit.Ties = m.count(tallies)
	v, err := crowds.NewVotes(len(m.ids), tallies)
	if err != nil {
		return nil, err
	}
	prior, err := m.setPrior(d.ItemFeatures())
	if err != nil {
		return nil, err
	}
	if m.z != nil && o.givesOwn(v.Voters()) {
		m.options.Nugget = true
	}
	settings := m.options.engine()
	settings.Blocks = m.blocks
	if settings.Stochastic == nil && !settings.Nugget && v.Voters() > wholeVoters {
		settings.Stochastic = &crowds.Stochastic{Seed: o.Seed}
	}
	if v, err = m.voters(d, tallies, &settings); err != nil {
		return nil, err
	}
	if err := m.setVoters(d, v, &settings); err != nil {
		return nil, err
	}
	limit := o.MaxMemory
	limit = cmp.Or(limit, 8e9)
	if need := crowds.Memory(v, prior.Dim(), &settings); need > limit {
		return nil, fmt.Errorf("model: the crowd takes %.1f GB, more than the limit of %.1f GB; fewer factors, or fewer inducing points, take less", need/1e9, limit/1e9)
	}
	if o.Lengths == LearntLengths && (m.kernel != nil || m.about != nil) && settings.Stochastic == nil && !settings.Nugget {
		if prior, err = m.learnLengths(ctx, d, v, prior, &settings); err != nil {
			return nil, err
		}
	}
	m.setUnheard(settings.About, d.NumUsers(), v)
	settings.Progress = nil
	if o.Progress != nil {
		settings.Progress = func(p crowds.Progress) {
			o.Progress(Progress{Stage: "learning the crowd", Round: p.Sweep, Objective: p.Bound})
		}
	}
	if m.learnt, err = crowds.Fit(ctx, v, prior, &settings); err != nil {
		return nil, err
	}
	if settings.Stochastic != nil {
		if s := settings.Stochastic.Defaults(v.Voters()); v.Voters() > s.Batch {
			m.steps = &Steps{Batch: s.Batch, Delay: s.Delay, Forget: s.Rate}
		}
	}
	m.derive()
	m.setFit(prior.Jitter())
	return m, nil
}

// setFit says how the fit ended: by EP's evidence where voters were inferred by it,
// else by the bound.
func (m *Crowd) setFit(jitter float64) {
	l := m.learnt
	m.fit.Stats, m.fit.Status, m.fit.Kind = l.Voting, l.Status, infer.LowerBound.String()
	m.fit.Stats.Sweeps, m.fit.Stats.Jitter = len(l.Trace), max(jitter, l.Voting.Jitter)
	switch n := len(l.Trace); {
	case l.Evidence != 0:
		m.fit.Objective, m.fit.Kind = l.Evidence, infer.LogEvidence.String()
	case n > 0:
		m.fit.Objective = l.Trace[n-1]
	}
}

// weighs reports whether features of items get weights in place of a kernel.
func (o *CrowdOptions) weighs(f *palate.Features) bool { return len(f.Blocks) > 1 && o.Features == nil }

// wholeVoters is the number of voters up to which every sweep sees all of them.
const wholeVoters = 20000

// givesOwn reports whether items seen through inducing points have parts of the
// consensus that are their own: unless a kernel says what there is, or the fit is one
// that nuggets do not go with.
func (o *CrowdOptions) givesOwn(voters int) bool {
	return o.Kernel == nil && o.Lengths == MedianLengths && o.Steps.Batch == 0 && voters <= wholeVoters
}

// CrowdMemory is roughly how many bytes FitCrowd would take.
func CrowdMemory(d *palate.Dataset, o *CrowdOptions) (float64, error) {
	if o == nil {
		o = &CrowdOptions{}
	}
	v, err := crowds.NewVotes(d.NumItems(), o.tempered(d).Tallies(true))
	if err != nil {
		return 0, err
	}
	weights := d.NumItems()
	if f := d.ItemFeatures(); f != nil && f.Cols > 0 && o.ItemFeatures != WithoutFeatures {
		limit := o.DenseLimit
		limit = cmp.Or(limit, 2000)
		switch {
		case o.Inducing > 0:
			weights = min(o.Inducing, weights)
		case weights > limit:
			weights = 300
		}
	}
	settings := o.engine()
	if weights < d.NumItems() && o.givesOwn(v.Voters()) {
		settings.Nugget = true
	}
	return crowds.Memory(v, weights, &settings), nil
}

// setVoters tells the engine about voters.
func (m *Crowd) setVoters(d *palate.Dataset, v *crowds.Votes, to *crowds.Options) error {
	f := d.UserFeatures()
	if f == nil || f.Cols == 0 || m.options.VoterFeatures == WithoutFeatures {
		return nil
	}
	voted := whoVoted(f.Rows, v)
	if !slices.Contains(voted, true) {
		return nil
	}
	var err error
	if m.about, err = newVoterFeatures(f, voted, &m.options, rand.New(rand.NewPCG(m.options.Seed, 2))); err != nil {
		return err
	}
	to.About = m.about.about(f)
	return nil
}

// setUnheard keeps what is known of users without votes.
func (m *Crowd) setUnheard(a *crowds.About, users int, v *crowds.Votes) {
	if a == nil {
		return
	}
	m.unheard = map[int][]float64{}
	for u, ok := range whoVoted(users, v) {
		if !ok {
			m.unheard[u] = a.Features.RawRowView(u)
		}
	}
}

// derive sets what follows from what was learnt.
func (m *Crowd) derive() {
	m.fit.Threshold, m.fit.Scale = m.learnt.Threshold, m.learnt.ConsensusScale().Mean()
	if m.z != nil {
		m.fit.Inducing, _ = m.z.Dims()
	}
	m.voter = make([]int, len(m.users))
	for u := range m.voter {
		m.voter[u] = -1
	}
	for k := range m.learnt.Voters() {
		if u := m.learnt.Owner(k); u >= 0 {
			m.voter[u] = k
		}
	}
}

// setPrior chooses kernel and inducing points.
func (m *Crowd) setPrior(f *palate.Features) (*gp.Prior, error) {
	o := &m.options
	n := len(m.ids)
	m.trained = n
	o.DenseLimit = cmp.Or(o.DenseLimit, 2000)
	if f == nil || f.Cols == 0 || o.ItemFeatures == WithoutFeatures {
		if o.Kernel != nil {
			return nil, fmt.Errorf("model: a kernel over features, but the items have none")
		}
		return gp.White(n), nil
	}
	m.groups = [][]int{num.Indices(n)} // features bridge what votes do not connect
	m.features = mat.NewDense(f.Rows, f.Cols, f.Data)
	x := kernel.Dense(m.features)
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	if o.Inducing == 0 && n > o.DenseLimit {
		o.Inducing = 300
	}
	if m.kernel = o.Kernel; m.kernel == nil && o.Inducing == 0 && o.weighs(f) {
		m.kernel, m.z = kernel.NewLinear([]float64{1}), axes(f.Cols)
		o.Nugget, m.blocks = true, f.Blocks
		return m.prior()
	}
	if m.kernel == nil {
		m.kernel = cmp.Or(o.Features, &FeatureKernel{}).at(x, rng)
		if o.Smoothness == Rough {
			m.kernel = kernel.Sum(kernel.Scale(0.5, m.kernel), kernel.Scale(0.5, kernel.Identity{}))
		}
	}
	if o.Inducing > 0 {
		m.z = kernel.KMeans(x, min(o.Inducing, n), kernel.KMeansOptions{}, rng)
	}
	return m.prior()
}

// axes are the inducing points that make a linear kernel weights on features.
func axes(d int) *mat.Dense {
	z := mat.NewDense(d, d, nil)
	for i := range d {
		z.Set(i, i, 1)
	}
	return z
}

// prior is that of the items of the fit.
func (m *Crowd) prior() (*gp.Prior, error) {
	s := &Single{Base: Base{ids: m.ids[:m.trained]}, z: m.z}
	if m.kernel != nil {
		_, cols := m.features.Dims()
		s.x = kernel.Dense(mat.DenseCopyOf(m.features.Slice(0, m.trained, 0, cols)))
	}
	return s.prior(m.kernel)
}
