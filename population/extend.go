package population

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
	"palate/internal/simd"
	"palate/kernel"
)

// Extend returns the items with further ones, known by their features, behind
// them. What was learnt on stays the centre.
func (it *Items) Extend(features *mat.Dense) (*Items, error) {
	if it.Kernel == nil {
		return nil, fmt.Errorf("population: the items have no features that tell them apart, so nothing can be said of new ones")
	}
	r, c := features.Dims()
	if c != it.Points.Dim() {
		return nil, fmt.Errorf("population: new items with %d features, the others have %d", c, it.Points.Dim())
	}
	cross, self := it.cross(features)
	n := it.N + r
	out := &Items{N: n, Kernel: it.Kernel, Own: it.Own, base: it.base, grand: it.grand, scale: it.scale, mean: it.mean, K: make([]float64, n*n)}
	for i := range it.N {
		copy(out.K[i*n:], it.K[i*it.N:(i+1)*it.N])
	}
	for i := range r {
		row := out.K[(it.N+i)*n:]
		copy(row, cross.RawRowView(i))
		copy(row[it.N:n], self.RawRowView(i))
		for j := range it.N {
			out.K[j*n+it.N+i] = row[j]
		}
	}
	var all mat.Dense
	all.Stack(it.rows(), features)
	out.features = &all
	out.Points = kernel.Dense(&all)
	if it.Mean != nil {
		var err error
		if out.Mean, err = it.Mean.Extend(features); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cross returns K between new items and all present ones, and among the new,
// centred with the means of the items that the population was learnt on.
func (it *Items) cross(features *mat.Dense) (cross, self *mat.Dense) {
	x := kernel.Dense(features)
	cross, self = &mat.Dense{}, &mat.Dense{}
	it.Kernel.MatrixTo(cross, x, it.Points)
	it.Kernel.MatrixTo(self, x, x)
	means := func(m *mat.Dense) []float64 { // over the items learnt on
		r, _ := m.Dims()
		out := make([]float64, r)
		for i := range out {
			for _, v := range m.RawRowView(i)[:it.base] {
				out[i] += v / float64(it.base)
			}
		}
		return out
	}
	fresh, old := means(cross), it.mean
	if it.N > it.base {
		var all mat.Dense
		it.Kernel.MatrixTo(&all, it.Points, it.Points)
		old = means(&all)
	}
	for i, mi := range fresh {
		row := cross.RawRowView(i)
		for j := range row {
			row[j] = it.centred(row[j], mi, old[j])
		}
		row = self.RawRowView(i)
		for j := range row {
			row[j] = it.centred(row[j], mi, fresh[j])
		}
		row[i] += ridge
	}
	return cross, self
}

func (it *Items) rows() *mat.Dense { return it.features }

// Extend returns the population with further items, known by their features.
// Their factors and means are what the others' tell through the kernel,
// K*((1−o)K + o·I)⁻¹(1−o) with o the part that is each item's own; what that leaves open is
// variance of their own. spread is the variance of the mean beforehand.
func (p *LowRank) Extend(features *mat.Dense, spread float64) (*LowRank, error) {
	it, err := p.Items.Extend(features)
	if err != nil {
		return nil, err
	}
	return p.extendTo(it, spread), nil
}

// extendTo is Extend to items that have been extended.
func (p *LowRank) extendTo(it *Items, spread float64) *LowRank {
	n, total := p.Items.N, it.N
	r, b0 := total-n, p.Items.base // what was added before tells nothing
	q := &LowRank{Items: it, Scale: p.Scale, Share: p.Share, D: p.D, F: p.F, Features: p.Features, root: &lazy{}}
	q.A = append(append([]float64(nil), p.A...), make([]float64, r*p.D)...)
	q.T = append(append([]float64(nil), p.T...), make([]float64, r)...)
	q.G = append(append([]float64(nil), p.G...), make([]float64, r*p.F)...)
	q.Own = append(make([]float64, 0, total), p.Own...)
	q.Own = append(q.Own, make([]float64, total-len(q.Own))...)

	tastes := it.newcomers(b0, n)
	tastes.carry(q.A, p.A, p.D)
	tastes.carry(q.G, p.G, p.F)
	mean := tastes
	if it.Mean != nil {
		mean = it.Mean.newcomers(b0, n)
	}
	mean.carry(q.T, p.T, 1)
	// An item's factors vary about as much as those of the others do.
	v := append([]float64(nil), p.A[:b0*p.D]...)
	if p.D > 0 {
		simd.BLAS{}.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, b0, p.D, 1, tastes.factor, b0, v, p.D)
	}
	size := num.Dot(v, v) / float64(b0)
	for j := range r {
		q.Own[n+j] = size*tastes.left[j] + spread*mean.left[j]
	}
	return q
}

// newcomers are items behind n others, of which those that the population was learnt on, the first
// few, tell something.
type newcomers struct {
	factor []float64 // of (1−o)K + o·I on the items learnt on
	by     []float64 // what each tells of each newcomer, (1−o)K*((1−o)K + o·I)⁻¹, transposed
	left   []float64 // what stays open
	n      int
}

func (it *Items) newcomers(base, n int) *newcomers {
	own, r := it.Own, it.N-n
	c := &newcomers{factor: mixFactor(it.K, it.N, base, own), by: make([]float64, base*r), left: make([]float64, r), n: n}
	for i := range base {
		for j := range r {
			c.by[i*r+j] = (1 - own) * it.K[(n+j)*it.N+i]
		}
	}
	white := func(t blas.Transpose) {
		simd.BLAS{}.Dtrsm(blas.Left, blas.Lower, t, blas.NonUnit, base, r, 1, c.factor, base, c.by, r)
	}
	white(blas.NoTrans)
	for j := range r {
		c.left[j] = (1-own)*it.K[(n+j)*it.N+n+j] + own
		for i := range base {
			c.left[j] -= c.by[i*r+j] * c.by[i*r+j]
		}
		c.left[j] = max(c.left[j], 0)
	}
	white(blas.Trans)
	return c
}

// carry sets what d numbers of the newcomers are, after those of the others, to what these tell.
func (c *newcomers) carry(out, in []float64, d int) {
	if r := len(c.left); d > 0 {
		simd.BLAS{}.Dgemm(blas.Trans, blas.NoTrans, r, d, len(c.by)/r, 1, c.by, r, in, d, 0, out[c.n*d:], d)
	}
}

// mixed returns the factor of (1−Own)K + Own·I.
func (it *Items) mixed() []float64 {
	if it.factor != nil {
		return it.factor
	}
	return mixFactor(it.K, it.N, it.N, it.Own)
}

// mixFactor is the factor of (1−own)K + own·I on the first n items; k has rows of ld.
func mixFactor(k []float64, ld, n int, own float64) []float64 {
	f := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			f[i*n+j] = (1 - own) * k[i*ld+j]
		}
		f[i*n+i] += own
	}
	if !num.FactorWide(f, n) {
		panic("population: the mix of K and I is not positive definite")
	}
	return f
}
