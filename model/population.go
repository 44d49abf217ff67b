package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/kernel"
	"palate/likelihood"
	"palate/population"
)

// PersonFeatures says whether what is known of voters takes part.
type PersonFeatures int

const (
	// AutoFeatures uses them from 1,000 voters on: fewer cannot tell which of
	// them matter (at 100 voters with 5 votes each they hurt).
	AutoFeatures PersonFeatures = iota
	// WithFeatures uses them, WithoutFeatures does not.
	WithFeatures
	WithoutFeatures
)

// Covariance says what form the covariance of a population has.
type Covariance int

const (
	// LowRank is factors, item kernel and a diagonal, for any number of items.
	LowRank Covariance = iota
	// FullCovariance is any covariance under an inverse-Wishart prior, by
	// closed-form EM, for few items.
	FullCovariance
)

// PopulationOptions are the settings of FitPopulation. The zero value, and nil,
// learn everything from the votes by EP.
type PopulationOptions struct {
	// Family names a member of COLLAB's family (population.Families), which then
	// is fitted as the paper has it; empty: the default model.
	Family string
	// Paper holds the family's settings.
	Paper population.FamilyOptions

	Covariance Covariance
	Rank       int     // of the factors, at most; 0 stands for 20
	Penalty    float64 // on the factors; 0 stands for 6
	Kernel     kernel.Kernel
	// Lengths says where the length-scales of item features come from when there
	// is no Kernel: the median, or of half, once and twice the median the one under
	// which people who were not learnt from are likeliest (population.ChooseKernel).
	// The latter takes four fits in place of one.
	Lengths        Lengths
	PersonFeatures PersonFeatures
	// UserLinks, if set, join users, its nodes: those who are linked are taken to be
	// alike, as far as their votes bear it out. They enter as features of the users,
	// also where PersonFeatures leaves out the others.
	UserLinks *kernel.Graph
	// MaxMemory bounds what the fit may take, in bytes; 0 stands for 8 GB.
	MaxMemory float64
	// Plan, if set, is told beforehand what the fit will take.
	Plan func(population.Need)
	// Votes, if set, are learnt from in place of those of the dataset, to the same
	// result: they are on disk, and so are the sites. The model needs them as long
	// as it lives.
	Votes *population.Spool
	// HoldOut is a share of everybody's votes that is put aside: they are not
	// learnt from, and Progress tells their loss.
	HoldOut float64

	Seed     uint64
	Progress func(Progress)
	// Checkpoint, if set, is a file to which the state of the fit is written every
	// now and then, and from which a fit to the same votes goes on; it is removed
	// in the end. Only the default model has checkpoints.
	Checkpoint      string
	CheckpointEvery time.Duration // 0 stands for 2 minutes
}

// Population is many voters of one population: each has utilities of their
// own, drawn from a common Gaussian that is learnt from everybody's votes
// (COLLAB). Its consensus is the mean of that Gaussian; to prefer as the
// consensus does is to prefer as a person nothing is known of.
type Population struct {
	// ItemEncoder and UserEncoder are the recipes, as JSON, by which tables
	// became features. They travel with the model file; the model does not read
	// them.
	ItemEncoder, UserEncoder []byte

	ids, users []string
	votes      []float64
	ties       float64
	groups     [][]int
	digest     string
	options    PopulationOptions
	person     []int // of each user; −1 without votes

	prior     population.Prior
	items     *population.Items
	engine    *population.Engine
	features  *mat.Dense // of the items; nil without
	centre    []float64  // of the user features, and
	width     []float64  // how they were scaled; nil without
	about     []float64  // scaled features of all users
	spread    float64    // variance of the consensus beforehand
	threshold float64
	win       likelihood.Scalar
	fit       Fit
	heldOut   float64

	recent    [64]atomic.Pointer[remembered]
	consensus struct {
		once sync.Once
		*population.Consensus
	}
}

// remembered is a posterior that was asked for before.
type remembered struct {
	user int
	*population.Posterior
}

