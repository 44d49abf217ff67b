package infer

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
)

// rankings calls f with every order of k items.
func rankings(k int, f func([]int)) {
	var grow func(order []int)
	grow = func(order []int) {
		if len(order) == k {
			f(order)
			return
		}
		for i := range k {
			if !slices.Contains(order, i) {
				grow(append(slices.Clip(order), i))
			}
		}
	}
	grow(nil)
}

// allows reports whether an answer is true of an order.
func (s *said) allows(order []int) bool {
	for r := range s.rows.Len() {
		index, _ := s.rows.Row(r)
		if slices.Index(order, index[0]) > slices.Index(order, index[1]) {
			return false
		}
	}
	return true
}

// inOrder is the chance of an order of u ~ N(mean, cov), and the variance of what it is
// found by: draws of differences of neighbours one after the other, each above zero given
// those before it (Geweke, Hajivassiliou, Keane).
func inOrder(rng *rand.Rand, mean []float64, cov *mat.SymDense, order []int, draws int) (p, variance float64) {
	n := len(order) - 1
	m, v := make([]float64, n), mat.NewSymDense(n, nil)
	for a := range n {
		m[a] = mean[order[a]] - mean[order[a+1]]
		for b := range a + 1 {
			i, j, x, y := order[a], order[a+1], order[b], order[b+1]
			v.SetSym(a, b, cov.At(i, x)-cov.At(i, y)-cov.At(j, x)+cov.At(j, y))
		}
	}
	var chol mat.Cholesky
	chol.Factorize(v)
	var l mat.TriDense
	chol.LTo(&l)
	white := make([]float64, n)
	var sum, square float64
	for range draws {
		x := 1.0
		for a := range n {
			least := -m[a]
			for b := range a {
				least -= l.At(a, b) * white[b]
			}
			least /= l.At(a, a)
			if x *= 0.5 * math.Erfc(least/math.Sqrt2); a < n-1 {
				white[a] = between(rng, 0, 1, least, math.Inf(1))
			}
		}
		sum, square = sum+x, square+x*x
	}
	p = sum / float64(draws)
	return p, (square/float64(draws) - p*p) / float64(draws)
}

// world is a mean and a covariance of some draws.
func world(rng *rand.Rand, k int, spread float64) ([]float64, *mat.SymDense) {
	mean, root, cov := make([]float64, k), mat.NewDense(k, k, nil), mat.NewSymDense(k, nil)
	for i := range mean {
		mean[i] = 0.3 * spread * rng.NormFloat64()
		for j := range mean {
			root.Set(i, j, spread*rng.NormFloat64()/math.Sqrt(float64(k)))
		}
	}
	cov.SymOuterK(1, root)
	for i := range mean {
		cov.SetSym(i, i, cov.At(i, i)+answerNoise)
	}
	return mean, cov
}

// centred are means and covariance of the utilities less their mean.
func centred(q *gp.Posterior) ([]float64, *mat.Dense) {
	f, v := q.Utilities(), q.Covariance()
	n := len(f)
	centre := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			centre.Set(i, j, -1/float64(n))
		}
		centre.Set(i, i, 1-1/float64(n))
	}
	var mean mat.VecDense
	mean.MulVec(centre, mat.NewVecDense(n, f))
	var cov mat.Dense
	cov.Product(centre, v, centre)
	return mean.RawVector().Data, &cov
}

// gibbs returns means and deviations of n standard normal utilities, less their mean, under answers, by
// turns of drawing what was drawn in the answers, each within what the others allow, and
// the utilities given these.
func gibbs(rng *rand.Rand, s *said, n, sweeps int) (mean, sd []float64) {
	type draw struct {
		item         int
		at           float64
		above, below []int // draws that it lost to, and won against
	}
	var draws []draw
	place := map[[2]int]int{}
	at := func(answer, item int) int {
		k, ok := place[[2]int{answer, item}]
		if !ok {
			k = len(draws)
			place[[2]int{answer, item}] = k
			draws = append(draws, draw{item: item})
		}
		return k
	}
	count := make([]float64, n)
	for range 10 { // begin with winners above losers
		for r, a := range s.answer {
			index, _ := s.rows.Row(r)
			w, l := at(a, index[0]), at(a, index[1])
			draws[w].at = max(draws[w].at, draws[l].at+0.1)
		}
	}
	for r, a := range s.answer {
		index, _ := s.rows.Row(r)
		w, l := at(a, index[0]), at(a, index[1])
		draws[w].below, draws[l].above = append(draws[w].below, l), append(draws[l].above, w)
	}
	for _, d := range draws {
		count[d.item]++
	}
	f, sum, square, pull := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for sweep := range sweeps {
		clear(pull)
		for k := range draws {
			d := &draws[k]
			lo, hi := math.Inf(-1), math.Inf(1)
			for _, l := range d.below {
				lo = max(lo, draws[l].at)
			}
			for _, w := range d.above {
				hi = min(hi, draws[w].at)
			}
			d.at = between(rng, f[d.item], math.Sqrt(answerNoise), lo, hi)
			pull[d.item] += d.at / answerNoise
		}
		for i := range f {
			v := 1 / (1 + count[i]/answerNoise)
			f[i] = v*pull[i] + math.Sqrt(v)*rng.NormFloat64()
		}
		var level float64
		for _, x := range f {
			level += x / float64(n)
		}
		for i, x := range f {
			if sweep >= sweeps/50 {
				sum[i] += x - level
				square[i] += (x - level) * (x - level)
			}
		}
	}
	kept := float64(sweeps - sweeps/50)
	for i := range f {
		m := sum[i] / kept
		mean, sd = append(mean, m), append(sd, math.Sqrt(square[i]/kept-m*m))
	}
	return mean, sd
}

// between draws a normal between bounds.
func between(rng *rand.Rand, mean, sd, lo, hi float64) float64 {
	if lo > mean { // in the upper tail it is the mirror image
		return -between(rng, -mean, sd, -hi, -lo)
	}
	phi := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
	a, b := phi((lo-mean)/sd), phi((hi-mean)/sd)
	p := a + (b-a)*rng.Float64()
	x := mean - sd*math.Sqrt2*math.Erfcinv(2*p)
	return min(max(x, lo), hi)
}
