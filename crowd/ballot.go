package crowd

import (
	"math"

	"palate/internal/num"
)

// ballot infers a voter from nothing, in natural-gradient steps on the sites of that
// voter's votes. With D the precisions of weights and own tastes before the votes,
// the factors' uncertainty among them, x = D^½w is a ridge: where items are many a
// voter has more dimensions than votes.
type ballot struct {
	ridge
	own                        []float64 // D
	lead                       []float64 // what features lead one to expect
	oldTau, oldNu, toTau, toNu []float64
}

// room is for a voter with so many votes, dimensions and factors.
func (b *ballot) room(votes, dims, factors int) {
	b.ridge.room(votes, dims)
	b.own, b.lead = sized(b.own, dims), sized(b.lead, factors)
	for _, x := range []*[]float64{&b.oldTau, &b.oldNu, &b.toTau, &b.toNu} {
		*x = sized(*x, votes)
	}
}

// see sets what vote t takes of the dimensions: a of the factors, and of the own
// tastes i and j, where they are not −1.
func (b *ballot) see(t int, a []float64, i, j int) {
	row := b.row(t)
	for c, x := range a {
		row[c] = x / math.Sqrt(b.own[c])
	}
	if i >= 0 {
		row[i] = 1 / math.Sqrt(b.own[i])
	}
	if j >= 0 {
		row[j] = -1 / math.Sqrt(b.own[j])
	}
	b.seen(t)
}

// inferVoters infers every voter from nothing, in so many steps or until one
// gains less, and keeps the sites.
func (e *engine) inferVoters(sweeps int, gain float64) {
	e.kept = newSitePrecisions(e)
	num.Parallel(e.Voters(), voterGrain, func(lo, hi int) {
		b := &ballot{}
		for u := lo; u < hi; u++ {
			b.begin(e, u)
			b.infer(e, u, sweeps, gain)
			b.write(e, u)
		}
	})
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

func (b *ballot) infer(e *engine, u, sweeps int, enough float64) {
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
			// A whole step that goes about as far beyond the top as it began before it gains
			// hardly anything: half of it tells whether this is the top.
			if next := b.settle(e, u); notBelow(next, before) && (step < 1 || next-before >= enough) {
				value = next
				break
			}
		}
		if value-before < enough {
			return
		}
	}
}

// settle finds z under the sites, looks at the votes there, and returns the bound's
// part that belongs to the voter, up to a constant.
func (b *ballot) settle(e *engine, u int) (value float64) {
	value = -0.5 * b.factor()
	b.solve()
	for i, x := range b.x {
		value -= 0.5 * (x - b.start[i]) * (x - b.start[i])
	}
	k := e.columns()
	for t, tau := range b.tau {
		p := e.start[u] + t
		value += 0.5 * tau * b.variance[t]
		e.g[p], e.d1[p], e.d2[p] = e.expectVote(u, p, b.mean[t], b.variance[t]+e.s[int(e.row[p])*k])
		value += e.count[p] * e.g[p]
	}
	return value
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

// covariance sets that of the voter's dimensions and returns the logarithm of its
// determinant; A and x₀ are used up.
func (b *ballot) covariance(cov []float64) float64 {
	d, logDet, width := len(b.own), b.ridge.covariance(cov), b.start
	for i, x := range b.own {
		logDet -= math.Log(x)
		width[i] = 1 / math.Sqrt(x)
	}
	for i, x := range width {
		for j, y := range width {
			cov[i*d+j] *= x * y
		}
	}
	return logDet
}
