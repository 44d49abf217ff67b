package model

import (
	"context"
	"fmt"

	"math/rand/v2"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"palate/drift"
	"palate/internal/num"
)

// Moving is one utility for all voters that moves in time, as package drift has it. As a
// Predictor it says how things stand in one period, the last with votes unless At names
// another.
type Moving struct {
	Base

	q        *drift.Posterior
	calendar calendar
	periods  Periods
	starts   []time.Time // of periods that have votes
	now      time.Time   // the beginning of the period that it is about
	voting   voting
	linked   bool
	process  drift.Process // the likeliest
	fit      Fit
	moments  *num.Lazy[*drift.Moments]
	past     *past
}

// Name returns "moving".
func (m *Moving) Name() string { return "moving" }

// Fit returns how the fit went; Form says of which periods there are votes, and which the model
// is about.
func (m *Moving) Fit() Fit {
	f := m.fit
	first, last := m.Range()
	f.Form = fmt.Sprintf("%ss %s to %s, as of %s", m.Unit(), m.calendar.label(first), m.calendar.label(last), m.calendar.label(m.now))
	return f
}

// Reads returns what the model was fitted to.
func (m *Moving) Reads() Reads { return took(m.Name(), ItemLinks.when(m.linked)) }

// Extend fails: an item is known by its votes, and those it is linked with.
func (m *Moving) Extend([]string, *mat.Dense) (Model, error) {
	return nil, fmt.Errorf("model: moving knows an item by its votes over time, so it cannot say anything of new items")
}

// PreferAt is Prefer in the period in which a time lies, or in that of the model for none.
func (m *Moving) PreferAt(when time.Time, left, right int) float64 {
	if when.IsZero() {
		return m.Prefer(-1, left, right)
	}
	start := m.calendar.start(when)
	m.past.mu.Lock()
	defer m.past.mu.Unlock()
	at, ok := m.past.of[start.UnixMicro()]
	if !ok {
		at = m.At(start)
		m.past.of[start.UnixMicro()] = at
	}
	return at.Prefer(-1, left, right)
}

// past keeps the model about other periods, by their beginnings.
type past struct {
	mu sync.Mutex
	of map[int64]*Moving
}

func newPast() *past { return &past{of: map[int64]*Moving{}} }

// At returns the model about another period: that in which a time lies. Where it is before the
// first vote or after the last, what is known fades with the distance; see Outside.
func (m *Moving) At(t time.Time) *Moving {
	out := *m
	out.now, out.moments = m.calendar.start(t), &num.Lazy[*drift.Moments]{}
	return &out
}

// Zone returns that of the calendar.
func (m *Moving) Zone() *time.Location { return m.calendar.zone }

// Period returns the beginning of the period that the model is about, and its name, such as
// 2024-05.
func (m *Moving) Period() (start time.Time, name string) { return m.now, m.calendar.label(m.now) }

// Label names the period in which a time lies.
func (m *Moving) Label(t time.Time) string { return m.calendar.label(m.calendar.start(t)) }

// Unit says what periods are: month and the like, or period where they are pieces of time.
func (m *Moving) Unit() string { return m.calendar.word() }

// Range returns the beginnings of the first and the last period with votes.
func (m *Moving) Range() (first, last time.Time) { return m.starts[0], m.starts[len(m.starts)-1] }

// Outside returns how many periods the one that the model is about lies before the first with
// votes or after the last; 0: neither.
func (m *Moving) Outside() int {
	first, last := m.Range()
	switch {
	case m.now.Before(first):
		return m.calendar.between(m.now, first)
	case m.now.After(last):
		return m.calendar.between(last, m.now)
	}
	return 0
}

// still is the probability that nothing moves.
func (m *Moving) still() (p float64) {
	for _, x := range m.q.Members {
		if x.Process.Move == 0 {
			p += x.Weight
		}
	}
	return p
}

