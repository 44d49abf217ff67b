package num

// Anderson extrapolates the fixed-point iteration of parallel EP to where the
// moves of the last few sweeps cancel: tens of sweeps where damping alone takes
// hundreds. The zero value remembers nothing.
type Anderson struct {
	k      int // sweeps remembered
	newest int // which slot
	slot   [depth + 1]remembered
	gram   [depth * depth]float64
	gamma  [depth]float64
}

// remembered are sites and what the rule wanted to change there; each half is
// τ, then ν.
type remembered struct{ site, move []float64 }

// depth is how many earlier sweeps take part: about as good as 10 and better than 3 on
// 20 to 600 votes between 6 items at prior variances 1 to 1000.
const depth = 5

// Reset forgets.
func (a *Anderson) Reset() { a.k = 0 }

// Propose moves the sites τ, ν to the best mixture of the earlier ones and the given
// step along its move towards what is wanted, moves being weighed by unit. It reports
// whether it did: not without history, and not when a τ would fall below zero.
func (a *Anderson) Propose(tau, nu, wantTau, wantNu, unitTau, unitNu []float64, step float64) bool {
	n := len(tau)
	a.newest = (a.newest + 1) % (depth + 1)
	now := &a.slot[a.newest]
	if cap(now.site) < 2*n {
		now.site, now.move = make([]float64, 2*n), make([]float64, 2*n)
	}
	now.site, now.move = now.site[:2*n], now.move[:2*n]
	copy(now.site, tau)
	copy(now.site[n:], nu)
	for p := range n {
		now.move[p], now.move[n+p] = wantTau[p]-tau[p], wantNu[p]-nu[p]
	}
	k := min(a.k, depth)
	a.k++
	if k == 0 {
		return false
	}
	// γ minimises |move − Σ_j γ_j (move − move_j)|², j over the earlier sweeps.
	clear(a.gram[:])
	clear(a.gamma[:])
	var old [depth]*remembered
	for j := range k {
		old[j] = &a.slot[(a.newest-j+depth)%(depth+1)]
	}
	var d [depth]float64
	for half := range 2 {
		unit, at := unitTau, 0
		if half == 1 {
			unit, at = unitNu, n
		}
		for p, u := range unit {
			f := u * now.move[at+p]
			for j := range k {
				d[j] = f - u*old[j].move[at+p]
			}
			for i := range k {
				g := a.gram[i*depth:]
				for j := range i + 1 {
					g[j] += d[i] * d[j]
				}
				a.gamma[i] += d[i] * f
			}
		}
	}
	if !solveSmall(a.gram[:], a.gamma[:], k) {
		a.Reset()
		return false
	}
	for half := range 2 {
		out, at := tau, 0
		if half == 1 {
			out, at = nu, n
		}
		for p := range n {
			x := now.site[at+p] + step*now.move[at+p]
			y := x
			for j := range k {
				y -= a.gamma[j] * (x - old[j].site[at+p] - step*old[j].move[at+p])
			}
			if half == 0 && y < 0 && now.site[p]+now.move[p] <= 0 {
				y = 0 // where it is to go
			}
			if half == 0 && !(y >= 0) {
				copy(tau, now.site[:n])
				a.Reset()
				return false
			}
			out[p] = y
		}
	}
	return true
}

// solveSmall solves the k×k system with the lower triangle of a, row length
// depth, for b in place.
func solveSmall(a, b []float64, k int) bool {
	for i := range k {
		a[i*depth+i] = a[i*depth+i]*(1+1e-10) + 1e-300
	}
	for i := range k {
		for j := range i + 1 {
			s := a[i*depth+j]
			for l := range j {
				s -= a[i*depth+l] * a[j*depth+l] * a[l*depth+l]
			}
			if i == j {
				if !(s > 0) {
					return false
				}
				a[i*depth+i] = s
			} else {
				a[i*depth+j] = s / a[j*depth+j]
			}
		}
	}
	for i := range k {
		for l := range i {
			b[i] -= a[i*depth+l] * b[l]
		}
	}
	for i := k - 1; i >= 0; i-- {
		b[i] /= a[i*depth+i]
		for l := i + 1; l < k; l++ {
			b[i] -= a[l*depth+i] * b[l]
		}
	}
	return true
}
