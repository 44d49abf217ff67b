package likelihood

import (
	"math"
	"sync"

	"palate/internal/num"
	"palate/internal/simd"
)

// Expect is quadrature, with many points at a time.
func (l Probit) Expect(m, v float64) (e, d1, d2 float64) {
	if v <= 0 {
		return l.LogProb(m)
	}
	slope := 1 / l.noise()
	r := newRule(slope*(m-l.Offset), slope*math.Sqrt(v), probitFlat)
	var z, w, h, rest [block]float64
	for n := r.points(&z, &w); n > 0; n = r.points(&z, &w) {
		simd.Probit(z[:n], h[:n], rest[:n], z[:n])
		for k, x := range w[:n] {
			e += x * z[k]
			d1 += x * h[k]
			d2 -= x * (1 - rest[k])
		}
	}
	return r.norm * e, r.norm * slope * d1, r.norm * slope * slope * d2
}

// Expect is quadrature, with many points at a time. Where u₁ = t − |z| and
// u₂ = −t − |z|, p = Φ(u₁) − Φ(u₂) is Φ(u₁)(1 − r) with r = Φ(u₂)/Φ(u₁), which is
// accurate in both tails.
func (l Tie) Expect(m, v float64) (e, d1, d2 float64) {
	if v <= 0 {
		return l.LogProb(m)
	}
	slope := 1 / l.Width()
	threshold := slope * l.Threshold
	rule := newRule(slope*m, slope*math.Sqrt(v), math.Inf(1))
	var z, w, r, logs [block]float64
	var u, lp, h, rest [2 * block]float64
	for n := rule.points(&z, &w); n > 0; n = rule.points(&z, &w) {
		for k, x := range z[:n] {
			x = math.Abs(x)
			u[k], u[n+k] = threshold-x, -threshold-x
		}
		simd.Probit(lp[:2*n], h[:2*n], rest[:2*n], u[:2*n])
		for k := range n {
			r[k] = lp[n+k] - lp[k]
		}
		left := rest[:n] // 1 − r
		if threshold < 1e-3 {
			for k, x := range r[:n] { // 1 − r cancels
				left[k] = -math.Expm1(x)
			}
		}
		simd.Exp(r[:n], r[:n])
		if threshold >= 1e-3 {
			for k, x := range r[:n] {
				left[k] = 1 - x
			}
		}
		simd.Log(logs[:n], left)
		for k, x := range w[:n] {
			h1, h2 := h[k]/left[k], h[n+k]*r[k]/left[k]
			g := h1 - h2
			e += x * (lp[k] + logs[k])
			d1 -= x * math.Copysign(g, z[k])
			d2 += x * (u[n+k]*h2 - u[k]*h1 - g*g)
		}
	}
	return rule.norm * e, rule.norm * slope * d1, rule.norm * slope * slope * d2
}

// block is how many points are taken at a time.
const block = 24

// rule goes through points and weights for expectations under N(mean, sd²), of
// functions that bend on the scale of 1.
type rule struct {
	mean, sd float64
	norm     float64   // that the weights are to be multiplied by
	x, w     []float64 // Gauss–Hermite, or
	step     float64   // trapezoids, so many deviations apart,
	next     int       // the next of them counted from the mean,
	last     int       // and the last
}

// newRule returns the rule for what vanishes beyond a point.
func newRule(mean, sd, end float64) rule {
	r := rule{mean: mean, sd: sd, norm: 1}
	hermite := &rules().hermite
	for k := range hermite {
		if g := &hermite[k]; sd <= g.sd {
			r.x, r.w, r.last = g.x, g.w, len(g.x)-1
			return r
		}
	}
	r.step = expectStep * min(1/sd, 1)
	r.norm = r.step / math.Sqrt(2*math.Pi)
	reach := math.Sqrt(-2 * tail)
	r.next, r.last = -int(reach/r.step), int(math.Floor(min(reach, (end-mean)/sd)/r.step))
	return r
}

// points sets some points and their weights, and returns how many; 0 at the end.
func (r *rule) points(z, w *[block]float64) int {
	n := max(0, min(block, r.last-r.next+1))
	switch {
	case r.step == 0:
		for k := range n {
			z[k], w[k] = r.mean+r.sd*r.x[r.next+k], r.w[r.next+k]
		}
	case r.step == expectStep:
		usual := rules().usual
		for k := range n {
			i := r.next + k
			z[k], w[k] = r.mean+r.sd*r.step*float64(i), usual[max(i, -i)]
		}
	default:
		for k := range n {
			x := r.step * float64(r.next+k)
			z[k], w[k] = r.mean+r.sd*x, -0.5*x*x
		}
		simd.Exp(w[:n], w[:n])
	}
	r.next += n
	return n
}

// table is what rules have in common.
type table struct {
	hermite [3]struct { // Gauss–Hermite points that are right up to a deviation
		sd   float64
		x, w []float64
	}
	usual []float64 // e^(−x²/2) at the usual step
}

// rules makes the table. Gauss–Hermite is right to 1e-10 there, second derivatives
// included.
var rules = sync.OnceValue(func() *table {
	t := &table{}
	for k, g := range [3]struct {
		sd     float64
		points int
	}{{0.3, 8}, {0.45, 12}, {0.65, 16}} {
		t.hermite[k].sd = g.sd
		t.hermite[k].x, t.hermite[k].w = num.GaussHermite(g.points)
	}
	for x := 0.0; x*x <= -2*tail; x += expectStep {
		t.usual = append(t.usual, math.Exp(-0.5*x*x))
	}
	return t
})
