package crowd

import (
	"math"

	"palate/internal/num"
)

// ballot infers a voter from nothing, in natural-gradient steps on the sites
// exp(νz − τz²/2) of that voter's votes. With D the precisions of weights and own
// tastes before the votes, the factors' uncertainty among them, and x = D^½w, the
// votes see z = a₀ + Ax, and
//
//	x ~ N(x₀, I),  x₀ = D^−½lead  →  cov = (I + AᵀTA)⁻¹ = I − AᵀT½B⁻¹T½A,  B = I + T½AAᵀT½.
//
// Whichever matrix is smaller is factored: a row for every vote, where items are so
// many that voters have more of them than votes, or a row for every dimension.
type ballot struct {
	own    []float64 // D
	lead   []float64 // what features lead one to expect
	a      []float64 // A, votes × dimensions
	byVote bool      // B is factored, not I + AᵀTA
	gram   []float64 // AAᵀ, by vote
	at     []float64 // a₀
	start  []float64 // x₀
	x      []float64 // mean
	lower  []float64 // L of the matrix, its diagonal inverted
	work   []float64
	alpha  []float64 // x = x₀ + Aᵀα, by vote

	tau, nu, root              []float64 // sites, every vote as often as it was cast, and √τ
	mean, variance             []float64 // of z, the consensus's part of the variance left out
	oldTau, oldNu, toTau, toNu []float64
	quadrature                 quadrature
}

// room is for a voter with so many votes, dimensions and factors.
func (b *ballot) room(votes, dims, factors int) {
	fit := func(n int, to ...*[]float64) {
		for _, x := range to {
			if cap(*x) < n {
				*x = make([]float64, n)
			}
			*x = (*x)[:n]
		}
	}
	b.byVote = votes < dims
	size := dims
	if b.byVote {
		size = votes
		fit(votes*votes, &b.gram)
	}
	fit(size*size, &b.lower)
	fit(size, &b.work)
	fit(factors, &b.lead)
	fit(dims, &b.own, &b.start, &b.x)
	fit(votes*dims, &b.a)
	fit(votes, &b.at, &b.alpha, &b.tau, &b.nu, &b.root, &b.mean, &b.variance, &b.oldTau, &b.oldNu, &b.toTau, &b.toNu)
	clear(b.a)
}

// see sets what vote t takes of the dimensions: a of the factors, and of the own
// tastes i and j, where they are not −1.
func (b *ballot) see(t int, a []float64, i, j int) {
	d := len(b.own)
	row := b.a[t*d : t*d+d]
	for c, x := range a {
		row[c] = x / math.Sqrt(b.own[c])
	}
	if i >= 0 {
		row[i] = 1 / math.Sqrt(b.own[i])
	}
	if j >= 0 {
		row[j] = -1 / math.Sqrt(b.own[j])
	}
	if !b.byVote {
		return
	}
	n := len(b.tau)
	for s := range t + 1 {
		x := dot(row, b.a[s*d:s*d+d])
		b.gram[t*n+s], b.gram[s*n+t] = x, x
	}
}

// inferVoters infers every voter from nothing, in so many steps or until one
// gains less, and keeps the sites.
func (e *engine) inferVoters(sweeps int, gain float64) {
	e.kept = newKept(e)
	num.Parallel(e.Voters(), voterGrain, func(lo, hi int) {
		b := &ballot{}
		for u := lo; u < hi; u++ {
			b.infer(e, u, sweeps, gain)
			b.write(e, u)
		}
	})
}

