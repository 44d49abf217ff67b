package worlds

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"palate/internal/num"
)

// Nearest returns the utilities, of mean zero, whose chances Φ(u_a − u_b) have the least
// cross-entropy from the given ones, over all pairs alike: what endless votes on random
// pairs would come to in a model of one utility. Chances must be above zero and below one.
func Nearest(n int, chance func(a, b int) float64) []float64 {
	const ridge = 1e-9 // of the direction that chances do not see, too
	u := make([]float64, n)
	for range 100 {
		g, h := make([]float64, n), mat.NewSymDense(n, nil)
		for a := range n {
			h.SetSym(a, a, h.At(a, a)+ridge)
			for b := range a {
				p := chance(a, b)
				_, up, restUp := num.Probit(u[a] - u[b])
				_, down, restDown := num.Probit(u[b] - u[a])
				slope, curve := p*up-(1-p)*down, p*(1-restUp)+(1-p)*(1-restDown)
				g[a] += slope
				g[b] -= slope
				h.SetSym(a, a, h.At(a, a)+curve)
				h.SetSym(b, b, h.At(b, b)+curve)
				h.SetSym(a, b, -curve)
			}
			g[a] -= ridge * u[a]
		}
		factor, err := num.NewCholesky(h)
		if err != nil {
			panic(err) // the ridge keeps it positive
		}
		factor.SolveVecTo(g, g)
		longest := 0.0
		for _, step := range g {
			longest = max(longest, math.Abs(step))
		}
		for i, step := range g {
			u[i] += step / max(1, longest)
		}
		if longest < 1e-10 {
			break
		}
	}
	var mean float64
	for _, x := range u {
		mean += x / float64(n)
	}
	for i := range u {
		u[i] -= mean
	}
	return u
}
