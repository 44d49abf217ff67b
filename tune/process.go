package tune

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/internal/num"
	"palate/internal/simd"
	"palate/kernel"
)

// process is a Gaussian process after duels. With c(x) the prior covariances of f(x) and the
// differences of the duels, the mean is cᵀα and the covariance k − cᵀAc.
type process struct {
	h        hyper
	kernel   *kernel.Stationary
	variance float64
	points   kernel.Points // winners and losers in turn
	alpha    []float64
	inverse  *mat.SymDense // A
}

// posterior infers utility under hyper-parameters. With T and ν the sites' precisions and
// their means times these, A = T^½(I + T^½ΣT^½)⁻¹T^½ and α = ν − AΣν: EPNOTE's (Σ+Σ̃)⁻¹,
// which T may be without an inverse for.
func (s *Space) posterior(ctx context.Context, d *data, h hyper) (*process, error) {
	g := &process{h: h, kernel: kernel.NewStationary(shape, kernel.Euclidean, s.lengths(h)), variance: h.amplitude() * h.amplitude()}
	n := d.len()
	if n == 0 {
		return g, ctx.Err()
	}
	g.points = kernel.Dense(d.points)
	p, cov, err := s.problem(d, h)
	if err != nil {
		return nil, err
	}
	r, err := infer.Run(ctx, p, &infer.Settings{Tolerance: fine})
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
	simd.Symv(1, cov.RawSymmetric(), vector(nu), 0, vector(pulled))
	g.alpha = nu
	simd.Symv(-1, g.inverse.RawSymmetric(), vector(pulled), 1, vector(g.alpha))
	return g, nil
}

// cross returns the prior covariances of utility at the points of x and the differences of
// the duels, a row a point.
func (g *process) cross(x kernel.Points) *mat.Dense {
	n := len(g.alpha)
	if n == 0 {
		return nil
	}
	var both mat.Dense
	g.kernel.MatrixTo(&both, x, g.points)
	c := mat.NewDense(x.Len(), n, nil)
	for i := range x.Len() {
		from, to := both.RawRowView(i), c.RawRowView(i)
		for k := range to {
			to[k] = g.variance * (from[2*k] - from[2*k+1])
		}
	}
	return c
}

// weighed returns CA.
func (g *process) weighed(c *mat.Dense) *mat.Dense {
	half := mat.NewDense(c.RawMatrix().Rows, c.RawMatrix().Cols, nil)
	simd.Symm(blas.Right, 1, g.inverse.RawSymmetric(), c.RawMatrix(), 0, half.RawMatrix())
	return half
}

func vector(x []float64) simd.Vector { return simd.Vector{N: len(x), Inc: 1, Data: x} }

// joint returns mean and covariance of utility at the rows of x.
func (g *process) joint(x *mat.Dense) ([]float64, *mat.SymDense) {
	points := kernel.Dense(x)
	m := points.Len()
	cov := kernel.Gram(g.kernel, points)
	cov.ScaleSym(g.variance, cov)
	mean := make([]float64, m)
	if c := g.cross(points); c != nil {
		half, gone := g.weighed(c), mat.NewDense(m, m, nil)
		simd.Gemm(blas.NoTrans, blas.Trans, 1, half.RawMatrix(), c.RawMatrix(), 0, gone.RawMatrix())
		for i := range m {
			mean[i] = num.Dot(c.RawRowView(i), g.alpha)
			for j := i; j < m; j++ {
				cov.SetSym(i, j, cov.At(i, j)-gone.At(i, j))
			}
		}
	}
	return mean, cov
}

// means returns those of utility at the rows of x.
func (g *process) means(x *mat.Dense) []float64 {
	points := kernel.Dense(x)
	mean := make([]float64, points.Len())
	if c := g.cross(points); c != nil {
		for i := range mean {
			mean[i] = num.Dot(c.RawRowView(i), g.alpha)
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
	mean, variance = make([]float64, m), make([]float64, m)
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
		at = num.Dot(last, g.alpha)
		for k := range m {
			mean[k] = num.Dot(c.RawRowView(k), g.alpha)
			num.Axpy(-1, last, c.RawRowView(k))
		}
		half := g.weighed(c)
		for k := range m {
			variance[k] = max(0, variance[k]-num.Dot(c.RawRowView(k), half.RawRowView(k)))
		}
	}
	return mean, variance, at
}

// difference returns mean and variance of f(x) − f(y), and their derivatives: adding
// byMean·∂mean + byVariance·∂variance in the features of x and of y to dx and dy, as turn
// says them of the two. A nil turn leaves derivatives out.
func (g *process) difference(x, y []float64, dx, dy []float64, turn func(mean, variance float64) (toX, toY, byVariance float64)) (meanX, meanY, variance float64) {
	both := mat.NewDense(2, len(x), nil)
	both.SetRow(0, x)
	both.SetRow(1, y)
	points := kernel.Dense(both)
	pair := make([]float64, 1)
	g.kernel.PairsTo(pair, points, []int{0}, []int{1})
	variance = 2 * g.variance * (1 - pair[0])
	n := len(g.alpha)
	gap, u := make([]float64, n), make([]float64, n)
	if c := g.cross(points); c != nil {
		cx, cy := c.RawRowView(0), c.RawRowView(1)
		meanX, meanY = num.Dot(cx, g.alpha), num.Dot(cy, g.alpha)
		for i := range gap {
			gap[i] = cx[i] - cy[i]
		}
		simd.Symv(1, g.inverse.RawSymmetric(), vector(gap), 0, vector(u))
		variance -= num.Dot(gap, u)
	}
	variance = max(variance, 0)
	if turn == nil {
		return meanX, meanY, variance
	}
	toX, toY, byVariance := turn(meanX-meanY, variance)
	wx, wy := make([]float64, 2*n), make([]float64, 2*n)
	for i, a := range g.alpha {
		wx[2*i] = g.variance * (toX*a - 2*byVariance*u[i])
		wy[2*i] = g.variance * (toY*a + 2*byVariance*u[i])
		wx[2*i+1], wy[2*i+1] = -wx[2*i], -wy[2*i]
	}
	if n > 0 {
		g.kernel.InputGrad(dx, wx, x, g.points)
		g.kernel.InputGrad(dy, wy, y, g.points)
	}
	own := []float64{-2 * g.variance * byVariance}
	g.kernel.InputGrad(dx, own, x, kernel.Dense(mat.NewDense(1, len(y), y)))
	g.kernel.InputGrad(dy, own, y, kernel.Dense(mat.NewDense(1, len(x), x)))
	return meanX, meanY, variance
}

// mean returns that of f(x), adding its derivatives in the features of x to dx where it is
// not nil.
func (g *process) mean(x, dx []float64) float64 {
	n := len(g.alpha)
	if n == 0 {
		return 0
	}
	point := kernel.Dense(mat.NewDense(1, len(x), x))
	m := num.Dot(g.cross(point).RawRowView(0), g.alpha)
	if dx != nil {
		w := make([]float64, 2*n)
		for i, a := range g.alpha {
			w[2*i], w[2*i+1] = g.variance*a, -g.variance*a
		}
		g.kernel.InputGrad(dx, w, x, g.points)
	}
	return m
}
