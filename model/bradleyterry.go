package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/infer"
	"palate/internal/num"
)

// BradleyTerryOptions are the settings of FitBradleyTerry; nil means the
// defaults.
type BradleyTerryOptions struct {
	// Ridge is λ of the penalty ½λ‖θ‖² on the scores; 0: it is learnt, by Laplace's
	// estimate of the evidence with the prior that Single has on its scale.
	Ridge    float64
	Progress func(Progress)
}

// BradleyTerry is the model everybody knows: i beats j with probability
// σ(θ_i − θ_j), θ being the most likely scores under a ridge (Bradley, Terry
// 1952). A tie is half a win for each. It does not average over what it does not
// know; Draws, for boards, are those of Laplace's approximation.
type BradleyTerry struct {
	Base

	beats  []beat
	ridge  float64
	score  []float64
	factor *num.Cholesky // of the negative Hessian at the scores
	fit    Fit
}

// beat is how often, by weight, one item beat another.
type beat struct {
	win, lose int
	weight    float64
}

// FitBradleyTerry fits scores to all votes of d, voters pooled. When ctx ends
// before it is done it returns the error of ctx.
func FitBradleyTerry(ctx context.Context, d *palate.Dataset, o *BradleyTerryOptions) (*BradleyTerry, error) {
	if o == nil {
		o = &BradleyTerryOptions{}
	}
	n := d.NumItems()
	m := &BradleyTerry{Base: newBase(d), score: make([]float64, n), ridge: o.Ridge}
	switch {
	case n > maxWhite:
		return nil, fmt.Errorf("model: %d items; Bradley–Terry takes %d at most", n, maxWhite)
	case o.Ridge < 0 || math.IsNaN(o.Ridge) || math.IsInf(o.Ridge, 1):
		return nil, fmt.Errorf("model: ridge %g", o.Ridge)
	}
	tallies := d.Tallies(false)
	m.fit.Votes, m.fit.Ties = m.count(tallies)
	for _, t := range tallies {
		if t.Tie {
			m.beats = append(m.beats, beat{t.A, t.B, t.Weight / 2}, beat{t.B, t.A, t.Weight / 2})
		} else {
			m.beats = append(m.beats, beat{t.A, t.B, t.Weight})
		}
	}
	if len(m.beats) == 0 {
		return nil, fmt.Errorf("model: no votes to learn from: %d votes, all skipped", d.NumVotes())
	}
	rounds := 0
	evidence := func(ridge float64) (float64, error) {
		m.ridge = ridge
		if err := m.climb(ctx); err != nil {
			return 0, err
		}
		rounds++
		e := m.evidence()
		if o.Progress != nil {
			o.Progress(Progress{Stage: "choosing the ridge", Round: rounds, Objective: e})
		}
		return e, nil
	}
	var err error
	if o.Ridge == 0 {
		m.ridge, err = m.chooseRidge(evidence)
	}
	if err == nil {
		m.fit.Objective, err = evidence(m.ridge)
	}
	if err != nil {
		return nil, err
	}
	m.settle()
	return m, nil
}

// chooseRidge finds the most likely ridge between 1e-3 and 1e3, to a twentieth,
// by golden section, under the prior that Single has on its scale.
func (m *BradleyTerry) chooseRidge(evidence func(ridge float64) (float64, error)) (float64, error) {
	var failure error
	f := func(x float64) float64 {
		e, err := evidence(math.Exp(x))
		if err != nil {
			failure = err
		}
		return e + logPrior(math.Exp(-x)/(logisticScale*logisticScale))
	}
	golden := (math.Sqrt(5) - 1) / 2
	lo, hi := math.Log(1e-3), math.Log(1e3)
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fa, fb := f(a), f(b)
	for hi-lo > 0.05 && failure == nil {
		if fa > fb {
			hi, b, fb = b, a, fa
			a = hi - golden*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + golden*(hi-lo)
			fb = f(b)
		}
	}
	return math.Exp((lo + hi) / 2), failure
}

