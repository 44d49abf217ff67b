package population

import (
	"context"
	"math"

	"palate/likelihood"
)

// Leans are what the left side is worth to people, each with a bonus β_u ~ N(Centre,
// Spread²) of what is shown there. Bonuses are at their mode, and centre and spread are
// learnt from them.
type Leans struct {
	Of             []float64
	Centre, Spread float64
}

// What is expected of the spread of leans is worth so many people.
const (
	typicalLean = 0.3
	leanPeople  = 2
	leanSteps   = 6
	leanRounds  = 2
	leanTaste   = 0.5 // the variance of own tastes at which leans are learnt
)

// sided reports whether it is known of some votes where items were shown.
func (p *People) sided() bool {
	for _, k := range p.kinds {
		if k.Side != 0 {
			return true
		}
	}
	return false
}

// learnLeans finds what the left side is worth to people, beside tastes of their own; nil
// where new votes would not speak for it.
func (r *run) learnLeans(ctx context.Context) (*Leans, error) {
	t, err := r.newTastes(leanTaste)
	if err != nil {
		return nil, err
	}
	if err := t.learn(ctx); err != nil {
		return nil, err
	}
	before := t.score
	l := &Leans{Of: make([]float64, r.people.Len()), Spread: typicalLean}
	t.engine.Leans = l.Of
	var settled float64
	for range leanRounds {
		for range leanSteps {
			told := newLeaning(t.engine)
			if _, _, err := t.engine.Evaluate(ctx, t.prior, told); err != nil {
				return nil, err
			}
			settled = l.renew(told)
		}
		if err := t.learn(ctx); err != nil {
			return nil, err
		}
	}
	if t.score-charge*(settled+2) <= before { // two are centre and spread
		return nil, nil
	}
	return l, nil
}

// renew takes a step of Newton's method for everybody, then sets centre and spread to what
// leans say. It returns how many leans votes have settled.
func (l *Leans) renew(told *leaning) (settled float64) {
	n := float64(len(l.Of))
	known := 1 / (l.Spread * l.Spread)
	var sum float64
	for u := range l.Of {
		l.Of[u] += (told.slope[u] - (l.Of[u]-l.Centre)*known) / (told.bend[u] + known)
		sum += l.Of[u]
	}
	l.Centre = sum / n
	square := leanPeople * typicalLean * typicalLean
	for u, x := range l.Of {
		square += (x-l.Centre)*(x-l.Centre) + 1/(told.bend[u]+known)
		settled += told.bend[u] / (told.bend[u] + known)
	}
	l.Spread = math.Sqrt(square / (n + leanPeople))
	return settled
}

// leaning collects slope and curvature of everybody's log evidence in the lean: at
// convergence only the likelihood's own terms move.
type leaning struct {
	engine      *Engine
	slope, bend []float64
}

func newLeaning(e *Engine) *leaning {
	return &leaning{e, make([]float64, e.People.Len()), make([]float64, e.People.Len())}
}

func (l *leaning) Size(int) int { return 0 }

func (l *leaning) Collect(_ []float64, w *Person, u int, _ []int32) {
	v, m := l.engine.People.votes(u), &l.engine.method
	for p := range v.win {
		kind := v.kindOf(p)
		side := m.side[kind]
		if side == 0 || w.cv[p] != w.cv[p] {
			continue
		}
		t := likelihood.Tilt(m.likelihood[kind], w.cm[p]+w.lean*side, w.cv[p]+w.noise[p])
		l.slope[u] += v.countOf(p) * side * t.D1
		l.bend[u] += v.countOf(p) * max(0, -t.D2)
	}
}

func (l *leaning) Add([]float64, int, []int32) {}

// LeanErrors returns the standard deviations of everybody's lean, as votes and what is known of others
// leave it, under the heaviest member. There must be leans.
func (f *Family) LeanErrors(ctx context.Context) ([]float64, error) {
	m := f.heaviest()
	member, err := m.memberships(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(f.Leans.Of))
	for u := range out {
		out[u] = 1 / (f.Leans.Spread * f.Leans.Spread)
	}
	for k, c := range m.Classes {
		held := c.Engine.held()
		told := newLeaning(held)
		if _, _, err := held.Evaluate(ctx, c.Prior, told); err != nil {
			return nil, err
		}
		for u, bend := range told.bend {
			out[u] += member[k][u] * bend
		}
	}
	for u, x := range out {
		out[u] = 1 / math.Sqrt(x)
	}
	return out, nil
}
