package tune

import (
	"math"

	"palate/internal/num"
)

// objective is what is climbed: a value of some points, and its derivatives in their
// features, added to grad where that is not nil.
type objective func(features, grad [][]float64) float64

// better is the expected utility of the better one of two points (EUBO): with Δ the difference
// of their means and s its deviation, the mean of the second plus ΔΦ(Δ/s) + sφ(Δ/s).
func (b *Belief) better(features, grad [][]float64) (sum float64) {
	share := 1 / float64(len(b.draws))
	for _, g := range b.draws {
		p := g.pair()
		x, y, variance := g.difference(p, features[0], features[1], grad != nil)
		sum += share * betterOf(x, y, variance)
		if grad != nil {
			win, density, s := ahead(x-y, variance)
			g.climb(p, grad[0], grad[1], share*win, share*(1-win), share*density/(2*s))
		}
		g.pairs.Put(p)
	}
	return sum
}

// leastDeviation keeps derivatives finite where two points are one.
const leastDeviation = 1e-6

// ahead returns the chance that a Gaussian is above zero, its density in deviations, and the
// deviation.
func ahead(mean, variance float64) (chance, density, s float64) {
	s = max(math.Sqrt(variance), leastDeviation)
	z := mean / s
	return num.Phi(z), math.Exp(-z*z/2) / math.Sqrt(2*math.Pi), s
}

// betterOf is the expected maximum of two Gaussians, given the variance of their difference.
func betterOf(x, y, variance float64) float64 {
	if variance <= leastDeviation*leastDeviation {
		return max(x, y)
	}
	win, density, s := ahead(x-y, variance)
	return y + (x-y)*win + s*density
}

// mean is the expected utility of a point.
func (b *Belief) mean(features, grad [][]float64) (sum float64) {
	var d []float64
	if grad != nil {
		d = make([]float64, len(grad[0]))
	}
	for _, g := range b.draws {
		sum += g.mean(features[0], d) / float64(len(b.draws))
	}
	if grad != nil {
		num.Axpy(1/float64(len(b.draws)), d, grad[0])
	}
	return sum
}

// against is the expected utility of the better one of a point and another that stays.
func (b *Belief) against(other []float64) objective {
	return func(features, grad [][]float64) float64 {
		pair := [][]float64{features[0], other}
		if grad == nil {
			return b.better(pair, nil)
		}
		return b.better(pair, [][]float64{grad[0], make([]float64, len(other))})
	}
}
