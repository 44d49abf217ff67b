package simd

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
)

// Shape is how a kernel falls off with distance.
type Shape uint8

// The shapes; r is a distance in length-scales.
const (
	SE       Shape = iota // e^(−r²/2)
	Matern12              // e^−r
	Matern32              // (1+a)·e^−a, a = √3·r
	Matern52              // (1+a+a²/3)·e^−a, a = √5·r
)

// Euclidean writes k(xᵢ, yⱼ) to dst for rows xᵢ of x and yⱼ of y, r² = Σ((x_d − y_d)·inv_d)².
func Euclidean(dst blas64.General, s Shape, x, y blas64.General, inv []float64) {
	mode{}.kernel(dst, euclidean(s), x, y, inv)
}

// Product writes Π_d k(x_d, y_d), r = |x_d − y_d|·inv_d, to dst. The product of exponentials is one exponential of a sum, and
// the product of the other factors is kept as a mantissa and an exponent, so no number of features overflows.
func Product(dst blas64.General, s Shape, x, y blas64.General, inv []float64) {
	mode{}.kernel(dst, product(s), x, y, inv)
}

// gather is what is accumulated over features, finish what becomes of it.
type (
	gather uint8
	finish uint8
)

const (
	squares gather = iota // s = Σd²
	spans                 // s = Σ|d|
	lines                 // and p = Π(1+|d|)
	conics                // and p = Π(1+|d|+d²/3)
)

const (
	asIs      finish = iota
	expNeg           // e^−s
	expRoot          // e^−√s
	expRoot32        // (1+√s)·e^−√s
	expRoot52        // (1+√s+s/3)·e^−√s
	expTimes         // p·e^−s
)

// form is a kernel as the loops see it: features are scaled by inv·scale.
type form struct {
	gather
	finish
	scale float64
}

func (f form) product() bool { return f.finish == expTimes }

var root = [...]float64{SE: math.Sqrt2 / 2, Matern12: 1, Matern32: 1.7320508075688772, Matern52: 2.23606797749979}

func euclidean(s Shape) form {
	return form{squares, [...]finish{SE: expNeg, Matern12: expRoot, Matern32: expRoot32, Matern52: expRoot52}[s], root[s]}
}

func product(s Shape) form {
	switch s {
	case SE:
		return euclidean(SE)
	case Matern12:
		return form{spans, expNeg, root[s]}
	}
	return form{[...]gather{Matern32: lines, Matern52: conics}[s], expTimes, root[s]}
}

const (
	panelCols = 8   // rows of Y that meet X at a time
	stripRows = 3   // rows of X that meet a panel at a time
	tileRows  = 36  // rows of X that meet a stretch of features while it is cached
	stretch   = 256 // features
	foldEvery = 64  // features; a product that overflows sooner has an exponential that is 0
	taskCols  = 128
)

// kernel fills dst in tiles, half of them when x is y. Features are taken to length-scales first, so a difference is accurate to
// an ulp of the larger of the two scaled values.
func (m mode) kernel(dst blas64.General, f form, x, y blas64.General, inv []float64) {
	if x.Cols != y.Cols || len(inv) != x.Cols || dst.Rows != x.Rows || dst.Cols != y.Rows {
		panic("simd: kernel matrix: shapes do not match")
	}
	if dst.Rows == 0 || dst.Cols == 0 {
		return
	}
	w := make([]float64, len(inv))
	for d, v := range inv {
		w[d] = v * f.scale
	}
	same := x.Rows == y.Rows && x.Stride == y.Stride && len(x.Data) > 0 && &x.Data[0] == &y.Data[0]
	down, across := (x.Rows+tileRows-1)/tileRows, (y.Rows+taskCols-1)/taskCols
	workers := m.workers()
	if float64(x.Rows)*float64(y.Rows)*float64(x.Cols+8) < 1<<18 {
		workers = 1
	}
	shared := spare.Get().(*buffers)
	panels := grow(&shared.b, roundUp(y.Rows, panelCols)*y.Cols)
	spread((y.Rows+panelCols-1)/panelCols, workers, func(q int) { m.packScaled(panels, y, w, q*panelCols) })
	spread(down*across, workers, func(q int) {
		i, j := q/across*tileRows, q%across*taskCols
		rows, end := min(tileRows, x.Rows-i), min(y.Rows, j+taskCols)
		if same {
			j = max(j, i/panelCols*panelCols)
		}
		if j >= end {
			return
		}
		buf, t := spare.Get().(*buffers), tiles.Get().(*tile)
		strip := grow(&buf.a, roundUp(rows, stripRows)*x.Cols)
		for r := range roundUp(rows, stripRows) {
			scaleRow(strip[r*x.Cols:(r+1)*x.Cols], x.Data[(i+min(r, rows-1))*x.Stride:], w)
		}
		for ; j < end; j += panelCols {
			m.kernelTile(t, dst, f, strip, panels[j*x.Cols:], x.Cols, i, j, rows, min(panelCols, y.Rows-j), same)
		}
		tiles.Put(t)
		spare.Put(buf)
	})
	spare.Put(shared)
}

