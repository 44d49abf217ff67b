package crowd

import (
	"math"

	"palate/internal/simd"
)

// tie is likelihood.Expect of a unit Tie, all points at once. Where u₁ = t − |z|
// and u₂ = −t − |z|, p = Φ(u₁) − Φ(u₂) is Φ(u₁)(1 − r) with r = Φ(u₂)/Φ(u₁), which
// is accurate in both tails.
func (q *quadrature) tie(threshold, mean, variance float64) (e, d1, d2 float64) {
	sd := math.Sqrt(variance)
	_, w, norm := q.rule(mean, sd, math.Inf(1))
	n := len(w)
	z := q.z[:2*n]
	for k := n - 1; k >= 0; k-- {
		x := math.Abs(z[k])
		q.side[k] = math.Copysign(1, -z[k])
		z[k], z[n+k] = threshold-x, -threshold-x
	}
	simd.Probit(q.lp[:2*n], q.h[:2*n], q.rest[:2*n], z)
	for k := range n {
		q.rest[k] = q.lp[n+k] - q.lp[k]
	}
	r, rest := q.rest[:n], q.rest[n:2*n]
	simd.Exp(r, r)
	for k, x := range r {
		rest[k] = 1 - x
	}
	if threshold < 1e-3 { // 1 − r cancels
		for k := range rest {
			rest[k] = -math.Expm1(q.lp[n+k] - q.lp[k])
		}
	}
	logs := q.side[n : 2*n]
	simd.Log(logs, rest)
	for k, x := range w {
		h1, h2 := q.h[k]/rest[k], q.h[n+k]*r[k]/rest[k]
		slope := h1 - h2
		e += x * (q.lp[k] + logs[k])
		d1 += x * q.side[k] * slope
		d2 += x * (z[n+k]*h2 - z[k]*h1 - slope*slope)
	}
	return e * norm, d1 * norm, d2 * norm
}
