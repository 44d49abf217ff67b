package likelihood

import "math"

// Step is the noise-free duel: p(z) = 1 for z > Offset and 0 otherwise, the
// truncation of EPNOTE. It has no useful pointwise derivatives, so only rules
// that tilt (expectation propagation) can use it. Offset is the margin that a win
// needs where ties are possible; see Within.
type Step struct {
	Offset float64
}

// LogProb is 0 on the winning side and −∞ on the other.
func (l Step) LogProb(z float64) (lp, d1, d2 float64) {
	if z > l.Offset {
		return 0, 0, 0
	}
	return math.Inf(-1), 0, 0
}

// Tilt is the truncated Gaussian: EPNOTE's E[v_j] and Var[v_j], corrected,
// with z = −v.
func (l Step) Tilt(m, v float64) Tilted {
	return tiltProbit(m-l.Offset, 0, v)
}

// Within is the noise-free draw: p(z) = 1 for |z| < Threshold and 0 otherwise. As of Step,
// its integrals alone are of use.
type Within struct {
	Threshold float64
}

// LogProb is 0 within the threshold and −∞ outside.
func (l Within) LogProb(z float64) (lp, d1, d2 float64) {
	if math.Abs(z) < l.Threshold {
		return 0, 0, 0
	}
	return math.Inf(-1), 0, 0
}

// Tilt is the Gaussian between two bounds.
func (l Within) Tilt(m, v float64) Tilted { return tiltWindow(l.Threshold, m, 0, v) }
