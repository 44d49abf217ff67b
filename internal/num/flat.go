package num

import (
	"math"

	"gonum.org/v1/gonum/blas"

	"palate/internal/simd"
)

// Square matrices here are flat, row-major and n×n; symmetric ones are read
// from the lower triangle unless it says otherwise. They are small, and one goroutine
// serves one, so the routines underneath start no others.
var (
	serialBLAS   = simd.BLAS{Serial: true}
	serialLAPACK = simd.LAPACK{Serial: true}
)

// Plain is the size up to which loops beat the blocked routines.
const Plain = 20

// FactorWide is Factor of a large matrix, on all processors.
func FactorWide(a []float64, n int) bool { return simd.LAPACK{}.Dpotrf(blas.Lower, n, a, n) }

// Factor overwrites the lower triangle of a with its factor and returns the
// log determinant of a, or false when a is not positive definite.
func Factor(a []float64, n int) (logDet float64, ok bool) {
	if n > Plain {
		if !serialLAPACK.Dpotrf(blas.Lower, n, a, n) {
			return 0, false
		}
		prod := 1.0
		for i := range n {
			d := a[i*n+i]
			if prod *= d; prod > 1e200 || prod < 1e-200 {
				logDet += math.Log(prod)
				prod = 1
			}
		}
		logDet = 2 * (logDet + math.Log(prod))
		return logDet, !math.IsNaN(logDet) && !math.IsInf(logDet, 0)
	}
	prod := 1.0
	for i := range n {
		ri := a[i*n : i*n+i+1]
		for j := range i {
			rj := a[j*n : j*n+j+1]
			s := ri[j]
			for k, x := range rj[:j] {
				s -= ri[k] * x
			}
			ri[j] = s * rj[j] // the diagonal is inverted until the end
		}
		s := ri[i]
		for _, x := range ri[:i] {
			s -= x * x
		}
		if !(s > 0) || s > math.MaxFloat64 {
			return 0, false
		}
		if prod *= s; prod > 1e200 || prod < 1e-200 {
			logDet += math.Log(prod)
			prod = 1
		}
		ri[i] = 1 / math.Sqrt(s)
	}
	for i := range n {
		a[i*n+i] = 1 / a[i*n+i]
	}
	return logDet + math.Log(prod), true
}

// InvertLower overwrites a lower triangular matrix with its inverse.
func InvertLower(a []float64, n int) { invertLowerAt(a, n, n) }

func invertLowerAt(a []float64, n, ld int) {
	if n > Plain {
		h := (n/2 + 3) &^ 3
		b := a[h*ld:] // the block below
		invertLowerAt(a, h, ld)
		invertLowerAt(a[h*ld+h:], n-h, ld)
		// B ← −L₂₂⁻¹ B L₁₁⁻¹
		serialBLAS.Dtrmm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n-h, h, -1, a[h*ld+h:], ld, b, ld)
		serialBLAS.Dtrmm(blas.Right, blas.Lower, blas.NoTrans, blas.NonUnit, n-h, h, 1, a, ld, b, ld)
		return
	}
	for i := range n {
		ri := a[i*ld : i*ld+i+1]
		inv := 1 / ri[i]
		// Row i of the inverse is −1/L_ii Σ_k L_ik·row k.
		for k := range i {
			l := ri[k]
			ri[k] = 0
			rk := a[k*ld : k*ld+k+1]
			for j, x := range rk {
				ri[j] += l * x
			}
		}
		for j := range i {
			ri[j] *= -inv
		}
		ri[i] = inv
	}
}

// GramLower sets the lower triangle of dst to XᵀX, x being lower triangular.
func GramLower(dst, x []float64, n int) {
	for i := range n {
		clear(dst[i*n : i*n+i+1])
	}
	gramLowerAt(dst, x, n, n)
}

func gramLowerAt(dst, x []float64, n, ld int) {
	if n > Plain {
		h := (n/2 + 3) &^ 3
		below := x[h*ld:]
		gramLowerAt(dst, x, h, ld)
		serialBLAS.Dsyrk(blas.Lower, blas.Trans, h, n-h, 1, below, ld, 1, dst, ld)
		// C₂₁ = X₂₂ᵀ X₂₁
		for i := h; i < n; i++ {
			copy(dst[i*ld:i*ld+h], x[i*ld:i*ld+h])
		}
		serialBLAS.Dtrmm(blas.Left, blas.Lower, blas.Trans, blas.NonUnit, n-h, h, 1, x[h*ld+h:], ld, dst[h*ld:], ld)
		gramLowerAt(dst[h*ld+h:], x[h*ld+h:], n-h, ld)
		return
	}
	for k := range n {
		rk := x[k*ld : k*ld+k+1]
		for i, xi := range rk {
			di := dst[i*ld : i*ld+i+1]
			for j, xj := range rk[:i+1] {
				di[j] += xi * xj
			}
		}
	}
}

// Invert sets the lower triangle of dst to the inverse of a, whose lower
// triangle it overwrites with the inverse of its factor X (a⁻¹ = XᵀX), and
// returns the log determinant of a.
func Invert(dst, a []float64, n int) (logDet float64, ok bool) {
	if logDet, ok = Factor(a, n); !ok {
		return 0, false
	}
	InvertLower(a, n)
	GramLower(dst, a, n)
	return logDet, true
}

// Mirror copies the lower triangle to the upper one.
func Mirror(a []float64, n int) {
	for i := range n {
		for j := range i {
			a[j*n+i] = a[i*n+j]
		}
	}
}

// SymVec sets dst = A x, from the lower triangle.
func SymVec(dst, a, x []float64, n int) {
	clear(dst[:n])
	for i := range n {
		row := a[i*n : i*n+i+1]
		xi := x[i]
		var s float64
		for j, v := range row[:i] {
			s += v * x[j]
			dst[j] += v * xi
		}
		dst[i] += s + row[i]*xi
	}
}
