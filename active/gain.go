package active

import (
	"math"
	"sync"
)

// Gain returns the information, in bits, that one answer is expected to give
// about a difference of utilities N(d, v): the mutual information
// H(E Φ(x)) − E H(Φ(x)), x ~ N(d, v), by quadrature.
func Gain(d, v float64) float64 {
	d = math.Abs(d)
	if !(v > 0) {
		return 0
	}
	r := math.Sqrt(1 + v)
	q := tail(d / r)
	// The expected divergence of Φ(x) from its mean: every term is positive, so
	// that nothing cancels where there is little to learn. The trapezium rule
	// converges exponentially for these integrands; the step follows the
	// narrower of the Gaussian and the divergence.
	sd := math.Sqrt(v)
	step := 0.15 * math.Min(1, 1/sd)
	const reach = 8.3 // the Gaussian is 4e-16 of its peak there
	var sum float64
	for k := -int(reach / step); k <= int(reach/step); k++ {
		z := float64(k) * step
		sum += math.Exp(-0.5*z*z) * divergence(tail(d+sd*z), q)
	}
	return sum * step / math.Sqrt(2*math.Pi) / math.Ln2
}

// tail is Φ(−x).
func tail(x float64) float64 { return 0.5 * math.Erfc(x/math.Sqrt2) }

// divergence is that of a coin with chance p from one with chance q, in nats.
func divergence(p, q float64) float64 {
	var s float64
	if p > 0 {
		s += p * math.Log(p/q)
	}
	if p < 1 {
		s -= (1 - p) * math.Log1p((p-q)/(1-p))
	}
	return math.Max(s, 0)
}

// The table is over u = d/√(1+v) and s = 1/√(1+v), in which the gain over 1−s²
// is smooth up to both ends: s = 1, where nothing is left to learn, and s = 0,
// where nothing is known.
const (
	uMax, uSteps = 8.0, 80
	sSteps       = 32
)

// gainTable holds log(gain/(1−s²)) with one more row and column all around, for
// cubic interpolation.
type gainTable [uSteps + 3][sSteps + 3]float64

// gains makes the table when first asked for: 2,700 integrals, some 20 ms.
var gains = sync.OnceValue(func() *gainTable {
	t := new(gainTable)
	for i := range uSteps + 2 {
		u := float64(i) * uMax / uSteps
		for j := range sSteps + 1 {
			t[i+1][j+1] = math.Log(gainRatio(u, float64(j)/sSteps))
		}
		row := &t[i+1] // beyond the ends: as the four nearest go on
		row[0] = 4*row[1] - 6*row[2] + 4*row[3] - row[4]
		row[sSteps+2] = 4*row[sSteps+1] - 6*row[sSteps] + 4*row[sSteps-1] - row[sSteps-2]
	}
	t[0] = t[2] // the gain is even in d
	return t
})

// gainRatio is the gain over 1−s², with its limits at both ends.
func gainRatio(u, s float64) float64 {
	q := tail(u)
	switch s {
	case 0: // H(Φ(u))
		return -(q*math.Log(q) + (1-q)*math.Log1p(-q)) / math.Ln2
	case 1: // φ²/(2ΦΦ̄), half the Fisher information of d
		f := math.Exp(-0.5*u*u) / math.Sqrt(2*math.Pi)
		return f * f / (2 * q * (1 - q)) / math.Ln2
	}
	return Gain(u/s, 1/(s*s)-1) / (1 - s*s)
}

// log returns the logarithm of the gain, or −∞ where it is below 1e-15 or so.
func (t *gainTable) log(d, v float64) float64 {
	s := 1 / math.Sqrt(1+v)
	u := math.Abs(d) * s
	if !(v > 0) || u >= uMax {
		return math.Inf(-1)
	}
	x, y := u*(uSteps/uMax), s*sSteps
	i, j := int(x), min(int(y), sSteps-1)
	x, y = x-float64(i), y-float64(j)
	// Catmull–Rom weights.
	a0, a1, a2, a3 := cubic(x)
	b0, b1, b2, b3 := cubic(y)
	r0, r1, r2, r3 := (*[4]float64)(t[i][j:]), (*[4]float64)(t[i+1][j:]), (*[4]float64)(t[i+2][j:]), (*[4]float64)(t[i+3][j:])
	return a0*(b0*r0[0]+b1*r0[1]+b2*r0[2]+b3*r0[3]) +
		a1*(b0*r1[0]+b1*r1[1]+b2*r1[2]+b3*r1[3]) +
		a2*(b0*r2[0]+b1*r2[1]+b2*r2[2]+b3*r2[3]) +
		a3*(b0*r3[0]+b1*r3[1]+b2*r3[2]+b3*r3[3]) + math.Log(v*s*s)
}

// cubic returns the weights of the four nodes around a point at x of the way
// from the second to the third.
func cubic(x float64) (a, b, c, d float64) {
	x2 := x * x
	x3 := x2 * x
	return 0.5 * (2*x2 - x - x3), 1 + 0.5*(3*x3-5*x2), 0.5 * (x + 4*x2 - 3*x3), 0.5 * (x3 - x2)
}
