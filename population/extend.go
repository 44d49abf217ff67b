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
	out := &Items{N: n, Kernel: it.Kernel, base: it.base, grand: it.grand, scale: it.scale, mean: it.mean, K: make([]float64, n*n)}
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
// K*(K+I)⁻¹; what that leaves open is variance of their own.
func (p *LowRank) Extend(features *mat.Dense, spread float64) (*LowRank, error) {
	it, err := p.Items.Extend(features)
	if err != nil {
		return nil, err
	}
	n, total := p.Items.N, it.N
	r, b0 := total-n, p.Items.base // what was added before tells nothing
	q := &LowRank{Items: it, Scale: p.Scale, Share: p.Share, D: p.D, F: p.F, Features: p.Features, root: &lazy{}}
	q.A = append(append([]float64(nil), p.A...), make([]float64, r*p.D)...)
	q.T = append(append([]float64(nil), p.T...), make([]float64, r)...)
	q.G = append(append([]float64(nil), p.G...), make([]float64, r*p.F)...)
	q.Own = append(make([]float64, 0, total), p.Own...)
	q.Own = append(q.Own, make([]float64, total-len(q.Own))...)

	// B = K*(K+I)⁻¹, by the factor L of (K+I)/2.
	factor := p.Items.half()
	if n > b0 {
		factor = halfFactor(p.Items.K, n, b0)
	}
	b := mat.NewDense(b0, r, nil) // its transpose
	for i := range b0 {
		for j := range r {
			b.Set(i, j, it.K[(n+j)*total+i]/2)
		}
	}
	raw := b.RawMatrix()
	white := func(t blas.Transpose) {
		simd.BLAS{}.Dtrsm(blas.Left, blas.Lower, t, blas.NonUnit, b0, r, 1, factor, b0, raw.Data, r)
	}
	white(blas.NoTrans)
	left := make([]float64, r) // what stays open of (K+I)/2
	for j := range r {
		left[j] = (it.K[(n+j)*total+n+j] + 1) / 2
		for i := range b0 {
			left[j] -= raw.Data[i*r+j] * raw.Data[i*r+j]
		}
		left[j] = max(left[j], 0)
	}
	white(blas.Trans)
	carry := func(out, in []float64, d int) {
		if d > 0 {
			simd.BLAS{}.Dgemm(blas.Trans, blas.NoTrans, r, d, b0, 1, raw.Data, r, in, d, 0, out[n*d:], d)
		}
	}
	carry(q.A, p.A, p.D)
	carry(q.T, p.T, 1)
	carry(q.G, p.G, p.F)
	// An item's factors vary about as much as those of the others do.
	v := append([]float64(nil), p.A[:b0*p.D]...)
	if p.D > 0 {
		simd.BLAS{}.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, b0, p.D, 1, factor, b0, v, p.D)
	}
	size := num.Dot(v, v) / float64(b0)
	for j := range r {
		q.Own[n+j] = (size + spread) * left[j]
	}
	return q, nil
}

// half returns the factor of (K+I)/2.
func (it *Items) half() []float64 {
	if it.factor != nil {
		return it.factor
	}
	return halfFactor(it.K, it.N, it.N)
}

// halfFactor is the factor of (K+I)/2 on the first n items; k has rows of ld.
func halfFactor(k []float64, ld, n int) []float64 {
	f := make([]float64, n*n)
	for i := range n {
		for j := range i + 1 {
			f[i*n+j] = k[i*ld+j] / 2
		}
		f[i*n+i] += 0.5
	}
	if !num.FactorWide(f, n) {
		panic("population: (K+I)/2 is not positive definite")
	}
	return f
}
