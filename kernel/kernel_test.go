package kernel

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"palate/internal/declared"

	"gonum.org/v1/gonum/mat"
)

const testDim = 5

var testLengths = []float64{0.7, 1.9, 1.1, 3, 0.4}

// kernels is the table the laws run over: every kernel, every shape under every
// combination, with a length-scale a feature and with one for all.
func kernels() map[string]Kernel {
	t := map[string]Kernel{
		"linear":        NewLinear(testLengths),
		"linear shared": NewLinear([]float64{1.3}),
		"identity":      Identity{},
		"table":         testTable(),
		"scale":         Scale(2.5, NewLinear(testLengths)),
		"sum":           Sum(NewStationary(SE, Euclidean, testLengths), Scale(0.3, Identity{})),
		"product":       Product(NewStationary(Matern52, SoftAnd, testLengths), Scale(1.5, NewLinear([]float64{2})), NewStationary(SE, SoftOr, testLengths)),
		"nested":        Scale(0.2, Sum(NewLinear([]float64{1}), Product(Identity{}, Scale(2, NewStationary(Matern32, Euclidean, []float64{2}))))),
	}
	for s := range spreads {
		t[Spread(s).String()] = NewLinks(testGraph(), Spread(s), 0.7, 1.8)
	}
	t["links and features"] = Sum(Scale(1.5, NewStationary(SE, Euclidean, testLengths)), NewLinks(testGraph(), Laplacian, 0.5, 2), Scale(0.3, Identity{}))
	for s := range shapes {
		for c := range combinations {
			name := fmt.Sprintf("%v %v", Shape(s), Combination(c))
			t[name] = NewStationary(Shape(s), Combination(c), testLengths)
			t[name+" shared"] = NewStationary(Shape(s), Combination(c), []float64{1.3})
		}
	}
	return t
}

// testTable has three of the identities of the laws, and no more.
func testTable() *Table {
	return NewTable(mat.NewSymDense(3, []float64{2, 0.5, -0.3, 0, 1, 0.2, 0, 0, 1.5}))
}

// eachKernel runs a law over the table.
func eachKernel(t *testing.T, law func(t *testing.T, k Kernel)) {
	table := kernels()
	var names []string
	for name := range table {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) { law(t, table[name]) })
	}
}

// Every type with a MatrixTo method is in the table.
func TestTableIsComplete(t *testing.T) {
	seen := map[string]bool{}
	var visit func(k Kernel)
	visit = func(k Kernel) {
		seen[reflect.Indirect(reflect.ValueOf(k)).Type().Name()] = true
		switch k := k.(type) {
		case *scaledKernel:
			visit(k.kernel)
		case *sumKernel:
			for _, term := range k.terms {
				visit(term)
			}
		case *productKernel:
			for _, term := range k.terms {
				visit(term)
			}
		}
	}
	for _, k := range kernels() {
		visit(k)
	}
	for _, name := range declared.Methods(t, "MatrixTo") {
		if !seen[name] {
			t.Errorf("%s implements Kernel but is not in the table of laws", name)
		}
	}
}

// features draws n points of which about half the values are zero; some rows are
// repeated, with other identities.
func features(rng *rand.Rand, n, d int) *mat.Dense {
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			if rng.IntN(2) == 0 {
				x.Set(i, j, rng.NormFloat64())
			}
		}
		if i >= 4 && i%4 == 0 {
			x.SetRow(i, x.RawRowView(i-3))
		}
	}
	return x
}

// storage gives the same features dense, in a wider matrix, and sparse.
func storage(x *mat.Dense) map[string]Points {
	n, d := x.Dims()
	wide := mat.NewDense(n+1, d+3, nil)
	view := wide.Slice(1, n+1, 2, d+2).(*mat.Dense)
	view.Copy(x)
	return map[string]Points{"dense": Dense(x), "view": Dense(view), "sparse": Sparse(NewCSR(x))}
}

