package infer

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// The moments and the divergence of a Gamma, by drawing from it.
func TestGamma(t *testing.T) {
	g, p := Gamma{Shape: 2.5, Rate: 0.8}, Gamma{Shape: 1.2, Rate: 2}
	dist := distuv.Gamma{Alpha: g.Shape, Beta: g.Rate, Src: rand.NewPCG(1, 1)}
	prior := distuv.Gamma{Alpha: p.Shape, Beta: p.Rate}
	const n = 400000
	var mean, meanLog, kl float64
	for range n {
		s := dist.Rand()
		mean += s / n
		meanLog += math.Log(s) / n
		kl += (dist.LogProb(s) - prior.LogProb(s)) / n
	}
	near(t, "E[s]", g.Mean(), mean, 0.01)
	near(t, "E[log s]", g.MeanLog(), meanLog, 0.01)
	near(t, "KL", g.KL(p), kl, 0.02)
	near(t, "KL to itself", g.KL(g), 0, 1e-12)
	// The density of log s, up to a constant.
	a, d := g.LogDensityOfLog(0.3)
	b, _ := g.LogDensityOfLog(-0.4)
	want := dist.LogProb(math.Exp(0.3)) + 0.3 - dist.LogProb(math.Exp(-0.4)) + 0.4
	near(t, "log density", a-b, want, 1e-12)
	up, _ := g.LogDensityOfLog(0.3 + 1e-6)
	down, _ := g.LogDensityOfLog(0.3 - 1e-6)
	near(t, "slope", d, (up-down)/2e-6, 1e-8)
}
