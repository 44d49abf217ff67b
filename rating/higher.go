package rating

import (
	"math"

	"palate/internal/num"
)

// Higher returns the probability that the person gives i a better rating than j, where the
// two are not the same. Where every rating is a class it is more than a vote's: both may get
// the same, most of all where little is between them, and that tells nothing. Of numbers, and
// of classes of many values, it is that of what ratings are made of.
func (p *Person) Higher(i, j int) float64 {
	if j < i {
		return 1 - p.Higher(j, i)
	}
	if p.f.Scale.Numbers() || p.f.Scale.Grouped {
		mean, variance := p.Difference(i, j)
		return num.Phi(mean / math.Sqrt(variance+2*noise*noise))
	}
	// What the two are rated by, x and y, is Gaussian, and y given x too: the integral is over
	// x, class by class.
	mean, variance := p.rates(i)
	other, left := p.rates(j)
	variance += noise * noise
	slope := p.together(i, j) / variance
	left += noise*noise - slope*slope*variance
	sd, rest := math.Sqrt(variance), math.Sqrt(left)
	var up, down float64
	for k := range len(p.f.Cuts) + 1 {
		lo, hi := p.Spread*p.f.cut(k-1), p.Spread*p.f.cut(k)
		from, to := max(-higherReach, (lo-mean)/sd), min(higherReach, (hi-mean)/sd)
		panels := math.Ceil(to - from)
		if panels <= 0 {
			continue
		}
		half := 0.5 * (to - from) / panels
		for panel := range int(panels) {
			for n, node := range legendreNodes {
				z := from + half*(1+2*float64(panel)+node)
				w := half * legendreWeights[n] * math.Exp(-0.5*z*z)
				y := other + slope*sd*z
				up += w * num.Phi((lo-y)/rest)
				down += w * num.Phi((y-hi)/rest)
			}
		}
	}
	return up / (up + down)
}

// together is the covariance of what the person would rate two items by.
func (p *Person) together(i, j int) (sum float64) {
	q := 1 + p.f.Factors
	for a := range q {
		for b := range q {
			sum += p.takes(i, a) * p.Cov[a*q+b] * p.takes(j, b)
		}
	}
	return sum
}

// takes is what a rating of an item takes of a factor, or of the offset, which is the last.
func (p *Person) takes(i, factor int) float64 {
	if factor == p.f.Factors {
		return 1
	}
	return p.f.Items[i*(1+p.f.Factors)+1+factor]
}

// The integral goes so many deviations to either side, by the rule of Gauss and Legendre with
// four nodes in panels of a deviation at most.
const higherReach = 7

var (
	legendreNodes   = [4]float64{-0.8611363115940526, -0.3399810435848563, 0.3399810435848563, 0.8611363115940526}
	legendreWeights = [4]float64{0.3478548451374538, 0.6521451548625461, 0.6521451548625461, 0.3478548451374538}
)
