package model

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// parameter is a positive quantity to learn, held as its logarithm x within
// bounds.
type parameter struct {
	name   string
	lo, hi float64 // of the logarithm
	at     float64 // where to start
	// deviation is how the logarithm of the variance of a part of utilities goes with x, where
	// that has a prior; 0: it does not.
	deviation float64
	rate      float64 // of the prior of that part, see logPartPrior
}

// The optimiser moves freely in u; x = lo + (hi−lo)·σ(u) stays within bounds.
func (p parameter) inside(u float64) (x, slope float64) {
	s := 1 / (1 + math.Exp(-u))
	return p.lo + (p.hi-p.lo)*s, (p.hi - p.lo) * s * (1 - s)
}

func (p parameter) outside(x float64) float64 {
	s := min(max((x-p.lo)/(p.hi-p.lo), 1e-3), 1-1e-3)
	return math.Log(s / (1 - s))
}

// maximise climbs f, which returns its value and gradient in the logarithms,
// by L-BFGS from where the parameters start, with a first step of a length that is short
// where that is not far from the top (0: as it comes), and returns the best logarithms
// seen. It stops when the value no longer grows by more than gain, over some steps or, as
// where the gradient is not quite that of the value, within one; after rounds
// evaluations; or with the error of ctx.
func maximise(ctx context.Context, params []parameter, first, gain float64, rounds int, f func(x []float64) (float64, []float64, error)) ([]float64, error) {
	start, unit := make([]float64, len(params)), make([]float64, len(params))
	for i, p := range params {
		if start[i], unit[i] = p.outside(p.at), 1; first > 0 {
			_, slope := p.inside(start[i])
			unit[i] = first / slope
		}
		start[i] /= unit[i]
	}
	best, bestValue := make([]float64, len(params)), math.Inf(-1)
	for i, p := range params {
		best[i] = p.at
	}
	var failure error
	idle := 0  // evaluations since the value last grew
	still := 0 // those at the best point, to all intents, without growing from there
	// gonum asks for value and gradient apart; both come from one evaluation.
	var lastU, lastG []float64
	var lastF float64
	eval := func(u []float64) (float64, []float64) {
		if lastU != nil && equal(u, lastU) {
			return lastF, lastG
		}
		x, slope := make([]float64, len(u)), make([]float64, len(u))
		for i, p := range params {
			x[i], slope[i] = p.inside(unit[i] * u[i])
			slope[i] *= unit[i]
		}
		v, g, err := f(x)
		if err != nil || math.IsNaN(v) {
			failure = errors.Join(failure, err)
			v, g = math.Inf(-1), make([]float64, len(u))
		}
		still++
		for i := range x {
			if math.Abs(x[i]-best[i]) > nearest {
				still = 0
			}
		}
		if idle++; v > bestValue+gain {
			idle, still = 0, 0
		}
		if v > bestValue {
			bestValue = v
			copy(best, x)
		}
		lastU, lastF, lastG = append(lastU[:0], u...), -v, make([]float64, len(u))
		for i := range g {
			lastG[i] = -g[i] * slope[i]
		}
		return lastF, lastG
	}
	problem := optimize.Problem{
		Func: func(u []float64) float64 { v, _ := eval(u); return v },
		Grad: func(dst, u []float64) { _, g := eval(u); copy(dst, g) },
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.RuntimeLimit, nil
			}
			if idle > patience || still > stillness {
				return optimize.FunctionConvergence, nil
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := &optimize.Settings{
		FuncEvaluations: rounds,
		Converger:       &optimize.FunctionConverge{Absolute: gain, Iterations: 3},
	}
	_, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{Store: 20})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if math.IsInf(bestValue, -1) {
		return nil, errors.Join(err, failure)
	}
	// A line search that finds no further progress at the optimum is no failure:
	// the best point seen stands.
	return best, nil
}

// patience is how many evaluations maximise looks on at a value that does not grow, and
// stillness how many where all logarithms are as near as nearest to the best ones: a line
// search that has nowhere to go.
const (
	patience  = 12
	stillness = 2
	nearest   = 1e-4
)

func equal(a, b []float64) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
