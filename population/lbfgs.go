package population

import (
	"context"
	"math"

	"palate/internal/num"
)

// climber maximises a smooth function by L-BFGS. Its fields are its whole
// state, so that a run can be put aside and taken up again.
type climber struct {
	X, G   []float64 // the point, and the gradient there
	H      []float64 // about the curvature along each coordinate, of −F
	F      float64
	Steps  []float64 // the last changes of X, oldest first, one after the other
	Bends  []float64 // the last changes of −G, likewise
	Rounds int       // steps taken
	Evals  int
	Quiet  int // steps in a row that gained next to nothing
	// Short is how many of the last coordinates are held to steps of at most 1:
	// far out they are flat, and there is no way back.
	Short int
	// First is the share of the step to the top, as far as the curvature tells, that the
	// first step takes; 0 stands for 0.3.
	First float64
}

// memory is how many changes are kept.
const memory = 20

// objective returns value and gradient at x, and about the curvature along each
// coordinate, which is what a first step is scaled by. Not finite means out of
// reach.
type objective func(ctx context.Context, x []float64) (f float64, g, h []float64, err error)

// step takes one step uphill and returns the gain; zero when there is none to
// be had.
func (c *climber) step(ctx context.Context, f objective) (gain float64, err error) {
	n := len(c.X)
	d := c.direction()
	slope := num.Dot(d, c.G)
	if !(slope > 0) { // curvature gone wrong: start afresh
		c.Steps, c.Bends = c.Steps[:0], c.Bends[:0]
		for i, g := range c.G {
			d[i] = g / c.H[i]
		}
		slope = num.Dot(d, c.G)
		if slope == 0 {
			return 0, nil
		}
	}
	alpha := 1.0
	if len(c.Steps) == 0 {
		if alpha = c.First; alpha == 0 {
			alpha = 0.3
		}
	}
	top := 1e6
	for _, v := range d[n-c.Short:] {
		top = min(top, 1/math.Abs(v))
	}
	alpha = min(alpha, top)
	x := make([]float64, n)
	lo, hi := 0.0, math.Inf(1)
	fLo, sLo := c.F, slope
	for range 20 {
		for i := range x {
			x[i] = c.X[i] + alpha*d[i]
		}
		v, g, h, err := f(ctx, x)
		if err != nil {
			return 0, err
		}
		c.Evals++
		bad := math.IsNaN(v) || math.IsInf(v, 0)
		s := math.NaN()
		if !bad {
			s = num.Dot(d, g)
		}
		switch {
		case bad || v < c.F+1e-4*alpha*slope: // too far
			hi = alpha
			if bad {
				alpha = lo + 0.1*(hi-lo)
				break
			}
			// the top of the parabola through the near end
			w := hi - lo
			peak := 0.5 * sLo * w * w / (fLo + sLo*w - v)
			alpha = lo + min(max(peak, 0.1*w), 0.7*w)
		case s > 0.9*slope && alpha < top: // too near
			lo, fLo, sLo = alpha, v, s
			if math.IsInf(hi, 1) {
				alpha = min(4*alpha, top)
			} else {
				alpha = 0.5 * (lo + hi)
			}
		default:
			gain = v - c.F
			c.take(x, v, g, h)
			return gain, nil
		}
		if hi-lo < 1e-10*hi {
			break
		}
	}
	return 0, nil
}

// rescale changes the unit of coordinate i: the point, and the changes that are
// remembered.
func (c *climber) rescale(i int, x float64) {
	c.X[i] *= x
	for k := i; k < len(c.Steps); k += len(c.X) {
		c.Steps[k] *= x
		c.Bends[k] /= x
	}
}

// start begins at X, or goes on there on a function that has changed a little:
// what was learnt of its curvature stays.
func (c *climber) start(ctx context.Context, f objective) error {
	v, g, h, err := f(ctx, c.X)
	if err == nil {
		c.F, c.G, c.H, c.Rounds, c.Quiet = v, g, h, 0, 0
		c.Evals++
	}
	return err
}

// take moves to a new point and remembers the change.
func (c *climber) take(x []float64, f float64, g, h []float64) {
	n := len(x)
	if len(c.Steps) == memory*n {
		c.Steps = append(c.Steps[:0], c.Steps[n:]...)
		c.Bends = append(c.Bends[:0], c.Bends[n:]...)
	}
	var curve float64
	for i := range x {
		c.Steps = append(c.Steps, x[i]-c.X[i])
		c.Bends = append(c.Bends, c.G[i]-g[i])
		curve += (x[i] - c.X[i]) * (c.G[i] - g[i])
	}
	if !(curve > 0) {
		c.Steps, c.Bends = c.Steps[:len(c.Steps)-n], c.Bends[:len(c.Bends)-n]
	}
	c.X, c.F, c.G, c.H = x, f, g, h
	c.Rounds++
}

// direction is the two-loop recursion.
func (c *climber) direction() []float64 {
	n := len(c.X)
	d := append([]float64(nil), c.G...)
	k := len(c.Steps) / n
	alpha, rho := make([]float64, k), make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		s, y := c.Steps[i*n:(i+1)*n], c.Bends[i*n:(i+1)*n]
		rho[i] = 1 / num.Dot(s, y)
		alpha[i] = rho[i] * num.Dot(s, d)
		num.Axpy(-alpha[i], y, d)
	}
	scale := 1.0
	if k > 0 {
		var yy float64
		for i, y := range c.Bends[(k-1)*n:] {
			yy += y * y / c.H[i]
		}
		scale = 1 / (rho[k-1] * yy)
	}
	for i := range d {
		d[i] *= scale / c.H[i]
	}
	for i := range k {
		s, y := c.Steps[i*n:(i+1)*n], c.Bends[i*n:(i+1)*n]
		num.Axpy(alpha[i]-rho[i]*num.Dot(y, d), s, d)
	}
	return d
}
