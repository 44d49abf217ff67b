package model

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	crowds "palate/crowd"
	"palate/gp"
	"palate/infer"
	"palate/kernel"
)

// CrowdOptions are the settings of FitCrowd. The zero value, and nil, are the
// defaults.
type CrowdOptions struct {
	// Tastes and Smoothness are the form of the model. Where they are not given, nor
	// FactorScale or OwnScale, or a Kernel, they are chosen by votes held out from the
	// given ones.
	Tastes     Tastes
	Smoothness Smoothness
	// Factors of taste there may be at most; 0 stands for 20, or as many as items and
	// voters allow. Those that votes do not call for are dropped, unless KeepFactors
	// keeps them, with next to no variance.
	Factors     int
	KeepFactors bool
	// ConsensusScale, FactorScale and OwnScale are the Gamma priors of the inverse scales
	// of consensus, factors and voters' own tastes; zero stands for those of Tastes.
	ConsensusScale, FactorScale, OwnScale infer.Gamma
	// ByBound stays at the top of the lower bound: voters are not inferred by EP in the
	// end. Some Tastes do so anyway.
	ByBound bool
	// Nugget gives every item a part of the consensus that its features do not explain,
	// inferred jointly with what they do. It takes whole sweeps.
	Nugget bool
	// Reliability tells careful voters from careless ones, Habits those who call a tie
	// readily from those who do not.
	Reliability, Habits bool
	// Threshold fixes the margin below which voters call a tie; 0: it is learnt when
	// there are ties.
	Threshold float64
	// Whole takes votes that follow from one answer about several items, such as a ranking or a
	// choice, for that answer where voters are inferred by EP and have tastes of their own:
	// WideTastes. Else, and where votes of an answer contradict each other, they weigh no more
	// than the answer tells (palate.Dataset.Tempered). Without it each is a vote of its own.
	Whole bool
	// Steps, where Batch is positive, are on batches of voters, with so many Passes over
	// all of them; 0 stands for 5. With more than 20,000 voters there are steps anyway.
	Steps  Steps
	Passes float64
	// Tolerance is the rise of the bound, per vote, of a sweep that is the last; 0
	// stands for 3e-5. MaxSweeps bounds their number; 0 stands for 300.
	Tolerance float64
	MaxSweeps int
	// Kernel over item features, used as it is; nil: one that Features says, with a
	// nugget of the same size if utilities are Rough. On inducing points items have
	// Nugget instead, but for fits in batches or with learnt length-scales.
	Kernel kernel.Kernel
	// Features says which kernel features of items and of voters have; nil stands for
	// the zero value, but that items with several kinds of features, as texts have
	// them, get weights on them in place of a kernel.
	Features *FeatureKernel
	// Lengths says how length-scales of item and voter features are set. Learning
	// them, and the nugget's share, takes some 25 fits by whole sweeps; there are none
	// with Steps or Nugget, and then they stay at the median.
	Lengths Lengths
	// ItemFeatures says whether features of items take part (crowd-BMF of CROWD §6.1
	// is without), VoterFeatures whether those of voters do (crowdGPPL\u is without);
	// VoterKernel is the kernel over the latter, scaled to mean zero and mean square one;
	// nil: one that Features says.
	ItemFeatures, VoterFeatures UseFeatures
	VoterKernel                 kernel.Kernel
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
	Base

	options CrowdOptions
	form    CrowdForm
	blocks  []int  // of features that share an inverse scale; nil: all do
	steps   *Steps // of a fit by batches of voters
	voter   []int  // of each user; −1 without votes

	trained  int           // items of the fit; others were added by their features
	features *mat.Dense    // of the items; nil without
	z        *mat.Dense    // inducing points; nil without
	kernel   kernel.Kernel // nil: independent items
	learnt   *crowds.Learnt
	forms    *crowdForms       // of what was learnt
	about    *voterFeatures    // nil without features of voters
	unheard  map[int][]float64 // what leads the tastes of users without votes
	answers  bool              // about several items, which were taken as such
	weighed  bool              // they were taken as pairs that weigh less
	fit      Fit
}

