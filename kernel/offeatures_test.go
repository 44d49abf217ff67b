package kernel

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// What a kernel says of points that are none of those it knows, all of different identities, is what
// the part of it says that sees features.
func TestOfFeatures(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	next := 1000
	draw := func(n int) Points {
		x := mat.NewDense(n, testDim, nil)
		unknown := make([]int, n)
		for i := range n {
			next++
			unknown[i] = next
			for j := range testDim {
				x.Set(i, j, rng.NormFloat64())
			}
		}
		return Dense(x).WithIDs(unknown)
	}
	x, y := draw(4), draw(3)
	eachKernel(t, func(t *testing.T, k Kernel) {
		var want, got mat.Dense
		k.MatrixTo(&want, x, y)
		if of := OfFeatures(k); of != nil {
			of.MatrixTo(&got, x, y)
		} else {
			got.ReuseAs(4, 3)
		}
		if !mat.EqualApprox(&want, &got, 1e-12) {
			t.Errorf("of features\n%v\nof unknown points\n%v", mat.Formatted(&got), mat.Formatted(&want))
		}
	})
}

// Relevances are those of the terms, with their variances.
func TestRelevances(t *testing.T) {
	k := Sum(Scale(2, NewStationary(SE, Euclidean, []float64{3, 4})), Scale(0.5, Scale(3, NewLinear([]float64{5, Endless}))), Scale(7, Identity{}))
	all := Relevances(k)
	if len(all) != 2 || all[0].Shape != SE || all[0].Linear || !all[1].Linear {
		t.Fatalf("terms %+v", all)
	}
	near := func(got, want float64) bool { return got > want*(1-1e-12) && got < want*(1+1e-12) }
	if !near(all[0].Variance, 2) || !near(all[1].Variance, 1.5) || !near(all[0].Lengths[1], 4) || !near(all[1].Lengths[0], 5) || HasEnd(all[1].Lengths[1]) {
		t.Errorf("terms %+v", all)
	}
}
