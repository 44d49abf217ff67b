package drift

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/likelihood"
)

// Given how often the utility of each item jumped over every step it is a Gaussian process.
// Means, deviations and evidence of utilities that jump are near to those of the mixture over
// all that may have happened.
func TestJumps(t *testing.T) {
	p := Process{Stay: 0.6, Move: 1.2, Length: 4, Jumps: true}
	for seed := range uint64(4) {
		v := &Votes{Items: 2, Times: []float64{0, 1, 2}, Kinds: []likelihood.Scalar{likelihood.Probit{}}}
		rng := rand.New(rand.NewPCG(seed, 7))
		for period, lead := range []float64{0.5, 0.5, -1} { // one has jumped
			wins := 0
			for range 8 {
				if lead+rng.NormFloat64() > 0 {
					wins++
				}
			}
			for _, r := range []Row{{Period: int32(period), A: 0, B: 1, Count: float64(wins)}, {Period: int32(period), A: 1, B: 0, Count: float64(8 - wins)}} {
				if r.Count > 0 {
					v.Rows = append(v.Rows, r)
				}
			}
		}
		g, q := settledAt(t, v, p)
		w := q.view(nil)
		at := make([]int32, len(g.tau))
		for s := range at {
			at[s] = int32(s)
		}
		mean, cov := q.system(w, &q.Members[0]).moments(at)
		wantMean, wantCov, log := mixed(t, g, p)
		for s := range at {
			sd := math.Sqrt(wantCov.At(s, s))
			if off, ratio := (mean[s]-wantMean[s])/sd, math.Sqrt(cov.At(s, s))/sd; math.Abs(off) > 0.15 || ratio < 0.8 || ratio > 1.2 {
				t.Errorf("seed %d, state %d: mean off by %.3f sd, sd by a factor of %.3f", seed, s, off, ratio)
			}
		}
		if e := g.evidence(); math.Abs(e-log) > 0.25 {
			t.Errorf("seed %d: evidence %.3f, of the mixture %.3f", seed, e, log)
		}
	}
}

// mixed is mean, covariance and log evidence over all numbers of jumps at every step.
func mixed(t *testing.T, g *graph, p Process) ([]float64, *mat.SymDense, float64) {
	t.Helper()
	n := len(g.chain.time)
	var steps []int
	for s := range n {
		if g.chain.lag(s) > 0 {
			steps = append(steps, s)
		}
	}
	var logs []float64
	var means [][]float64
	var covs []*mat.SymDense
	jumps := make([]int, n)
	var try func(k int, log float64)
	try = func(k int, log float64) {
		if k < len(steps) {
			for number, w := range p.hops(g.chain.lag(steps[k])) {
				jumps[steps[k]] = number
				try(k+1, log+math.Log(w))
			}
			return
		}
		cov := mat.NewSymDense(n, nil)
		for i := range g.Items {
			for s := int(g.chain.start[i]); s < int(g.chain.start[i+1]); s++ {
				c := p.Stay * p.Stay
				for u := int(g.chain.start[i]); u <= s; u++ { // what both have gone through
					c += float64(jumps[u]) * p.Move * p.Move
					cov.SetSym(s, u, c)
				}
			}
		}
		r := g.under(t, cov)
		logs, means, covs = append(logs, log+r.Objective), append(means, r.Posterior.Utilities()), append(covs, r.Posterior.Covariance())
	}
	try(0, 0)
	best := math.Inf(-1)
	for _, x := range logs {
		best = max(best, x)
	}
	var sum float64
	mean, cov := make([]float64, n), mat.NewSymDense(n, nil)
	for k, x := range logs {
		sum += math.Exp(x - best)
		for s, m := range means[k] {
			mean[s] += math.Exp(x-best) * m
		}
	}
	for s := range mean {
		mean[s] /= sum
	}
	for k, x := range logs {
		for s := range n {
			for u := range s + 1 {
				more := math.Exp(x-best) / sum * (covs[k].At(s, u) + (means[k][s]-mean[s])*(means[k][u]-mean[u]))
				cov.SetSym(s, u, cov.At(s, u)+more)
			}
		}
	}
	return mean, cov, best + math.Log(sum)
}
