package simd

// base is the largest triangle handled without recursion: its packed form and a panel of twelve right-hand sides fit the
// first-level cache.
const base = 64

// triangle is one n×n triangle, n ≤ base, packed for 4×12 tiles: for each four rows the off-diagonal part by columns, padded
// with zeros to whole fours, and the 4×4 diagonal block by columns, padded with the identity.
type triangle struct {
	blocks int
	low    bool
	panel  [base / 4][]float64
	diag   [base / 4][16]float64
}

// packTriangle reads the triangle of t; with invert the diagonal is stored inverted.
func (md mode) packTriangle(tri *triangle, t view, n int, low, unit, invert bool, buf *buffers) {
	q := (n + 3) / 4
	tri.blocks, tri.low = q, low
	store := grow(&buf.a, 8*q*q)
	for b := range q {
		i := 4 * b
		w := min(4, n-i)
		from, k, wide := 0, i, i
		if !low {
			from, k, wide = i+4, max(0, n-i-4), 4*q-i-4
		}
		p := store[:4*wide]
		store = store[4*wide:]
		if k > 0 {
			md.packPanel(p[:4*k], 4, t.at(i, from), w, k)
		}
		clear(p[4*k:])
		tri.panel[b] = p
		d := &tri.diag[b]
		clear(d[:])
		for r := range 4 {
			d[5*r] = 1
			if r >= w {
				continue
			}
			if !unit {
				d[5*r] = t.data[(i+r)*t.rs+(i+r)*t.cs]
				if invert {
					d[5*r] = 1 / d[5*r]
				}
			}
			for s := range w {
				if low && s < r || !low && s > r {
					d[4*s+r] = t.data[(i+r)*t.rs+(i+s)*t.cs]
				}
			}
		}
	}
}

// solve overwrites the 4⌈n/4⌉ rows of twelve values in x with T⁻¹x.
func (md mode) solve(tri *triangle, x []float64) {
	q := tri.blocks
	for s := range q {
		b, k, above := s, 4*s, 0
		if !tri.low {
			b = q - 1 - s
			above = 4*b + 4
		}
		if k > 0 {
			md.gemm4x12(k, tri.panel[b], 1, 4, x[12*above:], 12, x[48*b:], 12, -1, false)
		}
		md.solve4(!tri.low, &tri.diag[b], x[48*b:], 12, 3)
	}
}

// multiply overwrites the rows of twelve values in x with T·x.
func (md mode) multiply(tri *triangle, x []float64) {
	q := tri.blocks
	for s := range q {
		b, k, above := q-1-s, 4*(q-1-s), 0
		if !tri.low {
			b = s
			above = 4*b + 4
		}
		scale4(tri.low, &tri.diag[b], (*[48]float64)(x[48*b:]))
		if k > 0 {
			md.gemm4x12(k, tri.panel[b], 1, 4, x[12*above:], 12, x[48*b:], 12, 1, false)
		}
	}
}

// scale4 multiplies four rows of twelve by a 4×4 triangle and never touches the other half, so that no 0·∞ arises.
func scale4(low bool, t *[16]float64, x *[48]float64) {
	for j := range 12 {
		x0, x1, x2, x3 := x[j], x[12+j], x[24+j], x[36+j]
		if low {
			x[j] = t[0] * x0
			x[12+j] = t[1]*x0 + t[5]*x1
			x[24+j] = t[2]*x0 + t[6]*x1 + t[10]*x2
			x[36+j] = t[3]*x0 + t[7]*x1 + t[11]*x2 + t[15]*x3
		} else {
			x[36+j] = t[15] * x3
			x[24+j] = t[14]*x3 + t[10]*x2
			x[12+j] = t[13]*x3 + t[9]*x2 + t[5]*x1
			x[j] = t[12]*x3 + t[8]*x2 + t[4]*x1 + t[0]*x0
		}
	}
}
