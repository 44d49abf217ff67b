package infer

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"palate/gp"
)

// anderson accelerates the fixed-point iteration of parallel EP. From the last
// few sites, and the moves that the rule wanted there, it extrapolates to where
// the moves cancel: tens of sweeps where damping alone takes hundreds.
type anderson struct {
	sites, moves [][]gp.Site // newest last
}

// andersonDepth is how many earlier sweeps are kept. 6 was as good as 10 and
// better than 3 on 20 to 600 votes between 6 items at prior variances 1 to 1000.
const andersonDepth = 6

// propose returns the sites to try next: the best mixture of the earlier ones,
// and the given step along its move. unit weighs the moves, by row. It is not
// ok without enough history, or when the extrapolation would leave the proper
// sites.
func (a *anderson) propose(sites []gp.Site, want []Update, unit []gp.Site, step float64) (next []gp.Site, ok bool) {
	move := make([]gp.Site, len(sites))
	for r, s := range sites {
		w := want[r].Site
		move[r] = gp.Site{Tau: w.Tau - s.Tau, Nu: w.Nu - s.Nu}
	}
	a.sites = append(a.sites, slices.Clone(sites))
	a.moves = append(a.moves, move)
	if len(a.moves) > andersonDepth+1 {
		a.sites, a.moves = a.sites[1:], a.moves[1:]
	}
	k := len(a.moves) - 1
	if k == 0 {
		return nil, false
	}
	// γ minimises |move − Σ_j γ_j (move_{j+1} − move_j)|².
	gram, rhs := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	for r, u := range unit {
		var dt, dn [andersonDepth]float64
		for j := range k {
			dt[j] = u.Tau * (a.moves[j+1][r].Tau - a.moves[j][r].Tau)
			dn[j] = u.Nu * (a.moves[j+1][r].Nu - a.moves[j][r].Nu)
		}
		for i := range k {
			for j := i; j < k; j++ {
				gram.SetSym(i, j, gram.At(i, j)+dt[i]*dt[j]+dn[i]*dn[j])
			}
			rhs.SetVec(i, rhs.AtVec(i)+dt[i]*u.Tau*move[r].Tau+dn[i]*u.Nu*move[r].Nu)
		}
	}
	for i := range k { // differences grow alike near the end
		gram.SetSym(i, i, gram.At(i, i)*(1+1e-10)+math.SmallestNonzeroFloat64)
	}
	var chol mat.Cholesky
	var gamma mat.VecDense
	if !chol.Factorize(gram) || chol.SolveVecTo(&gamma, rhs) != nil {
		a.reset()
		return nil, false
	}
	next = make([]gp.Site, len(sites))
	for r, s := range sites {
		s.Tau += step * move[r].Tau
		s.Nu += step * move[r].Nu
		for j := range k {
			g := gamma.AtVec(j)
			s.Tau -= g * (a.sites[j+1][r].Tau - a.sites[j][r].Tau + step*(a.moves[j+1][r].Tau-a.moves[j][r].Tau))
			s.Nu -= g * (a.sites[j+1][r].Nu - a.sites[j][r].Nu + step*(a.moves[j+1][r].Nu-a.moves[j][r].Nu))
		}
		if !(s.Tau >= 0) {
			a.reset()
			return nil, false
		}
		next[r] = s
	}
	return next, true
}

func (a *anderson) reset() { a.sites, a.moves = nil, nil }
