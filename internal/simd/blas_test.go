package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

var (
	sizes  = []int{0, 1, 3, 7, 13, 64, 257}
	modes  = map[string]BLAS{"asm": {}, "twin": {Portable: true}}
	flips  = []blas.Transpose{blas.NoTrans, blas.Trans}
	uplos  = []blas.Uplo{blas.Upper, blas.Lower}
	sides  = []blas.Side{blas.Left, blas.Right}
	diags  = []blas.Diag{blas.NonUnit, blas.Unit}
	guard  = math.Float64frombits(0x7ff8dead_beefcafe)
	random = func() *rand.Rand { return rand.New(rand.NewPCG(3, 14)) }
)

// field is a matrix inside a larger slice: an odd offset, a gap after every row, guards everywhere else.
type field struct {
	rows, cols, ld int
	data           []float64
}

func newField(r *rand.Rand, rows, cols int) field {
	f := field{rows, cols, max(1, cols+r.IntN(4)), nil}
	off := r.IntN(4)
	all := make([]float64, off+rows*f.ld+5)
	for i := range all {
		all[i] = guard
	}
	f.data = all[off : len(all)-1]
	for i := range rows {
		for j := range cols {
			f.data[i*f.ld+j] = r.NormFloat64()
		}
	}
	return f
}

func (f field) at(i, j int) float64 { return f.data[i*f.ld+j] }

func (f field) op(t blas.Transpose) func(i, j int) float64 {
	if t == blas.NoTrans {
		return f.at
	}
	return func(i, j int) float64 { return f.at(j, i) }
}

func (f field) clone() field { f.data = slices.Clone(f.data); return f }

// check compares with want where the mask allows and with the old values elsewhere; size bounds the terms of each sum.
func (f field) check(t *testing.T, old field, in func(i, j int) bool, want, size func(i, j int) float64) {
	t.Helper()
	for p, v := range f.data {
		i, j := p/f.ld, p%f.ld
		if i >= f.rows || j >= f.cols || !in(i, j) {
			if math.Float64bits(v) != math.Float64bits(old.data[p]) {
				t.Fatalf("wrote outside at %d,%d", i, j)
			}
			continue
		}
		w, tol := want(i, j), 4e-16*size(i, j)
		if math.IsNaN(w) && math.IsNaN(v) || v == w {
			continue
		}
		if !(math.Abs(v-w) <= tol) {
			t.Fatalf("%d×%d at %d,%d: %v, want %v ± %g", f.rows, f.cols, i, j, v, w, tol)
		}
	}
}

func everywhere(i, j int) bool { return true }

func inTriangle(ul blas.Uplo) func(i, j int) bool {
	return func(i, j int) bool { return i == j || (ul == blas.Upper) == (i < j) }
}

// sums is alpha·ΣA·B + beta·C entry by entry, and a bound on what rounding can do to it.
func sums(k int, alpha, beta float64, a, b, c func(i, j int) float64) (want, size func(i, j int) float64) {
	sum := func(i, j int, abs func(float64) float64) float64 {
		s := 0.0
		for p := range k {
			s += abs(a(i, p) * b(p, j))
		}
		s *= abs(alpha)
		if beta != 0 {
			s += abs(beta * c(i, j))
		}
		return s
	}
	return func(i, j int) float64 { return sum(i, j, func(x float64) float64 { return x }) },
		func(i, j int) float64 { return float64(k+3) * sum(i, j, math.Abs) }
}

func shapes(r *rand.Rand) [][3]int {
	var s [][3]int
	for _, m := range sizes {
		for _, n := range sizes {
			k := sizes[r.IntN(len(sizes))]
			if m*n*k > 1<<18 {
				k = 3
			}
			s = append(s, [3]int{m, n, k})
		}
	}
	return append(s, [3]int{5, 1030, 3}, [3]int{20, 30, 600}, [3]int{130, 70, 50}, [3]int{257, 3, 257})
}

func TestGemm(t *testing.T) {
	for name, impl := range modes {
		t.Run(name, func(t *testing.T) {
			r := random()
			for _, s := range shapes(r) {
				m, n, k := s[0], s[1], s[2]
				tA, tB := flips[r.IntN(2)], flips[r.IntN(2)]
				for _, sc := range [][2]float64{{1, 0}, {-0.7, 1.3}, {0, 2}, {1, 1}} {
					a, b := newField(r, m, k), newField(r, k, n)
					if tA == blas.Trans {
						a = newField(r, k, m)
					}
					if tB == blas.Trans {
						b = newField(r, n, k)
					}
					c := newField(r, m, n)
					old := c.clone()
					want, size := sums(k, sc[0], sc[1], a.op(tA), b.op(tB), old.at)
					impl.Dgemm(tA, tB, m, n, k, sc[0], a.data, a.ld, b.data, b.ld, sc[1], c.data, c.ld)
					c.check(t, old, everywhere, want, size)
				}
			}
		})
	}
}

