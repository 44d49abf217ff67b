package gp

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/kernel"
)

// Means are what conditioning a Gaussian over all points at once gives: of votes on items whose
// covariance has a part of features and one of their own, at points that are none of the items.
func TestSurface(t *testing.T) {
	const n, blocks, size, scale = 7, 3, 2, 1.7
	x, at := points(n, 2, 1), points(blocks*size, 2, 9)
	k := kernel.Sum(matern, kernel.Scale(0.4, kernel.Identity{}))
	p, err := Dense(k, x)
	if err != nil {
		t.Fatal(err)
	}
	rows, sites, count := someVotes(n, 12)
	q, err := NewPosterior(p, scale, p.Evidence(rows, sites, count))
	if err != nil {
		t.Fatal(err)
	}
	mean, cov, before := q.Means(p.Means(kernel.OfFeatures(k), at, size))

	// The joint prior of blocks and items, and the precision and pull of the votes.
	total := blocks + n
	joint := mat.NewSymDense(total, nil)
	var self, cross mat.Dense
	matern.MatrixTo(&self, at, at)
	matern.MatrixTo(&cross, at, x)
	items := kernel.Gram(k, x)
	for a := range blocks * size {
		for b := range blocks * size {
			if i, j := a/size, b/size; i <= j {
				joint.SetSym(i, j, joint.At(i, j)+self.At(a, b)/size/size/scale)
			}
		}
		for i := range n {
			joint.SetSym(a/size, blocks+i, joint.At(a/size, blocks+i)+cross.At(a, i)/size/scale)
		}
	}
	for i := range n {
		for j := i; j < n; j++ {
			joint.SetSym(blocks+i, blocks+j, items.At(i, j)/scale)
		}
	}
	if !mat.EqualApprox(before, joint.SliceSym(0, blocks), 1e-9) {
		t.Errorf("beforehand\n%v\nwant\n%v", mat.Formatted(before), mat.Formatted(joint.SliceSym(0, blocks)))
	}
	var precision mat.Dense
	if err := precision.Inverse(joint); err != nil {
		t.Fatal(err)
	}
	pull := mat.NewVecDense(total, nil)
	for r, s := range sites {
		index, coef := rows.Row(r)
		c := 1.0
		if count != nil {
			c = count[r]
		}
		for a, i := range index {
			pull.SetVec(blocks+i, pull.AtVec(blocks+i)+c*s.Nu*coef[a])
			for b, j := range index {
				precision.Set(blocks+i, blocks+j, precision.At(blocks+i, blocks+j)+c*s.Tau*coef[a]*coef[b])
			}
		}
	}
	var want mat.Dense
	if err := want.Inverse(&precision); err != nil {
		t.Fatal(err)
	}
	var centre mat.VecDense
	centre.MulVec(&want, pull)
	for i := range blocks {
		if math.Abs(mean[i]-centre.AtVec(i)) > 1e-8 {
			t.Errorf("mean %d is %g, want %g", i, mean[i], centre.AtVec(i))
		}
		for j := range blocks {
			if math.Abs(cov.At(i, j)-want.At(i, j)) > 1e-8 {
				t.Errorf("covariance %d, %d is %g, want %g", i, j, cov.At(i, j), want.At(i, j))
			}
		}
	}
}
