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

// PlackettLuceOptions are the settings of FitPlackettLuce; nil means the defaults.
type PlackettLuceOptions struct {
	// Ridge is λ of the penalty ½λ‖θ‖² on the scores; 0: it is learnt, by Laplace's
	// estimate of the evidence with the prior that Single has on its scale.
	Ridge float64
	// Whole takes votes that follow from one answer, such as a ranking or a choice, for
	// that answer where it is made of choices (palate.Answer.Choices), and otherwise for
	// pairs that weigh no more together than it tells.
	Whole    bool
	Progress func(Progress)
}

// BradleyTerryOptions are the settings of FitBradleyTerry, with the meaning that they have
// in PlackettLuceOptions; nil means the defaults.
type BradleyTerryOptions struct {
	Ridge    float64
	Progress func(Progress)
}

// PlackettLuce is the logit family: of a set of items, i is chosen with probability
// exp θ_i / Σ exp θ_j (Luce 1959), a ranking is a choice of the first, then of the next
// from the rest, and so on (Plackett 1975), and the worst of a set is chosen by −θ. θ are
// the most likely scores under a ridge. Of pairs alone that is the model of Bradley and
// Terry (1952). A tie of two is half a win for each. It does not average over what it does
// not know; Draws, for boards, are those of Laplace's approximation.
type PlackettLuce struct {
	Base

	name    string
	choices []choice // pairs first
	remarks []string
	ridge   float64
	score   []float64
	factor  *num.Cholesky // of the negative Hessian at the scores
	fit     Fit
}

// FitBradleyTerry fits scores to all votes of d as so many pairs, voters pooled. When ctx
// ends before it is done it returns the error of ctx.
func FitBradleyTerry(ctx context.Context, d *palate.Dataset, o *BradleyTerryOptions) (*PlackettLuce, error) {
	if o == nil {
		o = &BradleyTerryOptions{}
	}
	return fitLogit(ctx, "bt", d, PlackettLuceOptions{Ridge: o.Ridge, Progress: o.Progress})
}

// FitPlackettLuce fits scores to all votes of d, and if o says so to its answers about
// several items, voters pooled. When ctx ends before it is done it returns the error of
// ctx.
func FitPlackettLuce(ctx context.Context, d *palate.Dataset, o *PlackettLuceOptions) (*PlackettLuce, error) {
	if o == nil {
		o = &PlackettLuceOptions{}
	}
	return fitLogit(ctx, "plackett-luce", d, *o)
}

func fitLogit(ctx context.Context, name string, d *palate.Dataset, o PlackettLuceOptions) (*PlackettLuce, error) {
	n := d.NumItems()
	m := &PlackettLuce{Base: newBase(d), name: name, score: make([]float64, n), ridge: o.Ridge}
	switch {
	case n > maxWhite:
		return nil, fmt.Errorf("model: %d items; %s takes %d at most", n, name, maxWhite)
	case o.Ridge < 0 || math.IsNaN(o.Ridge) || math.IsInf(o.Ridge, 1):
		return nil, fmt.Errorf("model: ridge %g", o.Ridge)
	}
	m.read(d, o.Whole && d.HasGroups())
	if len(m.choices) == 0 {
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
	for i, x := range m.score { // to what the climb settled: items of which the same was said are equal
		m.score[i] = math.Round(x*1e10) / 1e10
	}
	return m, m.settle()
}

// chooseRidge finds the most likely ridge between 1e-3 and 1e3, to a twentieth,
// by golden section, under the prior that Single has on its scale.
func (m *PlackettLuce) chooseRidge(evidence func(ridge float64) (float64, error)) (float64, error) {
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
func (m *PlackettLuce) climb(ctx context.Context) error {
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
			return fmt.Errorf("model: %s: %w", m.name, err)
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

// objective returns the log likelihood of the choices less ½λ‖θ‖².
func (m *PlackettLuce) objective(score []float64) (sum float64) {
	for _, c := range m.choices {
		sum += c.weight * c.logChance(score)
	}
	for _, x := range score {
		sum -= m.ridge / 2 * x * x
	}
	return sum
}

// derivatives returns the gradient and the negative Hessian of the objective at
// the scores.
func (m *PlackettLuce) derivatives() ([]float64, *mat.SymDense) {
	n := len(m.ids)
	gradient, hessian := make([]float64, n), mat.NewSymDense(n, nil)
	raw := hessian.RawSymmetric()
	for i, x := range m.score {
		gradient[i] = -m.ridge * x
		raw.Data[i*raw.Stride+i] = m.ridge
	}
	var p []float64
	for _, c := range m.choices {
		p = c.chancesTo(p[:0], m.score)
		weight := c.weight
		if c.worst {
			weight = -weight
		}
		for a, i := range c.items {
			if a > 0 { // the chance of a surprise
				gradient[c.items[0]] += weight * p[a]
				gradient[i] -= weight * p[a]
			}
			for b, j := range c.items[:a] {
				both := c.weight * p[a] * p[b]
				raw.Data[i*raw.Stride+i] += both
				raw.Data[j*raw.Stride+j] += both
				raw.Data[min(i, j)*raw.Stride+max(i, j)] -= both
			}
		}
	}
	return gradient, hessian
}

// evidence is Laplace's estimate of the log evidence, θ ~ N(0, I/λ).
func (m *PlackettLuce) evidence() float64 {
	return m.objective(m.score) + float64(len(m.ids))/2*math.Log(m.ridge) - m.factor.LogDet()/2
}

// settle says how the fit went, and takes the curvature at the scores.
func (m *PlackettLuce) settle() (err error) {
	m.fit.Kind, m.fit.Scale, m.fit.Likelihood = infer.LaplaceEvidence.String(), m.ridge, Logit
	_, hessian := m.derivatives()
	m.factor, err = num.NewCholesky(hessian)
	return err
}

// Name returns "bt", or "plackett-luce".
func (m *PlackettLuce) Name() string { return m.name }

// Remarks are on answers that were taken as pairs.
func (m *PlackettLuce) Remarks() []string { return m.remarks }

// Ridge returns λ.
func (m *PlackettLuce) Ridge() float64 { return m.ridge }

// Fit returns how the fit went; Scale is the ridge.
func (m *PlackettLuce) Fit() Fit { return m.fit }

// Extend fails: there are no features.
func (m *PlackettLuce) Extend([]string, *mat.Dense) (Model, error) {
	return nil, fmt.Errorf("model: %s has no item features, so it cannot say anything of new items", m.name)
}

// Prefer returns the probability that left beats right at the scores.
func (m *PlackettLuce) Prefer(_, left, right int) float64 {
	return num.Sigmoid(m.score[left] - m.score[right])
}

// Score returns the score of an item, as Utility does, without its variance.
func (m *PlackettLuce) Score(item int) float64 { return m.score[item] }

// Utility returns the score of an item, and its variance by Laplace.
func (m *PlackettLuce) Utility(_, item int) (mean, variance float64) {
	e := make([]float64, len(m.ids))
	e[item] = 1
	m.factor.SolveLVecTo(e, e)
	for _, x := range e {
		variance += x * x
	}
	return m.score[item], variance
}

// Draws returns joint draws around the scores, by Laplace.
func (m *PlackettLuce) Draws(ctx context.Context, _, n int, rng *rand.Rand) (Draws, error) {
	items := len(m.ids)
	f := mat.NewDense(n, items, nil)
	err := num.InTurn(ctx, n, func(lo, hi int) {
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
