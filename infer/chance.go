package infer

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/likelihood"
)

// Chance is the logarithm of the chance that all of some likelihoods hold.
type Chance struct {
	Log   float64   // as EP has it
	Slope []float64 // gradient of Log in the mean
	Amend float64   // what EP leaves out of it, to first order
}

// LogChance returns the chance that all of some likelihoods hold, each of a form of
// u ~ N(mean, cov): of an answer about items with utilities f ~ N(mean, V), where cov is V with
// the answer's noise on its diagonal and the likelihoods are steps. For answers about few items
// EP is within a hundredth or two, .05 where utilities are wide, and amended within .02.
func LogChance(ctx context.Context, mean []float64, cov *mat.SymDense, rows *gp.Rows, l []likelihood.Scalar) (Chance, error) {
	prior, err := gp.Covariance(cov)
	if err != nil {
		return Chance{}, err
	}
	shifted := make([]likelihood.Scalar, len(l))
	for r := range l {
		shifted[r] = likelihood.Shifted{Of: l[r], By: rows.Dot(r, mean)}
	}
	out, err := Run(ctx, &Problem{Prior: prior, Rows: rows, Likelihood: shifted}, &Settings{Tolerance: 1e-10})
	if err != nil {
		return Chance{}, err
	}
	c := Chance{Log: out.Objective, Slope: make([]float64, len(mean)), Amend: amendment(out, rows, shifted)}
	u := out.Posterior.Utilities()
	for r, s := range out.Sites {
		rows.Scatter(r, s.Nu-s.Tau*rows.Dot(r, u), c.Slope)
	}
	return c, nil
}

// amendment is what EP leaves out of the log evidence, to first order (Opper, Paquet and
// Winther, 2013): of any two rows p and q
//
//	κ_p κ_q/3! · (F_pq/(F_pp F_qq))³,
//
// where κ is the third cumulant of what a likelihood makes of its cavity and F the posterior
// covariance of the forms.
func amendment(out *Result, rows *gp.Rows, l []likelihood.Scalar) (sum float64) {
	u, cov := out.Posterior.Utilities(), out.Posterior.Covariance()
	n := rows.Len()
	form := mat.NewDense(n, len(u), nil)
	for r := range n {
		rows.Scatter(r, 1, form.RawRowView(r))
	}
	var f mat.Dense
	f.Product(form, cov, form.T())
	skew := make([]float64, n) // κ/F³
	for p := range skew {
		m, v, ok := out.Sites[p].Cavity(rows.Dot(p, u), f.At(p, p))
		if !ok {
			continue
		}
		step := cumulantStep * math.Sqrt(v)
		third := (likelihood.Tilt(l[p], m+step, v).D2 - likelihood.Tilt(l[p], m-step, v).D2) / (2 * step)
		ratio := v / f.At(p, p)
		skew[p] = third * ratio * ratio * ratio
		for q := range p {
			x := f.At(p, q)
			sum += skew[p] * skew[q] * x * x * x / 6
		}
	}
	return sum
}

// cumulantStep is that of differences in the mean of a cavity, in deviations of it.
const cumulantStep = 1e-3
