package model

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/lapack64"

	"palate/internal/simd"
)

// What is registered with gonum in the process makes no difference: a model says the
// same to the last bit.
func TestRegisteredBLASIsNotUsed(t *testing.T) {
	said := func() (all [][]float64) {
		for _, e := range Catalogue() {
			d, s := brief(t, e, nil)
			m, err := e.Fit(t.Context(), d, s)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, chancesOf(m))
		}
		return all
	}
	plain := said()
	was := blas64.Implementation()
	blas64.Use(simd.BLAS{})
	lapack64.Use(simd.LAPACK{})
	defer blas64.Use(was)
	defer lapack64.Use(gonum.Implementation{})
	fast := said()
	for k, e := range Catalogue() {
		if !slices.Equal(fast[k], plain[k]) {
			t.Errorf("%s: %v with a faster BLAS registered, %v without", e.Name, fast[k], plain[k])
		}
	}
}
