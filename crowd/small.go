package crowd

import "palate/internal/num"

// invert replaces the symmetric positive definite n×n matrix a by its inverse,
// both triangles, and returns log |a|. work holds n² numbers. It is not ok when
// a is not positive definite. Voters have a few factors each, but as many tastes of
// their own as there are features or items they voted on.
func invert(a, work []float64, n int) (logDet float64, ok bool) {
	if logDet, ok = num.Invert(work, a, n); ok {
		copy(a, work[:n*n])
		num.Mirror(a, n)
	}
	return logDet, ok
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
