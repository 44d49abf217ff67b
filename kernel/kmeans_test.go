package kernel

import (
	"math"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// blobs draws n points around k corners ten apart.
func blobs(seed uint64, n, k int) *mat.Dense {
	r := rng(seed)
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		c := i % k
		for d := range 3 {
			x.Set(i, d, 10*float64(c>>d&1)+0.5*r.NormFloat64())
		}
	}
	return x
}

// Every corner gets a centre, by Lloyd's rounds and by mini-batches.
func TestKMeansFindsClusters(t *testing.T) {
	for what, o := range map[string]KMeansOptions{"Lloyd": {}, "mini-batch": {FullBelow: 100, Batch: 200}} {
		for kind, x := range storage(blobs(1, 1600, 8)) {
			c := KMeans(x, 8, o, rng(2))
			if rows, cols := c.Dims(); rows != 8 || cols != 3 {
				t.Fatalf("%s, %s: centres are %d×%d", what, kind, rows, cols)
			}
			for corner := range 8 {
				best := math.Inf(1)
				for a := range 8 {
					var s float64
					for d, v := range c.RawRowView(a) {
						s += math.Abs(v - 10*float64(corner>>d&1))
					}
					best = min(best, s)
				}
				if best > 0.5 {
					t.Errorf("%s, %s: no centre within %.2f of corner %d", what, kind, best, corner)
				}
			}
		}
	}
}

// Lloyd's rounds lower the cost, and the centres are the means of their points.
func TestLloydDescends(t *testing.T) {
	x := Dense(features(rng(3), 500, 4))
	c := seedCentres(x, 12, rng(4))
	_, prev := assign(x, c)
	for range 30 {
		lloyd(x, c, 1)
		_, cost := assign(x, c)
		if cost > prev*(1+1e-12) {
			t.Fatalf("cost rose from %v to %v", prev, cost)
		}
		prev = cost
	}
	lloyd(x, c, 1000)
	member, _ := assign(x, c)
	mean := make([]float64, 4)
	for a, cluster := range groups(member, 12) {
		if len(cluster) == 0 {
			continue
		}
		x.meanTo(mean, cluster)
		for d, v := range mean {
			if math.Abs(v-c.At(a, d)) > 0.15 {
				t.Errorf("centre %d is %v from the mean of its points", a, v-c.At(a, d))
			}
		}
	}
	for i := range 500 {
		best := math.Inf(1)
		for a := range 12 {
			best = min(best, x.squaredDistance(i, c.RawRowView(a), 0))
		}
		if own := x.squaredDistance(i, c.RawRowView(member[i]), 0); own > best+1e-9 {
			t.Errorf("point %d is at %v from its centre, %v from another", i, own, best)
		}
	}
}

func TestKMeansSameBits(t *testing.T) {
	for what, o := range map[string]KMeansOptions{"Lloyd": {}, "mini-batch": {FullBelow: 1000}} {
		for kind, x := range storage(features(rng(5), 4000, 12)) {
			var first *mat.Dense
			for _, threads := range []int{1, 2, 5} {
				old := runtime.GOMAXPROCS(threads)
				c := KMeans(x, 20, o, rng(6))
				runtime.GOMAXPROCS(old)
				if first == nil {
					first = c
				}
				wantClose(t, what+", "+kind, c, first, 0)
			}
		}
	}
}

// With no more distinct points than centres, the points are the centres.
func TestKMeansFewDistinct(t *testing.T) {
	x := mat.NewDense(9, 2, nil)
	for i := range 9 {
		x.SetRow(i, []float64{float64(i % 3), 1.1})
	}
	for kind, p := range storage(x) {
		c := KMeans(p, 5, KMeansOptions{}, rng(7))
		if rows, _ := c.Dims(); rows != 3 {
			t.Errorf("%s: %d centres of 3 distinct points", kind, rows)
		}
		if _, cost := assign(p, c); cost > 1e-20 {
			t.Errorf("%s: cost %v", kind, cost)
		}
	}
}

func BenchmarkKMeans(b *testing.B) {
	small, large := Dense(features(rng(1), 2000, 30)), Dense(features(rng(2), 100000, 30))
	b.Run("lloyd 2000", func(b *testing.B) {
		for b.Loop() {
			KMeans(small, 200, KMeansOptions{}, rng(3))
		}
	})
	b.Run("mini-batch 100000", func(b *testing.B) {
		for b.Loop() {
			KMeans(large, 200, KMeansOptions{}, rng(3))
		}
	})
}
