package kernel

// source is the scaled features behind a matrix or a list of pairs. Entry (i, j)
// belongs to left point i and right point j; a list of pairs has left point i_p
// and right point j_p at (p, 0).
type source struct {
	x, y Points
	inv  []float64
	flat []float64 // right points scaled, dense
	csr  *CSR      // right points scaled, sparse
	left *CSR      // left points scaled, sparse
	i, j []int     // pairs, or nil
}

func newSource(x, y Points, inv []float64) *source {
	s := &source{x: x, y: y, inv: inv}
	if x.csr == nil && y.csr == nil {
		s.flat = scaled(y, inv)
		return s
	}
	s.csr = scaledCSR(y.sparse(), inv)
	s.left = s.csr
	if !x.sameRows(y) {
		s.left = scaledCSR(x.sparse(), inv)
	}
	return s
}

func newPairSource(x Points, inv []float64, i, j []int) *source {
	if 2*len(i) < x.n {
		x, i, j = used(x, i, j)
	}
	s := newSource(x, x, inv)
	s.i, s.j = i, j
	return s
}

// used leaves out the points that no pair mentions.
func used(x Points, i, j []int) (sub Points, subI, subJ []int) {
	var idx []int
	place := make(map[int]int, 2*len(i))
	renumber := func(old []int) []int {
		out := make([]int, len(old))
		for p, v := range old {
			at, ok := place[v]
			if !ok {
				at = len(idx)
				place[v] = at
				idx = append(idx, v)
			}
			out[p] = at
		}
		return out
	}
	subI, subJ = renumber(i), renumber(j)
	return x.Subset(idx), subI, subJ
}

// work is the number of feature differences.
func (s *source) work() int {
	n, m := s.x.n, s.y.n
	if s.i != nil {
		n, m = len(s.i), 1
	}
	if s.csr != nil {
		return m*len(s.left.data) + n*len(s.csr.data)
	}
	return n * m * s.x.d
}

// reader is what one goroutine needs to read a source.
type reader struct {
	*source
	weights []float64 // one for each right point
	buf     []float64
	xs      []float64 // the left point: scaled, or scattered over all features

	// Sparse only: the features in which two points may differ.
	diff, zero, sum []float64
	cols, mark      []int
	stamp           int
}

func (s *source) reader() *reader {
	d := s.x.d
	r := &reader{source: s, xs: make([]float64, d), buf: make([]float64, max(d, s.y.n))}
	r.weights = make([]float64, s.y.n)
	if s.csr != nil {
		r.diff, r.zero, r.sum = make([]float64, d), make([]float64, d), make([]float64, d)
		r.cols, r.mark = make([]int, d), make([]int, d)
	}
	return r
}

// points returns the left and right points of entry (i, j).
func (r *reader) points(i, j int) (left, right int) {
	if r.i != nil {
		return r.i[i], r.j[i]
	}
	return i, j
}

// reduce computes entries (i, j), (i, j+1), … into dst, short of rows.finish.
func (r *reader) reduce(rows rows, dst []float64, i, j int) {
	i, j = r.points(i, j)
	if r.csr == nil {
		scaleRow(r.xs, r.x.row(i), r.inv)
		rows.reduce(dst, r.xs, r.flat[j*r.x.d:], r.buf)
		return
	}
	r.scatter(i)
	for c := range dst {
		n := r.differ(i, j+c)
		rows.reduce(dst[c:c+1], r.diff[:n], r.zero[:n], r.buf)
	}
	r.unscatter(i)
}

// grad adds the gradients of entries (i, j), (i, j+1), … with weights w to sum.
func (r *reader) grad(rows rows, sum, w []float64, i, j int) {
	i, j = r.points(i, j)
	if r.csr == nil {
		scaleRow(r.xs, r.x.row(i), r.inv)
		rows.grad(sum, w, r.xs, r.flat[j*r.x.d:], r.buf)
		return
	}
	r.scatter(i)
	for c := range w {
		if w[c] == 0 {
			continue
		}
		n := r.differ(i, j+c)
		part := r.sum[:n]
		clear(part)
		rows.grad(part, w[c:c+1], r.diff[:n], r.zero[:n], r.buf)
		for k, d := range r.cols[:n] {
			sum[d] += part[k]
		}
	}
	r.unscatter(i)
}

func (r *reader) scatter(i int) {
	index, data := r.left.row(i)
	for k, d := range index {
		r.xs[d] = data[k]
	}
}

func (r *reader) unscatter(i int) {
	index, _ := r.left.row(i)
	for _, d := range index {
		r.xs[d] = 0
	}
}

// differ lists the features in which the scattered point i and right point j are
// not both zero, with their differences. Every term is positive in what follows,
// so nothing cancels as it would if the norms were subtracted.
func (r *reader) differ(i, j int) (n int) {
	r.stamp++
	index, data := r.csr.row(j)
	for k, d := range index {
		r.mark[d] = r.stamp
		r.cols[n] = d
		r.diff[n] = r.xs[d] - data[k]
		n++
	}
	index, data = r.left.row(i)
	for k, d := range index {
		if r.mark[d] != r.stamp {
			r.cols[n] = d
			r.diff[n] = data[k]
			n++
		}
	}
	return n
}