// climb takes the scores to their mode by Newton's method. Steps that would
// overshoot are halved; the objective is concave.
func (m *BradleyTerry) climb(ctx context.Context) error {
	n := len(m.ids)
	at, step, next := m.objective(m.score), make([]float64, n), make([]float64, n)
	m.fit.Status = infer.SweepLimit
	for m.fit.Stats.Sweeps = 1; m.fit.Stats.Sweeps <= 100; m.fit.Stats.Sweeps++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		gradient, hessian := m.derivatives()
		var err error
		if m.factor, err = num.NewCholesky(hessian); err != nil {
			return fmt.Errorf("model: Bradley–Terry: %w", err)
		}
		m.factor.SolveVecTo(step, gradient)
		if m.fit.Stats.Change = longest(step); m.fit.Stats.Change < 1e-9 {
			m.fit.Status = infer.Converged
			return nil
		}
		for length := 1.0; ; length /= 2 {
			for i := range next {
				next[i] = m.score[i] + length*step[i]
			}
			if to := m.objective(next); to >= at-1e-12*math.Abs(at) || length < 1e-9 { // rounding is no fall
				at = to
				break
			}
		}
		copy(m.score, next)
	}
	return nil
}

func longest(x []float64) (most float64) {
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}

// objective returns Σ w log σ(θ_a − θ_b) − ½λ‖θ‖².
func (m *BradleyTerry) objective(score []float64) (sum float64) {
	for _, b := range m.beats {
		sum += b.weight * num.LogSigmoid(score[b.win]-score[b.lose])
	}
	for _, x := range score {
		sum -= m.ridge / 2 * x * x
	}
	return sum
}

// derivatives returns the gradient and the negative Hessian of the objective at
// the scores.
func (m *BradleyTerry) derivatives() ([]float64, *mat.SymDense) {
	n := len(m.ids)
	gradient, hessian := make([]float64, n), mat.NewSymDense(n, nil)
	raw := hessian.RawSymmetric()
	for i, x := range m.score {
		gradient[i] = -m.ridge * x
		raw.Data[i*raw.Stride+i] = m.ridge
	}
	for _, b := range m.beats {
		p := num.Sigmoid(m.score[b.lose] - m.score[b.win]) // of a surprise
		gradient[b.win] += b.weight * p
		gradient[b.lose] -= b.weight * p
		c := b.weight * p * (1 - p)
		i, j := min(b.win, b.lose), max(b.win, b.lose)
		raw.Data[i*raw.Stride+i] += c
		raw.Data[j*raw.Stride+j] += c
		raw.Data[i*raw.Stride+j] -= c
	}
	return gradient, hessian
}

// evidence is Laplace's estimate of the log evidence, θ ~ N(0, I/λ).
func (m *BradleyTerry) evidence() float64 {
	return m.objective(m.score) + float64(len(m.ids))/2*math.Log(m.ridge) - m.factor.LogDet()/2
}

// settle says how the fit went.
func (m *BradleyTerry) settle() {
	m.fit.Kind, m.fit.Scale, m.fit.Likelihood = infer.LaplaceEvidence.String(), m.ridge, Logit
}

// Name returns "bt".
func (m *BradleyTerry) Name() string { return "bt" }

// Ridge returns λ.
func (m *BradleyTerry) Ridge() float64 { return m.ridge }

// Fit returns how the fit went; Scale is the ridge.
func (m *BradleyTerry) Fit() Fit { return m.fit }

// Extend fails: there are no features.
func (m *BradleyTerry) Extend([]string, *mat.Dense) (Model, error) {
	return nil, fmt.Errorf("model: Bradley–Terry has no item features, so it cannot say anything of new items")
}

// Prefer returns the probability that left beats right at the scores.
func (m *BradleyTerry) Prefer(_, left, right int) float64 {
	return num.Sigmoid(m.score[left] - m.score[right])
}

// Score returns the score of an item, as Utility does, without its variance.
func (m *BradleyTerry) Score(item int) float64 { return m.score[item] }

// Utility returns the score of an item, and its variance by Laplace.
func (m *BradleyTerry) Utility(_, item int) (mean, variance float64) {
	e := make([]float64, len(m.ids))
	e[item] = 1
	m.factor.SolveLVecTo(e, e)
	for _, x := range e {
		variance += x * x
	}
	return m.score[item], variance
}

// Draws returns joint draws around the scores, by Laplace.
func (m *BradleyTerry) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	items := len(m.ids)
	f := mat.NewDense(n, items, nil)
	err := num.InTurn(ctx, n, drawsAtOnce, func(lo, hi int) {
		white := mat.NewDense(items, hi-lo, nil)
		for k := range hi - lo {
			for i := range items {
				white.Set(i, k, rng.NormFloat64())
			}
		}
		m.factor.SolveLTTo(white, white)
		f.Slice(lo, hi, 0, items).(*mat.Dense).Copy(white.T())
		for k := lo; k < hi; k++ {
			floats.Add(f.RawRowView(k), m.score)
		}
	})
	return evenDraws(f, err)
}