func TestSyrk(t *testing.T) {
	for name, impl := range modes {
		t.Run(name, func(t *testing.T) {
			r := random()
			for _, n := range sizes {
				for _, k := range sizes {
					if n*n*k > 1<<20 {
						continue
					}
					for _, ul := range uplos {
						tA := flips[r.IntN(2)]
						a := newField(r, n, k)
						if tA == blas.Trans {
							a = newField(r, k, n)
						}
						c := newField(r, n, n)
						old := c.clone()
						x := a.op(tA)
						want, size := sums(k, 0.3, -2, x, func(i, j int) float64 { return x(j, i) }, old.at)
						impl.Dsyrk(ul, tA, n, k, 0.3, a.data, a.ld, -2, c.data, c.ld)
						c.check(t, old, inTriangle(ul), want, size)
					}
				}
			}
		})
	}
}

func TestSymm(t *testing.T) {
	for name, impl := range modes {
		t.Run(name, func(t *testing.T) {
			r := random()
			for _, s := range shapes(r)[:49] {
				if s[0]*s[1] > 1<<14 {
					continue
				}
				for _, side := range sides {
					for _, ul := range uplos {
						m, n := s[0], s[1]
						k := n
						if side == blas.Left {
							k = m
						}
						a, b, c := newField(r, k, k), newField(r, m, n), newField(r, m, n)
						in := inTriangle(ul)
						sym := func(i, j int) float64 {
							if in(i, j) {
								return a.at(i, j)
							}
							return a.at(j, i)
						}
						x, y := sym, b.at
						if side == blas.Right {
							x, y = b.at, sym
						}
						old := c.clone()
						want, size := sums(k, 2, 0.5, x, y, old.at)
						impl.Dsymm(side, ul, m, n, 2, a.data, a.ld, b.data, b.ld, 0.5, c.data, c.ld)
						c.check(t, old, everywhere, want, size)
					}
				}
			}
		})
	}
}

// TestTriangular holds TRMM to the definition and TRSM to being its inverse.
func TestTriangular(t *testing.T) {
	for name, impl := range modes {
		t.Run(name, func(t *testing.T) {
			r := random()
			for _, s := range append(shapes(r)[:49], [3]int{130, 1}, [3]int{130, 2}, [3]int{2, 130}) {
				for c := range 16 {
					if max(s[0], s[1]) > 200 && c != r.IntN(16) {
						continue
					}
					side, ul, tA, d := sides[c&1], uplos[c>>1&1], flips[c>>2&1], diags[c>>3&1]
					m, n := s[0], s[1]
					k := n
					if side == blas.Left {
						k = m
					}
					a, x := newField(r, k, k), newField(r, m, n)
					in := inTriangle(ul)
					for i := range k {
						for j := range k {
							a.data[i*a.ld+j] /= float64(k)
							if !in(i, j) {
								a.data[i*a.ld+j] = math.NaN() // never read
							} else if i == j && d == blas.Unit {
								a.data[i*a.ld+j] = math.NaN()
							} else if i == j {
								a.data[i*a.ld+j] += 2
							}
						}
					}
					tri := func(i, j int) float64 {
						if i == j && d == blas.Unit {
							return 1
						}
						if !in(i, j) {
							return 0
						}
						return a.at(i, j)
					}
					op := tri
					if tA == blas.Trans {
						op = func(i, j int) float64 { return tri(j, i) }
					}
					old := x.clone()
					p, q := op, old.at
					if side == blas.Right {
						p, q = old.at, op
					}
					want, size := sums(k, 0.6, 0, p, q, nil)
					impl.Dtrmm(side, ul, tA, d, m, n, 0.6, a.data, a.ld, x.data, x.ld)
					x.check(t, old, everywhere, want, size)
					impl.Dtrsm(side, ul, tA, d, m, n, 1/0.6, a.data, a.ld, x.data, x.ld)
					x.check(t, old, everywhere, old.at, func(i, j int) float64 { return 30 * float64(k+10) })
				}
			}
		})
	}
}

