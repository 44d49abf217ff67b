package infer

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/likelihood"
)

// LogChance returns the logarithm of the chance that all of some likelihoods hold, each of
// a form of u ~ N(mean, cov), and its derivatives in the mean: of an answer about items
// with utilities f ~ N(mean, V), where cov is V with the answer's noise on its diagonal and
// the likelihoods are steps. It is EP's estimate of the integral; for answers about few
// items it is within a hundredth or two.
func LogChance(ctx context.Context, mean []float64, cov *mat.SymDense, rows *gp.Rows, l []likelihood.Scalar) (logP float64, slope []float64, err error) {
	prior, err := gp.Covariance(cov)
	if err != nil {
		return 0, nil, err
	}
	shifted := make([]likelihood.Scalar, len(l))
	for r := range l {
		shifted[r] = likelihood.Shifted{Of: l[r], By: rows.Dot(r, mean)}
	}
	out, err := Run(ctx, &Problem{Prior: prior, Rows: rows, Likelihood: shifted}, &Settings{Tolerance: 1e-10})
	if err != nil {
		return 0, nil, err
	}
	slope = make([]float64, len(mean))
	u := out.Posterior.Utilities()
	for r, s := range out.Sites {
		rows.Scatter(r, s.Nu-s.Tau*rows.Dot(r, u), slope)
	}
	return out.Objective, slope, nil
}
