package model

import (
	"fmt"
	"math"

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
	independent

	rule  GlickoRule
	first float64 // the variance at the start
	fit   Fit     // of FitGlicko
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
	m := &Glicko{Base: namedBase(ids), independent: independent{make([]float64, n), make([]float64, n)}, rule: rule, first: variance}
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

// Prefer returns the probability that left beats right.
func (m *Glicko) Prefer(_, left, right int) float64 {
	return num.Phi((m.mean[left] - m.mean[right]) / math.Sqrt(1+m.variance[left]+m.variance[right]))
}
