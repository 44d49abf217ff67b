package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	crowds "palate/crowd"
	"palate/gp"
	"palate/infer"
	"palate/kernel"
)

// CrowdOptions are the settings of FitCrowd. The zero value, and nil, are the
// defaults.
type CrowdOptions struct {
	// Crowd holds the settings of the engine; its Progress is not used. With more
	// than 20,000 voters batches of them are taken even where it does not say so.
	Crowd crowds.Options
	// Tastes and Smoothness are the form of the model. Where they are not given, nor
	// settings of Crowd or a Kernel that say the same, they are chosen by votes held
	// out from the given ones.
	Tastes     Tastes
	Smoothness Smoothness
	// Kernel over item features, used as it is; nil: a Matérn 3/2 at median
	// length-scales, with a nugget of the same size if utilities are Rough.
	// Inducing points do without: they could not learn it.
	Kernel kernel.Kernel
	// Lengths says how length-scales of item and voter features are set. Learning
	// them, and the nugget's share, takes some 25 fits by whole sweeps; there are none
	// with Crowd.Stochastic or Crowd.Nugget, and then they stay at the median.
	Lengths Lengths
	// NoFeatures leaves item features out (crowd-BMF of CROWD §6.1).
	NoFeatures bool
	// NoVoterFeatures leaves features of voters out (crowdGPPL\u of CROWD §6.1);
	// VoterKernel is the kernel over them, scaled to mean zero and mean square one;
	// nil: a Matérn 3/2 at median length-scales.
	NoVoterFeatures bool
	VoterKernel     kernel.Kernel
	// Inducing is the number of inducing points; 0: none up to DenseLimit items,
	// 300 above.
	Inducing int
	// DenseLimit is the number of items up to which each keeps a weight of its
	// own; 0 stands for 2000.
	DenseLimit int
	// MaxMemory bounds what the fit may take, in bytes; 0 stands for 8 GB.
	MaxMemory float64
	Seed      uint64 // of inducing points and sampled medians
	Progress  func(Progress)
}

// Crowd is a consensus of all voters, and factors by which each differs from it
// (crowdGPPL). To prefer as the consensus does is to prefer as a person nothing
// is known of.
type Crowd struct {
	// ItemEncoder and UserEncoder are the recipes, as JSON, by which tables
	// became features. They travel with the model file; the model does not read
	// them.
	ItemEncoder, UserEncoder []byte

	ids, users []string
	votes      []float64
	groups     [][]int
	digest     string
	options    CrowdOptions
	form       CrowdForm
	voter      []int // of each user; −1 without votes

	trained  int           // items of the fit; others were added by their features
	features *mat.Dense    // of the items; nil without
	z        *mat.Dense    // inducing points; nil without
	kernel   kernel.Kernel // nil: independent items
	learnt   *crowds.Learnt
	about    *voterFeatures    // nil without features of voters
	unheard  map[int][]float64 // what leads the tastes of users without votes
	fit      Fit
}

// FitCrowd learns consensus, factors and voters from the votes of d. When ctx
// ends before it is done it returns what it has, with Fit().Status Interrupted.
//
// With 100 to 5000 votes the form that the options leave open is chosen first, by
// the loss of votes that are held out, a fifth of everybody's at a time; the folds
// depend on the seed alone. WideTastes and Rough stay unless another form is better
// by more than a standard error: smooth first, then the other tastes, then smooth
// again under those. With fewer votes nothing can be told; more outweigh the priors.
func FitCrowd(ctx context.Context, d *palate.Dataset, o *CrowdOptions) (*Crowd, error) {
	if o == nil {
		o = &CrowdOptions{}
	}
	form, err := chooseForm(ctx, d, o)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return fitCrowd(ctx, d, o, form)
}

// fitCrowd is FitCrowd under a form.
func fitCrowd(ctx context.Context, d *palate.Dataset, o *CrowdOptions, form CrowdForm) (*Crowd, error) {
	settled := o.with(form)
	o = &settled
	m := &Crowd{options: *o, form: form, digest: d.Digest(), groups: d.Components(), votes: make([]float64, d.NumItems())}
	for i := range d.NumItems() {
		m.ids = append(m.ids, d.ItemID(i))
	}
	for u := range d.NumUsers() {
		m.users = append(m.users, d.UserID(u))
	}
	tallies := d.Tallies(true)
	if len(tallies) == 0 {
		return nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	}
	for _, t := range tallies {
		m.votes[t.A] += t.Weight
		m.votes[t.B] += t.Weight
		m.fit.Votes += t.Weight
		if t.Tie {
			m.fit.Ties += t.Weight
		}
	}
	v, err := crowds.NewVotes(len(m.ids), tallies)
	if err != nil {
		return nil, err
	}
	prior, err := m.setPrior(d.ItemFeatures())
	if err != nil {
		return nil, err
	}
	settings := m.options.Crowd
	if settings.Stochastic == nil && !settings.Nugget && v.Voters() > wholeVoters {
		settings.Stochastic = &crowds.Stochastic{Seed: o.Seed}
	}
	if err := m.setVoters(d, v, &settings); err != nil {
		return nil, err
	}
	limit := o.MaxMemory
	if limit == 0 {
		limit = 8e9
	}
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
	m.settle()
	trace := m.learnt.Trace
	m.fit.Kind, m.fit.Status, m.fit.Stats.Sweeps, m.fit.Stats.Jitter = infer.LowerBound.String(), m.learnt.Status, len(trace), prior.Jitter()
	if n := len(trace); n > 0 {
		m.fit.Objective = trace[n-1]
	}
	return m, nil
}

