package crowd

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate"
)

// FoldIn infers somebody new from votes and answers of their own, from features, or from
// both, with consensus and factors as they are: in what it returns that is voter
// 0. The users of the tallies and answers do not matter. features are as those of the fit;
// nil when they are not known.
func (l *Learnt) FoldIn(tallies []palate.Tally, answers []palate.Answer, features []float64) (*Learnt, error) {
	if err := checkAnswers(l.items, answers); err != nil {
		return nil, fmt.Errorf("%w, to fold in", err)
	}
	answers = slices.Clone(answers)
	for k, a := range answers {
		answers[k].User = 0
		if l.Threshold == 0 && slices.ContainsFunc(a.Said, func(c palate.Comparison) bool { return c.Tie }) {
			return nil, fmt.Errorf("crowd: fold in: answer %d has a tie, but the model has seen none", k)
		}
	}
	if !l.propagated || !l.own || !fewItems(tallies, answers) {
		tallies = slices.Clip(tallies)
		for _, a := range answers {
			tallies = append(tallies, a.Tallies()...)
		}
		answers = nil
	}
	own := make([]palate.Tally, len(tallies))
	for k, t := range tallies {
		if uint(t.A) >= uint(l.items) || uint(t.B) >= uint(l.items) || t.A == t.B {
			return nil, fmt.Errorf("crowd: fold in: vote %d: items %d and %d of %d", k, t.A, t.B, l.items)
		}
		if t.Tie && l.Threshold == 0 {
			return nil, fmt.Errorf("crowd: fold in: vote %d is a tie, but the model has seen none", k)
		}
		own[k] = t
		own[k].User = 0
	}
	var about *About
	if features != nil {
		if l.leaning == nil {
			return nil, fmt.Errorf("crowd: fold in: %d features, but the fit had none", len(features))
		}
		if want := len(l.leaning.groups); len(features) != want {
			return nil, fmt.Errorf("crowd: fold in: %d features, the fit had %d", len(features), want)
		}
		about = &About{Features: mat.NewDense(1, len(features), features)}
	}
	if len(own)+len(answers) == 0 {
		return l.newcomer(about), nil
	}
	v, err := NewVotes(l.items, own, answers...)
	if err != nil {
		return nil, fmt.Errorf("crowd: fold in: %w", err)
	}
	b, err := l.take(context.Background(), v, l.prior, &Options{Factors: l.c, NoOwn: !l.own, About: about}, settledSweeps)
	if err != nil {
		return nil, fmt.Errorf("crowd: fold in: %w", err)
	}
	b.on(l.prior)
	b.wide = l.wide
	return b, nil
}

// newcomer is somebody who has not voted yet, as voter 0.
func (l *Learnt) newcomer(about *About) *Learnt {
	e := *l.engine
	e.Votes = &Votes{items: l.items, start: []int{0, 0}, owner: []int{0}}
	e.w, e.cov = l.unknown(about)
	e.sites = nil
	e.covStart, e.logDet = []int{0, l.c * l.c}, make([]float64, 1)
	e.ownStart, e.ownItem = []int{0, 0}, nil
	e.classes = l.classes.ofNewVoters(1)
	return &Learnt{engine: &e, wide: l.wide, Threshold: l.Threshold, Status: l.Status}
}

// unknown returns mean and covariance of the weights of somebody who has not
// voted, and of whom at most features are known.
func (l *Learnt) unknown(about *About) (w, cov []float64) {
	c := l.c
	w, cov = make([]float64, c), make([]float64, c*c)
	for i := range c {
		cov[i*c+i] = 1
	}
	switch {
	case l.leaning == nil:
	case about != nil:
		led := l.leaning.with(about, &Votes{owner: []int{0}})
		led.towards(w, 0)
		for i := range c {
			cov[i*c+i] += led.slack[0]
		}
	default: // anybody's features
		for i := range c {
			for j := range c {
				cov[i*c+j] += l.leaning.apart.At(i, j)
			}
		}
	}
	return w, cov
}

// Led reports whether features of voters tell of their weights.
func (l *Learnt) Led() bool { return l.leaning != nil && l.c > 0 }
