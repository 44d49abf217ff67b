package population

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/internal/simd"
)

// clusters finds one centre of points more than there are already, by k-means, and how
// many points are nearest to each. It starts from points each of which is farthest from
// those before, and from the centres there are with each of their clusters in turn cut in
// two across its longest axis, and takes what ends nearest to all points. Nothing is
// drawn, so that the order of the points does not matter.
func clusters(points, before [][]float64) (centres [][]float64, count []int) {
	starts := [][][]float64{farthest(points, len(before)+1)}
	of, _ := nearest(points, before)
	for k := range before {
		starts = append(starts, halved(points, of, before, k))
	}
	best := math.Inf(1)
	for _, start := range starts {
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
			count = make([]int, len(start))
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

// halved cuts one of the clusters in two.
func halved(points [][]float64, of []int, centres [][]float64, cluster int) [][]float64 {
	axis := longest(points, of, cluster, centres[cluster])
	cut := slices.Clone(of)
	for u, p := range points {
		if of[u] != cluster {
			continue
		}
		var along float64
		for i, x := range p {
			along += axis[i] * (x - centres[cluster][i])
		}
		if along > 0 {
			cut[u] = len(centres)
		}
	}
	return means(points, cut, append(slices.Clone(centres), centres[cluster]))
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
