package model

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
)

// GlickoOptions are the settings of FitGlicko; nil means the defaults.
type GlickoOptions struct {
	Rule GlickoRule
	// Variance of a utility before any vote; 0: of 1/16, 1/8, … 64 the one under
	// which every vote was foreseen best by those before it, with the prior that
	// Single has on its scale.
	Variance float64
	Progress func(Progress)
}

// FitGlicko rates the items by the votes of d, one after the other: in the order
// of their times where all have one, else as they come. Features and links, and
// who voted, play no part. When ctx ends before it is done it returns the error
// of ctx.
func FitGlicko(ctx context.Context, d *palate.Dataset, o *GlickoOptions) (*Glicko, error) {
	opt := *cmp.Or(o, &GlickoOptions{})
	votes, err := glickoVotes(d, opt.Rule)
	if err != nil {
		return nil, err
	}
	variances := []float64{opt.Variance}
	if opt.Variance == 0 {
		variances = variances[:0]
		for v := 1.0 / 16; v <= 64; v *= 2 {
			variances = append(variances, v)
		}
	}
	ids := make([]string, d.NumItems())
	for i := range ids {
		ids[i] = d.ItemID(i)
	}
	var best *Glicko
	for k, v := range variances {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := NewGlicko(ids, v, opt.Rule)
		if err != nil {
			return nil, err
		}
		if err := m.rate(votes); err != nil {
			return nil, err
		}
		if best == nil || m.fit.Objective+logPrior(v) > best.fit.Objective+logPrior(best.first) {
			best = m
		}
		if opt.Progress != nil {
			opt.Progress(Progress{Stage: "choosing the variance", Round: k + 1, Objective: best.fit.Objective})
		}
	}
	best.digest = digestOf(d)
	// An item that no chain of votes connects to others has not been measured
	// against them.
	best.groups = d.Components()
	return best, nil
}

// logPrior is the logarithm of Gamma(1, 1) of the inverse scale 1/v, as a density
// of log v: a few votes that agree do not make utilities boundless.
func logPrior(v float64) float64 { return -1/v - math.Log(v) }

// glickoVotes returns the votes that teach something, in the order to learn in.
func glickoVotes(d *palate.Dataset, rule GlickoRule) ([]palate.Vote, error) {
	votes := make([]palate.Vote, 0, d.NumVotes())
	timed := true
	for _, v := range d.Votes() {
		if v.Outcome == palate.Skip {
			continue
		}
		if v.Outcome == palate.Tie && rule == Diagonal {
			return nil, fmt.Errorf("model: diagonal has no ties: use glicko, or leave the ties out")
		}
		timed = timed && !v.Time.IsZero()
		votes = append(votes, v)
	}
	if len(votes) == 0 {
		return nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	}
	if timed {
		slices.SortStableFunc(votes, func(a, b palate.Vote) int { return cmp.Compare(a.Time.UnixMicro(), b.Time.UnixMicro()) })
	}
	return votes, nil
}

// rate learns the votes and sums the log probability each had before. A tie
// counts as half a win for each.
func (m *Glicko) rate(votes []palate.Vote) error {
	m.fit = Fit{Kind: "log score of votes as foreseen", Status: infer.Converged, Scale: 1 / m.first}
	for _, v := range votes {
		p := m.Prefer(-1, v.Left, v.Right)
		score := math.Log(p)
		switch v.Outcome {
		case palate.Right:
			score = math.Log1p(-p)
		case palate.Tie:
			score = 0.5 * (math.Log(p) + math.Log1p(-p))
			m.fit.Ties += v.Weight
		}
		m.fit.Objective += v.Weight * score
		m.fit.Votes += v.Weight
		if err := m.Observe(v); err != nil {
			return err
		}
	}
	return nil
}

// Name returns "glicko", or "diagonal" for that rule.
func (m *Glicko) Name() string { return m.rule.String() }

// Fit returns how the fit went: Objective is the sum of the log probabilities
// that the votes had before they were learnt, and 1/Scale the variance at the
// start.
func (m *Glicko) Fit() Fit { return m.fit }

// Extend fails: an independent item is known by its votes only.
func (m *Glicko) Extend([]string, *mat.Dense) (Model, error) {
	return nil, fmt.Errorf("model: %s rates every item by its own votes, so it cannot say anything of new items", m.Name())
}
