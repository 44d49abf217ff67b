package drift

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Process is how the utility of an item moves: a part that stays, of a normal distribution,
// and one that moves about it, a stationary process of Matérn's, or one that walks away. It is a
// Markov chain: what is to come hangs on what is, not on how it came about.
type Process struct {
	Stay   float64 `json:"stay"`             // the deviation of what stays
	Move   float64 `json:"move,omitempty"`   // the deviation of what moves, of a walk that of a step over a unit of time; 0: nothing does
	Length float64 `json:"length,omitempty"` // the length-scale of time, in units of the times; 0: of a walk there is none
	// Smooth tells a Matérn process of order 3/2, whose pace goes on for a while, from one
	// of order 1/2 (Ornstein and Uhlenbeck), whose steps forget each other.
	Smooth bool `json:"smooth,omitempty"`
	// Walk tells a walk (Wiener's process), which is at zero at the first time and never
	// returns: a process of order 1/2 of great length and deviation.
	Walk bool `json:"walk,omitempty"`
	// Jumps tells a utility that stays where it is but for jumps of deviation Move, one in
	// Length on average.
	Jumps bool `json:"jumps,omitempty"`
}

// returns reports whether what moves comes back, and has a place where it begins.
func (p Process) returns() bool { return !p.Walk && !p.Jumps }

// transition is the step of the moving part and its pace over a time: a matrix, by rows, and
// the covariance of what is new.
type transition struct {
	a, b, c, d float64
	q, r, s    float64 // of the part, between the two, and of the pace
	shift      float64 // of the part
}

// after returns the step over a time. Of a rough process there is no pace. The pace is
// in units in which it varies as the part does.
func (p Process) after(time float64) transition {
	switch v := p.Move * p.Move; {
	case p.Move == 0:
		return transition{}
	case p.Walk:
		return transition{a: 1, q: v * time}
	case p.Jumps: // as far as mean and variance go
		return transition{a: 1, q: v * time / p.Length}
	case !p.Smooth:
		a := math.Exp(-time / p.Length)
		return transition{a: a, q: -v * math.Expm1(-2*time/p.Length)}
	default:
		u := math.Sqrt(3) * time / p.Length
		e := math.Exp(-u)
		t := transition{a: e * (1 + u), b: e * u, c: -e * u, d: e * (1 - u)}
		// These are v(1−a²−b²), −v(ac+bd) and v(1−c²−d²), without differences that a short
		// time leaves nothing of.
		t.q = v * mathext.GammaIncReg(3, 2*u)
		t.r = v * 2 * u * u * e * e
		t.s = t.q + v*4*u*e*e
		return t
	}
}

// belief is what is known of an item at a time: means of what stays, what moves and its pace,
// and their covariance.
type belief struct {
	a, g, h                float64
	aa, ag, ah, gg, gh, hh float64
}

// start is what is known of an item beforehand.
func (p Process) start() belief {
	b := belief{aa: p.Stay * p.Stay, gg: p.Move * p.Move}
	if !p.returns() {
		b.gg = 0
	}
	if p.Smooth {
		b.hh = b.gg
	}
	return b
}

// step takes time.
func (b *belief) step(t *transition) {
	b.g, b.h = t.a*b.g+t.b*b.h+t.shift, t.c*b.g+t.d*b.h
	b.ag, b.ah = t.a*b.ag+t.b*b.ah, t.c*b.ag+t.d*b.ah
	gg, gh, hh := b.gg, b.gh, b.hh
	b.gg = t.a*t.a*gg + 2*t.a*t.b*gh + t.b*t.b*hh + t.q
	b.gh = t.a*t.c*gg + (t.a*t.d+t.b*t.c)*gh + t.b*t.d*hh + t.r
	b.hh = t.c*t.c*gg + 2*t.c*t.d*gh + t.d*t.d*hh + t.s
}

// utility is the covariance of all with the utility, and mean and variance of this; of a head, of
// what stays alone.
func (b *belief) utility(head bool) (k [3]float64, mean, variance float64) {
	if head {
		return [3]float64{b.aa, b.ag, b.ah}, b.a, b.aa
	}
	k = [3]float64{b.aa + b.ag, b.ag + b.gg, b.ah + b.gh}
	return k, b.a + b.g, k[0] + k[1]
}

// condition takes in what is said of the utility, whose covariance with all is k: by pull its
// mean moves, by share of kkᵀ the covariance shrinks.
func (b *belief) condition(k *[3]float64, pull, share float64) {
	b.a += k[0] * pull
	b.g += k[1] * pull
	b.h += k[2] * pull
	b.aa -= share * k[0] * k[0]
	b.ag -= share * k[0] * k[1]
	b.ah -= share * k[0] * k[2]
	b.gg -= share * k[1] * k[1]
	b.gh -= share * k[1] * k[2]
	b.hh -= share * k[2] * k[2]
}
