package simd

// mode says how a routine may run. Neither switch changes a bit beyond the difference between assembly and twin.
type mode struct {
	portable bool // the pure-Go twins even where there is assembly
	serial   bool // one goroutine even for large calls
}

func (m mode) asm() bool { return fast && !m.portable && !twins }

// gemm4x12 adds alpha·A·B to a 4×12 tile or, fresh, writes it there without reading C; A is 4×k with strides rsa, csa, the rows of B are rsb apart.
func (m mode) gemm4x12(k int, a []float64, rsa, csa int, b []float64, rsb int, c []float64, ldc int, alpha float64, fresh bool) {
	if m.asm() {
		_, _, _ = a[3*rsa+(k-1)*csa], b[(k-1)*rsb+11], c[3*ldc+11]
		gemm4x12AVX2(k, &a[0], rsa, csa, &b[0], rsb, &c[0], ldc, alpha, fresh)
		return
	}
	gemm4x12(k, a, rsa, csa, b, rsb, c, ldc, alpha, fresh)
}

// transpose4 writes four rows of k values as k rows of four.
func (m mode) transpose4(dst []float64, ldd int, src []float64, lds, k int) {
	if k == 0 {
		return
	}
	if m.asm() {
		_, _ = dst[(k-1)*ldd+3], src[3*lds+k-1]
		transpose4AVX2(&dst[0], ldd, &src[0], lds, k)
		return
	}
	transpose4(dst, ldd, src, lds, k)
}

// copy12 copies k rows of twelve values.
func (m mode) copy12(dst []float64, ldd int, src []float64, lds, k int) {
	if k == 0 {
		return
	}
	if m.asm() {
		_, _ = dst[(k-1)*ldd+11], src[(k-1)*lds+11]
		copy12AVX2(&dst[0], ldd, &src[0], lds, k)
		return
	}
	copy12(dst, ldd, src, lds, k)
}

// solve4 overwrites four rows of 4n values with T⁻¹ times them; t is a triangle by columns, its diagonal inverted: the lower one,
// or with up the upper one.
func (m mode) solve4(up bool, t *[16]float64, x []float64, ldx, n int) {
	switch {
	case n == 0:
	case m.asm():
		_ = x[3*ldx+4*n-1]
		if up {
			solve4upAVX2(&t[0], &x[0], ldx, n)
		} else {
			solve4AVX2(&t[0], &x[0], ldx, n)
		}
	case up:
		solve4up(t, x, ldx, n)
	default:
		solve4(t, x, ldx, n)
	}
}

func (m mode) dot(x, y []float64) float64 {
	if m.asm() && len(x) > 0 {
		_ = y[len(x)-1]
		return dotAVX2(&x[0], &y[0], len(x))
	}
	return dot(x, y)
}

// axpy adds alpha·x to y.
func (m mode) axpy(alpha float64, x, y []float64) {
	if m.asm() && len(x) > 0 {
		_ = y[len(x)-1]
		axpyAVX2(alpha, &x[0], &y[0], len(x))
		return
	}
	axpy(alpha, x, y)
}

// gemvRows adds alpha·A·x to y, four rows at a time.
func (m mode) gemvRows(rows int, alpha float64, a []float64, lda int, x, y []float64) {
	n, i := len(x), 0
	if m.asm() && n >= 4 {
		var out [4]float64
		for ; i+4 <= rows; i += 4 {
			_ = a[(i+3)*lda+n-1]
			dot4AVX2(&a[i*lda], lda, &x[0], n/4, &out[0])
			for r := range out {
				for j := n &^ 3; j < n; j++ {
					out[r] += a[(i+r)*lda+j] * x[j]
				}
				y[i+r] += alpha * out[r]
			}
		}
	}
	for ; i < rows; i++ {
		y[i] += alpha * m.dot(a[i*lda:i*lda+n], x)
	}
}

// gemvCols adds alpha·Aᵀ·x to y, four rows at a time.
func (m mode) gemvCols(rows int, alpha float64, a []float64, lda int, x, y []float64) {
	n, i := len(y), 0
	if m.asm() && n >= 4 {
		for ; i+4 <= rows; i += 4 {
			_ = a[(i+3)*lda+n-1]
			f := [4]float64{alpha * x[i], alpha * x[i+1], alpha * x[i+2], alpha * x[i+3]}
			axpy4AVX2(&f[0], &a[i*lda], lda, &y[0], n/4)
			for j := n &^ 3; j < n; j++ {
				for r, v := range f {
					y[j] += v * a[(i+r)*lda+j]
				}
			}
		}
	}
	for ; i < rows; i++ {
		m.axpy(alpha*x[i], a[i*lda:i*lda+n], y)
	}
}
