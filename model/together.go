package model

import (
	"math"
	"slices"
	"sync"

	"palate/internal/num"

	"gonum.org/v1/gonum/mat"
)

// together keeps means and covariances of all items, by voter, where a pair by itself takes as
// long as many at once.
type together struct {
	mu   sync.Mutex
	of   map[int]moments
	size int // of all that is kept
}

// moments are means and covariances of some items.
type moments struct {
	mean []float64
	cov  *mat.SymDense
}

// Up to so many items are taken together, whichever are asked for; so many numbers are kept.
const (
	mostTogether     = 1000
	mostTogetherKept = 1 << 22
)

// to returns the moments of all n items to a voter, and keeps them.
func (t *together) to(user, n int, find func(items []int) moments) moments {
	t.mu.Lock()
	m, ok := t.of[user]
	t.mu.Unlock()
	if ok {
		return m
	}
	m = find(num.Indices(n))
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.size += n * n; t.size > mostTogetherKept || t.of == nil {
		t.of, t.size = map[int]moments{}, n*n
	}
	t.of[user] = m
	return m
}

// preferTo sets dst to the chances of pairs of n items to a voter, who wins by a lead with a
// variance with a chance.
func (t *together) preferTo(dst []float64, user, n int, left, right []int, find func(items []int) moments, chance func(lead, variance float64) float64) {
	place := num.Indices(n)
	var m moments
	if n <= mostTogether {
		m = t.to(user, n, find)
	} else {
		items := slices.Concat(left, right)
		slices.Sort(items)
		items = slices.Compact(items)
		for k, i := range items {
			place[i] = k
		}
		m = find(items)
	}
	for k := range dst {
		i, j := place[left[k]], place[right[k]]
		dst[k] = chance(m.mean[i]-m.mean[j], math.Max(0, m.cov.At(i, i)+m.cov.At(j, j)-2*m.cov.At(i, j)))
	}
}
