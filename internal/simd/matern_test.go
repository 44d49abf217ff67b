package simd

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
)

// forms is every kernel; a new one belongs here.
var forms = map[string]struct {
	form form
	// naive is the definition: one feature's factor for products, the whole for Euclidean forms.
	naive   func(r float64) float64
	product bool
}{
	"squared distance": {form{gather: squares, scale: 1}, func(r float64) float64 { return r * r }, false},
	"SE":               {euclidean(SE), func(r float64) float64 { return math.Exp(-r * r / 2) }, false},
	"Matern12":         {euclidean(Matern12), func(r float64) float64 { return math.Exp(-r) }, false},
	"Matern32":         {euclidean(Matern32), matern32, false},
	"Matern52":         {euclidean(Matern52), matern52, false},
	"product SE":       {product(SE), func(r float64) float64 { return math.Exp(-r * r / 2) }, true},
	"product Matern12": {product(Matern12), func(r float64) float64 { return math.Exp(-r) }, true},
	"product Matern32": {product(Matern32), matern32, true},
	"product Matern52": {product(Matern52), matern52, true},
}

func matern32(r float64) float64 { a := math.Sqrt(3) * r; return (1 + a) * math.Exp(-a) }
func matern52(r float64) float64 { a := math.Sqrt(5) * r; return (1 + a + a*a/3) * math.Exp(-a) }

func TestFormsComplete(t *testing.T) {
	seen := map[form]bool{}
	for _, f := range forms {
		seen[f.form] = true
	}
	for s := SE; s <= Matern52; s++ {
		if !seen[euclidean(s)] || !seen[product(s)] {
			t.Errorf("shape %d is not in the table", s)
		}
	}
}

func entry(f string, x, y, inv []float64) float64 {
	k := forms[f]
	if k.product {
		v := 1.0
		for d := range x {
			v *= k.naive(math.Abs(x[d]-y[d]) * inv[d])
		}
		return v
	}
	s := 0.0
	for d := range x {
		r := (x[d] - y[d]) * inv[d]
		s += r * r
	}
	return k.naive(math.Sqrt(s))
}

func general(r *rand.Rand, rows, cols int, density float64) blas64.General {
	f := newField(r, rows, cols)
	for i := range rows {
		for j := range cols {
			if r.Float64() >= density {
				f.data[i*f.ld+j] = 0
			}
		}
	}
	return blas64.General{Rows: rows, Cols: cols, Stride: f.ld, Data: f.data}
}

func compress(g blas64.General) CSR {
	c := CSR{Rows: g.Rows, Cols: g.Cols, Ptr: []int{0}}
	for i := range g.Rows {
		for j, v := range g.Data[i*g.Stride : i*g.Stride+g.Cols] {
			if v != 0 {
				c.Index, c.Data = append(c.Index, j), append(c.Data, v)
			}
		}
		c.Ptr = append(c.Ptr, len(c.Index))
	}
	return c
}

func row(g blas64.General, i int) []float64 { return g.Data[i*g.Stride : i*g.Stride+g.Cols] }

func scales(r *rand.Rand, n int) []float64 {
	inv := make([]float64, n)
	for d := range inv {
		inv[d] = (0.2 + r.Float64()) / math.Sqrt(float64(n))
	}
	return inv
}

