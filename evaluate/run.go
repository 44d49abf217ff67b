package evaluate

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"palate"
	"palate/internal/num"
	"palate/metric"
	"palate/model"
)

// Options are the settings of Run; nil means the defaults.
type Options struct {
	Level     float64 // of intervals; 0 stands for 0.95
	Resamples int     // of the bootstrap; 0 stands for 400
	Bins      int     // of the reliability curve, from ½ to 1; 0 stands for 10
	Seed      uint64
	// Progress, if set, is told which method is fitted to which fold, from 0.
	Progress func(method string, fold int)
}

// Result is how methods did on the same votes.
type Result struct {
	Folds       int
	Cases       int // predicted
	Units       int // held out, with a vote that is decided
	Level       float64
	Scores      []Score      // in the order of the methods
	Differences []Difference // of every pair of methods, the better one first
	Refused     []string     // yardsticks that did not take the votes, and why
}

// Score is how one method did.
type Score struct {
	Method       string
	Yardstick    bool
	Accuracy     Estimate
	CrossEntropy Estimate // nats
	Brier        Estimate
	ECE          Estimate // with the standard error of a bootstrap
	Tau          Estimate // mean over folds
	// Reliability is how often the favourite won, by the chance it was given, from ½
	// to 1. Which side is called left does not matter to it.
	Reliability []metric.Bin
}

// Difference is by how much method A does better than B, paired.
type Difference struct {
	A            string
	B            string
	CrossEntropy Estimate // of B less that of A, never negative
	Accuracy     Estimate // of A less that of B
	P            float64  // of a difference in cross-entropy as large by chance
	Real         bool
}

// Run measures methods on folds of d. A yardstick that does not take the votes is
// left out.
func Run(ctx context.Context, d *palate.Dataset, folds []Fold, methods []Method, o *Options) (*Result, error) {
	opt := *cmp.Or(o, &Options{})
	opt.Level = cmp.Or(opt.Level, 0.95)
	opt.Resamples = cmp.Or(opt.Resamples, 400)
	opt.Bins = cmp.Or(opt.Bins, 10)
	if d.HasRatings() {
		return nil, fmt.Errorf("evaluate: ratings of single items are not votes between two: they are measured as ratings")
	}
	if len(folds) == 0 || len(methods) == 0 {
		return nil, fmt.Errorf("evaluate: %d folds, %d methods", len(folds), len(methods))
	}
	e := newExam(d, folds)
	said, taus := make([][]float64, len(methods)), make([][]float64, len(methods))
	refused := make([]error, len(methods))
	for f, fold := range folds {
		train := d.Select(fold.Train)
		truth := e.order(ctx, f)
		for k, m := range methods {
			if refused[k] != nil {
				continue
			}
			if opt.Progress != nil {
				opt.Progress(m.Name, f)
			}
			p, err := m.Fit(ctx, train, opt.Seed)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil && m.Yardstick {
				refused[k] = err
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("evaluate: %s, fold %d: %w", m.Name, f+1, err)
			}
			chance, err := e.ask(f, p)
			if err != nil {
				return nil, fmt.Errorf("evaluate: %s, fold %d: %w", m.Name, f+1, err)
			}
			said[k] = append(said[k], chance...)
			taus[k] = append(taus[k], truth.tau(p))
		}
	}
	r := &Result{Folds: len(folds), Cases: len(e.y) - e.ties, Units: e.units, Level: opt.Level}
	var measured []Method
	var sayings [][]float64
	for k, m := range methods {
		if refused[k] != nil {
			r.Refused = append(r.Refused, fmt.Sprintf("%s: %v", m.Name, refused[k]))
			continue
		}
		r.Scores = append(r.Scores, e.score(m, said[k], taus[k], &opt))
		measured, sayings = append(measured, m), append(sayings, said[k])
	}
	r.Differences = e.differences(measured, sayings, opt.Level)
	return r, nil
}

// exam is all cases, one fold after the other.
type exam struct {
	d     *palate.Dataset
	folds []Fold
	y, w  []float64
	unit  []int // numbered from 0
	units int
	ties  int // cases without weight
}

func newExam(d *palate.Dataset, folds []Fold) *exam {
	e := &exam{d: d, folds: folds}
	number := map[int]int{}
	for _, f := range folds {
		for _, c := range f.Test {
			v := d.Vote(c.Vote)
			y := 0.0
			switch v.Outcome {
			case palate.Left:
				y = 1
			case palate.Tie: // what methods say is about votes that are decided
				v.Weight = 0
				e.ties++
			}
			u, ok := number[c.Unit]
			if !ok && v.Weight > 0 { // a unit of ties only is none; which one its cases are in does not matter
				u = len(number)
				number[c.Unit] = u
			}
			e.y, e.w, e.unit = append(e.y, y), append(e.w, v.Weight), append(e.unit, u)
		}
	}
	e.units = len(number)
	return e
}

