// Package trial compares ways to learn from votes by votes that are held out:
//
//	t := trial.New(d, folds, func(vote int) int { return d.Vote(vote).User })
//	winner, err := t.Challenge(ctx, simple, others, trial.Margin{Errors: 1})
//
// Every candidate is fitted to what each fold leaves to learn from, and asked about the
// votes that the fold holds out. Losses are paired by vote: what counts is by how much
// one candidate predicts the same votes better than another, and the standard error of
// that, votes of one unit going together. Ties and skips decide nothing, and are not
// asked about. The simplest candidate stays unless another is better by a margin; or else
// all that are not told apart are averaged, by weights that predict the votes best (Stack).
package trial

import (
	"context"
	"fmt"
	"math"

	"palate"
	"palate/internal/num"
)

// Predictor is what is asked of a fitted candidate, by several goroutines at once.
type Predictor interface {
	// Prefer returns the probability that user picks left over right.
	Prefer(user, left, right int) float64
}

// shown is a predictor that knows what the side is worth on which an item is shown.
type shown interface {
	PreferShown(user, left, right int) float64
}

// Candidate is a way to learn from votes. Its name is told in errors and comparisons,
// and no other candidate of a trial has it.
type Candidate struct {
	Name string
	Fit  func(ctx context.Context, train *palate.Dataset) (Predictor, error)
}

// Fold is a division of the votes of a dataset, by number.
type Fold struct{ Train, Test []int }

// Margin is by how much one candidate must be better than another to take its place:
// by so many standard errors, and by so many nats a vote at least.
type Margin struct{ Errors, Nats float64 }

// Trial is how candidates did on votes held out.
type Trial struct {
	d      *palate.Dataset
	folds  []Fold
	held   []palate.Vote // decided, of all folds
	unit   []int         // of each, numbered from 0
	units  int
	chance map[string][]float64 // of what was answered, by candidate
	tried  []string
}

// New holds votes of d out. The unit of a vote is what its error goes with.
func New(d *palate.Dataset, folds []Fold, unit func(vote int) int) *Trial {
	t := &Trial{d: d, folds: folds, chance: map[string][]float64{}}
	number := map[int]int{}
	for _, f := range folds {
		for _, k := range f.Test {
			v := d.Vote(k)
			if !decided(v) {
				continue
			}
			u, ok := number[unit(k)]
			if !ok {
				u = len(number)
				number[unit(k)] = u
			}
			t.held, t.unit = append(t.held, v), append(t.unit, u)
		}
	}
	t.units = len(number)
	return t
}

func decided(v palate.Vote) bool { return v.Outcome == palate.Left || v.Outcome == palate.Right }

// Held returns the number of votes that are asked about.
func (t *Trial) Held() int { return len(t.held) }

// Tried returns the names of the candidates so far, in the order of their trials.
func (t *Trial) Tried() []string { return t.tried }

// Try finds the chance that a candidate gives to every vote held out, once.
func (t *Trial) Try(ctx context.Context, c Candidate) error {
	if t.chance[c.Name] != nil {
		return nil
	}
	all := make([]float64, 0, len(t.held))
	for _, f := range t.folds {
		p, err := c.Fit(ctx, t.d.Select(f.Train))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("trying %s: %w", c.Name, err)
		}
		of := make([]palate.Vote, 0, len(f.Test))
		for _, k := range f.Test {
			if v := t.d.Vote(k); decided(v) {
				of = append(of, v)
			}
		}
		chance := make([]float64, len(of))
		side, sided := p.(shown)
		num.Parallel(len(of), 64, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				v := of[k]
				if sided && !v.Unsided {
					chance[k] = side.PreferShown(v.User, v.Left, v.Right)
				} else {
					chance[k] = p.Prefer(v.User, v.Left, v.Right)
				}
				if v.Outcome == palate.Right {
					chance[k] = 1 - chance[k]
				}
			}
		})
		for _, x := range chance {
			if !(x >= 0 && x <= 1) {
				return fmt.Errorf("trying %s: predicted probability %v", c.Name, x)
			}
			all = append(all, x)
		}
	}
	t.chance[c.Name], t.tried = all, append(t.tried, c.Name)
	return nil
}

// loss is that of a vote under a candidate.
func (t *Trial) loss(name string, vote int) float64 {
	return -math.Log(max(t.chance[name][vote], 1e-12))
}

// Mean returns the loss of a candidate that was tried, in nats a vote.
func (t *Trial) Mean(name string) float64 { return t.MeanOf(name, len(t.held)) }

// MeanOf is Mean over the first of the votes held out, those of the first folds.
func (t *Trial) MeanOf(name string, votes int) float64 {
	var sum, total float64
	for k, v := range t.held[:votes] {
		sum += v.Weight * t.loss(name, k)
		total += v.Weight
	}
	return sum / total
}

// Error returns the standard error of Mean.
func (t *Trial) Error(name string) float64 {
	mean := t.Mean(name)
	return t.error(func(k int) float64 { return t.loss(name, k) - mean })
}

// error returns the standard error of a mean over votes, from how far each is off it.
func (t *Trial) error(off func(vote int) float64) (se float64) {
	var total float64
	of := make([]float64, t.units)
	for k, v := range t.held {
		total += v.Weight
		of[t.unit[k]] += v.Weight * off(k)
	}
	for _, x := range of {
		se += x * x / (total * total)
	}
	n := float64(t.units)
	return math.Sqrt(se * n / (n - 1))
}

// Gain returns by how much a predicts votes better than b, in nats a vote, and the
// standard error of that.
func (t *Trial) Gain(a, b string) (mean, se float64) {
	var total float64
	for k, v := range t.held {
		mean += v.Weight * (t.loss(b, k) - t.loss(a, k))
		total += v.Weight
	}
	mean /= total
	return mean, t.error(func(k int) float64 { return t.loss(b, k) - t.loss(a, k) - mean })
}

// Challenge returns the number of the best of others if it beats the champion by the
// margin, else −1.
func (t *Trial) Challenge(ctx context.Context, champion Candidate, others []Candidate, by Margin) (int, error) {
	if err := t.Try(ctx, champion); err != nil {
		return -1, err
	}
	best := -1
	for k, c := range others {
		if err := t.Try(ctx, c); err != nil {
			return -1, err
		}
		if best < 0 || t.Mean(c.Name) < t.Mean(others[best].Name) {
			best = k
		}
	}
	if best >= 0 {
		if gain, se := t.Gain(others[best].Name, champion.Name); gain > max(by.Errors*se, by.Nats) {
			return best, nil
		}
	}
	return -1, nil
}

// Compare says how a did beside b.
func (t *Trial) Compare(a, b string) string {
	gain, se := t.Gain(a, b)
	return fmt.Sprintf("cross-entropy %.3f on held-out votes, %.3f with %s (difference %.3f ± %.3f)", t.Mean(a), t.Mean(b), b, math.Abs(gain), se)
}