func matrix(k Kernel, x, y Points) *mat.Dense {
	var m mat.Dense
	k.MatrixTo(&m, x, y)
	return &m
}

func wantClose(t *testing.T, what string, got, want mat.Matrix, tol float64) {
	t.Helper()
	if !mat.EqualApprox(got, want, tol) {
		var d mat.Dense
		d.Sub(got, want)
		t.Errorf("%s: largest difference %.3g", what, math.Max(mat.Max(&d), -mat.Min(&d)))
	}
}

func rng(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func weightsFor(r *rand.Rand, n, m int) *mat.Dense {
	w := mat.NewDense(n, m, nil)
	for i := range n {
		for j := range m {
			if r.IntN(5) > 0 {
				w.Set(i, j, r.NormFloat64())
			}
		}
	}
	return w
}

// The analytic gradient is the finite difference of Σ w k, for matrices between
// two sets, for one set with itself, and for pairs.
func TestGradient(t *testing.T) {
	r := rng(1)
	xd, yd := features(r, 9, testDim), features(r, 6, testDim)
	ids := []int{0, 1, 2, 20, 21, 22}
	w, ww := weightsFor(r, 9, 6), weightsFor(r, 9, 9)
	sym := mat.NewSymDense(9, nil)
	sym.SymOuterK(1, w)
	i, j, v := make([]int, 30), make([]int, 30), make([]float64, 30)
	for p := range v {
		i[p], j[p], v[p] = r.IntN(9), r.IntN(9), r.NormFloat64()
	}
	eachKernel(t, func(t *testing.T, k Kernel) {
		for kind, x := range storage(xd) {
			y := storage(yd)[kind].WithIDs(ids)
			for what, c := range map[string]struct {
				value func(k Kernel) float64
				grad  func(k Kernel, g []float64)
			}{
				"two sets":          {func(k Kernel) float64 { return dotMatrix(w, matrix(k, x, y)) }, func(k Kernel, g []float64) { k.MatrixGrad(g, w, x, y) }},
				"one set":           {func(k Kernel) float64 { return dotMatrix(ww, matrix(k, x, x)) }, func(k Kernel, g []float64) { k.MatrixGrad(g, ww, x, x) }},
				"symmetric weights": {func(k Kernel) float64 { return dotMatrix(sym, matrix(k, x, x)) }, func(k Kernel, g []float64) { k.MatrixGrad(g, sym, x, x) }},
				"pairs": {func(k Kernel) float64 {
					dst := make([]float64, len(v))
					k.PairsTo(dst, x, i, j)
					var s float64
					for p := range dst {
						s += v[p] * dst[p]
					}
					return s
				}, func(k Kernel, g []float64) { k.PairsGrad(g, v, x, i, j) }},
			} {
				params := k.Params()
				got := make([]float64, len(params))
				c.grad(k, got)
				c.grad(k, got) // gradients are added
				for p := range params {
					const h = 1e-5
					at := func(delta float64) float64 {
						q := slices.Clone(params)
						q[p] += delta
						return c.value(k.With(q))
					}
					want := 2 * (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
					if math.Abs(got[p]-want) > 1e-8*(1+math.Abs(want)) {
						t.Errorf("%s, %s: gradient of %s is %v, finite difference %v", kind, what, k.ParamNames()[p], got[p], want)
					}
				}
			}
		}
	})
}

func TestSymmetricAndPositive(t *testing.T) {
	xd, yd := features(rng(2), 40, testDim), features(rng(3), 7, testDim)
	eachKernel(t, func(t *testing.T, k Kernel) {
		for kind, x := range storage(xd) {
			m := matrix(k, x, x)
			wantClose(t, kind+": K = Kᵀ", m, m.T(), 0)
			y := storage(yd)[kind]
			wantClose(t, kind+": K(x,y) = K(y,x)ᵀ", matrix(k, x, y), matrix(k, y, x).T(), 1e-14)
			var eig mat.EigenSym
			if !eig.Factorize(Gram(k, x), false) {
				t.Fatal("no eigenvalues")
			}
			if low := eig.Values(nil)[0]; low < -1e-12*mat.Trace(m) {
				t.Errorf("%s: smallest eigenvalue %v", kind, low)
			}
			if diag := Diag(k, x); diag[3] != m.At(3, 3) {
				t.Errorf("%s: diagonal %v, want %v", kind, diag[3], m.At(3, 3))
			}
		}
	})
}

func TestStorageAgrees(t *testing.T) {
	xs, ys := storage(features(rng(4), 12, testDim)), storage(features(rng(5), 8, testDim))
	w := weightsFor(rng(6), 12, 8)
	eachKernel(t, func(t *testing.T, k Kernel) {
		want := matrix(k, xs["dense"], ys["dense"])
		wantGrad := make([]float64, len(k.Params()))
		k.MatrixGrad(wantGrad, w, xs["dense"], ys["dense"])
		for a, x := range xs {
			for b, y := range ys {
				what := a + " and " + b
				wantClose(t, what, matrix(k, x, y), want, 1e-14)
				grad := make([]float64, len(wantGrad))
				k.MatrixGrad(grad, w, x, y)
				for p := range grad {
					if math.Abs(grad[p]-wantGrad[p]) > 1e-12*(1+math.Abs(wantGrad[p])) {
						t.Errorf("%s: gradient %d is %v, want %v", what, p, grad[p], wantGrad[p])
					}
				}
			}
		}
		// The symmetric path and the general one.
		x := xs["dense"]
		wantClose(t, "the same rows twice", matrix(k, x, x), matrix(k, x, Dense(mat.DenseCopyOf(x.matrix()))), 1e-14)
	})
}

func TestPairsAreEntries(t *testing.T) {
	xd := features(rng(7), 50, testDim)
	r := rng(8)
	eachKernel(t, func(t *testing.T, k Kernel) {
		for kind, x := range storage(xd) {
			m := matrix(k, x, x)
			for _, count := range []int{0, 3, 200} { // 3: few pairs of many points
				i, j, dst := make([]int, count), make([]int, count), make([]float64, count)
				for p := range i {
					i[p], j[p] = r.IntN(50), r.IntN(50)
				}
				k.PairsTo(dst, x, i, j)
				for p, v := range dst {
					if want := m.At(i[p], j[p]); math.Abs(v-want) > 1e-14*(1+math.Abs(want)) {
						t.Errorf("%s: pair (%d, %d) is %v, entry %v", kind, i[p], j[p], v, want)
					}
				}
				k.PairsGrad(make([]float64, len(k.Params())), dst, x, i, j)
			}
		}
	})
}

func TestSubset(t *testing.T) {
	xd := features(rng(9), 20, testDim)
	idx := []int{7, 3, 3, 19, 0}
	eachKernel(t, func(t *testing.T, k Kernel) {
		for kind, x := range storage(xd) {
			whole := matrix(k, x, x)
			sub := x.Subset(idx)
			for what, m := range map[string]*mat.Dense{"twice": matrix(k, sub, sub), "of a subset": matrix(k, sub.Subset([]int{0, 1, 2, 3, 4}), sub)} {
				for a := range idx {
					for b := range idx {
						if got, want := m.At(a, b), whole.At(idx[a], idx[b]); math.Abs(got-want) > 1e-14 {
							t.Errorf("%s, %s: entry (%d, %d) is %v, want %v", kind, what, a, b, got, want)
						}
					}
				}
			}
		}
	})
	if p := Indexed(4).Subset([]int{2, 2}); p.Len() != 2 || p.Dim() != 0 || p.ID(1) != 2 {
		t.Errorf("subset of bare points: %+v", p)
	}
}

func TestWithIsIdentity(t *testing.T) {
	x := Dense(features(rng(10), 10, testDim))
	eachKernel(t, func(t *testing.T, k Kernel) {
		params := k.Params()
		if len(params) != len(k.ParamNames()) {
			t.Errorf("%d parameters, names %q", len(params), k.ParamNames())
		}
		before := matrix(k, x, x)
		wantClose(t, "With(Params())", matrix(k.With(params), x, x), before, 0)
		other := k.With(params)
		for p := range params {
			params[p] += 0.5 // neither kernel keeps the slice
		}
		moved := k.With(params)
		wantClose(t, "after a change of the slice", matrix(other, x, x), before, 0)
		wantClose(t, "after With", matrix(k, x, x), before, 0)
		if got := moved.Params(); !slices.Equal(got, params) {
			t.Errorf("parameters %v after With(%v)", got, params)
		}
	})
}

func TestSpecRoundTrip(t *testing.T) {
	x := Dense(features(rng(11), 10, testDim))
	eachKernel(t, func(t *testing.T, k Kernel) {
		text, err := json.Marshal(SpecOf(k))
		if err != nil {
			t.Fatal(err)
		}
		var s Spec
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatal(err)
		}
		back, err := FromSpec(s)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(SpecOf(back), SpecOf(k)) || reflect.TypeOf(back) != reflect.TypeOf(k) {
			t.Errorf("%s came back as %+v", text, SpecOf(back))
		}
		wantClose(t, "matrix", matrix(back, x, x), matrix(k, x, x), 0)
	})
	inf := math.Inf(1)
	for _, s := range []Spec{
		{},
		{Type: "cubic"},
		{Type: "linear"},
		{Type: "linear", Params: []float64{inf}},
		{Type: "identity", Params: []float64{1}},
		{Type: "stationary", Shape: "se", Combine: "max", Params: []float64{0}},
		{Type: "stationary", Shape: "cubic", Combine: "sum", Params: []float64{0}},
		{Type: "stationary", Shape: "se", Combine: "sum"},
		{Type: "scale", Params: []float64{0}},
		{Type: "scale", Terms: []Spec{{Type: "identity"}}},
		{Type: "sum"},
		{Type: "links", Shape: "laplacian", Params: []float64{0, 0}},
		{Type: "links", Shape: "cubic", Params: []float64{0, 0}, Graph: &GraphSpec{Nodes: 2}},
		{Type: "links", Shape: "laplacian", Params: []float64{0}, Graph: &GraphSpec{Nodes: 2}},
		{Type: "links", Shape: "laplacian", Params: []float64{0, 0}, Graph: &GraphSpec{Nodes: 2, From: []int{0}, To: []int{2}, Weight: []float64{1}}},
		{Type: "links", Shape: "laplacian", Params: []float64{0, 0}, Graph: &GraphSpec{Nodes: 2, From: []int{0}, To: []int{1}}},
		{Type: "product", Terms: []Spec{{Type: "identity"}, {Type: "?"}}},
	} {
		if k, err := FromSpec(s); err == nil || k != nil || !strings.HasPrefix(err.Error(), "kernel: ") {
			t.Errorf("%+v: kernel %v, error %v", s, k, err)
		}
	}
}

// Same bits for one thread and several, on problems large enough to be cut up.
func TestSameBitsWhateverThreads(t *testing.T) {
	xd, yd := features(rng(12), 200, testDim), features(rng(13), 150, testDim)
	w := weightsFor(rng(14), 200, 150)
	eachKernel(t, func(t *testing.T, k Kernel) {
		for kind, x := range storage(xd) {
			y := storage(yd)[kind]
			var first []float64
			for _, threads := range []int{1, 2, 5} {
				old := runtime.GOMAXPROCS(threads)
				grad := make([]float64, len(k.Params()))
				k.MatrixGrad(grad, w, x, y)
				all := append(slices.Clone(matrix(k, x, y).RawMatrix().Data), grad...)
				runtime.GOMAXPROCS(old)
				if first == nil {
					first = all
				}
				if !slices.Equal(all, first) {
					t.Errorf("%s: other bits with %d threads", kind, threads)
				}
			}
		}
	})
}
