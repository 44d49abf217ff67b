package population

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// clusters finds c centres of points by k-means, and how many points are nearest to
// each. It starts in two ways and takes the one that ends nearer to all points: from
// points each of which is farthest from those before, and from clusters that are cut in
// two across their longest axis. Nothing is drawn, so that the order of the points does
// not matter.
func clusters(points [][]float64, c int) (centres [][]float64, count []int) {
	best := math.Inf(1)
	for _, start := range [][][]float64{farthest(points, c), halved(points, c)} {
		var of []int
		var apart float64
		for range 50 {
			next, far := nearest(points, start)
			if of != nil && far >= apart*(1-1e-9) {
				break
			}
			of, apart = next, far
			start = means(points, of, start)
		}
		if apart < best*(1-1e-9) {
			best, centres = apart, start
			count = make([]int, c)
			for _, k := range of {
				count[k]++
			}
		}
	}
	return centres, count
}

func distance(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += (x - b[i]) * (x - b[i])
	}
	return sum
}

// nearest returns the nearest centre of every point, and the sum of their squared
// distances.
func nearest(points, centres [][]float64) (of []int, apart float64) {
	of = make([]int, len(points))
	for u, p := range points {
		least := math.Inf(1)
		for k, c := range centres {
			if d := distance(p, c); d < least {
				least, of[u] = d, k
			}
		}
		apart += least
	}
	return of, apart
}

// means returns the mean of the points of each cluster; the centre it had where there
// are none.
func means(points [][]float64, of []int, centres [][]float64) [][]float64 {
	out := make([][]float64, len(centres))
	for k := range out {
		out[k] = make([]float64, len(centres[k]))
	}
	count := make([]float64, len(centres))
	for u, p := range points {
		count[of[u]]++
		for i, x := range p {
			out[of[u]][i] += x
		}
	}
	for k, n := range count {
		if n == 0 {
			out[k] = centres[k]
			continue
		}
		for i := range out[k] {
			out[k][i] /= n
		}
	}
	return out
}

func farthest(points [][]float64, c int) (centres [][]float64) {
	all := means(points, make([]int, len(points)), points[:1])
	left := make([]float64, len(points))
	for u, p := range points {
		left[u] = distance(p, all[0])
	}
	for len(centres) < c {
		at := 0
		for u, d := range left {
			if d > left[at] {
				at = u
			}
		}
		if centres == nil {
			for u := range left {
				left[u] = math.Inf(1)
			}
		}
		centres = append(centres, points[at])
		for u, p := range points {
			left[u] = min(left[u], distance(p, points[at]))
		}
	}
	return centres
}

// halved cuts the cluster with the largest spread in two until there are c.
func halved(points [][]float64, c int) [][]float64 {
	of := make([]int, len(points))
	centres := means(points, of, points[:1])
	for len(centres) < c {
		spread := make([]float64, len(centres))
		for u, p := range points {
			spread[of[u]] += distance(p, centres[of[u]])
		}
		wide := 0
		for k, s := range spread {
			if s > spread[wide] {
				wide = k
			}
		}
		axis := longest(points, of, wide, centres[wide])
		for u, p := range points {
			if of[u] != wide {
				continue
			}
			var along float64
			for i, x := range p {
				along += axis[i] * (x - centres[wide][i])
			}
			if along > 0 {
				of[u] = len(centres)
			}
		}
		centres = means(points, of, append(centres, centres[wide]))
	}
	return centres
}

// longest is the axis along which the points of a cluster spread most, the first of its
// larger coordinates above zero.
func longest(points [][]float64, of []int, cluster int, centre []float64) []float64 {
	n := len(centre)
	scatter := mat.NewSymDense(n, nil)
	diff := make([]float64, n)
	for u, p := range points {
		if of[u] != cluster {
			continue
		}
		for i, x := range p {
			diff[i] = x - centre[i]
		}
		simd.Syr(1, simd.Vector{N: n, Inc: 1, Data: diff}, scatter.RawSymmetric())
	}
	var eig mat.EigenSym
	axis := make([]float64, n)
	if !eig.Factorize(scatter, true) {
		return axis
	}
	var q mat.Dense
	eig.VectorsTo(&q)
	sign := 0.0
	for i := range axis {
		axis[i] = q.At(i, n-1)
		if sign == 0 && math.Abs(axis[i]) > 0.5/math.Sqrt(float64(n)) {
			sign = math.Copysign(1, axis[i])
		}
	}
	for i := range axis {
		axis[i] *= sign
	}
	return axis
}
