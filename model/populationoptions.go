package model

import (
	"time"

	"palate"
	"palate/kernel"
)

// UseFeatures says whether features take part where there are any.
type UseFeatures int

const (
	// AutoFeatures uses them where that helps. A population does with those of voters
	// from 1,000 voters on: fewer cannot tell which of them matter (at 100 voters with 5
	// votes each they hurt). All others do.
	AutoFeatures UseFeatures = iota
	// WithFeatures uses them, WithoutFeatures does not.
	WithFeatures
	WithoutFeatures
)

// Covariance says what form the covariance of a population has.
type Covariance int

const (
	// LowRank is factors, item kernel and a diagonal, for any number of items. Where
	// neither Rank nor Penalty is given, nor anything known of items and voters beside
	// votes, and there are not too many (population.Blends), it is several such forms at
	// once, weighed by how new votes would speak for them: tastes of everybody's own, factors of taste beside
	// them, and segments of people who are alike (population.LearnFamily).
	LowRank Covariance = iota
	// FullCovariance is any covariance under an inverse-Wishart prior, by
	// closed-form EM, for few items.
	FullCovariance
)

// PopulationOptions are the settings of FitPopulation. The zero value, and nil,
// learn everything from the votes by EP.
type PopulationOptions struct {
	Covariance Covariance
	Rank       int     // of the factors, at most; 0 stands for 20
	Penalty    float64 // on the factors; 0 stands for population.Penalty times Redundancy
	// Whole takes votes that follow from one answer about several items, such as a ranking, a
	// choice, a best and worst, for that answer, which draws a utility of each item once. Where
	// some are of more than 50 items, or say as much as ratings do, all are votes of their
	// own, and Redundancy is what votes say.
	Whole bool
	// Redundancy is how much votes weigh over what they tell, more than 1 where several
	// follow from one answer (palate.Redundancy); 0 stands for 1.
	Redundancy float64
	// Kernel over item features, used as it is; nil: one that Features says. Where that is nil too
	// it is the one that one utility for all voters settles by the evidence, with shape,
	// length-scales, a linear term and what is each item's own, or one at the median of
	// distances, whichever tells more of people's tastes; of many items the latter.
	Kernel   kernel.Kernel
	Features *FeatureKernel
	// Lengths says where the length-scales of item features come from when there
	// is no Kernel: the median, or of half, once and twice the median the one under
	// which people who were not learnt from are likeliest (population.ChooseKernel).
	// The latter takes four fits in place of one.
	Lengths       Lengths
	VoterFeatures UseFeatures
	// UserLinks, if set, join users, its nodes: those who are linked are taken to be
	// alike, as far as their votes bear it out. They enter as features of the users,
	// also where VoterFeatures leaves out the others.
	UserLinks *kernel.Graph
	// MaxMemory bounds what the fit may take, in bytes; 0 stands for 8 GB.
	MaxMemory float64
	// Plan, if set, is told beforehand what the fit will take.
	Plan func(Need)
	// Votes, if set, are learnt from in place of those of the dataset, to the same
	// result: they are on disk, and so are the sites. The model needs them as long
	// as it lives.
	Votes *DiskVotes
	// HoldOut is a share of everybody's votes that is held out: they are not
	// learnt from, and Progress tells their loss; of a fit of several forms, in the end.
	HoldOut float64

	Seed     uint64
	Progress func(Progress)
	// Checkpoint, if set, is a file to which the state of the fit is written every
	// now and then, and from which a fit to the same votes goes on; it is removed
	// in the end. A fit of several forms takes seconds and writes none, nor has a full
	// covariance any.
	Checkpoint      string
	CheckpointEvery time.Duration // 0 stands for 2 minutes
}

func (o *PopulationOptions) redundancy() float64 {
	if o.Redundancy == 0 {
		return 1
	}
	return o.Redundancy
}

// usesFeatures reports whether a fit to d lets features of voters take part.
func (o *PopulationOptions) usesFeatures(d *palate.Dataset) bool {
	f := d.UserFeatures()
	if f == nil || f.Cols == 0 || o.Covariance != LowRank {
		return false
	}
	switch o.VoterFeatures {
	case WithFeatures:
		return true
	case WithoutFeatures:
		return false
	}
	return d.NumUsers() >= 1000
}
