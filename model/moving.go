package model

import (
	"context"
	"fmt"

	"math/rand/v2"
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
}

// Name returns "moving".
func (m *Moving) Name() string { return "moving" }

// Fit returns how the fit went.
func (m *Moving) Fit() Fit { return m.fit }

// Reads returns what the model was fitted to.
func (m *Moving) Reads() Reads { return took(m.Name(), ItemLinks.when(m.linked)) }

// Extend fails: an item is known by its votes, and those it is linked with.
func (m *Moving) Extend([]string, *mat.Dense) (Model, error) {
	return nil, fmt.Errorf("model: moving knows an item by its votes over time, so it cannot say anything of new items")
}

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

// Still is the probability that nothing moves.
func (m *Moving) Still() (p float64) {
	for _, x := range m.q.Members {
		if x.Process.Move == 0 {
			p += x.Weight
		}
	}
	return p
}

// Process returns the likeliest process: the deviations of what stays of utilities and of what
// moves, and the length-scale of that, in periods.
func (m *Moving) Process() drift.Process { return m.process }

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

// movingDraws bounds numbers times draws.
const movingDraws = 4e7

// Draws returns draws of all utilities in the period, the same for any user.
func (m *Moving) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	return m.drawsAt(ctx, []float64{m.at()}, n, rng)
}

// drawsAt returns draws at times, item after item, and of each time after time.
func (m *Moving) drawsAt(ctx context.Context, times []float64, n int, rng *rand.Rand) (Draws, error) {
	n = max(200, min(n, int(movingDraws/float64(len(times)*len(m.ids)))))
	return evenDraws(m.q.Draws(ctx, times, n, rng))
}
