package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"

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

	Covariance     Covariance
	Rank           int     // of the factors, at most; 0 stands for 20
	Penalty        float64 // on the factors; 0 stands for 6
	Kernel         kernel.Kernel
	PersonFeatures PersonFeatures
	// MaxMemory bounds what the fit may take, in bytes; 0 stands for 8 GB.
	MaxMemory float64

	Seed     uint64
	Progress func(Progress)
	// Checkpoint, if set, is given the state of the fit after every step; Resume
	// takes up such a state.
	Checkpoint func(*population.Checkpoint) error
	Resume     *population.Checkpoint
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
	m := &Population{options: *o, digest: d.Digest()}
	n := d.NumItems()
	for i := range n {
		m.ids = append(m.ids, d.ItemID(i))
	}
	for u := range d.NumUsers() {
		m.users = append(m.users, d.UserID(u))
	}
	tallies := d.Tallies(true)
	if len(tallies) == 0 {
		return nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	}
	m.votes = make([]float64, n)
	for _, t := range tallies {
		m.votes[t.A] += t.Weight
		m.votes[t.B] += t.Weight
	}
	people, err := population.NewPeople(n, tallies)
	if err != nil {
		return nil, err
	}
	m.number(people)
	m.groups = d.Components()
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
	f := 0
	if m.usesFeatures(d) {
		f = d.UserFeatures().Cols
	}
	work := &population.Options{Rank: o.Rank}
	if err := population.Memory(people, m.features != nil, full, work, f).Check(limit, n, m.features != nil, full); err != nil {
		return nil, err
	}
	if o.Family != "" {
		return m, m.fitFamily(ctx, people)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	m.items = population.NewItems(n, m.features, o.Kernel, rng)
	if m.items.Kernel != nil { // features bridge what votes do not connect
		m.groups = [][]int{everything(n)}
	}
	var x []float64
	if f > 0 {
		x = m.scaleFeatures(d.UserFeatures(), people)
	}
	if o.Covariance == FullCovariance {
		return m, m.fitFull(ctx, people)
	}
	return m, m.fitLowRank(ctx, people, x, f)
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

func (m *Population) fitLowRank(ctx context.Context, people *population.People, x []float64, f int) error {
	o := &m.options
	l, e, err := population.Learn(ctx, people, m.items, x, f, &population.Options{
		Rank: o.Rank, Penalty: o.Penalty, Seed: o.Seed, Progress: m.tell("learning the population"),
		Checkpoint: o.Checkpoint, Resume: o.Resume,
	})
	if err != nil {
		return err
	}
	m.prior, m.engine, m.threshold = l.LowRank, e, l.Threshold
	m.win = likelihood.Probit{Offset: l.Threshold}
	m.spread = l.Scale * l.Spread
	m.fit = Fit{Objective: l.Objective, Kind: infer.LogEvidence.String(), Scale: 1 / l.Scale, Threshold: l.Threshold}
	m.fit.Stats.Sweeps, m.fit.Stats.Change, m.fit.Stats.Skipped = l.Evals, l.Stats.Change, l.Stats.Skipped
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
		m.options.Progress(Progress{Stage: stage, Round: p.Evaluations, Objective: p.Objective})
	}
}

// Name returns "population", or the name of the member of the paper's family.
func (m *Population) Name() string {
	if m.options.Family != "" {
		return m.options.Family
	}
	return "population"
}

// Fit returns how the fit went. Scale is the inverse of the variance that the
// covariance is measured in; Stats.Sweeps counts evaluations of the objective.
func (m *Population) Fit() Fit { return m.fit }

// NumItems returns the number of items.
func (m *Population) NumItems() int { return len(m.ids) }

// ItemID returns the identifier of item i.
func (m *Population) ItemID(i int) string { return m.ids[i] }

// NumUsers returns the number of users.
func (m *Population) NumUsers() int { return len(m.users) }

// UserID returns the identifier of user u.
func (m *Population) UserID(u int) string { return m.users[u] }

// Groups returns the comparable groups of items.
func (m *Population) Groups() [][]int { return m.groups }

