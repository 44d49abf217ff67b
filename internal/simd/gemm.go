package simd

import "sync"

// The blocks of GEMM: the packed block of A (rows×depth) stays in the second-level cache, that of B (depth×cols) in the third.
// The best of some thirty triples tried at n = 200, 500 and 1000.
const (
	blockRows  = 96
	blockCols  = 504
	blockDepth = 512
)

// view is a matrix by its strides, so that a transpose costs nothing.
type view struct {
	data   []float64
	rs, cs int
}

func (v view) at(i, j int) view { return view{v.data[min(i*v.rs+j*v.cs, len(v.data)):], v.rs, v.cs} }
func (v view) t() view          { return view{v.data, v.cs, v.rs} }

// part is which entries of C a product may touch.
type part uint8

const (
	all part = iota
	upper
	lower
)

// buffers holds the packed blocks of one goroutine.
type buffers struct {
	a, b []float64
	tri  triangle
}

var spare = sync.Pool{New: func() any { return new(buffers) }}

func grow(s *[]float64, n int) []float64 {
	if cap(*s) < n {
		*s = make([]float64, n)
	}
	return (*s)[:n]
}

// gemm adds alpha·A·B to the allowed part of the m×n matrix C or, fresh, overwrites it. An entry's sum runs over the depth in blocks that depend on k alone,
// so neither its place nor the number of goroutines changes its bits.
func (md mode) gemm(p part, m, n, k int, alpha float64, a, b view, c []float64, ldc int, fresh bool) {
	if m == 0 || n == 0 || k == 0 {
		return
	}
	w := md.workers()
	if w == 1 || float64(m)*float64(n)*float64(k) < 1<<21 {
		md.gemmTile(p, 0, 0, m, n, k, alpha, a, b, c, ldc, fresh)
		return
	}
	rows, cols := m, n
	for pieces := 1; pieces < 2*w && max(rows, cols) > 96; pieces *= 2 {
		if rows >= cols {
			rows = roundUp((rows+1)/2, 4)
		} else {
			cols = roundUp((cols+1)/2, 12)
		}
	}
	down, across := (m+rows-1)/rows, (n+cols-1)/cols
	spread(down*across, w, func(t int) {
		i, j := t/across*rows, t%across*cols
		h, v := min(rows, m-i), min(cols, n-j)
		if p == upper && j+v <= i || p == lower && i+h <= j {
			return
		}
		md.gemmTile(p, i, j, h, v, k, alpha, a.at(i, 0), b.at(0, j), c[i*ldc+j:], ldc, fresh)
	})
}

// mulAdd adds alpha·A·B to the m×n view C, either of whose strides is one.
func (md mode) mulAdd(m, n, k int, alpha float64, a, b, c view) {
	if c.cs == 1 {
		md.gemm(all, m, n, k, alpha, a, b, c.data, c.rs, false)
	} else {
		md.gemm(all, n, m, k, alpha, b.t(), a.t(), c.data, c.cs, false)
	}
}

func roundUp(n, by int) int { return (n + by - 1) / by * by }

// gemmTile is gemm on one goroutine for the tile of C that begins at row i0, column j0 of the whole.
func (md mode) gemmTile(p part, i0, j0, m, n, k int, alpha float64, a, b view, c []float64, ldc int, fresh bool) {
	pieces := (k + blockDepth - 1) / blockDepth
	depth := (k + pieces - 1) / pieces
	buf := spare.Get().(*buffers)
	for jc := 0; jc < n; jc += blockCols {
		nc := min(blockCols, n-jc)
		for pc := 0; pc < k; pc += depth {
			kc := min(depth, k-pc)
			pb := grow(&buf.b, roundUp(nc, 12)*kc)
			md.packB(pb, b.at(pc, jc), kc, nc)
			for ic := 0; ic < m; ic += blockRows {
				mc := min(blockRows, m-ic)
				if p == upper && j0+jc+nc <= i0+ic || p == lower && i0+ic+mc <= j0+jc {
					continue
				}
				pa := grow(&buf.a, roundUp(mc, 4)*kc)
				md.packA(pa, a.at(ic, pc), mc, kc)
				md.gemmBlock(p, i0+ic-j0-jc, mc, nc, kc, alpha, pa, pb, c[ic*ldc+jc:], ldc, fresh && pc == 0)
			}
		}
	}
	spare.Put(buf)
}

