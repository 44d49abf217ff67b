package model

import (
	"palate"
	crowds "palate/crowd"
	"palate/infer"
)

// Tastes says how far voters may differ before their votes are seen.
type Tastes int

const (
	// ChosenTastes are those that predict votes held out from the given ones; see
	// FitCrowd.
	ChosenTastes Tastes = iota
	// WideTastes are factors and voters' own tastes under priors that expect much of
	// both: rates 10 and 100.
	WideTastes
	// NarrowTastes are the same under priors with rate 1, that of the consensus as
	// well. Scales come out right by the bound then, and EP would make them too large.
	NarrowTastes
	// FactorTastes are factors alone, as CROWD has them. The consensus's rate is 1: at
	// that of CROWD's authors, 100, it is far too sure of few votes, as there are no own
	// tastes to share so large utilities with.
	FactorTastes
	// OwnTastes are own tastes alone, with rate 1, the consensus's as well, by the
	// bound.
	OwnTastes
	// SameTastes are none: all voters think alike. The consensus's rate is 1.
	SameTastes
)

// String returns the word for the tastes.
func (t Tastes) String() string {
	return [...]string{"chosen", "wide", "narrow", "factors", "own", "same"}[t]
}

// Smoothness says how far features of items explain utilities.
type Smoothness int

const (
	// ChosenSmoothness is chosen as ChosenTastes are.
	ChosenSmoothness Smoothness = iota
	// Rough utilities are half the items' own: a nugget in the kernel.
	Rough
	// Smooth ones are functions of the features, as CROWD has them.
	Smooth
)

// String returns the word for the smoothness.
func (s Smoothness) String() string { return [...]string{"chosen", "rough", "smooth"}[s] }

// CrowdForm is what may be chosen of a crowd by votes held out.
type CrowdForm struct {
	Tastes     Tastes
	Smoothness Smoothness // ChosenSmoothness where there is nothing to choose
	// Why says in a line how it did on the votes held out; empty where it was asked
	// for, or where there were too few votes or too many to try.
	Why string
}

// String returns words such as "wide tastes, rough in features".
func (f CrowdForm) String() string {
	s := [...]string{"tastes to be chosen", "wide tastes", "narrow tastes", "tastes by factors alone", "own tastes alone", "all tastes the same"}[f.Tastes]
	if f.Smoothness != ChosenSmoothness {
		s += ", " + f.Smoothness.String() + " in features"
	}
	return s
}

// settled fills in the form that the options ask for, and says what is left to be
// chosen.
func (o *CrowdOptions) settled(d *palate.Dataset) (f CrowdForm, tastes, smoothness bool) {
	f = CrowdForm{Tastes: o.Tastes, Smoothness: o.Smoothness}
	own := o.Kernel == nil && o.ItemFeatures != WithoutFeatures && d.ItemFeatures() != nil && d.ItemFeatures().Cols > 0 && !o.weighs(d.ItemFeatures()) &&
		o.Inducing == 0 && (o.DenseLimit == 0 && d.NumItems() <= 2000 || d.NumItems() <= o.DenseLimit)
	switch {
	case !own:
		f.Smoothness = ChosenSmoothness
	case f.Smoothness == ChosenSmoothness:
		f.Smoothness = Rough
		smoothness = o.Lengths == MedianLengths // learning them learns the nugget's share
	}
	if f.Tastes == ChosenTastes {
		f.Tastes = WideTastes
		tastes = o.OwnScale == (infer.Gamma{}) && o.FactorScale == (infer.Gamma{})
	}
	n := d.NumVotes()
	try := n >= trialLeast && (n <= trialMost || d.NumItems() <= trialItems) && o.Steps.Batch == 0 && !o.Nugget
	return f, tastes && try, smoothness && try
}

// with returns the options under a form.
func (o CrowdOptions) with(f CrowdForm) CrowdOptions {
	o.Tastes, o.Smoothness = f.Tastes, f.Smoothness
	narrow := func(g *infer.Gamma) {
		if *g == (infer.Gamma{}) {
			*g = infer.Gamma{Shape: 1, Rate: 1}
		}
	}
	switch f.Tastes {
	case NarrowTastes:
		o.ByBound = true
		narrow(&o.ConsensusScale)
		narrow(&o.OwnScale)
		narrow(&o.FactorScale)
	case OwnTastes:
		o.ByBound = true
		narrow(&o.ConsensusScale)
		narrow(&o.OwnScale)
	case FactorTastes, SameTastes:
		narrow(&o.ConsensusScale)
	}
	return o
}

// engine returns the settings of the engine, once the form is settled.
func (o *CrowdOptions) engine() crowds.Options {
	e := crowds.Options{
		Factors: o.Factors, KeepFactors: o.KeepFactors, ConsensusScale: o.ConsensusScale, FactorScale: o.FactorScale, OwnScale: o.OwnScale,
		NoOwn: o.Tastes == FactorTastes || o.Tastes == SameTastes, ByBound: o.ByBound, Nugget: o.Nugget, Reliability: o.Reliability, Habits: o.Habits,
		Threshold: o.Threshold, Tolerance: o.Tolerance, MaxSweeps: o.MaxSweeps,
	}
	if o.Tastes == OwnTastes || o.Tastes == SameTastes {
		e.Factors = -1
	}
	if o.Steps.Batch > 0 {
		e.Stochastic = &crowds.Stochastic{Batch: o.Steps.Batch, Passes: o.Passes, Delay: o.Steps.Delay, Rate: o.Steps.Forget, Seed: o.Seed}
	}
	return e
}

// formOf reads a form back from a file. Files from before there were forms have
// those of the defaults then.
func formOf(tastes, smoothness, why string) CrowdForm {
	f := CrowdForm{Tastes: WideTastes, Why: why}
	for t := WideTastes; t <= SameTastes; t++ {
		if t.String() == tastes {
			f.Tastes = t
		}
	}
	for s := Rough; s <= Smooth; s++ {
		if s.String() == smoothness {
			f.Smoothness = s
		}
	}
	return f
}
