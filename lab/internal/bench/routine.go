package bench

import (
	"fmt"
	"math"
	"math/rand/v2"
	"palate/internal/simd"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	gonumblas "gonum.org/v1/gonum/blas/gonum"
	gonumlapack "gonum.org/v1/gonum/lapack/gonum"
)

// routine is one of package simd with its competitors. A competitor that takes long runs on a share of the work.
type routine struct {
	flops               float64
	own, plain, dense   func()
	restore             func()  // what all of them do to have their input back; it is timed and taken off
	plainPart, densPart float64 // the share of the work that one run does
	twinRuns            int     // fewer for slow twins
}

func normal(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func routineNamed(name string) (routine, bool) {
	r := rand.New(rand.NewPCG(1, 2))
	var n int
	switch name {
	case "gemm64", "gemm500", "gemm1000":
		fmt.Sscanf(name, "gemm%d", &n)
		return gemmWork(r, n), true
	case "syrk500":
		return syrkWork(r, 500, 1000), true
	case "potrf100", "potrf200", "potrf1000":
		fmt.Sscanf(name, "potrf%d", &n)
		return potrfWork(r, n), true
	case "trsm500":
		return trsmWork(r, 500), true
	case "exp":
		return expWork(r, 4096), true
	case "probit":
		return probitWork(r, 4096), true
	case "matern18", "matern300":
		fmt.Sscanf(name, "matern%d", &n)
		return maternWork(r, 300, n), true
	case "sparse_kernel":
		return sparseWork(r, 1000, 500, 30000, 0.01), true
	}
	return routine{}, false
}

func gemmWork(r *rand.Rand, n int) routine {
	a, b, c := normal(r, n*n), normal(r, n*n), make([]float64, n*n)
	run := func(l blas.Float64Level3) { l.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n) }
	return routine{
		flops: 2 * float64(n) * float64(n) * float64(n), plainPart: 1, twinRuns: 2,
		own:   func() { run(simd.BLAS{Serial: true}) },
		plain: func() { run(gonumblas.Implementation{}) },
	}
}

func syrkWork(r *rand.Rand, n, k int) routine {
	a, c := normal(r, n*k), make([]float64, n*n)
	run := func(l blas.Float64Level3) { l.Dsyrk(blas.Upper, blas.NoTrans, n, k, 1, a, k, 0, c, n) }
	return routine{
		flops: float64(n) * float64(n+1) * float64(k), plainPart: 1, twinRuns: 2,
		own:   func() { run(simd.BLAS{Serial: true}) },
		plain: func() { run(gonumblas.Implementation{}) },
	}
}

// definite is a symmetric matrix with a dominant diagonal.
func definite(r *rand.Rand, n int) []float64 {
	a := normal(r, n*n)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
		a[i*n+i] += 3 * float64(n)
	}
	return a
}

func potrfWork(r *rand.Rand, n int) routine {
	a, c := definite(r, n), make([]float64, n*n)
	restore := func() { copy(c, a) }
	return routine{
		restore: restore,
		flops:   float64(n) * float64(n) * float64(n) / 3, plainPart: 1, twinRuns: 2,
		own: func() {
			restore()
			simd.LAPACK{Serial: true}.Dpotrf(blas.Upper, n, c, n)
		},
		plain: func() {
			defer blas64.Use(blas64.Implementation())
			blas64.Use(gonumblas.Implementation{}) // gonum's LAPACK takes whatever BLAS is registered
			restore()
			gonumlapack.Implementation{}.Dpotrf(blas.Upper, n, c, n)
		},
	}
}

func trsmWork(r *rand.Rand, n int) routine {
	a, b, c := definite(r, n), normal(r, n*n), make([]float64, n*n)
	restore := func() { copy(c, b) }
	run := func(l blas.Float64Level3) {
		restore()
		l.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, n, n, 1, a, n, c, n)
	}
	return routine{
		restore: restore,
		flops:   float64(n) * float64(n) * float64(n), plainPart: 1, twinRuns: 2,
		own:   func() { run(simd.BLAS{Serial: true}) },
		plain: func() { run(gonumblas.Implementation{}) },
	}
}

func expWork(r *rand.Rand, n int) routine {
	x, y := normal(r, n), make([]float64, n)
	return routine{
		flops: 30 * float64(n), plainPart: 1, twinRuns: 3,
		own: func() { simd.Exp(y, x) },
		plain: func() {
			for i, v := range x {
				y[i] = math.Exp(v)
			}
		},
	}
}