// positive is a well-conditioned symmetric matrix.
func positive(r *rand.Rand, n int) field {
	a, x := newField(r, n, n), newField(r, n, n)
	for i := range n {
		for j := range n {
			s := 0.0
			for p := range min(n, 9) {
				s += x.at(i, p) * x.at(j, p)
			}
			if i == j {
				s += 1
			}
			a.data[i*a.ld+j] = s
		}
	}
	return a
}

func TestPotrf(t *testing.T) {
	for name, impl := range modes {
		t.Run(name, func(t *testing.T) {
			r := random()
			for _, n := range append(sizes, 2, 4, 5, 12, 100, 255, 530) {
				for _, ul := range uplos {
					a := positive(r, n)
					u := a.clone()
					if !(LAPACK{Portable: impl.Portable}).Dpotrf(ul, n, u.data, u.ld) {
						t.Fatalf("n = %d: not positive definite", n)
					}
					in := inTriangle(ul)
					back := u.clone()
					for i := range n {
						for j := range n {
							s := 0.0
							for p := range min(i, j) + 1 {
								if ul == blas.Upper {
									s += u.at(p, i) * u.at(p, j)
								} else {
									s += u.at(i, p) * u.at(j, p)
								}
							}
							if in(i, j) {
								back.data[i*a.ld+j] = s
							}
						}
					}
					back.check(t, a, in, a.at, func(i, j int) float64 {
						return float64(n+5) * math.Sqrt(a.at(i, i)*a.at(j, j))
					})
				}
			}
		})
	}
}

func TestPotrfRefuses(t *testing.T) {
	r := random()
	for _, n := range []int{1, 3, 7, 13, 100, 530} {
		for _, bad := range []float64{0, -1, math.NaN(), math.Inf(-1)} {
			for _, ul := range uplos {
				for _, portable := range []bool{false, true} {
					a := positive(r, n)
					i := r.IntN(n)
					a.data[i*a.ld+i] = bad
					if (LAPACK{Portable: portable}).Dpotrf(ul, n, a.data, a.ld) {
						t.Errorf("n = %d accepted a diagonal entry %v", n, bad)
					}
				}
			}
		}
	}
}

// TestSpecials puts one NaN or infinity into an operand: the same entries must be lost as in the plain sums.
func TestSpecials(t *testing.T) {
	r := random()
	for _, impl := range modes {
		for range 60 {
			m, n, k := 1+r.IntN(40), 1+r.IntN(40), 1+r.IntN(40)
			a, b, c := newField(r, m, k), newField(r, k, n), newField(r, m, n)
			bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1)}[r.IntN(3)]
			a.data[r.IntN(m)*a.ld+r.IntN(k)] = bad
			b.data[r.IntN(k)*b.ld+r.IntN(n)] = 0
			c.data[0] = math.NaN() // beta = 0 overwrites it
			old := c.clone()
			want, size := sums(k, 1, 0, a.at, b.at, nil)
			impl.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld)
			c.check(t, old, everywhere, want, size)
		}
	}
}

// TestSameBits runs large calls on different numbers of goroutines.
func TestSameBits(t *testing.T) {
	r := random()
	const n, k = 310, 270
	a, s, x := newField(r, n, k), positive(r, 600), newField(r, 600, 210)
	run := func() []float64 {
		c, d, u, y := make([]float64, n*n), make([]float64, n*n), s.clone(), x.clone()
		BLAS{}.Dgemm(blas.NoTrans, blas.Trans, n, n, k, 1, a.data, a.ld, a.data, a.ld, 0, c, n)
		BLAS{}.Dsyrk(blas.Lower, blas.NoTrans, n, k, 1, a.data, a.ld, 0, d, n)
		LAPACK{}.Dpotrf(blas.Upper, 600, u.data, u.ld)
		BLAS{}.Dtrsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, 600, 210, 1, u.data, u.ld, y.data, y.ld)
		return slices.Concat(c, d, u.data, y.data)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	want := run()
	same := func(name string, got []float64) {
		for i := range want {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Fatalf("%s: value %d is %v, on one goroutine %v", name, i, got[i], want[i])
			}
		}
	}
	for _, procs := range []int{2, 5} {
		runtime.GOMAXPROCS(procs)
		same(fmt.Sprint(procs, " goroutines"), run())
		got := make([][]float64, 4)
		Parallel(4, func(i int) { got[i] = run() })
		for _, g := range got {
			same("inside Parallel", g)
		}
	}
}
