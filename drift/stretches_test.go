package drift

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate/internal/num"
)

// What stretches say of a utility that jumps is what all that may have happened says, which one
// normal is not; and quantiles are those of the mixture.
func TestStretches(t *testing.T) {
	p := Process{Stay: 0.7, Move: 1.3, Length: 5, Jumps: true}
	var worst, normal float64
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		c := &chain{start: []int32{0, 7}, time: []float64{0, 0, 1, 2, 3.5, 4, 5}}
		tau, nu := make([]float64, 7), make([]float64, 7)
		at := 0.7 * rng.NormFloat64()
		for s := 1; s < 7; s++ {
			if rng.Float64() < 0.2 {
				at += 1.3 * rng.NormFloat64()
			}
			tau[s] = 1 + 3*rng.Float64()
			nu[s] = tau[s]*at + math.Sqrt(tau[s])*rng.NormFloat64()
		}
		w := newPassage(c)
		w.set(p)
		for range 100 {
			w.smooth(tau, nu)
			w.updateHops(0.5)
		}
		x := w.stretches(0, nu)
		for s := 1; s < 7; s++ {
			exact, got := enumerated(c, p, tau, nu, s), x.at(s)
			mean, variance := w.all(int32(s), nu[s])
			q := got.quantiles()
			for z := -3.0; z <= 3; z += 0.1 {
				u := mean + z*math.Sqrt(variance)
				want := exact.below(u)
				worst = max(worst, math.Abs(got.below(u)-want))
				normal = max(normal, math.Abs(num.Phi(z)-want))
				if rank := got.below(q.at(z)); math.Abs(rank-num.Phi(z)) > 0.005 {
					t.Errorf("seed %d, state %d: the quantile at %.1f has rank %.4f", seed, s, z, rank)
				}
			}
		}
	}
	t.Logf("probabilities off by at most %.4f, of one normal by %.4f", worst, normal)
	if worst > 0.02 || normal < 5*worst {
		t.Errorf("probabilities off by %.4f, of one normal by %.4f", worst, normal)
	}
}

// below is the probability of less than x.
func (m normals) below(x float64) (p float64) {
	for k, w := range m.weight {
		p += w * num.Phi((x-m.mean[k])/m.sd[k])
	}
	return p
}

// enumerated is what is known of state s over all numbers of jumps at every step.
func enumerated(c *chain, p Process, tau, nu []float64, s int) normals {
	var all []known
	n := len(c.time)
	jumps := make([]int, n)
	var try func(k int, log float64)
	try = func(k int, log float64) {
		if k < n && c.lag(k) == 0 {
			try(k+1, log)
			return
		}
		if k < n {
			for number, w := range p.hops(c.lag(k)) {
				jumps[k] = number
				try(k+1, log+math.Log(w))
			}
			return
		}
		step := func(k int) Hop { return Hop{Variance: float64(jumps[k]) * p.Move * p.Move} }
		at := known{log: log, variance: p.Stay * p.Stay}
		for k := range s + 1 {
			at = at.after(step(k), 0).given(quadratic{0, nu[k], tau[k]})
		}
		var rest quadratic
		for k := n - 1; k > s; k-- {
			rest = rest.times(quadratic{0, nu[k], tau[k]}).before(step(k))
		}
		all = append(all, at.given(rest))
	}
	try(0, 0)
	return mixture(all)
}
