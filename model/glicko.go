package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/internal/num"
)

// GlickoRule is how Glicko learns from a vote.
type GlickoRule int

// String returns the name of a model with this rule.
func (r GlickoRule) String() string { return [...]string{"glicko", "diagonal"}[r] }

const (
	// Glickman is the update of Glickman (1999), as Radlinski and Joachims (2007)
	// use it: logistic noise, whose spread is matched to that of a probit.
	Glickman GlickoRule = iota
	// Diagonal is the step of Linked with all covariances thrown away.
	Diagonal
)

// Glicko keeps an independent Gaussian for every item: a vote moves the two
// items it names and no other, in O(1). It is what Linked is compared with.
type Glicko struct {
	Base

	mean, variance []float64
	rule           GlickoRule
	first          float64 // the variance at the start
	fit            Fit     // of FitGlicko
}

// logisticScale is the noise of a probit that is nearest to logistic noise of
// scale one (Haley 1952).
const logisticScale = 1.702

// NewGlicko starts with utilities N(0, variance), in units of the noise of a
// vote.
func NewGlicko(ids []string, variance float64, rule GlickoRule) (*Glicko, error) {
	if len(ids) < 2 || !(variance > 0) || math.IsInf(variance, 1) {
		return nil, fmt.Errorf("model: glicko: %d items with variance %g", len(ids), variance)
	}
	n := len(ids)
	m := &Glicko{Base: namedBase(ids), mean: make([]float64, n), variance: make([]float64, n), rule: rule, first: variance}
	for i := range n {
		m.variance[i] = variance
	}
	return m, nil
}

// Observe learns from one vote. A tie counts as half a win for each (Glickman)
// or not at all (Diagonal). A weight is a number of votes, and must be whole.
func (m *Glicko) Observe(v palate.Vote) error {
	n := len(m.ids)
	if v.Left < 0 || v.Right < 0 || v.Left >= n || v.Right >= n || v.Left == v.Right {
		return fmt.Errorf("model: glicko: vote between items %d and %d of %d", v.Left, v.Right, n)
	}
	if !(v.Weight >= 1) || v.Weight != math.Trunc(v.Weight) || v.Weight > 1e6 {
		return fmt.Errorf("model: glicko: a vote of weight %g: it takes whole numbers of votes only", v.Weight)
	}
	for range int(v.Weight) {
		m.learn(v)
	}
	return nil
}

// learn learns from one vote of weight 1.
func (m *Glicko) learn(v palate.Vote) {
	score := 1.0
	switch v.Outcome {
	case palate.Skip:
		return
	case palate.Right:
		score = 0
	case palate.Tie:
		score = 0.5
	}
	if m.rule == Glickman {
		m.glickman(v.Left, v.Right, score)
	} else if score != 0.5 {
		win, lose := v.Left, v.Right
		if score == 0 {
			win, lose = lose, win
		}
		m.diagonal(win, lose)
	}
	m.votes[v.Left]++
	m.votes[v.Right]++
}

// glickman updates both items from what was known of the other before, for one
// game in a rating period (Glickman 1999, (1)–(2)) on the logistic scale.
func (m *Glicko) glickman(a, b int, score float64) {
	step := func(i, j int, s float64) (mean, variance float64) {
		const c = logisticScale
		g := 1 / math.Sqrt(1+3*c*c*m.variance[j]/(math.Pi*math.Pi))
		e := num.Sigmoid(g * c * (m.mean[i] - m.mean[j]))
		variance = 1 / (1/m.variance[i] + c*c*g*g*e*(1-e))
		return m.mean[i] + variance*c*g*(s-e), variance
	}
	ma, va := step(a, b, score)
	mb, vb := step(b, a, 1-score)
	m.mean[a], m.variance[a], m.mean[b], m.variance[b] = ma, va, mb, vb
}

// diagonal is m += k·h/r, V −= h(z+h)/(1+s)·k² with k = (V_i, −V_j), the
// diagonal of LINK (22)–(24), corrected.
func (m *Glicko) diagonal(i, j int) {
	vi, vj := m.variance[i], m.variance[j]
	s := 1 + vi + vj
	r := math.Sqrt(s)
	_, h, rest := num.Probit((m.mean[i] - m.mean[j]) / r)
	m.mean[i] += vi * h / r
	m.mean[j] -= vj * h / r
	m.variance[i] -= (1 - rest) / s * vi * vi
	m.variance[j] -= (1 - rest) / s * vj * vj
}

// Utility returns mean and variance of an item's utility, the same for any
// user.
func (m *Glicko) Utility(_, item int) (mean, variance float64) { return m.mean[item], m.variance[item] }

// Prefer returns the probability that left beats right.
func (m *Glicko) Prefer(_, left, right int) float64 {
	return num.Phi((m.mean[left] - m.mean[right]) / math.Sqrt(1+m.variance[left]+m.variance[right]))
}

// UtilitiesTo sets mean and variance to those of all items.
func (m *Glicko) UtilitiesTo(ctx context.Context, mean, variance []float64, _ int) error {
	copy(mean, m.mean)
	copy(variance, m.variance)
	return ctx.Err()
}

// CovarianceTo sets dst to zero but where an item meets itself.
func (m *Glicko) CovarianceTo(dst []float64, _, item int, others []int) {
	apartCovariance(dst, m.variance, item, others)
}

// Draws returns independent draws.
func (m *Glicko) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	return apartDraws(ctx, m.mean, m.variance, n, rng)
}

// apartCovariance sets dst to the covariance of an item with others, all of which are
// independent.
func apartCovariance(dst, variance []float64, item int, others []int) {
	for k, j := range others {
		dst[k] = 0
		if j == item {
			dst[k] = variance[item]
		}
	}
}

// apartDraws returns draws of independent items.
func apartDraws(ctx context.Context, mean, variance []float64, n int, rng *rand.Rand) (Draws, error) {
	f := mat.NewDense(n, len(mean), nil)
	for k := range n {
		if err := ctx.Err(); err != nil {
			return Draws{}, err
		}
		row := f.RawRowView(k)
		for i := range row {
			row[i] = mean[i] + math.Sqrt(variance[i])*rng.NormFloat64()
		}
	}
	return evenDraws(f, nil)
}
