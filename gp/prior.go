package gp

import (
	"fmt"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
	"palate/kernel"
)

// Prior is a zero-mean Gaussian over the utilities of n items at scale s = 1,
// in weight space: f = Φe + r. See the package documentation.
type Prior struct {
	n, d   int
	kernel kernel.Kernel
	x      kernel.Points // the items
	anchor kernel.Points // what the weights stand on: the items, or inducing points
	chol   *num.Cholesky // of the anchors' covariance; nil for a white prior
	sparse bool          // fewer weights than items: there is a residual

	left []float64 // residuals of the coordinates, see AtRows; else nil

	once sync.Once
	phi  *mat.Dense // Φ, made when first asked for

	owned   bool // items have parts of their own, see Own
	flat    int  // of the last so many items nothing is known beforehand, see Beside
	onceOwn sync.Once
	lambda  []float64 // variances of own parts
	spread  *Spread   // how items vary along links, see Linked; nil: they do not
	along   *Spread   // of the spread parts among the items, see Latent
	mu      sync.Mutex
	graph   *Comparisons // of the rows last seen
}

// White returns independent unit utilities: items without features.
func White(n int) *Prior { return &Prior{n: n, d: n} }

// Dense returns the prior with covariance k(x, x), one weight an item.
func Dense(k kernel.Kernel, x kernel.Points) (*Prior, error) {
	n := x.Len()
	p := &Prior{n: n, d: n, kernel: k, x: x, anchor: x}
	var err error
	if p.chol, err = num.NewCholesky(kernel.Gram(k, x)); err != nil {
		return nil, fmt.Errorf("gp: prior covariance of %d items: %w", n, err)
	}
	return p, nil
}

// Covariance returns the prior with the given covariance, whose coordinates
// may stand for anything, such as the differences in duels.
func Covariance(k *mat.SymDense) (*Prior, error) {
	n := k.SymmetricDim()
	chol, err := num.NewCholesky(k)
	if err != nil {
		return nil, fmt.Errorf("gp: prior covariance of %d coordinates: %w", n, err)
	}
	return &Prior{n: n, d: n, chol: chol}, nil
}

// Inducing returns the prior that sees x through the inducing points z, one
// weight each (CROWD §4.2). Features of the items are computed when needed.
func Inducing(k kernel.Kernel, x, z kernel.Points) (*Prior, error) {
	p := &Prior{n: x.Len(), d: z.Len(), kernel: k, x: x, anchor: z, sparse: true}
	var err error
	if p.chol, err = num.NewCholesky(kernel.Gram(k, z)); err != nil {
		return nil, fmt.Errorf("gp: covariance of %d inducing points: %w", p.d, err)
	}
	return p, nil
}

// Len returns the number of items.
func (p *Prior) Len() int { return p.n }

// Dim returns the number of weights.
func (p *Prior) Dim() int { return p.d }

// Sparse reports whether the weights leave a residual.
func (p *Prior) Sparse() bool { return p.sparse }

// Kernel returns the kernel, or nil for a prior that was not made from one.
func (p *Prior) Kernel() kernel.Kernel { return p.kernel }

// Jitter returns what had to be added to the diagonal of the covariance.
func (p *Prior) Jitter() float64 {
	if p.chol == nil {
		return 0
	}
	return p.chol.Jitter
}

func (p *Prior) white() bool { return p.chol == nil }

// AtRows returns the prior whose coordinates are the forms of rows themselves,
// on the same weights: row p is coordinate p. It costs what the rows and the
// items they touch cost, however many items there are.
func (p *Prior) AtRows(rows *Rows) *Prior {
	all := num.Indices(rows.Len())
	picked, items := rows.Pick(all)
	on := p.Extend(p.x.Subset(items))
	var cov mat.Dense
	p.kernel.MatrixTo(&cov, on.x, p.anchor)
	out := &Prior{n: rows.Len(), d: p.d, chol: p.chol, sparse: true}
	out.once.Do(func() {
		out.phi = formMatrix(&cov, &picked)
		p.whiten(out.phi)
	})
	out.left = on.variances(&picked)
	for r := range out.left {
		v := simd.Vec(out.phi.RawRowView(r))
		out.left[r] = max(0, out.left[r]-simd.Dot(v, v)) // below zero is rounding
	}
	return out
}

// Extend returns the prior of the points x on the weights of p: x may hold new
// points beside the old ones. Where p has no residual, new points have; where items
// of p have parts of their own, so have new ones, and the old ones come first.
func (p *Prior) Extend(x kernel.Points) *Prior { return p.ExtendBy(p.kernel, x) }

// ExtendBy is Extend by another kernel, which is to agree with that of p on what
// the weights of p stand on.
func (p *Prior) ExtendBy(k kernel.Kernel, x kernel.Points) *Prior {
	return &Prior{n: x.Len(), d: p.d, kernel: k, x: x, anchor: p.anchor, chol: p.chol, sparse: !p.owned, owned: p.owned}
}