// Extend returns the model with further items, known only by their features
// (one row an item, as wide as those of the fit).
func (m *Crowd) Extend(ids []string, features *mat.Dense) (Model, error) {
	if m.kernel == nil {
		return nil, fmt.Errorf("model: the model has no item features, so it cannot say anything of new items")
	}
	_, have := m.features.Dims()
	if rows, cols := features.Dims(); cols != have || rows != len(ids) {
		return nil, fmt.Errorf("model: %d×%d features for %d new items; the model has %d features", rows, cols, len(ids), have)
	}
	e := *m
	e.Base = m.grown(ids)
	e.features = &mat.Dense{}
	e.features.Stack(m.features, features)
	return asModel(&e, e.extend())
}

// extend sees what was learnt at all items.
func (m *Crowd) extend() error {
	p, err := m.prior()
	if err != nil {
		return err
	}
	m.learnt, m.forms = m.learnt.On(p.Extend(kernel.Dense(m.features))), &crowdForms{}
	return nil
}

// Name returns "crowd".
func (m *Crowd) Name() string { return "crowd" }

// Fit returns how the fit went. Scale is the expected inverse scale of the
// consensus.
func (m *Crowd) Fit() Fit {
	f := m.fit
	f.Form, f.Why = m.form.String(), m.form.Why
	return f
}

// Remarks are on answers about several items that are not taken as such.
func (m *Crowd) Remarks() []string {
	if !m.weighed {
		return nil
	}
	return []string{fmt.Sprintf("Answers about several items are taken as pairs that weigh no more than they tell: the crowd with %s has them so; with --tastes wide it takes them as answers.", m.form)}
}

// Form returns what was chosen, or asked for, of how voters differ and how far
// features explain utilities.
func (m *Crowd) Form() CrowdForm { return m.form }

// voterOf returns what was learnt and the voter in it who is a user; −1 for one
// of whom nothing is known.
func (m *Crowd) voterOf(user int) (*crowds.Learnt, int) {
	if user < 0 || user >= len(m.voter) {
		return m.learnt, -1
	}
	if x, ok := m.unheard[user]; ok {
		if l, err := m.learnt.FoldIn(nil, nil, x); err == nil { // factors there are
			return l, 0
		}
	}
	return m.learnt, m.voter[user]
}

// Prefer returns the probability that user picks left over right, ties apart;
// for a negative user, or one without votes and features, that of a person
// nothing is known of.
func (m *Crowd) Prefer(user, left, right int) float64 {
	return one(func(dst []float64) { m.preferTo(dst, user, []int{left}, []int{right}) })
}

// preferTo sets dst to what Prefer says of pairs.
func (m *Crowd) preferTo(dst []float64, user int, left, right []int) {
	l, v := m.voterOf(user)
	prefersTo(dst, l, v, left, right)
}

// one returns the only figure that a function sets.
func one(set func(dst []float64)) float64 {
	var x [1]float64
	set(x[:])
	return x[0]
}

// prefersTo sets dst to the probabilities that a voter prefers left to right
// when there is no tie: over the classes that the voter may be of.
func prefersTo(dst []float64, l *crowds.Learnt, voter int, left, right []int) {
	var rows gp.Rows
	for k := range dst {
		rows.AppendPair(left[k], right[k])
	}
	mean, variance := l.Forms(voter, &rows)
	classes := l.Classes(voter)
	for k := range dst {
		var win, lose float64
		for _, c := range classes {
			v := voting{threshold: c.Margin}
			a, b := v.chances(c.Slope*mean[k], c.Slope*c.Slope*variance[k])
			win += c.Share * a
			lose += c.Share * b
		}
		dst[k] = win / (win + lose)
	}
}

// Utility returns mean and variance of an item's utility to user; for a
// negative user those of the consensus, in units of the noise of a new voter's vote.
func (m *Crowd) Utility(user, item int) (mean, variance float64) {
	var rows gp.Rows
	if user < 0 {
		rows.AppendUnit(item)
		mean, variance = m.learnt.Consensus(&rows)
		unit := m.Unit()
		return unit * mean, unit * unit * variance
	}
	l, v := m.voterOf(user)
	return m.forms.utility(l, v, item)
}

// Draws returns joint draws of the utilities of all items to user; for a
// negative user, or one without votes and features, draws of the consensus.
func (m *Crowd) Draws(ctx context.Context, user, n int, rng *rand.Rand) (Draws, error) {
	l, v := m.voterOf(user)
	f, err := l.Draws(ctx, v, n, rng)
	if err == nil && user < 0 {
		f.Scale(m.Unit(), f)
	}
	return evenDraws(f, err)
}
