package gp

import "palate/internal/simd"

// CovarianceTo sets dst_k to the posterior covariance of the utilities of item
// and others[k], residuals included, as Forms sees it. The first call costs as much as Forms of
// all items; the others O(d) an entry.
func (q *Posterior) CovarianceTo(dst []float64, item int, others []int) {
	q.expand()
	if q.Prior.d == 0 {
		q.own.row(dst, item, others)
		return
	}
	x := simd.Vec(q.root.RawRowView(item))
	for k, j := range others {
		dst[k] = simd.Dot(x, simd.Vec(q.root.RawRowView(j)))
	}
	if q.own != nil {
		for k, j := range others {
			dst[k] += q.own.between(item, j)
		}
		return
	}
	p := q.Prior
	if !p.sparse {
		return
	}
	// What the weights leave of the prior covariance is left after the votes too.
	same := make([]int, len(others))
	for k := range same {
		same[k] = item
	}
	prior := make([]float64, len(others))
	p.kernel.PairsTo(prior, p.x, same, others)
	phi := p.Features()
	y := simd.Vec(phi.RawRowView(item))
	for k, j := range others {
		dst[k] += (prior[k] - simd.Dot(y, simd.Vec(phi.RawRowView(j)))) / q.Scale
	}
}
