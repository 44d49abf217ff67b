package active

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
)

// BALD asks for the most information: the expected drop in entropy of the two
// utilities (Houlsby, Huszár, Ghahramani, Lengyel 2011), without their
// approximation.
type BALD struct{}

func (BALD) start(context.Context, *view, *rand.Rand) (scorer, error) {
	table, limits := gains(), gainLimits()
	return rowFunc(func(dst []float64, _ int, _ []int, d, v, need []float64) {
		d, v, need = d[:len(dst)], v[:len(dst)], need[:len(dst)]
		for k := range dst {
			// Most pairs cannot reach what is needed: they are too well known, or too
			// far apart. That takes no logarithm to see.
			if limits.exclude(d[k], v[k], need[k]) {
				dst[k] = math.Inf(-1)
				continue
			}
			dst[k] = table.log(d[k], v[k])
		}
	}), nil
}

// limitTable bounds the log gain, at steps of 1/limitGrain below zero: the
// variance that it takes even where d is 0, and the largest u² = d²/(1+v) at
// which it can be had however large the variance.
type limitTable struct {
	v, u2 [limitSteps]float64
}

const (
	limitGrain = 8
	limitSteps = 40 * limitGrain
)

func (t *limitTable) exclude(d, v, need float64) bool {
	if !(need < 0) {
		return true // no answer gives more than one bit
	}
	if need < 1-limitSteps/limitGrain {
		return !(v > 0)
	}
	k := int(-need * limitGrain)
	return v < t.v[k+1] || d*d > t.u2[k+1]*(1+v)
}

// gainLimits inverts the gain at the two ends of its table by bisection.
var gainLimits = sync.OnceValue(func() *limitTable {
	t := new(limitTable)
	invert := func(lo, hi float64, inside func(x float64) bool) float64 {
		for range 60 {
			if mid := 0.5 * (lo + hi); inside(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	table := gains()
	for k := range limitSteps {
		need := -float64(k) / limitGrain
		// Slightly more is let through than can matter, for the table's own error.
		slack := need - 1e-3
		logV := invert(-45, 30, func(x float64) bool { return table.log(0, math.Exp(x)) < slack })
		u := invert(0, uMax, func(u float64) bool { return math.Log(gainRatio(u, 0)) > slack })
		t.v[k], t.u2[k] = math.Exp(logV), u*u
	}
	return t
})
