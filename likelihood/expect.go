package likelihood

import (
	"math"

	"palate/internal/num"
	"palate/internal/simd"
)

// Expect is quadrature, with many points at a time.
func (l Probit) Expect(m, v float64) (e, d1, d2 float64) {
	if v <= 0 {
		return l.LogProb(m)
	}
	slope := 1 / l.noise()
	r := newRule(slope*(m-l.Offset), slope*math.Sqrt(v), probitFlat, 1)
	var z, room, h, rest [block]float64
	for w := r.points(&z, &room); len(w) > 0; w = r.points(&z, &room) {
		n := len(w)
		simd.Probit(z[:n], h[:n], rest[:n], z[:n])
		for k, x := range w {
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
	scale := 1.0
	if threshold <= 1 { // the zeros of Φ(u₁) − Φ(u₂) lie farther out than those of Φ
		scale = 1.3
	}
	rule := newRule(slope*m, slope*math.Sqrt(v), math.Inf(1), scale)
	var z, room, r, logs [block]float64
	var u, lp, h, rest [2 * block]float64
	for w := rule.points(&z, &room); len(w) > 0; w = rule.points(&z, &room) {
		n := len(w)
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
		for k, x := range w {
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
// functions that bend on the scale of 1 or wider.
type rule struct {
	mean, sd float64
	norm     float64   // that the weights are to be multiplied by
	x, w     []float64 // nodes and weights of Gauss–Hermite; nil for trapezoids
	step     float64   // width of trapezoids, in deviations
	next     int       // next trapezoid, counted from the mean
	last     int       // last trapezoid
}

// newRule returns the rule for what vanishes beyond a point and bends on a scale.
func newRule(mean, sd, end, scale float64) rule {
	r := rule{mean: mean, sd: sd, norm: 1}
	for k := range hermite {
		if g := &hermite[k]; sd <= scale*g.sd {
			r.x, r.w = g.x, g.w
			return r
		}
	}
	r.step = expectStep * min(1/sd, 1)
	r.norm = r.step / math.Sqrt(2*math.Pi)
	reach := math.Sqrt(-2 * tail)
	r.next, r.last = -int(reach/r.step), int(math.Floor(min(reach, (end-mean)/sd)/r.step))
	return r
}

// points sets some points and returns their weights, for which there is room; none at
// the end.
func (r *rule) points(z, room *[block]float64) (w []float64) {
	if r.step == 0 {
		w, r.w = r.w, nil
		for k := range w {
			z[k] = r.mean + r.sd*r.x[k]
		}
		return w
	}
	w = room[:max(0, min(block, r.last-r.next+1))]
	for k := range w {
		x := r.step * float64(r.next+k)
		z[k], w[k] = r.mean+r.sd*x, -0.5*x*x
	}
	simd.Exp(w, w)
	r.next += len(w)
	return w
}

// hermite are Gauss–Hermite rules, each right to 1e-10 up to a deviation, second
// derivatives included.
var hermite = func() (rules [6]struct {
	sd   float64
	x, w []float64
}) {
	for k, sd := range [...]float64{0.07, 0.3, 0.48, 0.64, 0.76, 0.88} {
		rules[k].sd = sd
		rules[k].x, rules[k].w = num.GaussHermite(4 * (k + 1))
	}
	return rules
}()
