package evaluate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"gonum.org/v1/gonum/mat"

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
	Model string       // single, linked, crowd or population
	Shape kernel.Shape // of single and linked
	// Factors is the most factors of taste of a crowd or a population, and Kernel
	// theirs over item features; 0 and nil: as they have them.
	Factors int
	Kernel  kernel.Kernel
	Why     string // in one line
}

// Choose picks a model from what the votes hold. Kernel and links of one utility are
// those of the greatest evidence. Whether to tell voters apart, and how, is decided
// by trial, on votes held out from the given ones: a model with more in it has to be
// better by more than a standard error. Other numbers of factors, and other kernels,
// than the model's own have to be so by more than two, as there are several.
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
	if d.ItemFeatures() != nil && !o.FixedKernel && single.Kernel == nil {
		reason, err := c.weighKernels(ctx, d, single)
		if err != nil {
			return c, err
		}
		why = append(why, reason)
	}
	single.Shape = c.Shape
	reason, err := c.weighVoters(ctx, d, &single, o)
	switch {
	case c.Model == "single" || c.Model == "linked":
		reason = strings.Join(append([]string{reason}, why...), "; ")
	case o.Single != nil && o.Single.Links != nil:
		reason += "; links between items, which it does not read, are left out"
	}
	c.Why = reason
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
		o.candidate(Choice{Model: "population"}),
	}
	if d.NumVotes() <= crowdVotes {
		candidates = append(candidates, o.candidate(Choice{Model: "crowd"}))
	}
	if o.PerVoter {
		candidates = candidates[1:]
		c.Model = candidates[0].Name
	}
	t, err := newTrial(d, o.Seed)
	if err != nil {
		return "", err
	}
	reason, err := t.judge(ctx, c, candidates)
	if err != nil || c.Model == keep {
		return reason, err
	}
	factors, err := t.weighFactors(ctx, c, o)
	if err != nil || d.ItemFeatures() == nil || d.ItemFeatures().Cols == 0 {
		return reason + factors, err
	}
	shapes, err := t.weighShapes(ctx, c, o)
	return reason + factors + shapes, err
}

// candidate fits what c says, if it tells voters apart.
func (o *ChooseOptions) candidate(c Choice) Method {
	return Method{Name: c.Model, Fit: func(ctx context.Context, train *palate.Dataset, seed uint64) (Predictor, error) {
		if c.Model == "crowd" {
			// Its form is chosen when it is fitted to all votes: to try that too would take long.
			crowd := &model.CrowdOptions{Tastes: model.NarrowTastes, Smoothness: model.Rough, Kernel: c.Kernel, Seed: seed}
			crowd.Crowd.Factors = c.Factors
			return asPredictor(model.FitCrowd(ctx, train, crowd))
		}
		return asPredictor(model.FitPopulation(ctx, train, &model.PopulationOptions{Rank: c.Factors, Kernel: c.Kernel, UserLinks: o.UserLinks, Seed: seed}))
	}}
}

// weighFactors tries fewer factors of taste than the model would take by itself.
func (t *trial) weighFactors(ctx context.Context, c *Choice, o *ChooseOptions) (string, error) {
	var others []Method
	caps := []int{1, 2, 4}
	for _, n := range caps {
		with := *c
		with.Factors = n
		others = append(others, o.candidate(with))
	}
	best, gain, err := t.better(ctx, others)
	if err != nil || best < 0 {
		return "; factors of taste: as many as votes call for, 1, 2 or 4 at most are not clearly better", err
	}
	c.Factors = caps[best]
	return fmt.Sprintf("; factors of taste: %d at most, better by %s than as many as votes call for", c.Factors, gain), nil
}

// weighShapes tries other kernels over item features than that of the model.
func (t *trial) weighShapes(ctx context.Context, c *Choice, o *ChooseOptions) (string, error) {
	f := t.d.ItemFeatures()
	switch {
	case len(f.Blocks) > 1 && c.Model == "crowd":
		return "; weights on features of text", nil
	case t.d.NumItems() > kernelItems:
		return fmt.Sprintf("; kernel as ever: with %d items comparing kernels takes long", t.d.NumItems()), nil
	}
	x := kernel.Dense(mat.NewDense(f.Rows, f.Cols, f.Data))
	lengths := kernel.MedianHeuristic(x, kernel.MedianOptions{}, rand.New(rand.NewPCG(o.Seed, 1)))
	shapes := []kernel.Shape{kernel.Matern12, kernel.Matern52, kernel.SE}
	var kernels []kernel.Kernel
	var others []Method
	for _, s := range shapes {
		with := *c
		with.Kernel = kernel.NewStationary(s, kernel.Euclidean, lengths)
		if c.Model == "crowd" { // a population learns what features do not explain
			with.Kernel = kernel.Sum(kernel.Scale(0.5, with.Kernel), kernel.Scale(0.5, kernel.Identity{}))
		}
		kernels, others = append(kernels, with.Kernel), append(others, o.candidate(with))
	}
	best, gain, err := t.better(ctx, others)
	if err != nil || best < 0 {
		return fmt.Sprintf("; kernel %v: no other is clearly better", kernel.Matern32), err
	}
	c.Kernel = kernels[best]
	return fmt.Sprintf("; kernel %v, better by %s than %v", shapes[best], gain, kernel.Matern32), nil
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
