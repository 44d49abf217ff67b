package simd

import "math"

// direct is the largest Cholesky factorisation done in one padded copy, without packing.
const direct = 512

// potrf overwrites the upper triangle of the row-major n×n matrix with U, A = UᵀU, and reports whether all pivots were positive.
func (md mode) potrf(n int, a []float64, lda int) bool {
	if n <= direct {
		return md.potrfDirect(n, view{a, lda, 1})
	}
	h := half(n)
	a12, a22 := a[h:], a[h*lda+h:]
	if !md.potrf(h, a, lda) {
		return false
	}
	md.trsm(triangular{view{a, 1, lda}, true, false}, h, n-h, view{a12, lda, 1})
	md.gemm(upper, n-h, n-h, h, -1, view{a12, 1, lda}, view{a12, lda, 1}, a22, lda, false)
	return md.potrf(n-h, a22, lda)
}

// potrfLower is potrf for the lower triangle, A = LLᵀ.
func (md mode) potrfLower(n int, a []float64, lda int) bool {
	if n <= direct {
		return md.potrfDirect(n, view{a, 1, lda})
	}
	h := half(n)
	a21, a22 := a[h*lda:], a[h*lda+h:]
	if !md.potrfLower(h, a, lda) {
		return false
	}
	md.trsm(triangular{view{a, lda, 1}, true, false}, h, n-h, view{a21, 1, lda})
	md.gemm(lower, n-h, n-h, h, -1, view{a21, lda, 1}, view{a21, 1, lda}, a22, lda, false)
	return md.potrfLower(n-h, a22, lda)
}

// potrfDirect factors the upper triangle of a view, four rows at a time, in a padded copy: rows that are already factored update
// the next four through 4×12 tiles that read U itself as both operands.
func (md mode) potrfDirect(n int, a view) bool {
	n4 := roundUp(n, 4)
	ld := roundUp(n4+8, 8) | 8 // room for the last tile, and an odd number of cache lines so that a column spreads over the cache
	buf := spare.Get().(*buffers)
	defer spare.Put(buf)
	u := grow(&buf.a, n4*ld)
	for i := range n4 {
		row := u[i*ld : i*ld+ld]
		if i >= n {
			clear(row)
			row[i] = 1
			continue
		}
		if a.cs == 1 {
			copy(row[i:n], a.data[i*a.rs+i:])
		} else {
			for j := i; j < n; j++ {
				row[j] = a.data[i*a.rs+j*a.cs]
			}
		}
		clear(row[n:])
		clear(row[i&^3 : i])
	}
	ok := true
	done := n
	for i := 0; i < n && ok; i += 4 {
		if i > 0 {
			for j := i; j < n; j += 12 {
				md.gemm4x12(i, u[i:], 1, ld, u[j:], ld, u[i*ld+j:], ld, -1, false)
			}
		}
		var t [16]float64
		if good := factor4(u[i*ld+i:], ld, &t); good < min(4, n-i) {
			ok, done = false, i+good
		}
		md.solve4(false, &t, u[i*ld+i+4:], ld, (n4-i-4)/4)
	}
	for i := range done {
		row := u[i*ld : i*ld+n]
		if a.cs == 1 {
			copy(a.data[i*a.rs+i:], row[i:])
		} else {
			for j := i; j < n; j++ {
				a.data[i*a.rs+j*a.cs] = row[j]
			}
		}
	}
	return ok
}

// factor4 factors a 4×4 upper triangle in place, leaves Uᵀ by columns with its diagonal inverted in t, and says how many pivots
// were positive.
func factor4(u []float64, ld int, t *[16]float64) int {
	r0, r1, r2, r3 := (*[4]float64)(u), (*[4]float64)(u[ld:]), (*[4]float64)(u[2*ld:]), (*[4]float64)(u[3*ld:])
	d := r0[0]
	if !(d > 0) {
		return 0
	}
	d = math.Sqrt(d)
	inv := 1 / d
	u01, u02, u03 := r0[1]*inv, r0[2]*inv, r0[3]*inv
	r0[0], r0[1], r0[2], r0[3] = d, u01, u02, u03
	t[0], t[1], t[2], t[3] = inv, u01, u02, u03
	if d = r1[1] - u01*u01; !(d > 0) {
		return 1
	}
	d = math.Sqrt(d)
	inv = 1 / d
	u12, u13 := (r1[2]-u01*u02)*inv, (r1[3]-u01*u03)*inv
	r1[1], r1[2], r1[3] = d, u12, u13
	t[5], t[6], t[7] = inv, u12, u13
	if d = r2[2] - u02*u02 - u12*u12; !(d > 0) {
		return 2
	}
	d = math.Sqrt(d)
	inv = 1 / d
	u23 := (r2[3] - u02*u03 - u12*u13) * inv
	r2[2], r2[3] = d, u23
	t[10], t[11] = inv, u23
	if d = r3[3] - u03*u03 - u13*u13 - u23*u23; !(d > 0) {
		return 3
	}
	d = math.Sqrt(d)
	r3[3], t[15] = d, 1/d
	return 4
}
