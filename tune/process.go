package tune

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
	"palate/kernel"
)

// process is a Gaussian process after answers: the utility of a voter, or the mean of all. With
// c(x) the prior covariances of f(x) and the forms of the rows and m(x) the trend, the mean is
// m + cᵀα and the covariance k − cᵀAc.
type process struct {
	*fitted
	variance float64   // of utility before answers
	weight   []float64 // of the kernel at each of the points, in the covariance with its row
}

// fitted is what all voters have in common.
type fitted struct {
	space   *Space
	h       hyper
	kernel  *kernel.Stationary
	data    *data
	points  kernel.Points
	against *kernel.Against
	alpha   []float64
	inverse *mat.SymDense // A
	pairs   sync.Pool     // *pair that are not in use
}

// pair is two points at which utility is evaluated.
type pair struct {
	at             [2][]float64
	values, slopes [2][]float64 // of the kernel at each
	slope          float64      // of the kernel between them
	gap, pulled, w []float64
}

// pair returns one that is not in use, to be put back to pairs.
func (g *fitted) pair() *pair {
	if p, ok := g.pairs.Get().(*pair); ok {
		return p
	}
	n := len(g.alpha)
	p := &pair{gap: make([]float64, n), pulled: make([]float64, n), w: make([]float64, 2*n)}
	for i := range p.values {
		p.values[i], p.slopes[i] = make([]float64, 2*n), make([]float64, 2*n)
	}
	return p
}

// posterior infers utility under hyper-parameters, beginning with sites. With T and ν the
// sites' precisions and their means times these, A = T^½(I + T^½ΣT^½)⁻¹T^½ and α = ν − AΣν:
// EPNOTE's (Σ+Σ̃)⁻¹, which T may be without an inverse for.
func (s *Space) posterior(ctx context.Context, d *data, h hyper, start []gp.Site) (*fitted, error) {
	g := &fitted{space: s, h: h, kernel: s.kernel(h), data: d}
	n := d.len()
	if n == 0 {
		g.against = g.kernel.Against(kernel.Dense(mat.NewDense(1, s.features, nil))) // for pairs
		return g, ctx.Err()
	}
	g.points = kernel.Dense(d.points)
	g.against = g.kernel.Against(g.points)
	p, cov, err := s.problem(d, h)
	if err != nil {
		return nil, err
	}
	r, err := infer.Run(ctx, p, &infer.Settings{Tolerance: fine, Start: start})
	if err != nil {
		return nil, err
	}
	root, nu := make([]float64, n), make([]float64, n)
	for i, site := range r.Sites {
		root[i], nu[i] = math.Sqrt(site.Tau), site.Nu
	}
	b := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			b.SetSym(i, j, root[i]*cov.At(i, j)*root[j])
		}
		b.SetSym(i, i, 1+b.At(i, i))
	}
	factor, err := num.NewExact(b)
	if err != nil {
		return nil, err
	}
	g.inverse = factor.Inverse()
	for i := range n {
		for j := i; j < n; j++ {
			g.inverse.SetSym(i, j, root[i]*g.inverse.At(i, j)*root[j])
		}
	}
	pulled := make([]float64, n)
	simd.Symv(1, cov.RawSymmetric(), simd.Vec(nu), 0, simd.Vec(pulled))
	g.alpha = nu
	simd.Symv(-1, g.inverse.RawSymmetric(), simd.Vec(pulled), 1, simd.Vec(g.alpha))
	return g, nil
}

// of returns the utility of a voter, of whom there need not be an answer, or with "" the mean
// of those of all who answered. That of a voter is what all have in common and what is their
// own, of the variances 1 − own and own of the whole, and both of the same kernel.
func (g *fitted) of(voter string) *process {
	whole, own := g.h.amplitude()*g.h.amplitude(), g.h.own()
	p := &process{fitted: g, variance: whole}
	n, all := len(g.alpha), float64(len(g.data.voters))
	if voter == "" && all > 1 {
		p.variance *= 1 - own + own/all
	}
	p.weight = make([]float64, 2*n)
	for i, r := range g.data.rows {
		share := 0.0 // of the own taste of who said it in the utility that is asked for
		switch voter {
		case "":
			share = 1 / all
		case g.data.voters[r.voter]:
			share = 1
		}
		pull := whole
		if share < 1 {
			pull *= 1 - own + own*share
		}
		a, b := g.data.signs(i, g.h)
		p.weight[2*i], p.weight[2*i+1] = pull*a, pull*b
	}
	return p
}

// cross returns the prior covariances of utility at the points of x and the forms of the rows,
// a row a point.
func (g *process) cross(x kernel.Points) *mat.Dense {
	n := len(g.alpha)
	if n == 0 {
		return nil
	}
	var both mat.Dense
	g.kernel.MatrixTo(&both, x, g.points)
	c := mat.NewDense(x.Len(), n, nil)
	for i := range x.Len() {
		g.fold(c.RawRowView(i), both.RawRowView(i))
	}
	return c
}

// fold turns the kernel at all points into covariances with the rows.
func (g *process) fold(c, values []float64) {
	for i := range c {
		c[i] = g.weight[2*i]*values[2*i] + g.weight[2*i+1]*values[2*i+1]
	}
}

// weighed returns CA.
func (g *process) weighed(c *mat.Dense) *mat.Dense {
	half := mat.NewDense(c.RawMatrix().Rows, c.RawMatrix().Cols, nil)
	simd.Symm(blas.Right, 1, g.inverse.RawSymmetric(), c.RawMatrix(), 0, half.RawMatrix())
	return half
}