// wholeVoters is the number of voters up to which every sweep sees all of them.
const wholeVoters = 20000

// CrowdMemory is roughly how many bytes FitCrowd would take.
func CrowdMemory(d *palate.Dataset, o *CrowdOptions) (float64, error) {
	if o == nil {
		o = &CrowdOptions{}
	}
	v, err := crowds.NewVotes(d.NumItems(), d.Tallies(true))
	if err != nil {
		return 0, err
	}
	weights := d.NumItems()
	if f := d.ItemFeatures(); f != nil && f.Cols > 0 && !o.NoFeatures {
		limit := o.DenseLimit
		if limit == 0 {
			limit = 2000
		}
		switch {
		case o.Inducing > 0:
			weights = min(o.Inducing, weights)
		case weights > limit:
			weights = 300
		}
	}
	return crowds.Memory(v, weights, &o.Crowd), nil
}

// setVoters tells the engine about voters.
func (m *Crowd) setVoters(d *palate.Dataset, v *crowds.Votes, to *crowds.Options) error {
	f := d.UserFeatures()
	if f == nil || f.Cols == 0 || m.options.NoVoterFeatures {
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

// settle derives what follows from what was learnt.
func (m *Crowd) settle() {
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
	if o.DenseLimit == 0 {
		o.DenseLimit = 2000
	}
	if f == nil || f.Cols == 0 || o.NoFeatures {
		if o.Kernel != nil {
			return nil, fmt.Errorf("model: a kernel over features, but the items have none")
		}
		return gp.White(n), nil
	}
	m.groups = [][]int{everything(n)} // features bridge what votes do not connect
	m.features = mat.NewDense(f.Rows, f.Cols, f.Data)
	x := kernel.Dense(m.features)
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	if o.Inducing == 0 && n > o.DenseLimit {
		o.Inducing = 300
	}
	if m.kernel = o.Kernel; m.kernel == nil && o.Inducing == 0 && len(f.Blocks) > 1 {
		m.kernel, m.z = kernel.NewLinear([]float64{1}), axes(f.Cols)
		o.Crowd.Nugget, o.Crowd.Blocks = true, f.Blocks
		return m.prior()
	}
	if m.kernel == nil {
		lengths := kernel.MedianHeuristic(x, kernel.MedianOptions{}, rng)
		m.kernel = kernel.NewStationary(kernel.Matern32, kernel.Euclidean, lengths)
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
	s := &Single{ids: m.ids[:m.trained], z: m.z}
	if m.kernel != nil {
		_, cols := m.features.Dims()
		s.x = kernel.Dense(mat.DenseCopyOf(m.features.Slice(0, m.trained, 0, cols)))
	}
	return s.prior(m.kernel)
}

// Extend returns the model with further items, known only by their features
// (one row an item, as wide as those of the fit).
func (m *Crowd) Extend(ids []string, features *mat.Dense) (*Crowd, error) {
	if m.kernel == nil {
		return nil, fmt.Errorf("model: the model has no item features, so it cannot say anything of new items")
	}
	_, have := m.features.Dims()
	if rows, cols := features.Dims(); cols != have || rows != len(ids) {
		return nil, fmt.Errorf("model: %d×%d features for %d new items; the model has %d features", rows, cols, len(ids), have)
	}
	e := *m
	e.ids = append(append([]string(nil), m.ids...), ids...)
	e.votes = append(append([]float64(nil), m.votes...), make([]float64, len(ids))...)
	e.groups = [][]int{everything(len(e.ids))}
	e.features = &mat.Dense{}
	e.features.Stack(m.features, features)
	return &e, e.extend()
}

// extend sees what was learnt at all items.
func (m *Crowd) extend() error {
	p, err := m.prior()
	if err != nil {
		return err
	}
	m.learnt = m.learnt.On(p.Extend(kernel.Dense(m.features)))
	return nil
}

// Fit returns how the fit went. Scale is the expected inverse scale of the
// consensus.
func (m *Crowd) Fit() Fit { return m.fit }

// Form returns what was chosen, or asked for, of how voters differ and how far
// features explain utilities.
func (m *Crowd) Form() CrowdForm { return m.form }

// NumItems returns the number of items.
func (m *Crowd) NumItems() int { return len(m.ids) }

// ItemID returns the identifier of item i.
func (m *Crowd) ItemID(i int) string { return m.ids[i] }

// NumUsers returns the number of users.
func (m *Crowd) NumUsers() int { return len(m.users) }

// UserID returns the identifier of user u.
func (m *Crowd) UserID(u int) string { return m.users[u] }

// Groups returns the comparable groups of items.
func (m *Crowd) Groups() [][]int { return m.groups }

// Votes returns how many votes each item took part in.
func (m *Crowd) Votes() []float64 { return m.votes }

// voterOf returns what was learnt and the voter in it who is a user; −1 for one
// of whom nothing is known.
func (m *Crowd) voterOf(user int) (*crowds.Learnt, int) {
	if user < 0 || user >= len(m.voter) {
		return m.learnt, -1
	}
	if x, ok := m.unheard[user]; ok {
		if l, err := m.learnt.FoldIn(nil, x); err == nil { // factors there are
			return l, 0
		}
	}
	return m.learnt, m.voter[user]
}

// Prefer returns the probability that user picks left over right, ties apart;
// for a negative user, or one without votes and features, that of a person
// nothing is known of.
func (m *Crowd) Prefer(user, left, right int) float64 {
	var rows gp.Rows
	rows.AppendPair(left, right)
	l, v := m.voterOf(user)
	return prefer(l, v, &rows)
}

// prefer returns the probability that a voter prefers the first item of a pair
// when there is no tie: over the classes that the voter may be of.
func prefer(l *crowds.Learnt, voter int, rows *gp.Rows) float64 {
	mean, variance := l.Form(voter, rows)
	var win, lose float64
	for _, c := range l.Classes(voter) {
		v := voting{threshold: c.Margin}
		a, b := v.chances(c.Slope*mean, c.Slope*c.Slope*variance)
		win += c.Share * a
		lose += c.Share * b
	}
	return win / (win + lose)
}

// Utility returns mean and variance of an item's utility to user; for a
// negative user those of the consensus.
func (m *Crowd) Utility(user, item int) (mean, variance float64) {
	var rows gp.Rows
	rows.AppendUnit(item)
	if user < 0 {
		return m.learnt.Consensus(&rows)
	}
	l, v := m.voterOf(user)
	return l.Form(v, &rows)
}

// Draws returns joint draws of the utilities of all items to user; for a
// negative user, or one without votes and features, draws of the consensus.
func (m *Crowd) Draws(user, n int, rng *rand.Rand) Draws {
	l, v := m.voterOf(user)
	return evenDraws(l.Draws(v, n, rng))
}

// CrowdVoter is someone who was folded in.
type CrowdVoter struct {
	m *Crowd
	l *crowds.Learnt
}

// FoldIn infers a new voter from a few votes, from features, or from both,
// without refitting; skips are left out. features are as wide as those of the
// fit; nil without.
func (m *Crowd) FoldIn(votes []palate.Vote, features []float64) (*CrowdVoter, error) {
	var tallies []palate.Tally
	for k, v := range votes {
		t := palate.Tally{A: v.Left, B: v.Right, Weight: v.Weight}
		if t.Weight == 0 {
			t.Weight = 1
		}
		if !(t.Weight > 0) || math.IsInf(t.Weight, 1) {
			return nil, fmt.Errorf("model: fold in: vote %d: weight %v is not positive and finite", k, v.Weight)
		}
		switch v.Outcome {
		case palate.Right:
			t.A, t.B = v.Right, v.Left
		case palate.Tie:
			t.Tie = true
		case palate.Skip:
			continue
		}
		tallies = append(tallies, t)
	}
	if features != nil {
		if m.about == nil {
			return nil, fmt.Errorf("model: fold in: %d features, but the model was fitted without features of voters", len(features))
		}
		if want := len(m.about.centre); len(features) != want {
			return nil, fmt.Errorf("model: fold in: %d features, the model has %d", len(features), want)
		}
		if m.learnt.Factors() > 0 {
			features = m.about.encode(1, func(int) []float64 { return features }).RawRowView(0)
		} else {
			features = nil // nothing for them to tell
		}
	}
	l, err := m.learnt.FoldIn(tallies, features)
	if err != nil {
		return nil, err
	}
	return &CrowdVoter{m, l}, nil
}

// Prefer returns the probability that the voter picks left over right.
func (v *CrowdVoter) Prefer(left, right int) float64 {
	var rows gp.Rows
	rows.AppendPair(left, right)
	return prefer(v.l, 0, &rows)
}

// Utility returns mean and variance of the utility of an item to the voter.
func (v *CrowdVoter) Utility(item int) (mean, variance float64) {
	var rows gp.Rows
	rows.AppendUnit(item)
	return v.l.Form(0, &rows)
}

// Draws returns joint draws of the voter's utilities.
func (v *CrowdVoter) Draws(n int, rng *rand.Rand) Draws { return evenDraws(v.l.Draws(0, n, rng)) }