// TestKernelMatrix compares dense and sparse, assembly and twin with the definitions, for odd sizes and strides.
func TestKernelMatrix(t *testing.T) {
	for name := range forms {
		r := random()
		for _, s := range [][3]int{{0, 3, 2}, {1, 1, 1}, {3, 7, 13}, {7, 13, 3}, {13, 9, 64}, {5, 17, 65}, {35, 8, 257}, {2, 3, 700}, {9, 9, 0}} {
			for _, density := range []float64{1, 0.1} {
				x, y := general(r, s[0], s[2], density), general(r, s[1], s[2], density)
				if s[0] > 2 && s[1] > 2 {
					copy(row(y, 1), row(x, 2)) // the same point
					copy(row(y, 2), row(x, 1)) // and nearly so
					if s[2] > 0 {
						row(y, 2)[0] += 1e-9
					}
				}
				inv := scales(r, s[2])
				for path, m := range paths {
					for kind, run := range map[string]func(dst blas64.General){
						"dense":  func(dst blas64.General) { m.kernel(dst, forms[name].form, x, y, inv) },
						"sparse": func(dst blas64.General) { m.sparse(dst, forms[name].form, compress(x), compress(y), inv) },
					} {
						f := newField(r, s[0], s[1])
						old := f.clone()
						run(blas64.General{Rows: s[0], Cols: s[1], Stride: f.ld, Data: f.data})
						t.Log(path, kind, s, density)
						f.check(t, old, everywhere, func(i, j int) float64 { return entry(name, row(x, i), row(y, j), inv) },
							func(i, j int) float64 {
								v := entry(name, row(x, i), row(y, j), inv)
								if kind == "sparse" {
									return 5000 * v
								}
								if forms[name].form.finish == asIs { // the square of a difference that is right to an ulp of the points
									v += 4 * math.Sqrt(v)
								}
								return (40 + float64(s[2])) * v
							})
					}
				}
			}
		}
	}
}

// TestKernelFar covers values where a plain product would overflow or underflow on its way: n features that are near in x and
// far in y.
func TestKernelFar(t *testing.T) {
	for name, k := range forms {
		for _, v := range [][2]float64{{0, 1e-160}, {0, 0.2}, {3, 3.1}, {3, 4}, {0, 3}, {0, 50}, {0, 1e3}, {1e3, 0}, {0, 1e5}, {0, 1e100}, {0, math.Inf(1)}, {0, math.NaN()}} {
			near, far := v[0], v[1]
			for _, n := range []int{3, 64, 300, 3000} {
				x := blas64.General{Rows: 1, Cols: n, Stride: n, Data: slices.Repeat([]float64{near}, n)}
				y := blas64.General{Rows: 1, Cols: n, Stride: n, Data: slices.Repeat([]float64{far}, n)}
				inv := slices.Repeat([]float64{1}, n)
				for path, m := range paths {
					for kind, run := range map[string]func(dst blas64.General){
						"dense":  func(dst blas64.General) { m.kernel(dst, k.form, x, y, inv) },
						"sparse": func(dst blas64.General) { m.sparse(dst, k.form, compress(x), compress(y), inv) },
					} {
						dst := blas64.General{Rows: 1, Cols: 1, Stride: 1, Data: []float64{7}}
						run(dst)
						got, want := dst.Data[0], entry(name, x.Data, y.Data, inv)
						if math.IsNaN(want) && math.IsInf(far, 1) { // 0·∞ in the plain form
							want = 0
						}
						if got == want || math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) <= 1e-10*math.Abs(want)+1e-300 {
							continue
						}
						t.Errorf("%s %s %s: %d features at %v give %v, want %v", path, kind, name, n, far, got, want)
					}
				}
			}
		}
	}
}

// TestKernelSymmetric: with x as both operands the matrix is the one that two copies give, to the bit, on any number of goroutines.
func TestKernelSymmetric(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	r := random()
	x := general(r, 150, 20, 1)
	y := x
	y.Data = slices.Clone(x.Data)
	inv := scales(r, 20)
	for name, k := range forms {
		a, b := make([]float64, 150*150), make([]float64, 150*150)
		mode{serial: true}.kernel(blas64.General{Rows: 150, Cols: 150, Stride: 150, Data: b}, k.form, x, y, inv)
		for _, procs := range []int{1, 2, 5} {
			runtime.GOMAXPROCS(procs)
			mode{}.kernel(blas64.General{Rows: 150, Cols: 150, Stride: 150, Data: a}, k.form, x, x, inv)
			for i := range a {
				if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
					t.Fatalf("%s: entry %d is %v, from two copies %v", name, i, a[i], b[i])
				}
			}
		}
	}
}
