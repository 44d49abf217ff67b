package kernel

import "fmt"

// Combination is how a stationary kernel combines its features.
type Combination uint8

const (
	// Euclidean is the shape over the distance √Σ((x_d−y_d)/ℓ_d)².
	Euclidean Combination = iota
	// SoftAnd is the product of the shape over every feature, CROWD (36).
	SoftAnd
	// SoftOr is the mean of the shape over the features, those with an Endless
	// length-scale left out.
	SoftOr
)

var combinations = [...]string{Euclidean: "euclidean", SoftAnd: "product", SoftOr: "sum"}

// String returns the name used in files.
func (c Combination) String() string {
	if int(c) >= len(combinations) {
		return fmt.Sprintf("Combination(%d)", uint8(c))
	}
	return combinations[c]
}

// parseCombination is the inverse of String.
func parseCombination(name string) (Combination, error) {
	for c, s := range combinations {
		if s == name {
			return Combination(c), nil
		}
	}
	return 0, fmt.Errorf("kernel: unknown combination %q", name)
}

// rows computes a shape under a combination, one row of entries at a time. Sparse
// points pass only the features that differ; total is the number of all features
// whose length-scale has an end.
type rows struct {
	form    *form
	combine Combination
	total   float64
}

func newRows(s Shape, c Combination, total int) rows {
	r := rows{form: &shapes[s], combine: c, total: float64(total)}
	if c == SoftAnd && r.form.product == nil {
		r.combine = Euclidean
	}
	return r
}

// reduce reads the features: it leaves dst_j for finish. buf holds at least len(x).
func (r rows) reduce(dst, x, y, buf []float64) {
	switch r.combine {
	case Euclidean:
		squares(dst, x, y)
	case SoftAnd:
		r.form.product(dst, x, y)
	case SoftOr:
		n := len(x)
		buf = buf[:n]
		for j := range dst {
			gaps(buf, x, y[j*n:j*n+n])
			r.form.values(buf)
			s := r.total - float64(n) // features that do not differ count one each
			for _, v := range buf {
				s += v // one where the length-scale has no end
			}
			if dst[j] = 1; r.total > 0 {
				dst[j] = s / r.total
			}
		}
	}
}

// finish turns what reduce left into entries.
func (r rows) finish(dst []float64) {
	if r.combine == Euclidean {
		r.form.values(dst)
	}
}

// grad adds Σ_j w_j ∂k(x, y_j)/∂log ℓ_d to grad_d. buf holds at least the larger
// of len(w) and len(x).
func (r rows) grad(grad, w, x, y, buf []float64) {
	n := len(x)
	switch r.combine {
	case Euclidean:
		buf = buf[:len(w)]
		squares(buf, x, y)
		r.form.slopes(buf)
		for j, c := range w {
			if c *= buf[j]; c != 0 {
				addSquares(grad, c, x, y[j*n:j*n+n])
			}
		}
	case SoftAnd:
		buf = buf[:len(w)]
		r.form.product(buf, x, y)
		for j, c := range w {
			buf[j] *= c
		}
		r.form.relief(grad, buf, x, y)
	case SoftOr:
		buf = buf[:n]
		for j, c := range w {
			if c == 0 {
				continue
			}
			row := y[j*n : j*n+n]
			gaps(buf, x, row)
			r.form.slopes(buf)
			c /= max(r.total, 1)
			for d, v := range x {
				a := v - row[d]
				grad[d] += c * buf[d] * a * a
			}
		}
	}
}

// squares sets dst_j = Σ_d (x_d − y_jd)².
func squares(dst, x, y []float64) {
	n := len(x)
	for j := range dst {
		row := y[j*n : j*n+n]
		row = row[:len(x)]
		var s0, s1, s2, s3 float64
		d := 0
		for ; d+3 < len(x); d += 4 {
			a0, a1 := x[d]-row[d], x[d+1]-row[d+1]
			a2, a3 := x[d+2]-row[d+2], x[d+3]-row[d+3]
			s0 += a0 * a0
			s1 += a1 * a1
			s2 += a2 * a2
			s3 += a3 * a3
		}
		for ; d < len(x); d++ {
			a := x[d] - row[d]
			s0 += a * a
		}
		dst[j] = (s0 + s1) + (s2 + s3)
	}
}

// addSquares adds c(x_d − y_d)² to grad_d.
func addSquares(grad []float64, c float64, x, y []float64) {
	grad, y = grad[:len(x)], y[:len(x)]
	for d, v := range x {
		a := v - y[d]
		grad[d] += c * a * a
	}
}

// gaps sets dst_d = (x_d − y_d)².
func gaps(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for d := range dst {
		a := x[d] - y[d]
		dst[d] = a * a
	}
}
