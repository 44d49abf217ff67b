package simd

// The twins of the assembly in dense_amd64.s: the same sums in an order of their own, without fused operations unless the
// compiler has them.

func gemm4x12(k int, a []float64, rsa, csa int, b []float64, rsb int, c []float64, ldc int, alpha float64, fresh bool) {
	if fresh {
		for r := range 4 {
			clear(c[r*ldc : r*ldc+12])
		}
	}
	for j := 0; j < 12; j += 2 {
		var s00, s01, s10, s11, s20, s21, s30, s31 float64
		ia, ib := 0, j
		for range k {
			bp := b[ib : ib+2 : ib+2]
			b0, b1 := bp[0], bp[1]
			a0, a1, a2, a3 := a[ia], a[ia+rsa], a[ia+2*rsa], a[ia+3*rsa]
			s00 += a0 * b0
			s01 += a0 * b1
			s10 += a1 * b0
			s11 += a1 * b1
			s20 += a2 * b0
			s21 += a2 * b1
			s30 += a3 * b0
			s31 += a3 * b1
			ia += csa
			ib += rsb
		}
		c[j] += alpha * s00
		c[j+1] += alpha * s01
		c[ldc+j] += alpha * s10
		c[ldc+j+1] += alpha * s11
		c[2*ldc+j] += alpha * s20
		c[2*ldc+j+1] += alpha * s21
		c[3*ldc+j] += alpha * s30
		c[3*ldc+j+1] += alpha * s31
	}
}

func transpose4(dst []float64, ldd int, src []float64, lds, k int) {
	r0, r1, r2, r3 := src[:k], src[lds:lds+k], src[2*lds:2*lds+k], src[3*lds:3*lds+k]
	for p := range r0 {
		d := dst[p*ldd : p*ldd+4 : p*ldd+4]
		d[0], d[1], d[2], d[3] = r0[p], r1[p], r2[p], r3[p]
	}
}

func copy12(dst []float64, ldd int, src []float64, lds, k int) {
	for p := range k {
		copy(dst[p*ldd:p*ldd+12], src[p*lds:p*lds+12])
	}
}

func solve4(t *[16]float64, x []float64, ldx, n int) {
	n *= 4
	x0, x1, x2, x3 := x[:n], x[ldx:ldx+n], x[2*ldx:2*ldx+n], x[3*ldx:3*ldx+n]
	for p, v0 := range x0 {
		v0 *= t[0]
		v1 := (x1[p] - t[1]*v0) * t[5]
		v2 := (x2[p] - t[2]*v0 - t[6]*v1) * t[10]
		x0[p], x1[p], x2[p], x3[p] = v0, v1, v2, (x3[p]-t[3]*v0-t[7]*v1-t[11]*v2)*t[15]
	}
}

func solve4up(t *[16]float64, x []float64, ldx, n int) {
	n *= 4
	x0, x1, x2, x3 := x[:n], x[ldx:ldx+n], x[2*ldx:2*ldx+n], x[3*ldx:3*ldx+n]
	for p, v3 := range x3 {
		v3 *= t[15]
		v2 := (x2[p] - t[14]*v3) * t[10]
		v1 := (x1[p] - t[13]*v3 - t[9]*v2) * t[5]
		x0[p], x1[p], x2[p], x3[p] = (x0[p]-t[12]*v3-t[8]*v2-t[4]*v1)*t[0], v1, v2, v3
	}
}

func dot(x, y []float64) float64 {
	var s0, s1, s2, s3 float64
	y = y[:len(x)]
	i := 0
	for ; i+4 <= len(x); i += 4 {
		a, b := x[i:i+4:i+4], y[i:i+4:i+4]
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
	}
	s := (s0 + s1) + (s2 + s3)
	for ; i < len(x); i++ {
		s += x[i] * y[i]
	}
	return s
}

func axpy(alpha float64, x, y []float64) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}
