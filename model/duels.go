package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/kernel"
	"palate/likelihood"
)

// Formulation is how EPNOTE writes the noise of a duel. Both have the same
// posterior and evidence.
type Formulation int

const (
	// ProbitDuels keep the latent difference z and a probit likelihood.
	ProbitDuels Formulation = iota
	// TruncatedDuels put the noise into the prior of v = z + noise, and truncate
	// v at zero.
	TruncatedDuels
)

// DuelOptions are the settings of FitDuels.
type DuelOptions struct {
	// Kernel over the vectors; nil: Matérn 3/2 with median length-scales.
	Kernel kernel.Kernel
	// Noise is the standard deviation σ of the noise on each utility; 0 stands
	// for 1/√2, so that the win probability is Φ of the difference.
	Noise       float64
	Formulation Formulation
	Rule        infer.Rule     // nil: EP
	Schedule    infer.Schedule // nil: Sequential
	Tolerance   float64        // 0 stands for 1e-8
}

// Duels is preference regression: a Gaussian-process utility over feature
// vectors, learnt from duels between them (EPNOTE). The vectors need not recur;
// the work is done in the space of the duels.
type Duels struct {
	kernel        kernel.Kernel
	winner, loser kernel.Points
	noise         float64
	result        *infer.Result
}

// FitDuels learns from duels in which row i of winner beat row i of loser. When ctx
// ends before it is done it returns what it has, with Status Interrupted.
func FitDuels(ctx context.Context, winner, loser *mat.Dense, o *DuelOptions) (*Duels, error) {
	opt := DuelOptions{}
	if o != nil {
		opt = *o
	}
	t, dim := winner.Dims()
	if r, c := loser.Dims(); r != t || c != dim {
		return nil, fmt.Errorf("model: duels: %d×%d winners, %d×%d losers", t, dim, r, c)
	}
	if opt.Noise == 0 {
		opt.Noise = math.Sqrt2 / 2
	}
	if !(opt.Noise > 0) {
		return nil, fmt.Errorf("model: duels: noise %g is not positive", opt.Noise)
	}
	if opt.Schedule == nil {
		opt.Schedule = infer.Sequential{}
	}
	if opt.Tolerance == 0 {
		opt.Tolerance = 1e-8
	}
	if opt.Kernel == nil {
		var both mat.Dense
		both.Stack(winner, loser)
		lengths := kernel.MedianHeuristic(kernel.Dense(&both), kernel.MedianOptions{}, nil)
		opt.Kernel = kernel.NewStationary(kernel.Matern32, kernel.Euclidean, lengths)
	}
	d := &Duels{kernel: opt.Kernel, winner: kernel.Dense(winner), loser: kernel.Dense(loser), noise: opt.Noise}

	// Σ₀ of the latent differences, here oriented so that wins are positive.
	cov := d.differences()
	lik := likelihood.Scalar(likelihood.Probit{Noise: math.Sqrt2 * opt.Noise})
	if opt.Formulation == TruncatedDuels {
		for i := range t {
			cov.SetSym(i, i, cov.At(i, i)+2*opt.Noise*opt.Noise)
		}
		lik = likelihood.Step{}
	}
	prior, err := gp.Covariance(cov)
	if err != nil {
		return nil, err
	}
	p := &infer.Problem{Prior: prior, Rows: &gp.Rows{}, Likelihood: make([]likelihood.Scalar, t)}
	for i := range t {
		p.Rows.AppendUnit(i)
		p.Likelihood[i] = lik
	}
	d.result, err = infer.Run(ctx, p, &infer.Settings{Rule: opt.Rule, Schedule: opt.Schedule, Tolerance: opt.Tolerance})
	return d, err
}

// differences returns the prior covariance of f(winner_i) − f(loser_i).
func (d *Duels) differences() *mat.SymDense {
	t := d.winner.Len()
	var ww, wl, ll mat.Dense
	d.kernel.MatrixTo(&ww, d.winner, d.winner)
	d.kernel.MatrixTo(&wl, d.winner, d.loser)
	d.kernel.MatrixTo(&ll, d.loser, d.loser)
	cov := mat.NewSymDense(t, nil)
	for i := range t {
		for j := i; j < t; j++ {
			cov.SetSym(i, j, ww.At(i, j)+ll.At(i, j)-wl.At(i, j)-wl.At(j, i))
		}
	}
	return cov
}

// LogEvidence returns the EP log evidence, or the objective of another rule.
func (d *Duels) LogEvidence() float64 { return d.result.Objective }

// Status tells how inference ended.
func (d *Duels) Status() infer.Status { return d.result.Status }

// Predict returns mean and joint covariance of the utility at the rows of x:
// m_tes and Σ_tes of EPNOTE, corrected.
func (d *Duels) Predict(x *mat.Dense) (mean []float64, cov *mat.SymDense) {
	points := kernel.Dense(x)
	var cross, lose mat.Dense
	d.kernel.MatrixTo(&cross, points, d.winner)
	d.kernel.MatrixTo(&lose, points, d.loser)
	cross.Sub(&cross, &lose)
	q := d.result.Posterior
	return q.PredictAt(q.Prior.ProjectCovariance(&cross), kernel.Gram(d.kernel, points))
}

// Prefer returns the probability that a beats b in a noisy duel:
// Φ((m_a−m_b)/√(v_a+v_b−2c_ab+2σ²)).
func (d *Duels) Prefer(a, b []float64) float64 { return d.prefer(a, b, 2*d.noise*d.noise) }

// Better returns the probability that the latent utility of a is above that
// of b.
func (d *Duels) Better(a, b []float64) float64 { return d.prefer(a, b, 0) }

func (d *Duels) prefer(a, b []float64, noise2 float64) float64 {
	x := mat.NewDense(2, len(a), nil)
	x.SetRow(0, a)
	x.SetRow(1, b)
	m, c := d.Predict(x)
	v := c.At(0, 0) + c.At(1, 1) - 2*c.At(0, 1) + noise2
	if v <= 0 { // the same point
		return 0.5
	}
	return num.Phi((m[0] - m[1]) / math.Sqrt(v))
}
