package model

import (
	"context"
	"fmt"
	"time"

	"palate"
	"palate/infer"
	"palate/kernel"
)

// Settings are those that Entry.Fit takes of any kind of model; zeros stand for the
// defaults of the kind. An entry refuses settings that it has no use for. The options
// of the kinds, such as CrowdOptions, say more.
type Settings struct {
	Seed     uint64
	Progress func(Progress) // told now and then how far the fit is

	Features   *FeatureKernel // kernel over features of items and voters; nil: the kind's own
	Lengths    Lengths        // length-scales of Features
	Smoothness Smoothness     // of utilities in features
	Inducing   int            // number of inducing points; 0: as needed

	Pooled     bool       // take votes of one voter to be independent, see Options.Pooled
	Rule       infer.Rule // nil: the kind's own
	Likelihood Likelihood
	ScalePrior infer.Gamma // of the inverse scales of utilities
	Steps      Steps       // learn by steps on some votes, or voters, at a time

	Links      *kernel.Graph // between items
	LinkKernel kernel.Spread
	UserLinks  *kernel.Graph
	// VoterFeatures says whether those of voters take part; zero: as the kind decides.
	VoterFeatures UseFeatures

	Periods Periods // within which utilities stay as they are
	Scale   Scale   // of ratings

	Factors                     int // of taste, at most; 0: as needed
	Tastes                      Tastes
	Nugget, Reliability, Habits bool // of a crowd, see CrowdOptions
	Formulation                 Formulation

	Parts []Part // of an average
	Quick bool   // a fit that need not be the last word, as of trials

	// Whole makes votes that follow from one answer, as the pairs of a ranking do,
	// count as that answer. Without it each is a vote of its own.
	Whole bool

	HoldOut         float64 // a share of everybody's votes that is not learnt from
	Checkpoint      string  // a file that keeps the state of the fit
	CheckpointEvery time.Duration
	MaxMemory       float64    // in bytes; 0 stands for 8 GB
	Plan            func(Need) // told beforehand what the fit will take
	Votes           *DiskVotes // learnt from in place of those of the dataset

	// ItemEncoder and UserEncoder travel with the model where it reads features, see
	// Base.
	ItemEncoder, UserEncoder []byte
}

// Steps are those of a fit by random batches: each is on Batch votes, or voters of a
// crowd, and step i goes (i + Delay)^−Forget of the way. Zeros stand for the defaults;
// without Batch the kind decides whether there are steps.
type Steps struct {
	Batch  int     `json:"batch"`
	Delay  float64 `json:"delay"`
	Forget float64 `json:"forget"`
}

// fitSingle is FitSingle by settings; by EP where they do not say otherwise, in steps as
// well.
func fitSingle(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
	o := &Options{
		Pooled: s.Pooled, Whole: s.Whole, Rule: s.Rule, Likelihood: s.Likelihood, Features: s.Features, Lengths: s.Lengths, Smoothness: s.Smoothness,
		Links: s.Links, LinkKernel: s.LinkKernel, ScalePrior: s.ScalePrior, Inducing: s.Inducing, Seed: s.Seed, Progress: s.Progress,
	}
	if o.Rule == nil {
		o.Rule = infer.EP{}
	}
	if s.Steps.Batch > 0 {
		o.Schedule = infer.Stochastic{Batch: s.Steps.Batch, Delay: s.Steps.Delay, Forget: s.Steps.Forget, Seed: s.Seed}
	}
	return asModel(FitSingle(ctx, d, o))
}

// fitPopulation is FitPopulation by settings.
func fitPopulation(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
	o := &PopulationOptions{
		Rank: s.Factors, Features: s.Features, Lengths: s.Lengths, UserLinks: s.UserLinks, VoterFeatures: s.VoterFeatures, MaxMemory: s.MaxMemory, Plan: s.Plan, Votes: s.Votes, Whole: s.Whole,
		HoldOut: s.HoldOut, Checkpoint: s.Checkpoint, CheckpointEvery: s.CheckpointEvery, Seed: s.Seed, Progress: s.Progress,
	}
	return asModel(FitPopulation(ctx, d, o))
}

// fitCrowdBy is FitCrowd by settings.
func fitCrowdBy(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
	if s.Steps.Batch >= d.NumUsers() {
		return nil, fmt.Errorf("model: steps on %d voters take all %d at once: leave them out for whole sweeps", s.Steps.Batch, d.NumUsers())
	}
	o := &CrowdOptions{
		Tastes: s.Tastes, Smoothness: s.Smoothness, Features: s.Features, Lengths: s.Lengths, Inducing: s.Inducing, Seed: s.Seed, Progress: s.Progress,
		Whole: s.Whole, Factors: s.Factors, Nugget: s.Nugget, Reliability: s.Reliability, Habits: s.Habits, Steps: s.Steps,
		ConsensusScale: s.ScalePrior, FactorScale: s.ScalePrior, OwnScale: s.ScalePrior,
	}
	if s.Quick {
		o.Tolerance = trialTolerance
	}
	return asModel(FitCrowd(ctx, d, o))
}

// fitGlicko is FitGlicko by settings.
func fitGlicko(rule GlickoRule) func(context.Context, *palate.Dataset, *Settings) (Model, error) {
	return func(ctx context.Context, d *palate.Dataset, s *Settings) (Model, error) {
		return asModel(FitGlicko(ctx, d, &GlickoOptions{Rule: rule, Progress: s.Progress}))
	}
}
