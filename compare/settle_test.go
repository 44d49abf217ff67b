package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"palate/internal/num"
)

// The chance that votes settle a pair is the share of votes drawn at random that do, by Bayes'
// rule on the draws themselves, also where these have long tails.
func TestSettledIsDrawn(t *testing.T) {
	const level, votes = 0.9, 12
	for _, scale := range []float64{0.3, 1, 10} {
		rng := rand.New(rand.NewPCG(5, uint64(10*scale)))
		x, weight := make([]float64, 3000), make([]float64, 3000)
		for k := range x {
			x[k] = 0.4 + scale*rng.NormFloat64()/math.Sqrt(rng.ExpFloat64())
			weight[k] = 1 / float64(len(x))
		}
		settled, all := 0, 0
		by := map[int]bool{}
		for range 4000 {
			p, won := num.Phi(x[rng.IntN(len(x))]), 0
			for range votes {
				if rng.Float64() < p {
					won++
				}
			}
			is, seen := by[won]
			if !seen {
				var above, sum float64
				for _, x := range x {
					w := math.Exp(float64(won)*num.LogPhi(x) + float64(votes-won)*num.LogPhi(-x))
					if sum += w; x > 0 {
						above += w
					}
				}
				is = max(above, sum-above) >= level*sum
				by[won] = is
			}
			if all++; is {
				settled++
			}
		}
		seen := float64(settled) / float64(all)
		if said := newBelief(x, weight, 1).settled(votes, level); math.Abs(said-seen) > 0.03 {
			t.Errorf("spread %v: %d votes settle it with %.3f, and did so in %.3f of drawings", scale, votes, said, seen)
		}
	}
}
