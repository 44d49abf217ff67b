package model

import (
	"fmt"
	"math"
	"slices"

	"palate/infer"
)

// scalePrior is the prior of an inverse scale s. The zero value is half of a t
// distribution, of two degrees of freedom, over the deviation d = 1/√s of utilities in
// units of the noise of a vote, (1 + d²/2)^(−3/2): it has mass near zero, where votes
// are no better than coins, and lets go of large deviations slowly. Others are the
// Gamma of s of CROWD (4), which with shape and rate 1 all but rules out deviations
// below .3.
//
// With coins, votes are no better than coins with a probability of their own, coinShare, and
// infer.LogSpread is the prior where items do differ.
type scalePrior struct {
	gamma infer.Gamma // zero where there is none
	coins bool
}

// With a smaller share few votes on items that hardly differ claim too much, with a larger one
// chances of items that differ by the noise of a vote cost more.
const coinShare = 2.0 / 3

// logDensity returns the log density of log s, up to a constant, and its derivative.
func (p scalePrior) logDensity(logS float64) (lp, slope float64) {
	switch {
	case p.coins:
		return infer.LogSpread(logS)
	case p.gamma != (infer.Gamma{}):
		return p.gamma.LogDensityOfLog(logS)
	}
	square := math.Exp(-logS)
	return -0.5*logS - 1.5*math.Log1p(0.5*square), 1.5*square/(2+square) - 0.5
}

// asGamma is the prior where only a Gamma will do: that of CROWD's experiments unless
// another was given.
func (p scalePrior) asGamma() infer.Gamma {
	if p.gamma == (infer.Gamma{}) {
		return infer.Gamma{Shape: 1, Rate: 1}
	}
	return p.gamma
}

// numbers are how model.json has the prior: shape and rate of a Gamma, the scale of
// the t distribution alone, or share and power of that with coins, and the factor of d².
func (p scalePrior) numbers() []float64 {
	switch {
	case p.coins:
		return []float64{coinShare, infer.SpreadPower, 2}
	case p.gamma == (infer.Gamma{}):
		return []float64{1}
	}
	return []float64{p.gamma.Shape, p.gamma.Rate}
}

// scalePriorOf reads what numbers wrote.
func scalePriorOf(x []float64) (scalePrior, error) {
	coins := scalePrior{coins: true}
	switch {
	case len(x) == 1 && x[0] == 1:
		return scalePrior{}, nil
	case len(x) == 2 && x[0] > 0 && x[1] > 0:
		return scalePrior{gamma: infer.Gamma{Shape: x[0], Rate: x[1]}}, nil
	case slices.Equal(x, coins.numbers()):
		return coins, nil
	}
	return scalePrior{}, fmt.Errorf("model.json: scale prior %v is neither 1, nor a shape and a rate, nor %v", x, coins.numbers())
}