// gemmBlock multiplies packed blocks; the block of C begins offset rows below the diagonal.
func (md mode) gemmBlock(p part, offset, m, n, k int, alpha float64, pa, pb, c []float64, ldc int, fresh bool) {
	var tile [48]float64
	for j := 0; j < n; j += 12 {
		nr := min(12, n-j)
		for i := 0; i < m; i += 4 {
			mr := min(4, m-i)
			below := offset + i - j // of the tile's corner
			if p == upper && below >= nr || p == lower && below+mr <= 0 {
				continue
			}
			cut := p == upper && below+mr-1 > 0 || p == lower && below < nr-1
			if mr == 4 && nr == 12 && !cut {
				md.gemm4x12(k, pa[i*k:], 1, 4, pb[j*k:], 12, c[i*ldc+j:], ldc, alpha, fresh)
				continue
			}
			for r := 0; r < mr && !fresh; r++ {
				copy(tile[12*r:12*r+nr], c[(i+r)*ldc+j:])
			}
			md.gemm4x12(k, pa[i*k:], 1, 4, pb[j*k:], 12, tile[:], 12, alpha, fresh)
			for r := range mr {
				from, to := 0, nr
				if p == upper {
					from = max(0, min(nr, below+r))
				} else if p == lower {
					to = max(0, min(nr, below+r+1))
				}
				if from < to {
					copy(c[(i+r)*ldc+j+from:(i+r)*ldc+j+to], tile[12*r+from:])
				}
			}
		}
	}
}

// packA lays out m×k values in panels of four rows, each panel by columns; missing rows are zero.
func (md mode) packA(dst []float64, a view, m, k int) {
	for i := 0; i < m; i += 4 {
		md.packPanel(dst[i*k:(i+4)*k], 4, a.at(i, 0), min(4, m-i), k)
	}
}

// packB lays out k×n values in panels of twelve columns, each panel by rows; missing columns are zero.
func (md mode) packB(dst []float64, b view, k, n int) {
	for j := 0; j < n; j += 12 {
		md.packPanel(dst[j*k:(j+12)*k], 12, b.at(0, j).t(), min(12, n-j), k)
	}
}

// packPanel writes w rows of k values as k rows of width values, zero beyond w.
func (md mode) packPanel(dst []float64, width int, v view, w, k int) {
	switch {
	case k == 0:
	case v.cs == 1:
		r := 0
		for ; r+4 <= w; r += 4 {
			md.transpose4(dst[r:], width, v.data[r*v.rs:], v.rs, k)
		}
		for ; r < width; r++ {
			if r < w {
				for p, x := range v.data[r*v.rs : r*v.rs+k] {
					dst[p*width+r] = x
				}
				continue
			}
			for p := range k {
				dst[p*width+r] = 0
			}
		}
	case v.rs == 1 && w == 12 && width == 12:
		md.copy12(dst, 12, v.data, v.cs, k)
	case v.rs == 1 && w == 4 && width == 4:
		for p := range k {
			*(*[4]float64)(dst[4*p:]) = *(*[4]float64)(v.data[p*v.cs:])
		}
	case v.rs == 1:
		for p := range k {
			d := dst[p*width : p*width+width]
			clear(d[copy(d, v.data[p*v.cs:p*v.cs+w]):])
		}
	default:
		for p := range k {
			for r := range width {
				x := 0.0
				if r < w {
					x = v.data[r*v.rs+p*v.cs]
				}
				dst[p*width+r] = x
			}
		}
	}
}