func (b *ballot) infer(e *engine, u, sweeps int, enough float64) {
	b.begin(e, u)
	value := b.settle(e, u)
	for range sweeps {
		copy(b.oldTau, b.tau)
		copy(b.oldNu, b.nu)
		for t := range b.toTau {
			p := e.start[u] + t
			tau := math.Max(0, -e.d2[p])
			b.toTau[t], b.toNu[t] = e.count[p]*tau, e.count[p]*(e.d1[p]+tau*b.mean[t])
		}
		before := value
		for step := 1.0; ; step /= 2 {
			if step < 1.0/64 { // as high as rounding lets it go
				copy(b.tau, b.oldTau)
				copy(b.nu, b.oldNu)
				b.settle(e, u)
				break
			}
			for t := range b.tau {
				b.tau[t] = b.oldTau[t] + step*(b.toTau[t]-b.oldTau[t])
				b.nu[t] = b.oldNu[t] + step*(b.toNu[t]-b.oldNu[t])
			}
			if next := b.settle(e, u); notBelow(next, before) {
				value = next
				break
			}
		}
		if value-before < enough {
			return
		}
	}
}

// begin sets what is known before the votes.
func (b *ballot) begin(e *engine, u int) {
	first, k := e.start[u], e.columns()
	b.room(e.start[u+1]-first, e.dim(u), e.c)
	e.before(b.own)
	e.stiffen(u, b.own)
	e.expectWeights(u, b.lead)
	clear(b.start)
	for c, x := range b.lead {
		b.start[c] = x / math.Sqrt(b.own[c])
	}
	for t := range b.tau {
		p := first + t
		a := e.a[int(e.row[p])*k:][:k]
		b.at[t] = a[0]
		i, j := e.places(p)
		b.see(t, a[1:], i, j)
	}
	clear(b.tau)
	clear(b.nu)
}

// settle finds z under the sites, looks at the votes there, and returns the bound's
// part that belongs to the voter, up to a constant.
func (b *ballot) settle(e *engine, u int) (value float64) {
	value = -0.5 * b.factor()
	d := len(b.own)
	if b.byVote {
		b.solveByVote()
	} else {
		b.solveByDimension()
	}
	for i, x := range b.x {
		value -= 0.5 * (x - b.start[i]) * (x - b.start[i])
	}
	columns := e.columns()
	for t, tau := range b.tau {
		p := e.start[u] + t
		b.mean[t] = b.at[t] + dot(b.a[t*d:t*d+d], b.x)
		value += 0.5 * tau * b.variance[t]
		e.g[p], e.d1[p], e.d2[p] = e.expectVote(u, p, &b.quadrature, b.mean[t], b.variance[t]+e.s[int(e.row[p])*columns])
		value += e.count[p] * e.g[p]
	}
	return value
}

// factor sets L and returns the logarithm of the determinant, which is the same for
// either matrix. Both are positive definite: an identity and more.
func (b *ballot) factor() (logDet float64) {
	for t, tau := range b.tau {
		b.root[t] = math.Sqrt(tau)
	}
	n := len(b.work)
	if b.byVote {
		for i := range n {
			for j := range i + 1 {
				b.lower[i*n+j] = b.root[i] * b.root[j] * b.gram[i*n+j]
			}
		}
	} else {
		clear(b.lower)
		for t, tau := range b.tau {
			row := b.a[t*n : t*n+n]
			for i, x := range row {
				if x == 0 {
					continue
				}
				to := b.lower[i*n : i*n+i+1]
				for j := range to {
					to[j] += tau * x * row[j]
				}
			}
		}
	}
	for i := range n {
		row := b.lower[i*n : i*n+i+1]
		for j := range row {
			s := row[j]
			other := b.lower[j*n : j*n+j]
			for k, x := range other {
				s -= row[k] * x
			}
			if i == j {
				s++
				logDet += math.Log(s)
				row[i] = 1 / math.Sqrt(s)
			} else {
				row[j] = s * b.lower[j*n+j]
			}
		}
	}
	return logDet
}

