package active

import (
	"context"
	"math"
	"math/rand/v2"
)

// LEL asks where the expected loss from misordering the pair is largest: the
// squared error of the difference where its sign is wrong, LINK (26)–(28). The
// decay with rank, LINK's e^−γ, is the business of the goal.
type LEL struct{}

func (LEL) start(context.Context, *view, *rand.Rand) (scorer, error) {
	return rowFunc(func(dst []float64, _ int, _ []int, d, v, need []float64) {
		for k := range dst {
			if v[k] < 2*math.Exp(need[k]) { // the loss is at most v/2
				dst[k] = math.Inf(-1)
				continue
			}
			dst[k] = LogLoss(d[k], v[k])
		}
	}), nil
}

// LogLoss returns the logarithm of the expected loss of ordering a pair by the
// sign of d when the difference is N(d, v): LINK (28) for either order of the
// pair, log v + log(Φ(−a) + aφ(a)), a = |d|/√v.
func LogLoss(d, v float64) float64 {
	if !(v > 0) {
		return math.Inf(-1)
	}
	a := math.Abs(d) / math.Sqrt(v)
	if a < 20 {
		return math.Log(v * (tail(a) + a*math.Exp(-0.5*a*a)/math.Sqrt(2*math.Pi)))
	}
	// Φ(−a) = φ(a)/a·(1 − 1/a² + …), which underflows; its logarithm does not.
	return math.Log(v) - 0.5*a*a - 0.5*math.Log(2*math.Pi) + math.Log(a+1/a-1/(a*a*a))
}
