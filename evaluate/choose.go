package evaluate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"palate"
	"palate/kernel"
	"palate/model"
)

// Where Choose stops looking further: a choice must not take longer than the fit.
const (
	trialVotes      = 4000    // a trial is on so many votes at most, those of whole voters
	foldedVotes     = 2000    // up to so many votes a trial is on five folds, above on a fifth of the votes
	crowdVotes      = 20_000  // above, a crowd takes minutes
	populationVotes = 100_000 // above, a population does
	kernelItems     = 500     // above, kernels are not compared
	fewVoters       = 3       // who cast fewVotes or more, or there is nobody to tell apart
	fewVotes        = 3
)

// ChooseOptions are the settings of Choose; nil means the defaults.
type ChooseOptions struct {
	// Single holds the settings of a single model, Links among them.
	Single *model.Options
	// UserLinks, if set, join voters of a population.
	UserLinks *kernel.Graph
	// FixedKernel keeps Single.Shape as it is.
	FixedKernel bool
	// OneUtility leaves out models that tell voters apart, PerVoter those that do
	// not.
	OneUtility, PerVoter bool
	Seed                 uint64
}

// Choice is a model for some votes.
type Choice struct {
	Model string // single, linked, crowd or population
	Shape kernel.Shape
	Why   string // in one line
}

// Choose picks a model from what the votes hold. Kernel and links are those of the
// greatest evidence; whether to tell voters apart, and how, is decided by trial,
// on votes held out from the given ones: a model with more in it has to be better
// by more than a standard error.
func Choose(ctx context.Context, d *palate.Dataset, o *ChooseOptions) (Choice, error) {
	if o == nil {
		o = &ChooseOptions{}
	}
	single := model.Options{}
	if o.Single != nil {
		single = *o.Single
	}
	single.Progress = nil
	c := Choice{Model: "single", Shape: single.Shape}
	var why []string
	if single.Links != nil {
		c.Model = "linked"
		reason, err := c.weighLinks(ctx, d, &single)
		if err != nil {
			return c, err
		}
		why = append(why, reason)
	}
	if d.ItemFeatures() != nil && single.Links == nil && !o.FixedKernel && single.Kernel == nil {
		reason, err := c.weighKernels(ctx, d, single)
		if err != nil {
			return c, err
		}
		why = append(why, reason)
	}
	single.Shape = c.Shape
	reason, err := c.weighVoters(ctx, d, &single, o)
	c.Why = strings.Join(append([]string{reason}, why...), "; ")
	return c, err
}

// weighLinks drops links that the evidence is against.
func (c *Choice) weighLinks(ctx context.Context, d *palate.Dataset, o *model.Options) (string, error) {
	with, err := model.FitSingle(ctx, d, o)
	if err != nil {
		return "", err
	}
	bare := *o
	bare.Links = nil
	without, err := model.FitSingle(ctx, d, &bare)
	if err != nil {
		return "", err
	}
	gain := with.Fit().Objective - without.Fit().Objective
	if gain < 0 {
		c.Model, o.Links = "single", nil
		return fmt.Sprintf("links lower the log evidence, by %.1f, and are left out", -gain), nil
	}
	return fmt.Sprintf("links raise the log evidence by %.1f", gain), nil
}

// weighKernels takes the kernel of the greatest evidence.
func (c *Choice) weighKernels(ctx context.Context, d *palate.Dataset, o model.Options) (string, error) {
	if n := d.NumItems(); n > kernelItems {
		return fmt.Sprintf("kernel %v as ever: with %d items comparing kernels takes long", c.Shape, n), nil
	}
	evidence := map[kernel.Shape]float64{}
	best := c.Shape
	for _, s := range []kernel.Shape{c.Shape, kernel.Matern12, kernel.Matern32, kernel.Matern52, kernel.SE} {
		if _, done := evidence[s]; done {
			continue
		}
		o.Shape = s
		m, err := model.FitSingle(ctx, d, &o)
		if err != nil {
			return "", err
		}
		if evidence[s] = m.Fit().Objective; evidence[s] > evidence[best] {
			best = s
		}
	}
	was := c.Shape
	if gain := evidence[best] - evidence[was]; gain >= 1 {
		c.Shape = best
		return fmt.Sprintf("kernel %v: its log evidence is %.1f above that of %v", best, gain, was), nil
	}
	return fmt.Sprintf("kernel %v: no other has clearly more evidence", was), nil
}