// joint returns mean and covariance of utility at the rows of x.
func (g *process) joint(x *mat.Dense) ([]float64, *mat.SymDense) {
	points := kernel.Dense(x)
	m := points.Len()
	cov := kernel.Gram(g.kernel, points)
	cov.ScaleSym(g.variance, cov)
	mean := g.trends(x)
	if c := g.cross(points); c != nil {
		half, gone := g.weighed(c), mat.NewDense(m, m, nil)
		simd.Gemm(blas.NoTrans, blas.Trans, 1, half.RawMatrix(), c.RawMatrix(), 0, gone.RawMatrix())
		for i := range m {
			mean[i] += num.Dot(c.RawRowView(i), g.alpha)
			for j := i; j < m; j++ {
				cov.SetSym(i, j, cov.At(i, j)-gone.At(i, j))
			}
		}
	}
	return mean, cov
}

// trends returns the means of utility at the rows of x before answers.
func (g *process) trends(x *mat.Dense) []float64 {
	mean := make([]float64, x.RawMatrix().Rows)
	for i := range mean {
		mean[i] = g.space.trend(g.h, x.RawRowView(i), nil, 0)
	}
	return mean
}

// means returns those of utility at the rows of x.
func (g *process) means(x *mat.Dense) []float64 {
	mean := g.trends(x)
	if c := g.cross(kernel.Dense(x)); c != nil {
		for i := range mean {
			mean[i] += num.Dot(c.RawRowView(i), g.alpha)
		}
	}
	return mean
}

// beside returns the means of utility at the rows of x and at another point, and the variances
// of the differences to it.
func (g *process) beside(x *mat.Dense, other []float64) (mean, variance []float64, at float64) {
	m := x.RawMatrix().Rows
	both := mat.NewDense(m+1, len(other), nil)
	both.Copy(x)
	both.SetRow(m, other)
	points := kernel.Dense(both)
	mean, variance, at = g.trends(x), make([]float64, m), g.space.trend(g.h, other, nil, 0)
	i, j := make([]int, m), make([]int, m)
	for k := range i {
		i[k], j[k] = k, m
	}
	g.kernel.PairsTo(variance, points, i, j)
	for k, v := range variance {
		variance[k] = 2 * g.variance * (1 - v)
	}
	if c := g.cross(points); c != nil {
		last := c.RawRowView(m)
		at += num.Dot(last, g.alpha)
		for k := range m {
			mean[k] += num.Dot(c.RawRowView(k), g.alpha)
			num.Axpy(-1, last, c.RawRowView(k))
		}
		half := g.weighed(c)
		for k := range m {
			variance[k] = max(0, variance[k]-num.Dot(c.RawRowView(k), half.RawRowView(k)))
		}
	}
	return mean, variance, at
}

// difference returns the means of f(x) and f(y) and the variance of their difference. With
// sloped the derivatives are there for climb to add up.
func (g *process) difference(p *pair, x, y []float64, sloped bool) (meanX, meanY, variance float64) {
	p.at = [2][]float64{x, y}
	var near float64
	near, p.slope = g.against.Pair(x, y)
	variance = 2 * g.variance * (1 - near)
	meanX, meanY = g.space.trend(g.h, x, nil, 0), g.space.trend(g.h, y, nil, 0)
	if len(g.alpha) == 0 {
		return meanX, meanY, variance
	}
	for k, at := range p.at {
		slopes := p.slopes[k]
		if !sloped {
			slopes = nil
		}
		g.against.Values(p.values[k], slopes, at)
	}
	for i, a := range g.alpha {
		v, w := g.weight[2*i], g.weight[2*i+1]
		cx, cy := v*p.values[0][2*i]+w*p.values[0][2*i+1], v*p.values[1][2*i]+w*p.values[1][2*i+1]
		meanX += cx * a
		meanY += cy * a
		p.gap[i] = cx - cy
	}
	simd.Symv(1, g.inverse.RawSymmetric(), simd.Vec(p.gap), 0, simd.Vec(p.pulled))
	return meanX, meanY, max(variance-num.Dot(p.gap, p.pulled), 0)
}

// climb adds toX·∂mean(x) + toY·∂mean(y) + byVariance·∂variance of the last difference of a
// pair, in the features of x and of y, to dx and dy.
func (g *process) climb(p *pair, dx, dy []float64, toX, toY, byVariance float64) {
	for k, d := range [2][]float64{dx, dy} {
		to, by := toX, -2*byVariance
		if k == 1 {
			to, by = toY, 2*byVariance
		}
		g.space.trend(g.h, p.at[k], d, to)
		if len(g.alpha) > 0 {
			for i, a := range g.alpha {
				v := to*a + by*p.pulled[i]
				p.w[2*i], p.w[2*i+1] = v*g.weight[2*i], v*g.weight[2*i+1]
			}
			g.against.Grad(d, p.w, p.slopes[k], p.at[k])
		}
	}
	g.against.PairGrad(dx, dy, -2*g.variance*byVariance, p.slope, p.at[0], p.at[1])
}

// mean returns that of f(x), adding its derivatives in the features of x to dx where it is
// not nil.
func (g *process) mean(x, dx []float64) (m float64) {
	m = g.space.trend(g.h, x, dx, 1)
	if len(g.alpha) == 0 {
		return m
	}
	p := g.pair()
	defer g.pairs.Put(p)
	slopes := p.slopes[0]
	if dx == nil {
		slopes = nil
	}
	g.against.Values(p.values[0], slopes, x)
	for i, a := range g.alpha {
		p.w[2*i], p.w[2*i+1] = a*g.weight[2*i], a*g.weight[2*i+1]
	}
	m += num.Dot(p.w, p.values[0])
	if dx != nil {
		g.against.Grad(dx, p.w, slopes, x)
	}
	return m
}
