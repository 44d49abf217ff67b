package infer

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Gamma is a distribution over an inverse scale, with density proportional to
// s^(Shape−1) e^(−Rate·s). (CROWD calls its rate a scale.)
type Gamma struct {
	Shape, Rate float64
}

// Mean returns E[s].
func (g Gamma) Mean() float64 { return g.Shape / g.Rate }

// MeanLog returns E[log s] (CROWD (55), corrected).
func (g Gamma) MeanLog() float64 { return mathext.Digamma(g.Shape) - math.Log(g.Rate) }

// LogDensityOfLog returns the log density of log s, up to a constant, and its
// derivative in log s: what a search over log s should add.
func (g Gamma) LogDensityOfLog(logS float64) (lp, d float64) {
	s := math.Exp(logS)
	return g.Shape*logS - g.Rate*s, g.Shape - g.Rate*s
}

// KL returns the divergence of g from p.
func (g Gamma) KL(p Gamma) float64 {
	lg, _ := math.Lgamma(g.Shape)
	lp, _ := math.Lgamma(p.Shape)
	return (g.Shape-p.Shape)*mathext.Digamma(g.Shape) - lg + lp +
		p.Shape*(math.Log(g.Rate)-math.Log(p.Rate)) + g.Shape*(p.Rate-g.Rate)/g.Rate
}
