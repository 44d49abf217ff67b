package model

import (
	"palate/infer"
	"palate/kernel"
)

// Lengths says where length-scales come from.
type Lengths int

const (
	// MedianLengths are those of the median heuristic, by kernel.MedianDefault unless
	// a rule is given: √D times the median of the non-zero distances, where CROWD (37)
	// has D times the median of all.
	MedianLengths Lengths = iota
	// LearntLengths are learnt, one a feature, starting from the median (ARD).
	LearntLengths
)

// Likelihood names the noise of a vote.
type Likelihood int

const (
	// Probit is Gaussian noise, P = Φ(z).
	Probit Likelihood = iota
	// Logit is logistic noise, the Bradley–Terry model, with ties below a margin, as Rao and
	// Kupper have them.
	Logit
	// Davidson is logistic noise with the ties of Davidson: they say nothing of the odds of
	// the two items when there is none.
	Davidson
)

// String returns the name of the noise, as flags and reports have it.
func (l Likelihood) String() string { return likelihoodNames[l] }

// Options are the settings of FitSingle. The zero value, and nil, fit by EP
// with everything learnt.
type Options struct {
	Rule       infer.Rule     // nil: EP
	Schedule   infer.Schedule // nil: Batch, or Stochastic on inducing points without nugget and with many votes
	Likelihood Likelihood

	// Features is the kernel over features, at the length-scales that Lengths says. Where it
	// is nil the evidence settles shape and length-scales, beside a term that is linear in
	// the features, whose share is learnt.
	Features *FeatureKernel
	Lengths  Lengths
	// Smoothness says whether features explain utilities altogether: unless it is
	// Smooth, each item has a part of its own, a nugget in the kernel, whose share is
	// learnt.
	Smoothness Smoothness
	// Kernel, if set, is used as it is, in place of Features and Smoothness, and without a
	// nugget; its parameters are learnt when Lengths says so.
	Kernel kernel.Kernel

	// Links, if set, join items, its nodes: utility spreads along them, as LinkKernel
	// says. Above DenseLimit items without features kernel.Laplacian goes along the links;
	// above 5,000 it stands in for kernel.Diffusion.
	Links      *kernel.Graph
	LinkKernel kernel.Spread

	// Scale fixes the inverse scale s; 0: it is learnt, under ScalePrior.
	Scale float64
	// ScalePrior is a Gamma prior of s; zero stands for half a t distribution, of
	// two degrees of freedom, of the deviation 1/√s.
	ScalePrior infer.Gamma
	// Pooled takes votes of one voter to be as independent as those of different ones.
	// Else voters, where they are named, have tastes of their own around the utilities,
	// which are integrated out: see Dependence.
	Pooled bool
	// Whole takes votes that follow from one answer, such as a ranking or a choice, for that
	// answer: a draw of the utilities of its items, of which its comparisons are true. That is
	// for EP and probits with a weight an item; else, and where votes of an answer contradict
	// each other, they weigh no more than the answer tells (palate.Dataset.Tempered). Without
	// it each is a vote of its own.
	Whole bool
	// Threshold fixes the margin below which voters call a tie; 0: it is learnt
	// when there are ties.
	Threshold float64

	// Inducing is the number of inducing points; 0: none up to DenseLimit items,
	// 300 above.
	Inducing int
	// DenseLimit is the number of items up to which each keeps a weight of its
	// own; 0 stands for 2000, or 1000 without features. Above, inducing points carry what
	// features explain, and what they do not explain of an item is learnt from its votes
	// beside; without features EP goes along the graph of comparisons, see infer.Graph, and
	// of links.
	DenseLimit int

	Tolerance float64 // of inference; 0 stands for 1e-6
	Seed      uint64
	// Progress, if set, is told now and then how far the fit is.
	Progress func(Progress)
}

// Progress describes a fit under way.
type Progress struct {
	Stage     string  // what is being done
	Round     int     // evaluations of the objective so far
	Objective float64 // log evidence or bound, with priors
	Evidence  float64 // without priors; only a population tells it
	HeldOut   float64 // loss of a vote that was held out, nats; NaN or 0 without
}