// Features returns Φ, n×d, not to be modified.
func (p *Prior) Features() *mat.Dense {
	p.once.Do(func() {
		switch {
		case p.white():
			p.phi = mat.NewDense(p.n, p.n, nil)
			for i := range p.n {
				p.phi.Set(i, i, 1)
			}
		case p.sparse, p.owned:
			p.phi = p.Project(p.x)
		default:
			p.phi = mat.DenseCopyOf(p.chol.L())
		}
	})
	return p.phi
}

// Project returns the features L⁻¹k(anchors, x) of other points, a row each.
func (p *Prior) Project(x kernel.Points) *mat.Dense {
	phi := mat.NewDense(x.Len(), p.d, nil)
	p.kernel.MatrixTo(phi, x, p.anchor)
	p.whiten(phi)
	return phi
}

// whiten turns rows of covariances with the anchors into features: X ← X L⁻ᵀ.
func (p *Prior) whiten(x *mat.Dense) {
	if r, _ := x.Dims(); r == 0 {
		return
	}
	simd.Trsm(blas.Right, blas.Trans, 1, p.chol.L().RawTriangular(), x.RawMatrix())
}

// Residuals returns b_pᵀ(K − ΦΦᵀ)b_p for every row, or nil when there is no
// residual.
func (p *Prior) Residuals(rows *Rows) []float64 {
	if !p.sparse {
		return nil
	}
	if p.left != nil { // the rows are the coordinates
		return p.left
	}
	phi := p.Features()
	out := p.variances(rows)
	v := make([]float64, p.d)
	for r := range out {
		form(v, phi, rows, r)
		out[r] = max(0, out[r]-simd.Dot(simd.Vec(v), simd.Vec(v))) // below zero is rounding
	}
	return out
}

// variances returns b_pᵀKb_p for every row.
func (p *Prior) variances(rows *Rows) []float64 {
	i, j, w, of := p.pairTerms(rows)
	k := make([]float64, len(i))
	p.kernel.PairsTo(k, p.x, i, j)
	out := make([]float64, rows.Len())
	for t, c := range w {
		out[of[t]] += c * k[t]
	}
	return out
}

// pairTerms lists the entries of K that bᵀKb touches, with their weights and
// the row each belongs to.
func (p *Prior) pairTerms(rows *Rows) (i, j []int, w []float64, of []int) {
	for r := range rows.Len() {
		index, coef := rows.Row(r)
		for a := range index {
			for b := 0; b <= a; b++ {
				c := coef[a] * coef[b]
				if b < a {
					c *= 2
				}
				i, j, w, of = append(i, index[a]), append(j, index[b]), append(w, c), append(of, r)
			}
		}
	}
	return i, j, w, of
}

// form writes φ_p = Φᵀb_p to dst.
func form(dst []float64, phi *mat.Dense, rows *Rows, p int) {
	index, coef := rows.Row(p)
	clear(dst)
	for k, i := range index {
		simd.Axpy(coef[k], simd.Vec(phi.RawRowView(i)), simd.Vec(dst))
	}
}

// FormFeatures returns φ_p of every row, for forms that are looked at many times.
func (p *Prior) FormFeatures(rows *Rows) *mat.Dense { return formMatrix(p.Features(), rows) }

func formMatrix(phi *mat.Dense, rows *Rows) *mat.Dense {
	_, d := phi.Dims()
	psi := mat.NewDense(rows.Len(), d, nil)
	num.Parallel(rows.Len(), rowGrain, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			form(psi.RawRowView(r), phi, rows, r)
		}
	})
	return psi
}

// rowGrain is how many rows one goroutine takes at a time.
const rowGrain = 256

// FormVariances returns |φ_p|², the prior variance at s = 1 of every row's
// form as far as weights and own parts explain it.
func (p *Prior) FormVariances(rows *Rows) []float64 {
	v := make([]float64, rows.Len())
	num.Parallel(len(v), rowGrain, func(lo, hi int) {
		for r := lo; r < hi; r++ {
			v[r] = p.FormVariance(rows, r)
		}
	})
	return v
}

// FormVariance returns |φ_r|² of one row.
func (p *Prior) FormVariance(rows *Rows, r int) float64 {
	index, coef := rows.Row(r)
	if p.white() {
		return simd.Dot(simd.Vec(coef), simd.Vec(coef))
	}
	phi := p.Features()
	v := make([]float64, p.d)
	for k, i := range index {
		simd.Axpy(coef[k], simd.Vec(phi.RawRowView(i)), simd.Vec(v))
	}
	out := simd.Dot(simd.Vec(v), simd.Vec(v))
	if p.owned {
		own := p.OwnVariances()
		for k, i := range index {
			out += coef[k] * coef[k] * own[i]
		}
	}
	return out
}

// ProjectCovariance returns the features of points whose covariances with the
// coordinates of p are the rows of cross, which is overwritten.
func (p *Prior) ProjectCovariance(cross *mat.Dense) *mat.Dense {
	p.whiten(cross)
	return cross
}
