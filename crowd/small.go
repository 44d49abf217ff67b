package crowd

import "math"

// invert replaces the symmetric positive definite n×n matrix a by its inverse,
// both triangles, and returns log |a|. work holds n² numbers. It is not ok when
// a is not positive definite. Voters have a few factors each: at that size plain
// loops are quicker than blocked routines.
func invert(a, work []float64, n int) (logDet float64, ok bool) {
	l := work[:n*n]
	prod := 1.0
	for j := range n {
		for i := j; i < n; i++ {
			s := a[i*n+j]
			li, lj := l[i*n:i*n+j], l[j*n:j*n+j]
			for k, x := range lj {
				s -= li[k] * x
			}
			if i == j {
				if !(s > 0) {
					return 0, false
				}
				if prod *= s; prod > 1e200 || prod < 1e-200 {
					logDet += math.Log(prod)
					prod = 1
				}
				l[j*n+j] = 1 / math.Sqrt(s)
			} else {
				l[i*n+j] = s * l[j*n+j]
			}
		}
	}
	logDet += math.Log(prod)
	// L⁻¹, in place, with the diagonal inverted already.
	for j := range n {
		for i := j + 1; i < n; i++ {
			var s float64
			for k := j; k < i; k++ {
				s -= l[i*n+k] * l[k*n+j]
			}
			l[i*n+j] = s * l[i*n+i]
		}
	}
	for i := range n {
		for j := range i + 1 {
			var s float64
			for k := i; k < n; k++ {
				s += l[k*n+i] * l[k*n+j]
			}
			a[i*n+j], a[j*n+i] = s, s
		}
	}
	return logDet, true
}

func dot(a, b []float64) (s float64) {
	for i, x := range a {
		s += x * b[i]
	}
	return s
}

// form returns aᵀSa and sets sa = Sa.
func form(sa, s, a []float64) (q float64) {
	n := len(a)
	for i, x := range a {
		sa[i] = dot(s[i*n:i*n+n], a)
		q += x * sa[i]
	}
	return q
}
