package evaluate

import (
	"context"
	"fmt"
	"math"

	"palate"
)

// trial holds votes out, to see how candidates do on them.
type trial struct {
	d     *palate.Dataset
	exam  *exam
	folds []Fold
	seed  uint64
	best  []float64 // cross-entropy of every vote under the choice so far
}

func newTrial(d *palate.Dataset, seed uint64) (*trial, error) {
	d = sample(d, trialVotes, seed)
	split := &SplitOptions{Seed: seed}
	if d.NumVotes() > foldedVotes {
		split.Share = 0.2
	}
	folds, err := Split(d, split)
	if err != nil {
		return nil, err
	}
	return &trial{d: d, exam: newExam(d, folds), folds: folds, seed: seed}, nil
}

// try returns the cross-entropy of every vote held out.
func (t *trial) try(ctx context.Context, m Method) ([]float64, error) {
	var said []float64
	for f, fold := range t.folds {
		p, err := m.Fit(ctx, t.d.Select(fold.Train), t.seed)
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
	_, entropy, _ := t.exam.losses(said)
	return entropy, nil
}

func (t *trial) mean(entropy []float64) float64 { return t.exam.mean(entropy, 0.95).Value }

// gain estimates by how much b is better than a.
func (t *trial) gain(a, b []float64) Estimate {
	gain := make([]float64, len(a))
	for k := range gain {
		gain[k] = a[k] - b[k]
	}
	return t.exam.mean(gain, 0.95)
}

// judge takes the best of the candidates, the simplest of which is the first, if it
// beats that one by more than a standard error, and says why.
func (t *trial) judge(ctx context.Context, c *Choice, candidates []Method) (string, error) {
	entropy := make([][]float64, len(candidates))
	best := 1
	for k, m := range candidates {
		var err error
		if entropy[k], err = t.try(ctx, m); err != nil {
			return "", err
		}
		if k > 1 && t.mean(entropy[k]) < t.mean(entropy[best]) {
			best = k
		}
	}
	g := t.gain(entropy[0], entropy[best])
	say := func(a, b int) string {
		return fmt.Sprintf("cross-entropy %.3f on held-out votes, %.3f with %s (difference %.3f ± %.3f)",
			t.mean(entropy[a]), t.mean(entropy[b]), candidates[b].Name, math.Abs(g.Value), g.SE)
	}
	if g.Value > g.SE {
		c.Model, t.best = candidates[best].Name, entropy[best]
		return c.Model + ": " + say(best, 0), nil
	}
	t.best = entropy[0]
	if c.Model == "population" {
		return "population, as a crowd is not clearly better: " + say(0, best), nil
	}
	return c.Model + ", as telling voters apart does not clearly help: " + say(0, best), nil
}

// worth is the gain in nats a vote below which another setting is not worth a word.
const worth = 0.001

// better returns the best of other candidates if it clearly beats the choice so far,
// and by how much; otherwise −1.
func (t *trial) better(ctx context.Context, others []Method) (best int, by string, err error) {
	best = -1
	entropy := t.best
	for k, m := range others {
		e, err := t.try(ctx, m)
		if err != nil {
			return -1, "", err
		}
		if g := t.gain(t.best, e); g.Value > max(2*g.SE, worth) && t.mean(e) < t.mean(entropy) {
			best, entropy, by = k, e, fmt.Sprintf("%.3f ± %.3f", g.Value, g.SE)
		}
	}
	t.best = entropy
	return best, by, nil
}
