package model

import (
	"context"
	"math"
	"sync"

	"palate/internal/num"
)

// keptChances are those of pairs of few items that went through the grid before.
type keptChances struct {
	mu sync.RWMutex
	n  int
	of []float64 // of the first of a pair against the second, n × n; NaN where it was not asked for
}

// mostKept is the number of items up to which chances are kept.
const mostKept = 500

// keptChances returns those to a voter whose habits are everybody's; nil where none are kept.
func (m *Single) keptChances(user int) *keptChances {
	told := user >= 0 && user < len(m.habitOf) && m.habitOf[user] >= 0 && m.voting.habits != nil
	if told || !m.integrated || len(m.ids) > mostKept {
		return nil
	}
	s, err := m.scales(context.Background()) // it ends with the context alone
	if err != nil {
		return nil
	}
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	if n := len(m.ids); s.kept.n != n {
		s.kept.n, s.kept.of = n, make([]float64, n*n)
		for k := range s.kept.of {
			s.kept.of[k] = math.NaN()
		}
	}
	return &s.kept
}

// read sets dst to the chances of pairs that are kept, and returns the others.
func (c *keptChances) read(dst []float64, left, right []int) (rest []int) {
	if c == nil {
		return num.Indices(len(dst))
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	for k := range dst {
		if dst[k] = c.of[left[k]*c.n+right[k]]; math.IsNaN(dst[k]) {
			rest = append(rest, k)
		}
	}
	return rest
}

// write keeps the chances of pairs, each at the place that at has for it.
func (c *keptChances) write(at map[[2]int]int, chance []float64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for pair, k := range at {
		c.of[pair[0]*c.n+pair[1]] = chance[k]
	}
}
