package kernel

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// profiles are the textbook formulas (Rasmussen and Williams 2006, section 4.2).
var profiles = map[Shape]func(r float64) float64{
	SE:       func(r float64) float64 { return math.Exp(-r * r / 2) },
	Matern12: func(r float64) float64 { return math.Exp(-r) },
	Matern32: func(r float64) float64 { return (1 + math.Sqrt(3)*r) * math.Exp(-math.Sqrt(3)*r) },
	Matern52: func(r float64) float64 {
		return (1 + math.Sqrt(5)*r + 5*r*r/3) * math.Exp(-math.Sqrt(5)*r)
	},
}

// naive evaluates the definition of a stationary kernel, feature by feature.
func naive(s Shape, c Combination, lengths, x, y []float64) float64 {
	var square, sum float64
	product := 1.0
	for d := range x {
		r := math.Abs(x[d]-y[d]) / lengths[d]
		square += r * r
		sum += profiles[s](r)
		product *= profiles[s](r)
	}
	switch c {
	case Euclidean:
		return profiles[s](math.Sqrt(square))
	case SoftAnd:
		return product
	}
	return sum / float64(len(x))
}

// The fast forms agree with the definition, past the fold of 64 features too.
func TestStationaryIsItsDefinition(t *testing.T) {
	for s := range shapes {
		if profiles[Shape(s)] == nil {
			t.Fatalf("no formula for %v", Shape(s))
		}
		for c := range combinations {
			for _, d := range []int{1, 2, 3, 7, 63, 64, 65, 150} {
				x := features(rng(uint64(d)), 6, d)
				lengths := make([]float64, d)
				for f := range lengths {
					lengths[f] = 1 + math.Sqrt(float64(d))*float64(f%3)
				}
				k := NewStationary(Shape(s), Combination(c), lengths)
				for kind, p := range storage(x) {
					m := matrix(k, p, p)
					for i := range 6 {
						for j := range 6 {
							want := naive(Shape(s), Combination(c), lengths, x.RawRowView(i), x.RawRowView(j))
							if got := m.At(i, j); math.Abs(got-want) > 1e-13*want {
								t.Errorf("%v %v, %s, %d features: %v, want %v", Shape(s), Combination(c), kind, d, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// Many small differences: Σa is 1000, where e^{−Σa} alone is zero, but the product
// is not.
func TestStationaryManyFeatures(t *testing.T) {
	const d = 5000
	x := mat.NewDense(2, d, nil)
	lengths := make([]float64, d)
	for f := range lengths {
		x.Set(1, f, 0.2)
		lengths[f] = math.Sqrt(3)
	}
	for s := range shapes {
		for kind, p := range storage(x) {
			got := matrix(NewStationary(Shape(s), SoftAnd, lengths), p, p).At(0, 1)
			want := naive(Shape(s), SoftAnd, lengths, x.RawRowView(0), x.RawRowView(1))
			if math.Abs(got-want) > 1e-10*want { // the sum of 5000 terms rounds, and so does the definition
				t.Errorf("%v, %s: %v, want %v", Shape(s), kind, got, want)
			}
		}
	}
}

// Far apart, a kernel goes to zero and its gradient with it: no 0·∞.
func TestStationaryFarApart(t *testing.T) {
	for _, gap := range []float64{1e2, 1e4, 1e8, 1e100, 1e160} {
		x := mat.NewDense(2, 130, nil)
		for d := range 130 {
			x.Set(1, d, gap)
		}
		for s := range shapes {
			for c := range combinations {
				k := NewStationary(Shape(s), Combination(c), []float64{1})
				for kind, p := range storage(x) {
					if v := matrix(k, p, p).At(0, 1); v != 0 && !(gap == 100 && v < 1e-30) {
						t.Errorf("%v %v, %s, gap %g: %v", Shape(s), Combination(c), kind, gap, v)
					}
					grad := []float64{0}
					k.MatrixGrad(grad, mat.NewDense(2, 2, []float64{1, 1, 1, 1}), p, p)
					if gap < 1e100 && !(math.Abs(grad[0]) < 1e-20) {
						t.Errorf("%v %v, %s, gap %g: gradient %v", Shape(s), Combination(c), kind, gap, grad[0])
					}
				}
			}
		}
	}
}

func TestIdentityComparesIdentities(t *testing.T) {
	x, y := Indexed(3), Indexed(2).WithIDs([]int{2, 7})
	wantClose(t, "identity", matrix(Identity{}, x, y), mat.NewDense(3, 2, []float64{0, 0, 0, 0, 1, 0}), 0)
	nobody := y.WithIDs([]int{Nobody, Nobody})
	wantClose(t, "nobody", matrix(Identity{}, nobody, nobody), mat.NewDense(2, 2, nil), 0)
	smooth := NewStationary(SE, Euclidean, []float64{1})
	point := Dense(mat.NewDense(1, 1, nil))
	if HasIdentity(smooth, point) || !HasIdentity(Sum(smooth, Scale(0.1, Identity{})), point) {
		t.Error("an identity was not told from a kernel without")
	}
}

func TestWrongShapesPanic(t *testing.T) {
	x := Dense(mat.NewDense(3, 2, nil))
	k := NewStationary(SE, Euclidean, []float64{1, 1})
	for what, f := range map[string]func(){
		"length-scales":     func() { matrix(NewStationary(SE, Euclidean, []float64{1, 1, 1}), x, x) },
		"features":          func() { matrix(k, x, Dense(mat.NewDense(3, 4, nil))) },
		"no features":       func() { matrix(k, Indexed(3), Indexed(3)) },
		"destination":       func() { k.MatrixTo(mat.NewDense(2, 3, nil), x, x) },
		"weights":           func() { k.MatrixGrad(make([]float64, 2), mat.NewDense(3, 2, nil), x, x) },
		"gradient":          func() { k.MatrixGrad(make([]float64, 1), mat.NewDense(3, 3, nil), x, x) },
		"pairs":             func() { k.PairsTo(make([]float64, 2), x, []int{0}, []int{1}) },
		"parameters":        func() { k.With([]float64{1}) },
		"term parameters":   func() { Sum(k, k).With([]float64{1, 2, 3}) },
		"scale parameters":  func() { Scale(1, k).With(nil) },
		"zero length-scale": func() { NewLinear([]float64{1, 0}) },
		"no length-scales":  func() { NewLinear(nil) },
		"variance":          func() { Scale(math.NaN(), k) },
		"shape":             func() { NewStationary(Shape(99), Euclidean, []float64{1}) },
		"no terms":          func() { Product() },
		"identities":        func() { x.WithIDs([]int{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			f()
		}()
	}
}

func TestMakeCSR(t *testing.T) {
	c, err := MakeCSR(2, 3, []int{0, 1, 3}, []int{2, 0, 1}, []float64{5, 6, 7})
	if err != nil {
		t.Fatal(err)
	}
	k := NewLinear([]float64{1})
	wantClose(t, "Gram matrix", Gram(k, Sparse(c)), mat.NewDense(2, 2, []float64{25, 0, 0, 85}), 1e-13)
	for what, f := range map[string]func() (*CSR, error){
		"row starts":        func() (*CSR, error) { return MakeCSR(2, 3, []int{0, 1}, []int{2}, []float64{5}) },
		"descending starts": func() (*CSR, error) { return MakeCSR(2, 3, []int{0, 2, 1}, []int{2}, []float64{5}) },
		"values":            func() (*CSR, error) { return MakeCSR(1, 3, []int{0, 1}, []int{2}, nil) },
		"column":            func() (*CSR, error) { return MakeCSR(1, 3, []int{0, 1}, []int{3}, []float64{5}) },
		"order":             func() (*CSR, error) { return MakeCSR(1, 3, []int{0, 2}, []int{1, 1}, []float64{5, 5}) },
		"NaN":               func() (*CSR, error) { return MakeCSR(1, 3, []int{0, 1}, []int{1}, []float64{math.NaN()}) },
	} {
		if c, err := f(); err == nil || c != nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func BenchmarkMatrix(b *testing.B) {
	for _, d := range []int{18, 300} {
		x, y := Dense(features(rng(1), 1000, d)), Dense(features(rng(2), 200, d))
		w := weightsFor(rng(3), 1000, 200)
		lengths := make([]float64, d)
		for f := range lengths {
			lengths[f] = math.Sqrt(float64(d))
		}
		for _, c := range []struct {
			name string
			k    Kernel
		}{
			{"matern32 product", NewStationary(Matern32, SoftAnd, lengths)},
			{"matern32 euclidean", NewStationary(Matern32, Euclidean, lengths)},
			{"matern32 sum", NewStationary(Matern32, SoftOr, lengths)},
			{"linear", NewLinear(lengths)},
		} {
			b.Run(fmt.Sprintf("%s %d", c.name, d), func(b *testing.B) {
				var dst mat.Dense
				for b.Loop() {
					c.k.MatrixTo(&dst, x, y)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200e3, "ns/entry")
			})
			b.Run(fmt.Sprintf("%s %d grad", c.name, d), func(b *testing.B) {
				grad := make([]float64, d)
				for b.Loop() {
					c.k.MatrixGrad(grad, w, x, y)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200e3, "ns/entry")
			})
		}
	}
}

// BenchmarkSparse has the size of text: 33,210 features of which 100 are set.
func BenchmarkSparse(b *testing.B) {
	r := rng(1)
	const n, d, set = 500, 33210, 100
	ptr, index, data := []int{0}, []int{}, []float64{}
	for range n {
		index = append(index, sample(d, set, r)...)
		for range set {
			data = append(data, r.Float64())
		}
		ptr = append(ptr, len(index))
	}
	c, err := MakeCSR(n, d, ptr, index, data)
	if err != nil {
		b.Fatal(err)
	}
	x := Sparse(c)
	y := x.Subset(sample(n, 200, r))
	k := NewStationary(Matern32, SoftAnd, []float64{3})
	var dst mat.Dense
	for b.Loop() {
		k.MatrixTo(&dst, x, y)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*200), "ns/entry")
}
