package crowd

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
	"palate/kernel"
)

// The gradient in the kernel's parameters is that of the converged bound by
// differences, on all items and on inducing points.
func TestKernelGrad(t *testing.T) {
	const items, h = 8, 1e-3
	x := features(items)
	z := kernel.Dense(mat.DenseCopyOf(x.Slice(0, 5, 0, 2))).WithIDs([]int{-1, -2, -3, -4, -5})
	tallies := draw(3, 14, items, 10, false)
	base := kernel.Sum(kernel.Scale(0.7, kernel.NewStationary(kernel.Matern32, kernel.Euclidean, []float64{1.3, 0.8})), kernel.Scale(0.3, kernel.Identity{}))
	for name, prior := range map[string]func(kernel.Kernel) (*gp.Prior, error){
		"dense":    func(k kernel.Kernel) (*gp.Prior, error) { return gp.Dense(k, kernel.Dense(x)) },
		"inducing": func(k kernel.Kernel) (*gp.Prior, error) { return gp.Inducing(k, kernel.Dense(x), z) },
	} {
		fit := func(theta []float64) *Learnt {
			p, err := prior(base.With(theta))
			if err != nil {
				t.Fatal(err)
			}
			return mustFit(t, mustVotes(t, items, tallies), p, &Options{Factors: 2, KeepFactors: true, Gradient: true, Tolerance: -1, MaxSweeps: 600})
		}
		at := base.Params()
		grad := fit(at).KernelGrad
		for i := range at {
			var side [2]float64
			for k, d := range []float64{h, -h} {
				moved := append([]float64(nil), at...)
				moved[i] += d
				l := fit(moved)
				side[k] = l.Trace[len(l.Trace)-1]
			}
			if want := (side[0] - side[1]) / (2 * h); math.Abs(grad[i]-want) > 0.02*(math.Abs(want)+0.1) {
				t.Errorf("%s: parameter %d: %.5f, by differences %.5f", name, i, grad[i], want)
			}
		}
	}
}

// The gradient in features of voters is that of the converged bound by differences.
func TestAboutGrad(t *testing.T) {
	const items, voters, h = 8, 30, 1e-3
	tallies, about := drawLed(5, voters, items, 12, 2)
	fit := func(x *mat.Dense) *Learnt {
		a := *about
		a.Features = x
		return mustFit(t, mustVotes(t, items, tallies), gp.White(items), &Options{Factors: 1, KeepFactors: true, Gradient: true, About: &a, Tolerance: -1, MaxSweeps: 300})
	}
	grad := fit(about.Features).AboutGrad
	for _, at := range [][2]int{{0, 0}, {3, 1}, {7, 0}} {
		var side [2]float64
		for k, d := range []float64{h, -h} {
			moved := mat.DenseCopyOf(about.Features)
			moved.Set(at[0], at[1], moved.At(at[0], at[1])+d)
			l := fit(moved)
			side[k] = l.Trace[len(l.Trace)-1]
		}
		if got, want := grad.At(at[0], at[1]), (side[0]-side[1])/(2*h); math.Abs(got-want) > 1e-3*math.Abs(want)+1e-6 {
			t.Errorf("voter %d, feature %d: %.7f, by differences %.7f", at[0], at[1], got, want)
		}
	}
}
