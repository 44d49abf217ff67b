package crowd

import (
	"context"
	"math"

	"palate/internal/num"
)

// updateVoters infers every voter from that voter's votes alone, in so many steps
// or until one gains less.
func (e *engine) updateVoters(ctx context.Context, sweeps int, gain float64) {
	if e.c == 0 && !e.own {
		return
	}
	num.Parallel(e.Voters(), voterGrain, func(lo, hi int) {
		v := e.newVoter()
		for u := lo; u < hi && ctx.Err() == nil; u++ {
			v.fit(e.dim(u))
			e.climb(u, v, sweeps, gain)
		}
	})
}

// settledGain is how much a step must gain for a voter to take another, in nats.
const settledGain = 1e-6

// climb raises the bound in q(w_u): natural-gradient steps, halved where they
// would lower it. The uncertainty of the factors acts as a further precision of
// w before the votes, Σ_p s_p.
func (e *engine) climb(u int, v *voter, sweeps int, enough float64) {
	w, cov := e.weights(u)
	d := len(w)
	e.priorPrecisions(u, v.own)
	e.expectWeights(u, v.lead)
	value := e.naturalGradient(u, v)
	for range sweeps {
		copy(v.oldW, w)
		copy(v.oldCov, cov)
		oldLogDet := e.logDet[u]
		copy(v.target, v.prec)
		copy(v.pull, v.lin)
		var next float64
		for step := 1.0; ; step /= 2 {
			if step < 1.0/64 { // as high as rounding lets it go
				copy(w, v.oldW)
				copy(cov, v.oldCov)
				e.logDet[u] = oldLogDet
				e.expect(u, v)
				return
			}
			copy(cov, v.target)
			copy(v.w, v.pull)
			if step < 1 {
				copy(v.cov, v.oldCov)
				if _, ok := invert(v.cov, v.work, d); !ok {
					continue
				}
				for i := range v.cov {
					cov[i] += (1 - step) * (v.cov[i] - cov[i])
				}
				for i := range v.w {
					v.w[i] += (1 - step) * (num.Dot(v.cov[i*d:i*d+d], v.oldW) - v.w[i])
				}
			}
			logDet, ok := invert(cov, v.work, d)
			if !ok {
				continue
			}
			for i := range w {
				w[i] = num.Dot(cov[i*d:i*d+d], v.w)
			}
			e.logDet[u] = -logDet
			e.expect(u, v)
			if next = e.naturalGradient(u, v); notBelow(next, value) {
				break
			}
		}
		gain := next - value
		value = next
		if gain < enough {
			return
		}
	}
}

// naturalGradient returns the bound's part that belongs to w_u, and sets the natural
// parameters to which its natural gradient points.
func (e *engine) naturalGradient(u int, v *voter) float64 {
	w, cov := e.weights(u)
	d := len(w)
	clear(v.prec)
	clear(v.lin)
	sum := 0.5 * e.logDet[u]
	for i, own := range v.own {
		v.prec[i*d+i] = own
		sum -= 0.5 * own * (w[i]*w[i] + cov[i*d+i])
	}
	for c, x := range v.lead {
		v.lin[c] = x
		sum += x * w[c]
	}
	for p := e.start[u]; p < e.start[u+1]; p++ {
		sum += e.count[p] * e.g[p]
		tau := math.Max(0, -e.d2[p])
		e.addSite(p, v, tau, e.d1[p]+tau*e.mean(p, w))
	}
	return sum
}

// addSite adds the site exp(νz − τz²/2) of vote p to the natural parameters of
// its voter.
func (e *engine) addSite(p int, v *voter, tau, nu float64) {
	k, r := e.columns(), int(e.row[p])
	a := e.a[r*k : r*k+k]
	nu = e.count[p] * (nu - tau*a[0])
	for c, x := range a[1:] {
		v.lin[c] += nu * x
	}
	i, j := e.places(p)
	if i >= 0 {
		v.lin[i] += nu
	}
	if j >= 0 {
		v.lin[j] -= nu
	}
	addForm(v.prec, len(v.lin), a[1:], i, j, e.count[p]*tau)
}

// addForm adds τaaᵀ to a d×d matrix, for a form that takes a of the first dimensions, 1
// of dimension i and −1 of j, where they are not −1.
func addForm(prec []float64, d int, a []float64, i, j int, tau float64) {
	for k, x := range a {
		row := prec[k*d : k*d+d]
		for l, y := range a {
			row[l] += tau * x * y
		}
	}
	for _, own := range [2]struct {
		at   int
		sign float64
	}{{i, 1}, {j, -1}} {
		if own.at < 0 {
			continue
		}
		for k, x := range a {
			prec[k*d+own.at] += own.sign * tau * x
			prec[own.at*d+k] += own.sign * tau * x
		}
		prec[own.at*d+own.at] += tau
	}
	if i >= 0 && j >= 0 {
		prec[i*d+j] -= tau
		prec[j*d+i] -= tau
	}
}

// invert replaces the symmetric positive definite n×n matrix a by its inverse,
// both triangles, and returns log |a|. work holds n² numbers. It is not ok when
// a is not positive definite. Voters have a few factors each, but as many tastes of
// their own as there are features or items they voted on.
func invert(a, work []float64, n int) (logDet float64, ok bool) {
	if logDet, ok = num.Invert(work, a, n); ok {
		copy(a, work[:n*n])
		num.Mirror(a, n)
	}
	return logDet, ok
}
