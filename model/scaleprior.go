package model

import (
	"fmt"
	"math"

	"palate/infer"
)

// scalePrior is the prior of an inverse scale s. The zero value is half of a t
// distribution, of two degrees of freedom, over the deviation d = 1/√s of utilities in
// units of the noise of a vote, (1 + d²/2)^(−3/2): it has mass near zero, where votes
// are no better than coins, and lets go of large deviations slowly. Others are the
// Gamma of s of CROWD (4), which with shape and rate 1 all but rules out deviations
// below .3.
type scalePrior infer.Gamma

// logDensity returns the log density of log s, up to a constant, and its derivative.
func (p scalePrior) logDensity(logS float64) (lp, slope float64) {
	if p != (scalePrior{}) {
		return infer.Gamma(p).LogDensityOfLog(logS)
	}
	square := math.Exp(-logS)
	return -0.5*logS - 1.5*math.Log1p(0.5*square), 1.5*square/(2+square) - 0.5
}

// gamma is the prior where only a Gamma will do: that of CROWD's experiments unless
// another was given.
func (p scalePrior) gamma() infer.Gamma {
	if p == (scalePrior{}) {
		return infer.Gamma{Shape: 1, Rate: 1}
	}
	return infer.Gamma(p)
}

// numbers are how model.json has the prior: shape and rate of a Gamma, or the scale of
// the t distribution alone.
func (p scalePrior) numbers() []float64 {
	if p == (scalePrior{}) {
		return []float64{1}
	}
	return []float64{p.Shape, p.Rate}
}

// scalePriorOf reads what numbers wrote.
func scalePriorOf(x []float64) (scalePrior, error) {
	switch {
	case len(x) == 1 && x[0] == 1:
		return scalePrior{}, nil
	case len(x) == 2 && x[0] > 0 && x[1] > 0:
		return scalePrior{Shape: x[0], Rate: x[1]}, nil
	}
	return scalePrior{}, fmt.Errorf("model.json: scale prior %v is neither 1 nor a shape and a rate", x)
}