func scaleRow(dst, x, w []float64) {
	x, w = x[:len(dst)], w[:len(dst)]
	for d := range dst {
		dst[d] = x[d] * w[d]
	}
}

// packScaled lays out eight rows of y from row j on, feature by feature, in length-scales.
func (m mode) packScaled(panels []float64, y blas64.General, w []float64, j int) {
	k := y.Cols
	p := panels[j*k : (j+panelCols)*k]
	m.packPanel(p, panelCols, view{y.Data, y.Stride, 1}.at(j, 0), min(panelCols, y.Rows-j), k)
	for d, v := range w {
		q := (*[panelCols]float64)(p[d*panelCols:])
		for c := range q {
			q[c] *= v
		}
	}
}

// tile is what one block of rows and eight columns accumulates.
type tile struct{ s, p, e [tileRows * panelCols]float64 }

var tiles = sync.Pool{New: func() any { return new(tile) }}

var ones = func() (v [tileRows * panelCols]float64) {
	for i := range v {
		v[i] = 1
	}
	return v
}()

// kernelTile fills rows i… and columns j… of dst and, if x is y, their mirror image.
func (m mode) kernelTile(t *tile, dst blas64.General, f form, x, y []float64, k, i, j, rows, cols int, same bool) {
	const step = stripRows * panelCols
	n := roundUp(rows, stripRows) * panelCols
	if f.product() {
		clear(t.e[:n])
	}
	if k == 0 {
		clear(t.s[:n])
		t.p = ones
	}
	for d := 0; d < k; d += stretch {
		end := min(k, d+stretch)
		for r := 0; r < rows; r += stripRows {
			at := r * panelCols
			s, p, e := t.s[at:at+step], t.p[at:at+step], t.e[at:at+step]
			for a := d; a < end; a += foldEvery {
				b := min(end, a+foldEvery)
				m.gather(f.gather, b-a, x[r*k+a:], k, y[a*panelCols:], a == 0, s, p)
				if f.product() && b < k {
					m.fold(p, e)
				}
			}
		}
	}
	m.finish(f.finish, t.s[:n], t.p[:n], t.e[:n])
	for r := range rows {
		row := t.s[r*panelCols:]
		switch {
		case same: // of the upper triangle only, so that no two tasks write one entry
			for c := max(0, i+r-j); c < cols; c++ {
				dst.Data[(i+r)*dst.Stride+j+c] = row[c]
				dst.Data[(j+c)*dst.Stride+i+r] = row[c]
			}
		case cols == panelCols:
			*(*[panelCols]float64)(dst.Data[(i+r)*dst.Stride+j:]) = *(*[panelCols]float64)(row)
		default:
			copy(dst.Data[(i+r)*dst.Stride+j:], row[:cols])
		}
	}
}

// gather accumulates k features of three rows of x, ldx apart, against a panel.
func (m mode) gather(g gather, k int, x []float64, ldx int, y []float64, fresh bool, s, p []float64) {
	if !m.asm() {
		if fresh {
			clear(s)
			copy(p, ones[:])
		}
		for r := range stripRows {
			gatherRow(g, x[r*ldx:r*ldx+k], y, (*[panelCols]float64)(s[r*panelCols:]), (*[panelCols]float64)(p[r*panelCols:]))
		}
		return
	}
	_, _, _, _ = x[2*ldx+k-1], y[panelCols*k-1], s[stripRows*panelCols-1], p[stripRows*panelCols-1]
	switch g {
	case squares:
		addSquaresAVX2(&x[0], ldx, &y[0], k, fresh, &s[0], &p[0], &table[0])
	case spans:
		addSpansAVX2(&x[0], ldx, &y[0], k, fresh, &s[0], &p[0], &table[0])
	case lines:
		addLinesAVX2(&x[0], ldx, &y[0], k, fresh, &s[0], &p[0], &table[0])
	case conics:
		addConicsAVX2(&x[0], ldx, &y[0], k, fresh, &s[0], &p[0], &table[0])
	}
}

// fold moves the exponents of p to e; the lengths are multiples of four.
func (m mode) fold(p, e []float64) {
	if m.asm() {
		_ = e[len(p)-1]
		foldAVX2(&p[0], &e[0], len(p)/4, &table[0])
		return
	}
	fold(p, e)
}

// finish turns what was gathered into kernel values, in s; the length is a multiple of four.
func (m mode) finish(f finish, s, p, e []float64) {
	n := len(s) / 4
	if !m.asm() {
		finishAll(f, s, p, e)
		return
	}
	switch f {
	case expNeg:
		expNegAVX2(&s[0], n, &table[0])
	case expRoot:
		expNegRootAVX2(&s[0], n, &table[0])
	case expRoot32:
		expNegRoot32AVX2(&s[0], n, &table[0])
	case expRoot52:
		expNegRoot52AVX2(&s[0], n, &table[0])
	case expTimes:
		_, _ = p[len(s)-1], e[len(s)-1]
		expNegProductAVX2(&s[0], &p[0], &e[0], n, &table[0])
	}
}
