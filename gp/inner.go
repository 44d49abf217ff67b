package gp

import (
	"math"

	"palate/internal/num"
)

// Inner says how variances of the items' own parts, given the weights, are found:
// the entries of A⁻¹ that forms of votes touch, and log |A|. Means, and all that
// concerns the weights, are exact under either.
type Inner int

const (
	// Bethe takes those of belief propagation: exact where no comparisons close a
	// loop, and near it where loops are long or many. Items' variances are not above
	// the exact ones, nor is −log |A|, since loops only add to them.
	Bethe Inner = iota
	// Apart takes items to be independent given the weights. That is a Gaussian of
	// its own, so a variational bound under it is one.
	Apart
)

// inner holds the answer: variances of items, covariances of compared pairs.
type inner struct {
	item, pair []float64
	logDet     float64
}

func (how Inner) of(l *Laplacian) inner {
	out := inner{item: make([]float64, len(l.diag)), pair: make([]float64, len(l.pairs))}
	if how == Apart {
		for i, d := range l.diag {
			out.item[i] = 1 / d
			out.logDet += math.Log(d)
		}
		return out
	}
	total, message := l.propagate()
	for i, x := range total {
		out.item[i] = 1 / x
		out.logDet += math.Log(x)
	}
	// log |A| = Σ_pairs (log |A_ij| − log x_i − log x_j) + Σ_i log x_i, with A_ij the
	// precision of the pair alone.
	for k, p := range l.pairs {
		a, b, t := total[p[0]]-message[k][1], total[p[1]]-message[k][0], l.tau[k]
		if t == 0 {
			continue
		}
		det := a*b + t*(a+b)
		out.pair[k] = t / det
		out.logDet += math.Log(det / (total[p[0]] * total[p[1]]))
	}
	return out
}

// propagate returns the precision of every item, and of every pair what its first
// item tells of the second and the second of the first. What i tells j is
// τx/(τ+x), where x is i's precision but for what j tells it.
func (l *Laplacian) propagate() (total []float64, message [][2]float64) {
	n := len(l.diag)
	total = make([]float64, n)
	message, next := make([][2]float64, len(l.pairs)), make([][2]float64, len(l.pairs))
	for k, t := range l.tau {
		message[k] = [2]float64{t, t}
	}
	const grain = 1024
	worst := make([]float64, (len(l.pairs)+grain-1)/grain)
	add := func() {
		num.Parallel(n, grain, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				x := l.base[i]
				for _, e := range l.endsOf(i) {
					side := 0 // the message comes from the first item
					if int(e.other) > i {
						side = 1
					}
					x += message[e.pair][side]
				}
				total[i] = x
			}
		})
	}
	add()
	for range maxRounds {
		num.Parallel(len(l.pairs), grain, func(lo, hi int) {
			w := 0.0
			for k := lo; k < hi; k++ {
				p, t := l.pairs[k], l.tau[k]
				if t == 0 {
					continue
				}
				for side, i := range p {
					x := total[i] - message[k][1-side]
					m := t * x / (t + x)
					w = max(w, math.Abs(m-message[k][side])/total[p[1-side]])
					next[k][side] = m
				}
			}
			worst[lo/grain] = w
		})
		message, next = next, message
		add()
		change := 0.0
		for _, w := range worst {
			change = max(change, w)
		}
		if change < 1e-13 {
			break
		}
	}
	return total, message
}

// maxRounds bounds those of belief propagation, which converges under a diagonally
// dominant precision; slowly only along chains of items with hardly any prior.
const maxRounds = 1000
