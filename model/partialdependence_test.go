package model

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/kernel"
)

// What a model knows of utilities as a function of features is what it says of new items, all but
// what would be their own; and the mean over points is the mean of what is known of each.
func TestSurfaceIsOfNewItems(t *testing.T) {
	d, _ := voters{items: 10, users: 8, votes: 20, itemFeatures: true}.draw(t, 5)
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(4, 2, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = rng.NormFloat64()
	}
	own := 0.3
	k := kernel.Sum(kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{1, 2}), kernel.Scale(own, kernel.Identity{}))
	single := fit(t, d, &Options{Kernel: k, Scale: 1.5, Rule: infer.VI{}})
	people := populationOf(t, d, nil)
	for _, m := range []Featured{single, people} {
		s, err := m.PartialDependence(t.Context(), x, 1, []int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		means, err := m.PartialDependence(t.Context(), x, 2, []int{0, 1})
		if err != nil {
			t.Fatal(err)
		}
		e, err := m.Extend([]string{"a", "b", "c", "d"}, x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 4 {
			mean, variance := e.Utility(-1, 10+i)
			if math.Abs(mean-s.Mean[i]) > 1e-6 {
				t.Errorf("%s: at point %d %g, a new item there %g", m.Name(), i, s.Mean[i], mean)
			}
			if m == single {
				if known := s.Cov.At(i, i) + own/1.5; math.Abs(variance-known) > 1e-6 {
					t.Errorf("%s: at point %d a variance of %g, a new item there %g", m.Name(), i, known, variance)
				}
			}
			if s.Cov.At(i, i) > s.Before.At(i, i)+1e-9 || s.Cov.At(i, i) <= 0 {
				t.Errorf("%s: at point %d a variance of %g, before the votes %g", m.Name(), i, s.Cov.At(i, i), s.Before.At(i, i))
			}
		}
		for b := range 2 {
			i, j := 2*b, 2*b+1
			if want := (s.Mean[i] + s.Mean[j]) / 2; math.Abs(means.Mean[b]-want) > 1e-9 {
				t.Errorf("%s: mean over two points %g, want %g", m.Name(), means.Mean[b], want)
			}
			if want := (s.Cov.At(i, i) + 2*s.Cov.At(i, j) + s.Cov.At(j, j)) / 4; math.Abs(means.Cov.At(b, b)-want) > 1e-7 {
				t.Errorf("%s: its variance %g, want %g", m.Name(), means.Cov.At(b, b), want)
			}
		}
	}
}

// What votes leave open of a settled kernel is found again from a file, to the bit, and takes the
// mean at items to where the fit has it, as far as that is certain.
func TestOpenKernel(t *testing.T) {
	d, _ := voters{items: 12, users: 1, votes: 150, itemFeatures: true}.draw(t, 6)
	m := fit(t, d, nil)
	if !m.opensKernel() {
		t.Fatal("the kernel is not open")
	}
	s, x := m.searchAgain()
	scale, _, _, k := s.at(x)
	if unit := m.dependence.unit(); math.Abs(scale/(m.result.Posterior.Scale*unit*unit)-1) > 1e-9 {
		t.Errorf("the search ends at scale %g, the fit at %g", scale, m.result.Posterior.Scale)
	}
	for i, p := range m.kernel.Params() {
		if math.Abs(k.Params()[i]-p) > 1e-9 && p < math.Log(kernel.Endless)-1 {
			t.Errorf("the search ends at %s %g, the fit at %g", m.kernel.ParamNames()[i], k.Params()[i], p)
		}
	}
	of := func(m Featured) *PartialDependence {
		s, err := m.PartialDependence(t.Context(), m.Features(), 1, []int{0})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	var file bytes.Buffer
	if err := m.Save(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	back, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()))
	if err != nil {
		t.Fatal(err)
	}
	a, b := of(m), of(back.(Featured))
	for i := range a.Mean {
		if a.Mean[i] != b.Mean[i] || a.Cov.At(i, i) != b.Cov.At(i, i) {
			t.Errorf("at item %d %g (%g), from a file %g (%g)", i, a.Mean[i], a.Cov.At(i, i), b.Mean[i], b.Cov.At(i, i))
		}
		mean, variance := m.Utility(-1, i)
		if math.Abs(a.Mean[i]-mean) > 3*math.Sqrt(variance+a.Cov.At(i, i)) {
			t.Errorf("at item %d %g, and its utility is %g", i, a.Mean[i], mean)
		}
	}
	again := of(m)
	if again.Mean[0] != a.Mean[0] {
		t.Error("asked again it says something else")
	}
}