// solveByVote sets x and the variances: with r = ν − τ(a₀ + Ax₀),
// α = r − T½B⁻¹T½AAᵀr and diag(AAᵀ − AAᵀT½B⁻¹T½AAᵀ).
func (b *ballot) solveByVote() {
	n, d := len(b.tau), len(b.own)
	for t := range n {
		b.alpha[t] = b.nu[t] - b.tau[t]*(b.at[t]+dot(b.a[t*d:t*d+d], b.start))
	}
	for t := range n {
		b.work[t] = b.root[t] * dot(b.gram[t*n:t*n+n], b.alpha)
	}
	b.forward()
	b.backward()
	for t, y := range b.work {
		b.alpha[t] -= b.root[t] * y
	}
	copy(b.x, b.start)
	for t, y := range b.alpha {
		for i, a := range b.a[t*d : t*d+d] {
			b.x[i] += y * a
		}
	}
	for t := range n {
		for s, g := range b.gram[t*n : t*n+n] {
			b.work[s] = b.root[s] * g
		}
		b.forward()
		b.variance[t] = math.Max(0, b.gram[t*n+t]-dot(b.work, b.work))
	}
}

// solveByDimension sets x = (I + AᵀTA)⁻¹(x₀ + Aᵀ(ν − τa₀)) and the variances.
func (b *ballot) solveByDimension() {
	d := len(b.own)
	copy(b.work, b.start)
	for t, nu := range b.nu {
		y := nu - b.tau[t]*b.at[t]
		for i, a := range b.a[t*d : t*d+d] {
			b.work[i] += y * a
		}
	}
	b.forward()
	b.backward()
	copy(b.x, b.work)
	for t := range b.tau {
		copy(b.work, b.a[t*d:t*d+d])
		b.forward()
		b.variance[t] = dot(b.work, b.work)
	}
}

// forward solves Ly = work in place.
func (b *ballot) forward() {
	n := len(b.work)
	for i, s := range b.work {
		row := b.lower[i*n : i*n+i+1]
		for k, l := range row[:i] {
			s -= l * b.work[k]
		}
		b.work[i] = s * row[i]
	}
}

// backward solves Lᵀy = work in place.
func (b *ballot) backward() {
	n := len(b.work)
	for i := n - 1; i >= 0; i-- {
		y := b.work[i] * b.lower[i*n+i]
		b.work[i] = y
		for k, l := range b.lower[i*n : i*n+i] {
			b.work[k] -= l * y
		}
	}
}

// write notes what was found of the voter.
func (b *ballot) write(e *engine, u int) {
	w, cov := e.weights(u)
	for i, x := range b.x {
		w[i] = x / math.Sqrt(b.own[i])
	}
	e.logDet[u] = b.covariance(cov)
	copy(e.kept.tau[e.start[u]:], b.tau)
	copy(e.kept.stiff[u*e.c:], b.own[:e.c])
}

// covariance sets that of the voter's dimensions, which uses A and x₀ up, and
// returns the logarithm of its determinant.
func (b *ballot) covariance(cov []float64) (logDet float64) {
	n, d := len(b.work), len(b.own)
	clear(cov)
	for i := range n {
		logDet += 2 * math.Log(b.lower[i*n+i])
	}
	if b.byVote { // I − WᵀW, W = L⁻¹T½A
		for t := range n {
			row := b.a[t*d : t*d+d]
			for i := range row {
				row[i] *= b.root[t]
			}
			for s, l := range b.lower[t*n : t*n+t] {
				for i, y := range b.a[s*d : s*d+d] {
					row[i] -= l * y
				}
			}
			for i := range row {
				row[i] *= b.lower[t*n+t]
			}
			for i, x := range row {
				if x == 0 {
					continue
				}
				to := cov[i*d : i*d+d]
				for j, y := range row {
					to[j] -= x * y
				}
			}
		}
		for i := range d {
			cov[i*d+i]++
		}
	} else {
		for i := range d {
			clear(b.work)
			b.work[i] = 1
			b.forward()
			b.backward()
			copy(cov[i*d:i*d+d], b.work)
		}
	}
	for i, x := range b.own {
		b.start[i] = 1 / math.Sqrt(x)
		logDet -= math.Log(x)
	}
	for i, x := range b.start {
		for j, y := range b.start {
			cov[i*d+j] *= x * y
		}
	}
	return logDet
}
