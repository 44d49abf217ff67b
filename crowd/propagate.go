package crowd

import (
	"context"
	"math"

	"palate/internal/num"
	"palate/likelihood"
)

// propagation infers voters by EP, consensus and factors being as they are: factors
// at their means, and what is not known of the consensus as noise of the vote. The
// sites of votes are kept from one time to the next.
type propagation struct {
	*engine
	ctx     context.Context // voters are left as they are when it has ended
	tau, nu []float64       // of one count of every vote
}

func newPropagation(ctx context.Context, e *engine) *propagation {
	return &propagation{e, ctx, make([]float64, e.Len()), make([]float64, e.Len())}
}

// all infers every voter with utilities √x times what they are, and returns the
// logarithm of the evidence with its derivative in log x. Where voters are to be
// noted x is 1: means and covariances of their dimensions, and what every vote says
// of z.
func (g *propagation) all(x float64, note bool) (evidence, slope float64) {
	height, rise := make([]float64, g.Voters()), make([]float64, g.Voters())
	num.Parallel(len(height), voterGrain, func(lo, hi int) {
		b := &ballot{}
		for u := lo; u < hi && g.ctx.Err() == nil; u++ {
			g.begin(b, u, x)
			height[u], rise[u] = g.infer(b, u, x)
			if note {
				g.note(b, u)
			}
		}
	})
	return total(height), total(rise)
}

// begin sets what is known before the votes.
func (g *propagation) begin(b *ballot, u int, x float64) {
	first, k := g.start[u], g.columns()
	b.room(g.start[u+1]-first, g.dim(u), g.c)
	g.before(b.own)
	for i := range b.own {
		b.own[i] /= x
	}
	g.expectWeights(u, b.lead)
	clear(b.start)
	copy(b.start, b.lead)
	for t := range b.tau {
		p := first + t
		a := g.a[int(g.row[p])*k:][:k]
		b.at[t] = math.Sqrt(x) * a[0]
		i, j := g.places(p)
		b.see(t, a[1:], i, j)
		b.tau[t], b.nu[t] = g.count[p]*g.tau[p], g.count[p]*g.nu[p]
	}
}

// Sweeps of EP end when no site moves by more than this, in deviations, or after so
// many. Sites move together, so they are damped, the more the more votes there are
// for an item, and more again when they do not settle.
const (
	settledSite  = 1e-4
	mostSweeps   = 60
	slowest      = 0.1
	eager        = 0.9
	cautious     = 0.65
	manyVotes    = 3 // for an item
	shouldSettle = 0.95
)

// infer makes sweeps of EP, and returns the log evidence of the voter's votes with
// its derivative in log x. At a fixed point that is as though sites were given:
// with z = a₀ + Aw of mean a under w ~ N(w₀, I) and w's mean ŵ,
// ½(αᵀa + |ŵ−w₀|² − Σ τ Var z), α = ν − τE[z], and for noise of variance s a vote ½s(D₁² + D₂).
func (g *propagation) infer(b *ballot, u int, x float64) (evidence, slope float64) {
	first, k := g.start[u], g.columns()
	logDet := b.factor()
	b.solve()
	damp, last := eager, math.Inf(1)
	if len(b.tau) > manyVotes*(len(b.own)-g.c) {
		damp = cautious
	}
	for sweep := range mostSweeps {
		var moved float64
		evidence, slope = 0, 0
		for t, v := range b.variance {
			p := first + t
			tau, nu, mean, noise := g.tau[p], g.nu[p], b.mean[t], x*g.s[int(g.row[p])*k]
			left := 1 - tau*v // the cavity's precision, times v
			if !(left > 0) {
				continue
			}
			cv, cm := v/left, (mean-nu*v)/left
			tilted := likelihood.Tilt(g.lik[g.kind[p]], cm, cv+noise)
			shrink := tilted.Shrink - tilted.D2*noise
			toTau, toNu := -tilted.D2/shrink, (tilted.D1-cm*tilted.D2)/shrink
			wide := 1 + tau*cv
			evidence += g.count[p] * (tilted.LogZ + 0.5*math.Log(wide) - 0.5*(nu*nu*cv+2*nu*cm-tau*cm*cm)/wide)
			slope += 0.5 * g.count[p] * noise * (tilted.D1*tilted.D1 + tilted.D2)
			moved = max(moved, math.Abs(toTau-tau)*v, math.Abs(toNu-nu-(toTau-tau)*mean)*math.Sqrt(v))
			g.tau[p] += damp * (max(toTau, 0) - tau)
			g.nu[p] += damp * (toNu - nu)
		}
		if moved < settledSite || sweep == mostSweeps-1 {
			break
		}
		if sweep > 3 && moved > shouldSettle*last {
			damp = max(slowest, 0.7*damp)
		}
		last = moved
		for t := range b.tau {
			p := first + t
			b.tau[t], b.nu[t] = g.count[p]*g.tau[p], g.count[p]*g.nu[p]
		}
		logDet = b.factor()
		b.solve()
	}
	evidence -= 0.5 * logDet
	for t, tau := range b.tau {
		a := b.at[t] + dot(b.row(t), b.start)
		evidence += b.nu[t]*a - 0.5*tau*a*a + 0.5*(b.nu[t]-tau*a)*(b.mean[t]-a)
		slope += 0.5 * ((b.nu[t]-tau*b.mean[t])*a - tau*b.variance[t])
	}
	for i, y := range b.x {
		slope += 0.5 * (y - b.start[i]) * (y - b.start[i])
	}
	return evidence, slope
}

// note writes down what was found of the voter.
func (g *propagation) note(b *ballot, u int) {
	for t, tau := range b.tau {
		p := g.start[u] + t
		g.d1[p], g.d2[p] = (b.nu[t]-tau*b.mean[t])/g.count[p], -tau/g.count[p]
	}
	w, cov := g.weights(u)
	for i, x := range b.x {
		w[i] = x / math.Sqrt(b.own[i])
	}
	g.logDet[u] = b.covariance(cov)
}