// FitPopulation learns a population from the votes of d. When ctx ends before
// it is done it returns what it has, with Fit().Status Interrupted, or the
// error of ctx if there is nothing yet.
func FitPopulation(ctx context.Context, d *palate.Dataset, o *PopulationOptions) (*Population, error) {
	if o == nil {
		o = &PopulationOptions{}
	}
	m := &Population{options: *o}
	n := d.NumItems()
	for i := range n {
		m.ids = append(m.ids, d.ItemID(i))
	}
	for u := range d.NumUsers() {
		m.users = append(m.users, d.UserID(u))
	}
	people, aside, err := m.gather(d)
	if err != nil {
		return nil, err
	}
	m.number(people)
	if f := d.ItemFeatures(); f != nil && f.Cols > 0 {
		m.features = mat.NewDense(f.Rows, f.Cols, f.Data)
	}
	if m.features == nil && o.Kernel != nil {
		return nil, fmt.Errorf("model: a kernel over features, but the items have none")
	}
	limit := o.MaxMemory
	if limit == 0 {
		limit = 8e9
	}
	full := o.Covariance == FullCovariance || o.Family != ""
	if o.UserLinks != nil && full {
		return nil, fmt.Errorf("model: %s has no place for links between users; the default population model has", m.Name())
	}
	about, err := userFeatures(d, m.usesFeatures(d), o.UserLinks)
	if err != nil {
		return nil, err
	}
	f := 0
	if about != nil {
		f = about.Cols
	}
	need := population.Memory(people, m.features != nil, full, &population.Options{Rank: o.Rank}, f)
	if o.Plan != nil {
		o.Plan(need)
	}
	if err := need.Check(limit, n, m.features != nil, full); err != nil {
		return nil, err
	}
	if len(aside) > 0 && full {
		return nil, fmt.Errorf("model: votes put aside are for the low-rank population model only")
	}
	if o.Family != "" {
		return m.unless(m.fitFamily(ctx, people))
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	k := o.Kernel
	if k == nil && o.Lengths == LearntLengths && m.features != nil {
		kernels := population.Lengths(m.features, rng)
		best, _, err := population.ChooseKernel(ctx, people, m.features, kernels, &population.Options{Rank: o.Rank, Penalty: o.Penalty, Seed: o.Seed})
		if err != nil {
			return nil, err
		}
		k = kernels[best]
	}
	m.items = population.NewItems(n, m.features, k, rng)
	if m.items.Kernel != nil { // features bridge what votes do not connect
		m.groups = [][]int{everything(n)}
	}
	var x []float64
	if f > 0 {
		x = m.scaleFeatures(about, people)
	}
	if o.Covariance == FullCovariance {
		return m.unless(m.fitFull(ctx, people))
	}
	return m.unless(m.fitLowRank(ctx, people, aside, x, f))
}

// gather sorts the votes by person, puts some aside, and counts.
func (m *Population) gather(d *palate.Dataset) (people *population.People, aside []palate.Tally, err error) {
	o := &m.options
	n := d.NumItems()
	if !(o.HoldOut >= 0 && o.HoldOut < 1) {
		return nil, nil, fmt.Errorf("model: a share of %v of the votes put aside is not from 0 to 1", o.HoldOut)
	}
	m.votes = make([]float64, n)
	keep := func(tallies []palate.Tally) []palate.Tally {
		if o.HoldOut > 0 {
			var out []palate.Tally
			tallies, out = population.SetAside(tallies, o.HoldOut, o.Seed)
			aside = append(aside, out...)
		}
		for _, t := range tallies {
			if t.Tie {
				m.ties += t.Weight
			}
			m.votes[t.A] += t.Weight
			m.votes[t.B] += t.Weight
		}
		return tallies
	}
	total := d.NumVotes()
	if o.Votes == nil {
		people, err = population.NewPeople(n, keep(d.Tallies(true)))
		m.digest, m.groups = d.Digest(), d.Components()
	} else {
		people, err = o.Votes.People(n, keep)
		m.digest, m.groups = d.DigestOf(o.Votes.Votes()), d.ComponentsOf(o.Votes.Votes())
		if err == nil {
			err = o.Votes.Err()
		}
		total = o.Votes.Len()
	}
	if err == nil && people.Len() == 0 {
		err = fmt.Errorf("model: no votes to learn from: %d votes, all skipped", total)
	}
	return people, aside, err
}

// unless returns the model, or nothing with an error.
func (m *Population) unless(err error) (*Population, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func everything(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// number notes which person each user is.
func (m *Population) number(p *population.People) {
	m.person = make([]int, len(m.users))
	for u := range m.person {
		m.person[u] = -1
	}
	for k := range p.Len() {
		if u := p.Owner(k); u >= 0 {
			m.person[u] = k
		}
	}
}

func (m *Population) usesFeatures(d *palate.Dataset) bool {
	f := d.UserFeatures()
	if f == nil || f.Cols == 0 || m.options.Family != "" || m.options.Covariance != LowRank {
		return false
	}
	switch m.options.PersonFeatures {
	case WithFeatures:
		return true
	case WithoutFeatures:
		return false
	}
	return d.NumUsers() >= 1000
}

// scaleFeatures brings every user feature to mean zero and mean square one over
// those who voted, keeps those of all users, and returns those of the persons.
func (m *Population) scaleFeatures(f *palate.Features, p *population.People) []float64 {
	m.centre, m.width = make([]float64, f.Cols), make([]float64, f.Cols)
	var n float64
	for u, k := range m.person {
		if k >= 0 {
			n++
			for j, x := range f.Row(u) {
				m.centre[j] += x
			}
		}
	}
	for j := range m.centre {
		m.centre[j] /= max(n, 1)
	}
	for u, k := range m.person {
		if k >= 0 {
			for j, x := range f.Row(u) {
				m.width[j] += (x - m.centre[j]) * (x - m.centre[j]) / n
			}
		}
	}
	for j, v := range m.width {
		m.width[j] = math.Sqrt(v)
		if v == 0 {
			m.width[j] = 1
		}
	}
	for u := range f.Rows {
		m.about = append(m.about, m.scaled(f.Row(u))...)
	}
	out := make([]float64, p.Len()*f.Cols)
	for k := range p.Len() {
		if u := p.Owner(k); u >= 0 {
			copy(out[k*f.Cols:], m.about[u*f.Cols:(u+1)*f.Cols])
		}
	}
	return out
}

func (m *Population) scaled(x []float64) []float64 {
	out := make([]float64, len(x))
	for j, v := range x {
		out[j] = (v - m.centre[j]) / m.width[j]
	}
	return out
}

func (m *Population) fitLowRank(ctx context.Context, people *population.People, aside []palate.Tally, x []float64, f int) error {
	o := &m.options
	work := &population.Options{Rank: o.Rank, Penalty: o.Penalty, Seed: o.Seed, Aside: aside, Progress: m.tell("learning the population")}
	var k *keeper
	if o.Checkpoint != "" {
		k = &keeper{path: o.Checkpoint, every: o.CheckpointEvery, digest: m.digest, last: time.Now()}
		if k.every == 0 {
			k.every = 2 * time.Minute
		}
		var err error
		if work.Resume, err = k.resume(); err != nil {
			return err
		}
		work.Checkpoint = k.keep
	}
	l, e, err := population.Learn(ctx, people, m.items, x, f, work)
	if err != nil {
		return err
	}
	if k != nil && ctx.Err() == nil {
		k.done()
	}
	m.prior, m.engine, m.threshold = l.LowRank, e, l.Threshold
	m.win = likelihood.Probit{Offset: l.Threshold}
	m.spread = l.Scale * l.Spread
	m.fit = Fit{Objective: l.Objective, Kind: infer.LogEvidence.String(), Scale: 1 / l.Scale, Threshold: l.Threshold}
	m.fit.Stats.Sweeps, m.fit.Stats.Change, m.fit.Stats.Skipped = l.Evals, l.Stats.Change, l.Stats.Skipped
	m.heldOut = l.HeldOut
	m.setStatus(ctx, l.Converged)
	return nil
}

func (m *Population) setStatus(ctx context.Context, converged bool) {
	switch {
	case ctx.Err() != nil:
		m.fit.Status = infer.Interrupted
	case !converged:
		m.fit.Status = infer.SweepLimit
	}
}

func (m *Population) fitFull(ctx context.Context, people *population.People) error {
	for _, k := range people.Kinds() {
		if k.Tie {
			return fmt.Errorf("model: a full covariance knows no ties: use the low-rank one, or leave them out")
		}
	}
	f, e, trace, err := population.LearnFull(ctx, people, m.items, population.Wishart{}, &population.Options{Progress: m.tell("learning the population")})
	if err != nil {
		return err
	}
	m.prior, m.engine, m.win = f, e, likelihood.Probit{}
	m.spread = 0.3 * 100
	m.fit = Fit{Objective: trace[len(trace)-1], Kind: infer.LogEvidence.String(), Scale: 1}
	m.fit.Stats.Sweeps = len(trace)
	m.setStatus(ctx, true)
	return nil
}

func (m *Population) fitFamily(ctx context.Context, people *population.People) error {
	f, err := population.FindFamily(m.options.Family)
	if err != nil {
		return err
	}
	o := m.options.Paper
	if o.Seed == 0 {
		o.Seed = m.options.Seed
	}
	if o.Progress == nil {
		o.Progress = m.tell(f.Name)
	}
	fit, err := population.LearnFamily(ctx, f, people, m.features, o)
	if err != nil {
		return err
	}
	m.options.Family = f.Name
	m.prior, m.engine, m.win = fit.Full, fit.Engine, fit.Win
	var mean float64
	for i := range m.ids {
		mean += fit.Cov(i, i) / float64(len(m.ids))
	}
	m.spread = 0.3 * mean
	m.fit = Fit{Kind: "objective of " + f.Name, Scale: 1}
	if k := len(fit.Trace); k > 0 {
		m.fit.Objective = fit.Trace[k-1]
		m.fit.Stats.Sweeps = k
	}
	m.setStatus(ctx, true)
	return nil
}

func (m *Population) tell(stage string) func(population.Progress) {
	if m.options.Progress == nil {
		return nil
	}
	return func(p population.Progress) {
		m.options.Progress(Progress{Stage: stage, Round: p.Evaluations, Objective: p.Objective, Evidence: p.Evidence, HeldOut: p.HeldOut})
	}
}