// Votes returns how many votes each item took part in.
func (m *Population) Votes() []float64 { return m.votes }

// posterior returns what is known of a user.
func (m *Population) posterior(user int) *population.Posterior {
	if user < 0 || user >= len(m.person) {
		return population.Stranger(m.prior)
	}
	slot := &m.recent[user%len(m.recent)]
	if r := slot.Load(); r != nil && r.user == user {
		return r.Posterior
	}
	var q *population.Posterior
	var err error
	switch k := m.person[user]; {
	case k >= 0:
		q, err = m.engine.Posterior(m.prior, k)
	case m.about != nil:
		f := len(m.centre)
		q, err = population.FoldIn(m.prior, nil, m.about[user*f:(user+1)*f], population.Settings{})
	default:
		q = population.Stranger(m.prior)
	}
	if err != nil {
		panic(err) // the same covariance was factored during the fit
	}
	slot.Store(&remembered{user, q})
	return q
}

// Prefer returns the probability that user picks left over right, ties apart;
// for a negative user that of a person nothing is known of.
func (m *Population) Prefer(user, left, right int) float64 {
	mean, variance := m.posterior(user).Difference(left, right)
	return population.Prefer(m.win, mean, variance)
}

// Utility returns mean and variance of an item's utility to user; for a
// negative user those of the consensus.
func (m *Population) Utility(user, item int) (mean, variance float64) {
	if user < 0 {
		c := m.mean()
		return c.Mean[item], c.Cov(item, item)
	}
	return m.posterior(user).Utility(item)
}

// CovarianceTo sets dst to the covariances between the utilities of item and
// others.
func (m *Population) CovarianceTo(dst []float64, user, item int, others []int) {
	if user < 0 {
		c := m.mean()
		for k, o := range others {
			dst[k] = c.Cov(item, o)
		}
		return
	}
	q := m.posterior(user)
	for k, o := range others {
		dst[k] = q.Cov(item, o)
	}
}

func (m *Population) mean() *population.Consensus {
	m.consensus.once.Do(func() {
		c, err := population.NewConsensus(context.Background(), m.engine, m.prior, m.items, m.spread)
		if err != nil {
			panic(err) // the same covariances were factored during the fit
		}
		m.consensus.Consensus = c
	})
	return m.consensus.Consensus
}

// Draws returns joint draws of the utilities of all items to user, weighted by
// the true over the approximate likelihood of that user's votes; for a negative
// user draws of the consensus.
func (m *Population) Draws(user, n int, rng *rand.Rand) Draws {
	if user < 0 {
		return evenDraws(m.mean().Draws(n, rng))
	}
	return mended(m.posterior(user).Draws(n, rng))
}

// evenDraws weighs all draws alike.
func evenDraws(f *mat.Dense) Draws {
	n, _ := f.Dims()
	d := Draws{F: f, Weight: make([]float64, n), ESS: float64(n)}
	for k := range d.Weight {
		d.Weight[k] = 1 / float64(n)
	}
	return d
}

// mended weighs draws by log weights, where those can be trusted.
func mended(f *mat.Dense, logW []float64) Draws {
	if w, k := smoothWeights(logW); k < maxTail {
		if ess := effective(w); ess >= minESS {
			return Draws{F: f, Weight: w, ESS: ess, Mended: true}
		}
	}
	return evenDraws(f)
}

// Person is someone who was folded in.
type Person struct {
	m *Population
	q *population.Posterior
}

