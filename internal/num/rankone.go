package num

import (
	"fmt"
	"math"

	"palate/internal/simd"
)

// Update turns the factor of A into the factor of A + xxᵀ in O(n²). x is kept.
func (c *Cholesky) Update(x []float64) {
	c.checkRankOne(x)
	n := c.n
	cos, sin := make([]float64, n), make([]float64, n)
	// A rotation of column k with the running remainder of x, row by row so that
	// memory is read in order. Four rows at once hide the latency of the remainder.
	for i := 0; i < n; {
		rows := min(4, n-i)
		var v [4]float64
		copy(v[:], x[i:i+rows])
		if rows == 4 && i > 0 {
			v[0], v[1], v[2], v[3] = rotate4(c.l[i*n:], n, cos[:i], sin[:i], v)
		} else {
			for r := range rows {
				v[r] = rotate(c.l[(i+r)*n:], cos[:i], sin[:i], v[r])
			}
		}
		for r := range rows {
			k := i + r
			row := c.l[k*n : k*n+n]
			rem := rotate(row[i:], cos[i:k], sin[i:k], v[r])
			d := math.Hypot(row[k], rem)
			cos[k], sin[k] = row[k]/d, rem/d
			row[k] = d
		}
		i += rows
	}
}

// rotate applies the rotations to a row of L and the remainder v of x.
func rotate(row, cos, sin []float64, v float64) float64 {
	row, sin = row[:len(cos)], sin[:len(cos)]
	for k, cs := range cos {
		l, sn := row[k], sin[k]
		row[k] = cs*l + sn*v
		v = cs*v - sn*l
	}
	return v
}

func rotate4(l []float64, n int, cos, sin []float64, v [4]float64) (v0, v1, v2, v3 float64) {
	m := len(cos)
	r0, r1, r2, r3 := l[:m], l[n:n+m], l[2*n:2*n+m], l[3*n:3*n+m]
	sin = sin[:m]
	v0, v1, v2, v3 = v[0], v[1], v[2], v[3]
	for k, cs := range cos {
		sn := sin[k]
		a, b, c, d := r0[k], r1[k], r2[k], r3[k]
		r0[k], v0 = cs*a+sn*v0, cs*v0-sn*a
		r1[k], v1 = cs*b+sn*v1, cs*v1-sn*b
		r2[k], v2 = cs*c+sn*v2, cs*v2-sn*c
		r3[k], v3 = cs*d+sn*v3, cs*v3-sn*d
	}
	return v0, v1, v2, v3
}

// Downdate turns the factor of A into the factor of A − xxᵀ in O(n²). When that
// is not positive definite it returns an error and leaves the factor as it was.
// x is kept.
//
// With p = L⁻¹x and ρ² = 1 − pᵀp, the rotations that carry (p, ρ) to the last
// unit vector carry (L, 0) to the new factor beside x (LINPACK's dchdd).
func (c *Cholesky) Downdate(x []float64) error {
	c.checkRankOne(x)
	n := c.n
	p := make([]float64, n)
	c.SolveLVecTo(p, x)
	norm := simd.Nrm2(simd.Vector{N: n, Inc: 1, Data: p})
	rest := (1 - norm) * (1 + norm)
	if !(rest > float64(n)*0x1p-52) {
		return fmt.Errorf("num: downdate of a %d×%d factor: not positive definite: 1 − xᵀA⁻¹x = %.3g", n, n, rest)
	}
	rho := math.Sqrt(rest)
	cos, sin := make([]float64, n), p
	for k := n - 1; k >= 0; k-- {
		r := math.Hypot(rho, p[k])
		cos[k], sin[k] = rho/r, p[k]/r
		rho = r
	}
	for i := 0; i < n; {
		rows := min(4, n-i)
		var v [4]float64
		for r := range rows {
			v[r] = unrotate(c.l[(i+r)*n+i:], cos[i:i+r+1], sin[i:], 0)
		}
		if rows == 4 {
			unrotate4(c.l[i*n:], n, cos[:i], sin[:i], v)
		} else {
			for r := range rows {
				unrotate(c.l[(i+r)*n:], cos[:i], sin[:i], v[r])
			}
		}
		i += rows
	}
	return nil
}

// unrotate applies the rotations last to first to a row of L, carrying the part
// of x that they gather.
func unrotate(row, cos, sin []float64, v float64) float64 {
	row, sin = row[:len(cos)], sin[:len(cos)]
	for k := len(cos) - 1; k >= 0; k-- {
		l := row[k]
		row[k], v = cos[k]*l-sin[k]*v, cos[k]*v+sin[k]*l
	}
	return v
}

func unrotate4(l []float64, n int, cos, sin []float64, v [4]float64) {
	m := len(cos)
	r0, r1, r2, r3 := l[:m], l[n:n+m], l[2*n:2*n+m], l[3*n:3*n+m]
	sin = sin[:m]
	v0, v1, v2, v3 := v[0], v[1], v[2], v[3]
	for k := m - 1; k >= 0; k-- {
		cs, sn := cos[k], sin[k]
		a, b, c, d := r0[k], r1[k], r2[k], r3[k]
		r0[k], v0 = cs*a-sn*v0, cs*v0+sn*a
		r1[k], v1 = cs*b-sn*v1, cs*v1+sn*b
		r2[k], v2 = cs*c-sn*v2, cs*v2+sn*c
		r3[k], v3 = cs*d-sn*v3, cs*v3+sn*d
	}
}

func (c *Cholesky) checkRankOne(x []float64) {
	if len(x) != c.n {
		panic(fmt.Sprintf("num: rank-one change: vector of length %d, want %d", len(x), c.n))
	}
}
