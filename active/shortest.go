package active

import (
	"cmp"
	"math"
	"math/rand/v2"
)

// candidate is a scored pair, i < j.
type candidate struct {
	i, j  int
	score float64
	key   uint64 // breaks ties at random
	ties  int
}

func better(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return cmp.Compare(b.key, a.key)
}

// shortest holds the best few candidates, the worst of them at the top of a
// heap.
type shortest struct {
	keep int
	list []candidate
	best float64
	ties int // for the best score
	rng  *rand.Rand
}

// least is what a score must reach to be held.
func (h *shortest) least() float64 {
	if len(h.list) < h.keep {
		return math.Inf(-1)
	}
	return h.list[0].score
}

func (h *shortest) add(c candidate) {
	c.key = h.rng.Uint64()
	switch {
	case len(h.list) == 0 || c.score > h.best:
		h.best, h.ties = c.score, 1
	case c.score == h.best:
		h.ties++
	}
	if len(h.list) < h.keep {
		h.list = append(h.list, c)
		for k := len(h.list) - 1; k > 0 && better(h.list[(k-1)/2], h.list[k]) < 0; k = (k - 1) / 2 {
			h.list[k], h.list[(k-1)/2] = h.list[(k-1)/2], h.list[k]
		}
		return
	}
	if better(c, h.list[0]) > 0 {
		return
	}
	h.list[0] = c
	for k := 0; ; {
		worst := k
		for _, child := range []int{2*k + 1, 2*k + 2} {
			if child < len(h.list) && better(h.list[worst], h.list[child]) < 0 {
				worst = child
			}
		}
		if worst == k {
			return
		}
		h.list[k], h.list[worst] = h.list[worst], h.list[k]
		k = worst
	}
}
