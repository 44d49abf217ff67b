package gp

import (
	"math"
	"math/rand/v2"

	"palate/internal/num"
)

// wholeItems is the most items whose precision is inverted as a matter of course, and
// mostWhole where belief propagation is found to be off.
const (
	wholeItems = 2500
	mostWhole  = 6000
)

// Checks of belief propagation: so many pairs and items are solved for, and their
// deviations may be off by so much in the mean square.
const (
	checks  = 8
	nearDev = 0.005
)

// Variances are those of items and of the differences of compared pairs.
type Variances struct {
	Item, Pair []float64
	Exact      bool // by the inverse
	Near       bool // by belief propagation and the constants, which will do
}

// Variances returns what loops leave of variances, as well as can be had: by the inverse
// of A for few items; else by belief propagation with the constant of every
// component, where that is near what solves say of some; and else by the inverse again,
// or by draws for many items.
func (l *Laplacian) Variances(m *Messages, c *Common) Variances {
	in := l.marginals(m, c, false)
	for k, p := range l.pairs {
		in.pair[k] = in.item[p[0]] + in.item[p[1]] - 2*in.pair[k]
	}
	return Variances{in.item, in.pair, in.root.N > 0, in.near}
}

// marginals finds variances of items and covariances of pairs; known says that belief
// propagation and the constants were found to do. Where A is not inverted log |A| is left
// to the caller.
func (l *Laplacian) marginals(m *Messages, c *Common, known bool) (in inner) {
	n := len(l.diag)
	in.item, in.pair = make([]float64, n), make([]float64, len(l.pairs))
	if n <= wholeItems {
		in.invert(l)
		return in
	}
	switch near := l.propagated(m, c); {
	case known || l.deviation(near) <= nearDev:
		near.near = true
		return near
	case n <= mostWhole:
		in.invert(l)
		return in
	default:
		l.sampled(&near)
		return near
	}
}

// propagated has what belief propagation and the constants say.
func (l *Laplacian) propagated(m *Messages, c *Common) inner {
	in := inner{item: make([]float64, len(l.diag)), pair: make([]float64, len(l.pairs)), common: c, walks: &walks{l: l}}
	for i, x := range m.Total {
		in.item[i] = 1/x + c.Item[c.of[i]]
	}
	for k, p := range l.pairs {
		v := c.Pair[c.of[p[0]]] * l.PairVariance(m, k)
		in.pair[k] = 0.5 * (in.item[p[0]] + in.item[p[1]] - v)
	}
	return in
}

// deviation returns how far deviations of some pairs and items are from what solves say, as
// a share, in the mean square.
func (l *Laplacian) deviation(in inner) float64 {
	const cols = 2 * checks
	n := len(l.diag)
	rng := rand.New(rand.NewPCG(checks, 1))
	x, b := make([]float64, n*cols), make([]float64, n*cols)
	var pair, item [checks]int
	for c := range checks {
		pair[c], item[c] = rng.IntN(len(l.pairs)), rng.IntN(n)
		p := l.pairs[pair[c]]
		b[int(p[0])*cols+c], b[int(p[1])*cols+c] = 1, -1
		b[item[c]*cols+checks+c] = 1
	}
	l.Solve(x, b, cols, 1e-4)
	var sum float64
	add := func(is, exact float64) {
		d := math.Sqrt(is/exact) - 1
		sum += d * d / cols
	}
	for c := range checks {
		p := l.pairs[pair[c]]
		i, j := int(p[0]), int(p[1])
		add(in.item[i]+in.item[j]-2*in.pair[pair[c]], x[i*cols+c]-x[j*cols+c])
		add(in.item[item[c]], x[item[c]*cols+checks+c])
	}
	return math.Sqrt(sum)
}

// Draws that stand in for an inverse: so many, so many at a time. Only what all others
// tell of an item or pair is found from them, and that is the smaller part where
// comparisons are many.
const (
	standIns  = 256
	drawnCols = 16
)

// sampled finds variances by draws from N(0, A⁻¹): those given all other items, which are
// exact, and those of what the others lead to expect.
func (l *Laplacian) sampled(in *inner) {
	n := len(l.diag)
	rng := rand.New(rand.NewPCG(standIns, 2))
	x, room := make([]float64, n*drawnCols), make([]float64, 4*n*drawnCols)
	clear(in.item)
	clear(in.pair)
	u := room[:n*drawnCols]
	for range standIns / drawnCols {
		l.noise(x, room, drawnCols, rng)
		l.mul(u, x, drawnCols)
		num.Parallel(n, rowGrain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				for c := i * drawnCols; c < (i+1)*drawnCols; c++ {
					u[c] = l.diag[i]*x[c] - u[c] // what others pull
					in.item[i] += (u[c] / l.diag[i]) * (u[c] / l.diag[i]) / standIns
				}
			}
		})
		num.Parallel(len(l.pairs), rowGrain, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				p, t := l.pairs[k], l.tau[k]
				a, b := l.diag[p[0]], l.diag[p[1]]
				det := a*b - t*t
				i, j := int(p[0])*drawnCols, int(p[1])*drawnCols
				for c := range drawnCols {
					pi, pj := u[i+c]-t*x[j+c], u[j+c]-t*x[i+c]
					z := ((b-t)*pi - (a-t)*pj) / det
					in.pair[k] += z * z / standIns
				}
			}
		})
	}
	for i, d := range l.diag {
		in.item[i] += 1 / d
	}
	for k, p := range l.pairs {
		a, b, t := l.diag[p[0]], l.diag[p[1]], l.tau[k]
		v := in.pair[k] + (a+b-2*t)/(a*b-t*t)
		in.pair[k] = 0.5 * (in.item[p[0]] + in.item[p[1]] - v)
	}
}