func probitWork(r *rand.Rand, n int) routine {
	z, lp, h, rest := normal(r, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range z {
		z[i] *= 3
	}
	return routine{
		flops: 180 * float64(n), plainPart: 1, twinRuns: 3,
		own: func() { simd.Probit(lp, h, rest, z) },
		plain: func() { // log Φ and φ/Φ as the math package gives them
			for i, v := range z {
				p := math.Erfc(-v/math.Sqrt2) / 2
				lp[i] = math.Log(p)
				h[i] = math.Exp(-v*v/2) * (1 / math.Sqrt(2*math.Pi)) / p
			}
		},
	}
}

// inverse draws inverse length-scales that keep kernel values of d features away from 0 and 1.
func inverse(r *rand.Rand, d int) []float64 {
	inv := make([]float64, d)
	for i := range inv {
		inv[i] = (0.5 + r.Float64()) / math.Sqrt(float64(d))
	}
	return inv
}

func maternWork(r *rand.Rand, n, d int) routine {
	x := blas64.General{Rows: n, Cols: d, Stride: d, Data: normal(r, n*d)}
	y := blas64.General{Rows: n, Cols: d, Stride: d, Data: normal(r, n*d)}
	dst := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	inv := inverse(r, d)
	rows := max(1, 6000/(n*d)*10)
	return routine{
		flops: float64(n) * float64(n) * (4*float64(d) + 30), plainPart: float64(rows) / float64(n), twinRuns: 2,
		own: func() { simd.Product(dst, simd.Matern32, x, y, inv) },
		plain: func() {
			for i := range rows {
				for j := range n {
					dst.Data[i*n+j] = naive32(x.Data[i*d:(i+1)*d], y.Data[j*d:(j+1)*d], inv)
				}
			}
		},
	}
}

// naive32 is the product Matérn 3/2 kernel as it is written.
func naive32(x, y, inv []float64) float64 {
	p := 1.0
	for d, v := range x {
		a := math.Sqrt(3) * math.Abs(v-y[d]) * inv[d]
		p *= (1 + a) * math.Exp(-a)
	}
	return p
}

func sparseWork(r *rand.Rand, n, m, d int, density float64) routine {
	x, y := sprinkle(r, n, d, density), sprinkle(r, m, d, density)
	const rows = 36
	some, fewer := x, x
	some.Rows, fewer.Rows = rows, 1
	dx, dy := expand(some), expand(y)
	dst := blas64.General{Rows: n, Cols: m, Stride: m, Data: make([]float64, n*m)}
	part := dst
	part.Rows = rows
	inv := inverse(r, d)
	for i := range inv {
		inv[i] /= math.Sqrt(density)
	}
	shared := density * density * float64(d)
	const cols = 60
	return routine{
		flops: float64(n) * float64(m) * (8*shared + 30), plainPart: cols / float64(m) / float64(n), densPart: rows / float64(n), twinRuns: 1,
		own:   func() { simd.ProductSparse(dst, simd.Matern32, x, y, inv) },
		dense: func() { simd.Product(part, simd.Matern32, dx, dy, inv) },
		plain: func() {
			for j := range cols {
				dst.Data[j] = naive32(dx.Data[:d], dy.Data[j*d:(j+1)*d], inv)
			}
		},
	}
}

// sprinkle draws sparse rows.
func sprinkle(r *rand.Rand, n, d int, density float64) simd.CSR {
	c := simd.CSR{Rows: n, Cols: d, Ptr: []int{0}}
	for range n {
		for j := range d {
			if r.Float64() < density {
				c.Index, c.Data = append(c.Index, j), append(c.Data, r.NormFloat64())
			}
		}
		c.Ptr = append(c.Ptr, len(c.Index))
	}
	return c
}

func expand(c simd.CSR) blas64.General {
	g := blas64.General{Rows: c.Rows, Cols: c.Cols, Stride: c.Cols, Data: make([]float64, c.Rows*c.Cols)}
	for i := range c.Rows {
		index, data := c.Index[c.Ptr[i]:c.Ptr[i+1]], c.Data[c.Ptr[i]:c.Ptr[i+1]]
		for q, d := range index {
			g.Data[i*c.Cols+d] = data[q]
		}
	}
	return g
}