// Remark says how utilities move, under the likeliest process.
func (m *Moving) Remark() string {
	p, still := m.process, fmt.Sprintf("%.0f %%", 100*m.still())
	if m.still() < 0.005 {
		still = "less than 1 %"
	}
	if p.Move == 0 {
		return "votes do not call for utilities that move: that nothing does has a probability of " + still
	}
	how, far := " and return, in steps that forget each other", fmt.Sprintf("what moves one of %.2g with a length-scale of %.2g %ss", p.Move, p.Length, m.Unit())
	switch {
	case p.Walk:
		how, far = " and do not return", fmt.Sprintf("a step of one %s one of %.2g", m.Unit(), p.Move)
	case p.Jumps:
		how, far = " by jumps", fmt.Sprintf("a jump one of %.2g, once in %.2g %ss", p.Move, p.Length, m.Unit())
	case p.Smooth:
		how = " and return, smoothly"
	}
	stays := fmt.Sprintf("what stays of them has a deviation of %.2g", p.Stay)
	if m.linked {
		stays = "what stays of them follows the links"
	}
	return fmt.Sprintf("utilities move%s: %s, %s; that nothing moves has a probability of %s", how, stays, far, still)
}

// at is where the period is that the model is about.
func (m *Moving) at() float64 { return m.calendar.middle(m.now) }

// known are means and covariances.
func (m *Moving) known() *drift.Moments {
	out, _ := m.moments.Get(context.Background(), func(context.Context) (*drift.Moments, error) { return m.q.Moments(m.at()), nil })
	return out
}

// Prefer returns the probability that left beats right in the period, ties apart, the same for
// any user: the mean over the processes that may be.
func (m *Moving) Prefer(_, left, right int) (p float64) {
	if left == right {
		return 0.5
	}
	k := m.known()
	for c, w := range k.Weight {
		v := k.Covariance(c, left, left) + k.Covariance(c, right, right) - 2*k.Covariance(c, left, right)
		p += w * m.voting.prefer(k.Mean[c][left]-k.Mean[c][right], v)
	}
	return p
}

// preferTo sets dst to what Prefer says of pairs.
func (m *Moving) preferTo(dst []float64, user int, left, right []int) {
	m.known() // which parallel parts would wait for
	num.Parallel(len(dst), preferChunk, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			dst[k] = m.Prefer(user, left[k], right[k])
		}
	})
}

// Utility returns mean and variance of an item's utility in the period, the same for any user.
func (m *Moving) Utility(_, item int) (mean, variance float64) {
	k := m.known()
	for c, w := range k.Weight {
		x := k.Mean[c][item]
		mean += w * x
		variance += w * (x*x + k.Covariance(c, item, item))
	}
	return mean, variance - mean*mean
}

// UtilitiesTo sets mean and variance to those of all items.
func (m *Moving) UtilitiesTo(ctx context.Context, mean, variance []float64, user int) error {
	for i := range m.ids {
		mean[i], variance[i] = m.Utility(user, i)
	}
	return ctx.Err()
}

// CovarianceTo sets dst to the covariances of an item with others in the period.
func (m *Moving) CovarianceTo(dst []float64, user, item int, others []int) {
	k := m.known()
	at, _ := m.Utility(user, item)
	for t, j := range others {
		to, _ := m.Utility(user, j)
		dst[t] = 0
		for c, w := range k.Weight {
			dst[t] += w * (k.Covariance(c, item, j) + (k.Mean[c][item]-at)*(k.Mean[c][j]-to))
		}
	}
}

// movingWork bounds draws times states, and fewDraws are taken all the same.
const (
	movingWork = 1e8
	fewDraws   = 400
)

// Draws returns draws of all utilities in the period, the same for any user.
func (m *Moving) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	return m.drawsAt(ctx, []float64{m.at()}, n, rng)
}

// drawsAt returns draws at times, item after item, and of each time after time.
func (m *Moving) drawsAt(ctx context.Context, times []float64, n int, rng *rand.Rand) (Draws, error) {
	n = atMost(n, fewDraws, movingWork/float64(len(m.q.Period)+len(times)*len(m.ids)))
	return evenDraws(m.q.Draws(ctx, times, n, rng))
}