// weighVoters decides whether to tell voters apart.
func (c *Choice) weighVoters(ctx context.Context, d *palate.Dataset, single *model.Options, o *ChooseOptions) (string, error) {
	keep := c.Model
	switch {
	case !d.HasUsers():
		return keep + ", as the votes name no voters", nil
	case o.OneUtility:
		return keep + ", as only that was asked for", nil
	}
	busy := 0
	for _, votes := range byUser(d) {
		if len(votes) >= fewVotes {
			busy++
		}
	}
	switch {
	case o.PerVoter && d.NumVotes() > crowdVotes:
		c.Model = "population"
		return fmt.Sprintf("population, as a crowd takes long with %d votes", d.NumVotes()), nil
	case o.PerVoter:
	case busy < fewVoters:
		return fmt.Sprintf("%s, as only %d of %d voters cast %d votes or more", keep, busy, d.NumUsers(), fewVotes), nil
	case d.NumVotes() > populationVotes:
		return fmt.Sprintf("%s, as telling voters apart takes long with %d votes (--model population does)", keep, d.NumVotes()), nil
	}
	candidates := []Method{
		{Name: keep, Fit: func(ctx context.Context, train *palate.Dataset, _ uint64) (Predictor, error) {
			return asPredictor(model.FitSingle(ctx, train, single))
		}},
		{Name: "population", Fit: func(ctx context.Context, train *palate.Dataset, seed uint64) (Predictor, error) {
			return asPredictor(model.FitPopulation(ctx, train, &model.PopulationOptions{Seed: seed, UserLinks: o.UserLinks}))
		}},
	}
	if d.NumVotes() <= crowdVotes {
		candidates = append(candidates, Method{Name: "crowd", Fit: func(ctx context.Context, train *palate.Dataset, seed uint64) (Predictor, error) {
			return asPredictor(model.FitCrowd(ctx, train, &model.CrowdOptions{Seed: seed}))
		}})
	}
	if o.PerVoter {
		candidates = candidates[1:]
		c.Model = candidates[0].Name
	}
	t, err := newTrial(ctx, d, candidates, o.Seed)
	if err != nil {
		return "", err
	}
	return t.judge(c), nil
}

// trial is how candidates, the simplest first, did on votes held out.
type trial struct {
	exam       *exam
	candidates []Method
	entropy    [][]float64
}

func newTrial(ctx context.Context, d *palate.Dataset, candidates []Method, seed uint64) (*trial, error) {
	d = sample(d, trialVotes, seed)
	split := &SplitOptions{Seed: seed}
	if d.NumVotes() > foldedVotes {
		split.Share = 0.2
	}
	folds, err := Split(d, split)
	if err != nil {
		return nil, err
	}
	t := &trial{exam: newExam(d, folds), candidates: candidates, entropy: make([][]float64, len(candidates))}
	for k, m := range candidates {
		var said []float64
		for f, fold := range folds {
			p, err := m.Fit(ctx, d.Select(fold.Train), seed)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				return nil, fmt.Errorf("evaluate: trying %s: %w", m.Name, err)
			}
			chance, err := t.exam.ask(f, p)
			if err != nil {
				return nil, fmt.Errorf("evaluate: trying %s: %w", m.Name, err)
			}
			said = append(said, chance...)
		}
		_, t.entropy[k], _ = t.exam.losses(said)
	}
	return t, nil
}

// judge takes the best candidate if it beats the simplest by more than a standard
// error, and says why.
func (t *trial) judge(c *Choice) string {
	mean := func(k int) float64 { return t.exam.mean(t.entropy[k], 0.95).Value }
	best := 1
	for k := range t.candidates {
		if k > 0 && mean(k) < mean(best) {
			best = k
		}
	}
	gain := make([]float64, len(t.entropy[0]))
	for k := range gain {
		gain[k] = t.entropy[0][k] - t.entropy[best][k]
	}
	g := t.exam.mean(gain, 0.95)
	say := func(a, b int) string {
		return fmt.Sprintf("cross-entropy %.3f on held-out votes, %.3f with %s (difference %.3f ± %.3f)",
			mean(a), mean(b), t.candidates[b].Name, math.Abs(g.Value), g.SE)
	}
	if g.Value > g.SE {
		c.Model = t.candidates[best].Name
		return c.Model + ": " + say(best, 0)
	}
	if c.Model == "population" {
		return "population, as a crowd is not clearly better: " + say(0, best)
	}
	return c.Model + ", as telling voters apart does not clearly help: " + say(0, best)
}

// byUser returns the votes of each user.
func byUser(d *palate.Dataset) [][]int {
	out := make([][]int, d.NumUsers())
	for k, v := range d.Votes() {
		if v.User >= 0 && v.Outcome != palate.Skip {
			out[v.User] = append(out[v.User], k)
		}
	}
	return out
}

// sample returns all votes of as many voters as cast about so many.
func sample(d *palate.Dataset, votes int, seed uint64) *palate.Dataset {
	if d.NumVotes() <= votes {
		return d
	}
	var picked []int
	by := byUser(d)
	for _, u := range rand.New(rand.NewPCG(seed, 0x5a)).Perm(len(by)) {
		if len(picked) > 0 && len(picked)+len(by[u]) > votes {
			break
		}
		picked = append(picked, by[u]...)
	}
	return d.Select(picked)
}