// FoldIn infers a new person from a few votes, without refitting: one E-step,
// O(m³) in the number of that person's items. features are the person's, as
// wide as those of the fit; nil without.
func (m *Population) FoldIn(votes []palate.Vote, features []float64) (*Person, error) {
	tally := map[palate.Tally]float64{}
	var order []palate.Tally
	for k, v := range votes {
		if uint(v.Left) >= uint(len(m.ids)) || uint(v.Right) >= uint(len(m.ids)) || v.Left == v.Right {
			return nil, fmt.Errorf("model: fold in: vote %d: items %d and %d of %d", k, v.Left, v.Right, len(m.ids))
		}
		w := v.Weight
		if w == 0 {
			w = 1
		}
		if !(w > 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("model: fold in: vote %d: weight %v is not positive and finite", k, w)
		}
		t := palate.Tally{A: v.Left, B: v.Right}
		switch v.Outcome {
		case palate.Right:
			t.A, t.B = v.Right, v.Left
		case palate.Tie:
			t = palate.Tally{A: min(v.Left, v.Right), B: max(v.Left, v.Right), Tie: true}
			if m.threshold == 0 {
				return nil, fmt.Errorf("model: fold in: vote %d is a tie, but the model has seen none", k)
			}
		case palate.Skip:
			continue
		}
		if _, ok := tally[t]; !ok {
			order = append(order, t)
		}
		tally[t] += w
	}
	for k := range order {
		w := tally[order[k]]
		order[k].Weight = w
	}
	if features != nil {
		if len(features) != len(m.centre) {
			return nil, fmt.Errorf("model: fold in: %d features, the model has %d", len(features), len(m.centre))
		}
		features = m.scaled(features)
	}
	q, err := population.FoldIn(m.prior, order, features, m.settings())
	if err != nil {
		return nil, err
	}
	return &Person{m, q}, nil
}

// settings are those of inference for one person.
func (m *Population) settings() population.Settings {
	s := population.Settings{Tolerance: 1e-6, MaxSweeps: 500}
	if m.options.Family != "" {
		f, err := population.FindFamily(m.options.Family)
		if err != nil {
			panic(err) // it was found before
		}
		s.Rule = f.Rule()
	}
	if l, ok := m.win.(likelihood.Logit); ok {
		s.Likelihood = func(k population.Kind) likelihood.Scalar {
			if k.Power != 1 {
				return likelihood.Power{Of: l, Weight: k.Power}
			}
			return l
		}
	} else {
		s.Likelihood = population.Voting(m.threshold)
	}
	return s
}

// Prefer returns the probability that the person picks left over right.
func (p *Person) Prefer(left, right int) float64 {
	mean, variance := p.q.Difference(left, right)
	return population.Prefer(p.m.win, mean, variance)
}

// Utility returns mean and variance of the utility of an item to the person.
func (p *Person) Utility(item int) (mean, variance float64) { return p.q.Utility(item) }

// Draws returns joint draws of the person's utilities, weighted as those of
// Population.Draws.
func (p *Person) Draws(n int, rng *rand.Rand) Draws { return mended(p.q.Draws(n, rng)) }

// Board ranks the items for the person.
func (p *Person) Board(o *BoardOptions) *Board { return NewBoard(folded{p.m, p}, 0, o) }

// folded lets a board see one person.
type folded struct {
	*Population
	p *Person
}

func (f folded) Draws(_, n int, rng *rand.Rand) Draws { return f.p.Draws(n, rng) }

// Extend returns the model with further items, known only by their features
// (one row an item, as wide as those of the fit).
func (m *Population) Extend(ids []string, features *mat.Dense) (*Population, error) {
	l, ok := m.prior.(*population.LowRank)
	if !ok {
		return nil, fmt.Errorf("model: %s cannot say anything of new items", m.Name())
	}
	if r, _ := features.Dims(); r != len(ids) {
		return nil, fmt.Errorf("model: %d rows of features for %d new items", r, len(ids))
	}
	p, err := l.Extend(features, m.spread/l.Scale)
	if err != nil {
		return nil, fmt.Errorf("model: %s", strings.TrimPrefix(err.Error(), "population: "))
	}
	e := &Population{
		ItemEncoder: m.ItemEncoder, UserEncoder: m.UserEncoder, users: m.users, digest: m.digest, options: m.options, person: m.person,
		prior: p, items: p.Items, engine: m.engine, centre: m.centre, width: m.width, about: m.about,
		spread: m.spread, threshold: m.threshold, win: m.win, fit: m.fit,
	}
	e.ids = append(append([]string(nil), m.ids...), ids...)
	e.votes = append(append([]float64(nil), m.votes...), make([]float64, len(ids))...)
	e.features = &mat.Dense{}
	e.features.Stack(m.features, features)
	e.groups = [][]int{everything(len(e.ids))}
	return e, nil
}
