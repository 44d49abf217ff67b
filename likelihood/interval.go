package likelihood

import "math"

// Interval is the likelihood of a rating in one of several ordered classes: what a person
// makes of an item, z with noise, lies between the two cut points of the class,
// p(z) = Φ((Hi−z)/Noise) − Φ((Lo−z)/Noise). Noise 0 stands for 1. The lowest class has no Lo
// (−∞) and the highest no Hi (+∞).
type Interval struct {
	Noise, Lo, Hi float64
}

// Width returns the noise.
func (l Interval) Width() float64 { return unless0(l.Noise) }

// Flat is where the highest class is sure to rounding; other classes are nowhere.
func (l Interval) Flat() float64 {
	if !math.IsInf(l.Hi, 1) {
		return math.Inf(1)
	}
	return Probit{Noise: l.Noise, Offset: l.Lo}.Flat()
}

// LogProb returns log p(z) and its derivatives.
func (l Interval) LogProb(z float64) (lp, d1, d2 float64) {
	t := l.Tilt(z, 0)
	return t.LogZ, t.D1, t.D2
}

// Tilt integrates in closed form: a class in the middle is a tie around its middle, and one at
// an end is a win or a loss.
func (l Interval) Tilt(m, v float64) Tilted {
	n2 := l.Width() * l.Width()
	switch {
	case math.IsInf(l.Hi, 1):
		return tiltProbit(m-l.Lo, n2, v)
	case math.IsInf(l.Lo, -1):
		t := tiltProbit(l.Hi-m, n2, v)
		t.D1 = -t.D1
		return t
	}
	return tiltWindow((l.Hi-l.Lo)/2, m-(l.Hi+l.Lo)/2, n2, v)
}

// LogZ is that of Tilt, without the rest.
func (l Interval) LogZ(m, v float64) float64 {
	if math.IsInf(l.Hi, 1) || math.IsInf(l.Lo, -1) {
		return l.Tilt(m, v).LogZ
	}
	lo, hi, _ := window((l.Hi-l.Lo)/2, m-(l.Hi+l.Lo)/2, math.Sqrt(l.Width()*l.Width()+v))
	return logWindow(lo, hi)
}

// Slopes returns the derivatives of the tilted integral's logarithm, LogZ of Tilt, in Lo, in
// Hi and in the logarithm of the noise, given that logarithm.
func (l Interval) Slopes(m, v, logZ float64) (lo, hi, noise float64) {
	n2 := l.Width() * l.Width()
	r := math.Sqrt(n2 + v)
	a, b := (l.Lo-m)/r, (l.Hi-m)/r
	if !math.IsInf(a, -1) {
		lo = -math.Exp(-0.5*a*a-logSqrt2Pi-logZ) / r
		noise -= lo * (l.Lo - m)
	}
	if !math.IsInf(b, 1) {
		hi = math.Exp(-0.5*b*b-logSqrt2Pi-logZ) / r
		noise -= hi * (l.Hi - m)
	}
	return lo, hi, noise * n2 / (r * r)
}
