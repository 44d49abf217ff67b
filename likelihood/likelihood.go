package likelihood

// Scalar is the likelihood of one observation as a function of z.
type Scalar interface {
	// LogProb returns log p(z) and its first two derivatives in z.
	LogProb(z float64) (lp, d1, d2 float64)
}

// Tilted describes the product p(z)·N(z; m, v): the log of its integral, the
// derivatives of that log in m, and Shrink = 1 + D2·v, the tilted variance
// over v. Shrink is kept apart because 1 + D2·v cancels in the tails.
type Tilted struct {
	LogZ, D1, D2, Shrink float64
}

// Tilter is a likelihood whose tilted integral has a closed form.
type Tilter interface {
	Tilt(m, v float64) Tilted
}

// Expecter is a likelihood whose expected logarithm has a closed form. The
// derivatives are in m; the derivative in v is d2/2.
type Expecter interface {
	Expect(m, v float64) (e, d1, d2 float64)
}

// Bounder is a likelihood with a quadratic lower bound of log p whose contact
// point is chosen for N(m, v): log p(z) ≥ const + nu·z − tau·z²/2. The term is
// the expectation of the bound at its best contact point.
type Bounder interface {
	Bound(m, v float64) (term, tau, nu float64)
}

// Observer is a likelihood that can be read as a noisy observation of a
// non-linear function g of z, the view of the linearised update: target =
// g(z) + noise.
type Observer interface {
	// Observe returns g(z) and its slope, and the observed target.
	Observe(z float64) (g, slope, target float64)
	// ObservationVar returns the variance of the noise that the update of
	// CROWD (8)–(9) assumes when z has the given prior variance.
	ObservationVar(priorVar float64) float64
}

// LogProbs writes log p(z) of many z to dst.
func LogProbs(dst []float64, l Scalar, z []float64) {
	if v, ok := l.(interface{ logProbs(dst, z []float64) }); ok {
		v.logProbs(dst, z)
		return
	}
	for i, x := range z {
		dst[i], _, _ = l.LogProb(x)
	}
}

// Tilt returns the tilted integral of l against N(m, v), in closed form where
// l has one, else by quadrature. v must not be negative; at v = 0 it is
// LogProb itself.
func Tilt(l Scalar, m, v float64) Tilted {
	if t, ok := l.(Tilter); ok {
		return t.Tilt(m, v)
	}
	return tiltQuadrature(l, m, v)
}

// Expect returns the expectation of log p under N(m, v) and its derivatives
// in m, in closed form where l has one, else by quadrature.
func Expect(l Scalar, m, v float64) (e, d1, d2 float64) {
	switch l := l.(type) {
	case Probit: // by name, as there are so many of them
		return l.Expect(m, v)
	case Expecter:
		return l.Expect(m, v)
	}
	if v <= 0 {
		return l.LogProb(m)
	}
	return expectQuadrature(l, m, v)
}