// ask returns what a method says of the cases of a fold. The same question is
// asked once.
func (e *exam) ask(fold int, p Predictor) ([]float64, error) {
	type question struct {
		user, left, right int32
		shown             bool // on these sides
	}
	cases := e.folds[fold].Test
	if in, ok := p.(inContext); ok && len(e.d.Properties()) > 0 {
		return e.askIn(cases, in)
	}
	if in, ok := p.(inTime); ok {
		return e.askAt(cases, in)
	}
	side, sided := p.(shown)
	at, of := make(map[question]int32, len(cases)), make([]int32, len(cases))
	var questions []question
	for k, c := range cases {
		v := e.d.Vote(c.Vote)
		q := question{int32(v.User), int32(v.Left), int32(v.Right), sided && !v.Unsided}
		i, ok := at[q]
		if !ok {
			i = int32(len(questions))
			at[q] = i
			questions = append(questions, q)
		}
		of[k] = i
	}
	answers := make([]float64, len(questions))
	num.Parallel(len(questions), 64, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			q := questions[k]
			if q.shown {
				answers[k] = side.PreferShown(int(q.user), int(q.left), int(q.right))
			} else {
				answers[k] = p.Prefer(int(q.user), int(q.left), int(q.right))
			}
		}
	})
	out := make([]float64, len(cases))
	for k := range cases {
		out[k] = answers[of[k]]
	}
	return out, checked(cases, out)
}

// shown is a method that knows what the side is worth on which an item is shown.
type shown interface {
	PreferShown(user, left, right int) float64
}

// inContext is a method that knows what properties of votes are worth.
type inContext interface {
	PreferIn(properties []palate.Property, k int, shown bool, user, left, right int) float64
}

// askIn is ask where every vote has properties of its own.
func (e *exam) askIn(cases []Case, p inContext) ([]float64, error) {
	out := make([]float64, len(cases))
	num.Parallel(len(cases), 64, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			v := e.d.Vote(cases[k].Vote)
			out[k] = p.PreferIn(e.d.Properties(), cases[k].Vote, !v.Unsided, v.User, v.Left, v.Right)
		}
	})
	return out, checked(cases, out)
}

// inTime is a method that knows how things stood when a vote was cast.
type inTime interface {
	PreferAt(when time.Time, left, right int) float64
}

// askAt is ask where every vote has a time of its own.
func (e *exam) askAt(cases []Case, p inTime) ([]float64, error) {
	out := make([]float64, len(cases))
	for k, c := range cases {
		v := e.d.Vote(c.Vote)
		out[k] = p.PreferAt(v.Time, v.Left, v.Right)
	}
	return out, checked(cases, out)
}

// checked insists on probabilities.
func checked(cases []Case, said []float64) error {
	for k, c := range cases {
		if !(said[k] >= 0 && said[k] <= 1) {
			return fmt.Errorf("vote %d: predicted probability %v", c.Vote, said[k])
		}
	}
	return nil
}

// ranking is the order that the test votes of a fold tell.
type ranking struct {
	items  []int
	scores []float64
}

// order ranks by Bradley–Terry; of a fold by item only what was held out is
// ranked, the rest being known.
func (e *exam) order(ctx context.Context, fold int) ranking {
	cases := e.folds[fold].Test
	votes, seen := make([]int, len(cases)), make([]bool, e.d.NumItems())
	trained := make([]bool, e.d.NumItems())
	for _, k := range e.folds[fold].Train {
		v := e.d.Vote(k)
		trained[v.Left], trained[v.Right] = true, true
	}
	fresh := 0
	for k, c := range cases {
		v := e.d.Vote(c.Vote)
		votes[k] = c.Vote
		seen[v.Left], seen[v.Right] = true, true
		if !trained[v.Left] || !trained[v.Right] {
			fresh++
		}
	}
	m, err := model.FitBradleyTerry(ctx, e.d.Select(votes), nil)
	if err != nil {
		return ranking{} // more items than it takes: no order to compare with
	}
	var r ranking
	for i, yes := range seen {
		if yes && (fresh < len(cases) || !trained[i]) {
			r.items, r.scores = append(r.items, i), append(r.scores, m.Score(i))
		}
	}
	return r
}

// tau returns τ-b of a method's consensus with the ranking.
func (r ranking) tau(p Predictor) float64 {
	x := make([]float64, len(r.items))
	num.Parallel(len(x), 16, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			x[k], _ = p.Utility(-1, r.items[k])
		}
	})
	return metric.KendallTauB(x, r.scores)
}
