package worlds

import (
	"math"

	"gonum.org/v1/gonum/optimize"

	"palate/internal/num"
)

// NearestTied returns the utilities, of mean zero, and the margin below which voters call
// a tie, whose chances of an outcome have the least cross-entropy from the given ones:
// those that a beats b, and that they tie.
func NearestTied(n int, chance func(a, b int) (win, tie float64)) (u []float64, margin float64) {
	const ridge = 1e-9 // of the direction that chances do not see, too
	// visit goes through all pairs with the chances of each outcome, its log probability
	// and how that grows with the lead and with the margin.
	visit := func(x []float64, see func(a, b int, p, log, byLead, byMargin float64)) {
		t := math.Exp(x[n])
		for a := range n {
			for b := range a {
				d := x[a] - x[b]
				win, tie := chance(a, b)
				log, h, _ := num.Probit(d - t)
				see(a, b, win, log, h, -h)
				log, h, _ = num.Probit(-d - t)
				see(a, b, 1-win-tie, log, -h, -h)
				log = num.LogPhiDiff(-t-d, t-d)
				hi, lo := density(t-d, log), density(-t-d, log)
				see(a, b, tie, log, lo-hi, hi+lo)
			}
		}
	}
	problem := optimize.Problem{
		Func: func(x []float64) (loss float64) {
			visit(x, func(_, _ int, p, log, _, _ float64) { loss -= p * log })
			for _, v := range x[:n] {
				loss += ridge * v * v / 2
			}
			return loss
		},
		Grad: func(g, x []float64) {
			for i, v := range x {
				g[i] = ridge * v
			}
			g[n] = 0
			visit(x, func(a, b int, p, _, byLead, byMargin float64) {
				g[a] -= p * byLead
				g[b] += p * byLead
				g[n] -= p * byMargin * math.Exp(x[n])
			})
		},
	}
	start := make([]float64, n+1)
	found, err := optimize.Minimize(problem, start, &optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 500}, &optimize.BFGS{})
	if found == nil {
		panic(err) // the loss is finite and has a minimum
	}
	u = found.X[:n]
	var mean float64
	for _, v := range u {
		mean += v / float64(n)
	}
	for i := range u {
		u[i] -= mean
	}
	return u, math.Exp(found.X[n])
}

// density is the normal's over exp(log).
func density(x, log float64) float64 {
	return math.Exp(-x*x/2-log) / math.Sqrt(2*math.Pi)
}
