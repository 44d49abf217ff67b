package kernel

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// listed takes the median from the list of all distances.
func listed(v []float64, zeros bool) float64 {
	var dist []float64
	for _, a := range v {
		for _, b := range v {
			if d := math.Abs(a - b); d > 0 || zeros {
				dist = append(dist, d)
			}
		}
	}
	slices.Sort(dist)
	n := len(dist)
	if n == 0 {
		return Endless
	}
	if m := (dist[(n-1)/2] + dist[n/2]) / 2; m > 0 {
		return m
	}
	return listed(v, false)
}

func TestMedianHeuristic(t *testing.T) {
	for _, d := range []int{1, 4, 201} {
		for _, n := range []int{1, 2, 3, 10, 31} {
			x := features(rng(uint64(d*n)), n, d)
			for i := range n {
				x.Set(i, 0, float64(i%2)) // a yes/no feature
			}
			vary := 0
			for f := range d {
				if listed(mat.Col(nil, f, x), false) < Endless {
					vary++
				}
			}
			root := math.Sqrt(float64(vary))
			for _, c := range []struct {
				o      MedianOptions
				zeros  bool
				factor float64
			}{
				{MedianOptions{}, false, root},
				{MedianOptions{Combine: SoftAnd}, false, root},
				{MedianOptions{Combine: SoftOr}, false, 1},
				{MedianOptions{Rule: MedianTimesD}, true, float64(vary)},
				{MedianOptions{Rule: MedianOverD}, true, 1 / float64(vary)},
				{MedianOptions{Rule: MedianReference}, false, map[bool]float64{false: 1, true: root}[vary > 200]},
			} {
				for kind, p := range storage(x) {
					got := MedianHeuristic(p, c.o, nil)
					for f := range got {
						want := listed(mat.Col(nil, f, x), c.zeros)
						if want < Endless {
							want *= c.factor
						}
						if math.Abs(got[f]-want) > 1e-14*want {
							t.Fatalf("%+v, %s, %d points, feature %d of %d: %v, want %v", c.o, kind, n, f, d, got[f], want)
						}
					}
				}
			}
		}
	}
}

// Sampling is seeded and close to the whole; the median |x − y| of standard normal
// values is √2·Φ⁻¹(¾) = 0.9539.
func TestMedianHeuristicSamples(t *testing.T) {
	r := rng(1)
	x := mat.NewDense(5000, 2, nil)
	for i := range 5000 {
		x.SetRow(i, []float64{r.NormFloat64(), 10 * r.NormFloat64()})
	}
	a := MedianHeuristic(Dense(x), MedianOptions{Combine: SoftOr}, rng(2))
	b := MedianHeuristic(Dense(x), MedianOptions{Combine: SoftOr}, rng(2))
	if !slices.Equal(a, b) {
		t.Errorf("the same seed gave %v and %v", a, b)
	}
	if math.Abs(a[0]-0.9539) > 0.05 || math.Abs(a[1]-9.539) > 0.5 {
		t.Errorf("medians %v", a)
	}
}

func BenchmarkMedian(b *testing.B) {
	x := Dense(features(rng(1), 2000, 300))
	for b.Loop() {
		MedianHeuristic(x, MedianOptions{}, nil)
	}
}

// A feature that is the same for all points, and a sparse one that no point has,
// change nothing under any heuristic and kernel.
func TestConstantFeaturesTellNothing(t *testing.T) {
	const n, d = 12, 5
	x := features(rng(3), n, d)
	for i := range n {
		x.Set(i, 1, float64(i%2))
	}
	for _, constant := range []float64{0, 1, -3.5} {
		more := mat.NewDense(n, d+2, nil)
		for i := range n {
			row := mat.Row(nil, i, x)
			more.SetRow(i, append(append([]float64{constant}, row...), constant))
		}
		for rule := MedianDefault; rule <= MedianReference; rule++ {
			for c := range combinations {
				o := MedianOptions{Rule: rule, Combine: Combination(c)}
				for s := range shapes {
					for kind, p := range storage(x) {
						q := storage(more)[kind]
						k := NewStationary(Shape(s), Combination(c), MedianHeuristic(p, o, nil))
						wide := NewStationary(Shape(s), Combination(c), MedianHeuristic(q, o, nil))
						name := fmt.Sprintf("%v, %v, rule %d, %s, constant %v", Shape(s), Combination(c), rule, kind, constant)
						want := matrix(k, p, p)
						wantClose(t, name, matrix(wide, q, q), want, 1e-15)
						if kind == "dense" {
							wantClose(t, name+" without mirroring", matrix(wide, q, storage(mat.DenseCopyOf(more))[kind]), want, 1e-14)
						}
						grad, other := make([]float64, d), make([]float64, d+2)
						k.MatrixGrad(grad, want, p, p)
						wide.MatrixGrad(other, want, q, q)
						for j, g := range append(append([]float64{0}, grad...), 0) {
							if math.Abs(other[j]-g) > 1e-12 {
								t.Errorf("%s: derivative %d is %v, want %v", name, j, other[j], g)
							}
						}
					}
				}
			}
		}
	}
}
