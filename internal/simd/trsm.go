package simd

// triangular is op(A) of a TRSM or TRMM as a lower or upper triangle.
type triangular struct {
	view
	low, unit bool
}

// trsm overwrites the n×m view B with T⁻¹B.
func (md mode) trsm(t triangular, n, m int, b view) {
	switch {
	case m < 3:
		md.solveColumns(t, n, m, b)
	case md.divisible(n, m):
		md.columns(m, b, func(md mode, m int, b view) { md.trsmRec(t, n, m, b) })
	default:
		md.trsmRec(t, n, m, b)
	}
}

// trmm overwrites B with T·B.
func (md mode) trmm(t triangular, n, m int, b view) {
	if md.divisible(n, m) {
		md.columns(m, b, func(md mode, m int, b view) { md.trmmRec(t, n, m, b) })
	} else {
		md.trmmRec(t, n, m, b)
	}
}

func (md mode) divisible(n, m int) bool {
	return m >= 96 && float64(n)*float64(n)*float64(m) >= 1<<21 && md.workers() > 1
}

// columns shares out the columns of B, which do not depend on one another.
func (md mode) columns(m int, b view, f func(md mode, m int, b view)) {
	w := md.workers()
	md.serial = true
	chunk := max(48, roundUp((m+2*w-1)/(2*w), 12))
	spread((m+chunk-1)/chunk, w, func(i int) { f(md, min(chunk, m-i*chunk), b.at(0, i*chunk)) })
}

func half(n int) int { return roundUp(n/2, 4) }

func (md mode) trsmRec(t triangular, n, m int, b view) {
	if n <= base {
		md.panels(t, n, m, b, true)
		return
	}
	h := half(n)
	t11, t22 := t, t
	t22.view = t.at(h, h)
	b1, b2 := b, b.at(h, 0)
	if t.low {
		md.trsmRec(t11, h, m, b1)
		md.mulAdd(n-h, m, h, -1, t.at(h, 0), b1, b2)
		md.trsmRec(t22, n-h, m, b2)
	} else {
		md.trsmRec(t22, n-h, m, b2)
		md.mulAdd(h, m, n-h, -1, t.at(0, h), b2, b1)
		md.trsmRec(t11, h, m, b1)
	}
}

func (md mode) trmmRec(t triangular, n, m int, b view) {
	if n <= base {
		md.panels(t, n, m, b, false)
		return
	}
	h := half(n)
	t11, t22 := t, t
	t22.view = t.at(h, h)
	b1, b2 := b, b.at(h, 0)
	if t.low {
		md.trmmRec(t22, n-h, m, b2)
		md.mulAdd(n-h, m, h, 1, t.at(h, 0), b1, b2)
		md.trmmRec(t11, h, m, b1)
	} else {
		md.trmmRec(t11, h, m, b1)
		md.mulAdd(h, m, n-h, 1, t.at(0, h), b2, b1)
		md.trmmRec(t22, n-h, m, b2)
	}
}

// panels solves with T, or multiplies by it, twelve columns of B at a time, in a contiguous copy.
func (md mode) panels(t triangular, n, m int, b view, invert bool) {
	buf := spare.Get().(*buffers)
	md.packTriangle(&buf.tri, t.view, n, t.low, t.unit, invert, buf)
	x := grow(&buf.b, 12*roundUp(n, 4))
	for j := 0; j < m; j += 12 {
		w := min(12, m-j)
		clear(x[12*n:])
		md.packPanel(x[:12*n], 12, b.at(0, j).t(), w, n)
		if invert {
			md.solve(&buf.tri, x)
		} else {
			md.multiply(&buf.tri, x)
		}
		md.unpackPanel(b.at(0, j), x, w, n)
	}
	spare.Put(buf)
}

// unpackPanel writes n rows of w ≤ 12 values back to the view.
func (md mode) unpackPanel(b view, x []float64, w, n int) {
	switch {
	case b.cs == 1 && w == 12:
		md.copy12(b.data, b.rs, x, 12, n)
	case b.cs == 1:
		for i := range n {
			copy(b.data[i*b.rs:i*b.rs+w], x[12*i:])
		}
	default:
		i := 0
		for ; i+4 <= n && w == 12 && b.rs == 1; i += 4 {
			md.transpose4(b.data[i:], b.cs, x[12*i:], 12, 12)
		}
		for ; i < n; i++ {
			for j := range w {
				b.data[i*b.rs+j*b.cs] = x[12*i+j]
			}
		}
	}
}

// solveColumns is substitution for one column at a time, by inner products or by updates as the triangle lies in memory.
func (md mode) solveColumns(t triangular, n, m int, b view) {
	buf := spare.Get().(*buffers)
	x := grow(&buf.b, n)
	for j := range m {
		for i := range x {
			x[i] = b.data[i*b.rs+j*b.cs]
		}
		md.trsv(t, x)
		for i := range x {
			b.data[i*b.rs+j*b.cs] = x[i]
		}
	}
	spare.Put(buf)
}

// trsv overwrites x with T⁻¹x.
func (md mode) trsv(t triangular, x []float64) {
	n := len(x)
	for s := range n {
		i, from, to := s, 0, s // what is already solved
		if !t.low {
			i = n - 1 - s
			from, to = i+1, n
		}
		d := i * (t.rs + t.cs)
		if t.cs == 1 {
			x[i] -= md.dot(t.data[i*t.rs+from:i*t.rs+to], x[from:to])
		}
		if !t.unit {
			x[i] /= t.data[d]
		}
		if t.cs == 1 {
			continue
		}
		if t.low {
			from, to = i+1, n
		} else {
			from, to = 0, i
		}
		md.axpy(-x[i], t.data[i*t.cs+from:i*t.cs+to], x[from:to])
	}
}
