package crowd

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// plainLoops is the size up to which plain loops invert a matrix sooner than blocked
// routines do: at 24 they take about as long, at 150 seven times as long.
const plainLoops = 24

// invert replaces the symmetric positive definite n×n matrix a by its inverse,
// both triangles, and returns log |a|. work holds n² numbers. It is not ok when
// a is not positive definite. Voters have a few factors each, but as many tastes of
// their own as there are features or items they voted on.
func invert(a, work []float64, n int) (logDet float64, ok bool) {
	if n > plainLoops {
		return invertBlocked(a, work, n)
	}
	return invertPlain(a, work, n)
}

// invertBlocked finds L⁻¹ of a = LLᵀ, and then L⁻ᵀL⁻¹.
func invertBlocked(a, work []float64, n int) (logDet float64, ok bool) {
	sym := blas64.Symmetric{N: n, Stride: n, Data: a[:n*n], Uplo: blas.Lower}
	l, ok := lapack64.Potrf(sym)
	if !ok {
		return 0, false
	}
	inverse := blas64.General{Rows: n, Cols: n, Stride: n, Data: work[:n*n]}
	clear(inverse.Data)
	for i := range n {
		logDet += 2 * math.Log(a[i*n+i])
		inverse.Data[i*n+i] = 1
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, l, inverse)
	blas64.Syrk(blas.Trans, 1, inverse, 0, sym)
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
	return logDet, true
}

// invertPlain does so by plain loops.
func invertPlain(a, work []float64, n int) (logDet float64, ok bool) {
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
