package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/likelihood"
	"palate/population"
)

// AnswerPrediction holds the chances of answers that somebody may give about some items: a new
// voter, or one of a population. Those of choices sum to one; of rankings, which are many,
// each is within a hundredth or two of itself. It is for models with Gaussian noise that know
// how utilities vary together, and for PlackettLuce, whose chances are exact at its scores.
type AnswerPrediction struct {
	items []int
	at    []likely
	score []float64 // of the items, where chances are those of choices by logit
}

// likely are what the items of an answer are worth to it, with a probability.
type likely struct {
	share  float64
	margin float64
	mean   []float64
	cov    *mat.SymDense
}

// PredictAnswers prepares to predict answers of a user about some items, two or more. Of an
// average those parts do that can.
func PredictAnswers(ctx context.Context, m Model, user int, items []int) (*AnswerPrediction, error) {
	if len(items) < 2 {
		return nil, fmt.Errorf("model: an answer about %d items: it takes two", len(items))
	}
	seen := map[int]bool{}
	for _, i := range items {
		switch {
		case i < 0 || i >= m.NumItems():
			return nil, fmt.Errorf("model: an answer about item %d of %d", i, m.NumItems())
		case seen[i]:
			return nil, fmt.Errorf("model: an answer about item %d twice", i)
		}
		seen[i] = true
	}
	if a, ok := m.(*Average); ok {
		return a.predictAnswers(ctx, user, items)
	}
	if luce, ok := m.(*PlackettLuce); ok {
		f := &AnswerPrediction{items: items}
		for _, i := range items {
			f.score = append(f.score, luce.score[i])
		}
		return f, nil
	}
	single, one := m.(*Single)
	people, several := m.(*Population)
	if !one && !several || m.Fit().Likelihood != Probit {
		return nil, fmt.Errorf("model: %s does not predict answers about several items: it takes Gaussian noise, and utilities that vary together", m.Name())
	}
	f, margin := &AnswerPrediction{items: items}, m.Fit().Threshold
	if several {
		mean := make([]float64, m.NumItems())
		for _, q := range people.posterior(user) {
			population.Blend{{Weight: 1, Posterior: q.Posterior}}.MeansTo(mean)
			f.add(q.Weight, q.Win.(likelihood.Probit).Offset, mean, q.CovTo)
		}
		return f, nil
	}
	if single.integrated {
		s, err := single.scales(ctx)
		if err != nil {
			return nil, err
		}
		for k, q := range s.at {
			f.add(s.mass[k], margin, q.Utilities(), q.CovarianceTo)
		}
		return f, nil
	}
	mean, variance := make([]float64, m.NumItems()), make([]float64, m.NumItems())
	if err := single.UtilitiesTo(ctx, mean, variance, user); err != nil {
		return nil, err
	}
	f.add(1, margin, mean, func(dst []float64, item int, others []int) { single.CovarianceTo(dst, user, item, others) })
	return f, nil
}

// add takes down what the items are worth, given what all are.
func (f *AnswerPrediction) add(share, margin float64, all []float64, covariance func(dst []float64, item int, others []int)) {
	n := len(f.items)
	l := likely{share, margin, make([]float64, n), mat.NewSymDense(n, nil)}
	row := make([]float64, n)
	for a, i := range f.items {
		l.mean[a] = all[i]
		covariance(row, i, f.items)
		for b := a; b < n; b++ {
			l.cov.SetSym(a, b, row[b])
		}
		l.cov.SetSym(a, a, row[a]+answerNoise)
	}
	f.at = append(f.at, l)
}

// chance is that of comparisons of places, winners first.
func (f *AnswerPrediction) chance(ctx context.Context, said [][2]int) (p float64, err error) {
	if f.score != nil {
		return f.chanceOfChoices(said), ctx.Err()
	}
	rows, l := &gp.Rows{}, make([]likelihood.Scalar, len(said))
	for _, pair := range said {
		rows.AppendPair(pair[0], pair[1])
	}
	logs := make([]float64, len(f.at))
	for k, at := range f.at {
		for r := range l {
			l[r] = likelihood.Step{Offset: at.margin}
		}
		c, err := infer.LogChance(ctx, at.mean, at.cov, rows, l)
		if err != nil {
			return 0, err
		}
		logs[k] = math.Log(at.share) + c.Log + c.Amend
	}
	return math.Exp(num.LogSumExp(logs)), nil
}

// chanceOfChoices is that of comparisons that choices are made of, by logit.
func (f *AnswerPrediction) chanceOfChoices(said [][2]int) float64 {
	var a palate.Answer
	for _, pair := range said {
		a.Said = append(a.Said, palate.Comparison{A: pair[0], B: pair[1]})
	}
	made, _ := choicesOf(a)
	var log float64
	for _, c := range made {
		log += c.logChance(f.score)
	}
	return math.Exp(log)
}

// Choice returns the chance of each item to be chosen as the best of all.
func (f *AnswerPrediction) Choice(ctx context.Context) ([]float64, error) {
	return f.chances(ctx, len(f.items), func(k int) (said [][2]int) {
		for i := range f.items {
			if i != k {
				said = append(said, [2]int{k, i})
			}
		}
		return said
	})
}

// BestWorst returns the chance of each pair of items to be named best and worst: of the
// item at i and that at j, if they are two, at [i][j].
func (f *AnswerPrediction) BestWorst(ctx context.Context) ([][]float64, error) {
	n := len(f.items)
	flat, err := f.chances(ctx, n*n, func(k int) (said [][2]int) {
		best, worst := k/n, k%n
		if best == worst {
			return nil
		}
		if n == 2 {
			return [][2]int{{best, worst}}
		}
		for i := range n {
			if i != best && i != worst {
				said = append(said, [2]int{best, i}, [2]int{i, worst})
			}
		}
		return said
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float64, n)
	for i := range out {
		out[i] = flat[i*n : (i+1)*n]
	}
	return out, nil
}

// Ranking returns the chance of the items to be ranked in their order.
func (f *AnswerPrediction) Ranking(ctx context.Context) (float64, error) {
	var said [][2]int
	for i := 1; i < len(f.items); i++ {
		said = append(said, [2]int{i - 1, i})
	}
	return f.chance(ctx, said)
}

// chances are those of answers of which one is given; one that says nothing is none.
func (f *AnswerPrediction) chances(ctx context.Context, n int, said func(k int) [][2]int) ([]float64, error) {
	out, sum := make([]float64, n), 0.0
	for k := range out {
		if says := said(k); says != nil {
			p, err := f.chance(ctx, says)
			if err != nil {
				return nil, err
			}
			out[k] = p
			sum += p
		}
	}
	for k := range out {
		out[k] /= sum
	}
	return out, nil
}
