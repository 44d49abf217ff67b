package crowd

import (
	"fmt"
	"slices"

	"palate/internal/simd"
)

// sitePrecisions is what is kept of votes: the precisions of their sites. They tell how
// consensus and voters hang together (see joint), and of voters who were inferred in
// batches covariances follow from them when they are asked for: a covariance takes
// (C+m)² numbers for m items, a site one.
type sitePrecisions struct {
	start []int      // the votes of voter u are start[u] … start[u+1]
	pair  [][2]int32 // winner and loser of every vote
	tau   []float64  // precision of its site
	prior []float64  // precisions of the weights before the votes, voter × factor
}

func newSitePrecisions(e *engine) *sitePrecisions {
	k := &sitePrecisions{start: e.start, pair: make([][2]int32, e.Len()), tau: make([]float64, e.Len()), prior: make([]float64, e.Voters()*e.c)}
	for p, r := range e.row {
		index, _ := e.Votes.rows.Row(int(r))
		k.pair[p] = [2]int32{int32(index[0]), int32(index[1])}
	}
	return k
}

// noteSites stores the site precisions of all votes.
func (e *engine) noteSites() {
	e.sites = newSitePrecisions(e)
	room := make([]float64, e.widest())
	for u := range e.Voters() {
		own := room[:e.dim(u)]
		e.priorPrecisions(u, own)
		copy(e.sites.prior[u*e.c:], own[:e.c])
		for p := e.start[u]; p < e.start[u+1]; p++ {
			e.sites.tau[p] = e.count[p] * max(0, -e.d2[p])
		}
	}
}

// compact reports whether covariances are not there, but follow from what is kept.
func (e *engine) compact() bool { return e.cov == nil && e.sites != nil }

// append adds the voters of o.
func (k *sitePrecisions) append(o *sitePrecisions) {
	n := k.start[len(k.start)-1]
	for _, x := range o.start[1:] {
		k.start = append(k.start, n+x)
	}
	k.pair, k.tau, k.prior = append(k.pair, o.pair...), append(k.tau, o.tau...), append(k.prior, o.prior...)
}

// arranged returns the same with the factors by.
func (k *sitePrecisions) arranged(by []int, factors int) *sitePrecisions {
	if k == nil {
		return nil
	}
	o := *k
	o.prior = make([]float64, 0, (len(k.start)-1)*len(by))
	for u := range len(k.start) - 1 {
		for _, c := range by {
			o.prior = append(o.prior, k.prior[u*factors+c])
		}
	}
	return &o
}

// covarianceFromSites returns the covariance of voter u's weights and own tastes.
func (e *engine) covarianceFromSites(u int) []float64 {
	k, d := e.sites, e.dim(u)
	cov := make([]float64, d*d)
	for i, x := range e.storedPrior(u) {
		cov[i*d+i] = x
	}
	own, phi := e.ownItems(u), e.prior.Features()
	place := func(item int32) int {
		if i, ok := slices.BinarySearch(own, item); ok {
			return e.c + i
		}
		return -1
	}
	value := func(item int32, q []float64) float64 {
		return simd.Dot(simd.Vec(phi.RawRowView(int(item))), simd.Vec(q))
	}
	a := make([]float64, e.c)
	for p := k.start[u]; p < k.start[u+1]; p++ {
		win, lose := k.pair[p][0], k.pair[p][1]
		for c := range a {
			a[c] = value(win, e.q[c+1].Mean) - value(lose, e.q[c+1].Mean)
		}
		addForm(cov, d, a, place(win), place(lose), k.tau[p])
	}
	if _, ok := invert(cov, make([]float64, d*d), d); !ok {
		panic("crowd: a voter's precision is not positive definite")
	}
	return cov
}

// storedPrior returns the precisions of voter u's dimensions before the votes.
func (e *engine) storedPrior(u int) []float64 {
	own := make([]float64, e.dim(u))
	copy(own, e.sites.prior[u*e.c:(u+1)*e.c])
	for i := e.c; i < len(own); i++ {
		own[i] = e.ownScale.Mean()
	}
	return own
}

func (k *sitePrecisions) save(a *Arrays) {
	for _, x := range k.start {
		a.VoteStart = append(a.VoteStart, int64(x))
	}
	for _, p := range k.pair {
		a.VotePair = append(a.VotePair, int64(p[0]), int64(p[1]))
	}
	a.VotePrecision, a.PriorPrecision = k.tau, k.prior
}

func loadSites(a *Arrays, items int) (*sitePrecisions, error) {
	n, votes := len(a.Owner), len(a.VotePrecision)
	if len(a.VoteStart) != n+1 || a.VoteStart[0] != 0 || a.VoteStart[n] != int64(votes) || len(a.VotePair) != 2*votes || len(a.PriorPrecision) != n*a.Factors {
		return nil, fmt.Errorf("crowd: %d votes of %d voters do not fit their arrays", votes, n)
	}
	k := &sitePrecisions{tau: a.VotePrecision, prior: a.PriorPrecision, pair: make([][2]int32, votes)}
	for u, x := range a.VoteStart {
		if u > 0 && x < a.VoteStart[u-1] {
			return nil, fmt.Errorf("crowd: the votes of voter %d end before they begin", u-1)
		}
		k.start = append(k.start, int(x))
	}
	for p := range k.pair {
		win, lose := a.VotePair[2*p], a.VotePair[2*p+1]
		if win < 0 || win >= int64(items) || lose < 0 || lose >= int64(items) || !(k.tau[p] >= 0) {
			return nil, fmt.Errorf("crowd: vote %d: items %d and %d of %d, precision %g", p, win, lose, items, k.tau[p])
		}
		k.pair[p] = [2]int32{int32(win), int32(lose)}
	}
	for _, x := range k.prior {
		if !(x > 0) {
			return nil, fmt.Errorf("crowd: precision %g of a voter's weight", x)
		}
	}
	return k, nil
}
