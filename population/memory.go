package population

import (
	"fmt"
	"math"
	"runtime"
)

// Need is roughly how many bytes learning takes, by what takes them.
type Need struct {
	Items   float64 // matrices between items: with features, or a full covariance
	Votes   float64 // pairs with their sites
	Working float64 // parameters, optimiser, workspaces
	Disk    float64 // votes and sites that are on disk, not in memory
}

// Total returns the memory.
func (n Need) Total() float64 { return n.Items + n.Votes + n.Working }

// matrices is how many N×N matrices are held at once: the kernel and its
// factor, and ΣW while relevances are relearnt; all that COLLAB's steps need
// for a full covariance; without features ΣW alone, for few items.
func matrices(items float64, features, full bool) float64 {
	switch {
	case full:
		return 6
	case features:
		return 3
	case items > maxSums:
		return 0
	}
	return 1
}

// Memory bounds what learning from some people takes.
func Memory(p *People, features, full bool, o *Options, personFeatures int) Need {
	if o == nil {
		o = &Options{}
	}
	n := float64(p.items)
	d := float64(min(max(o.Rank, 20), p.items-1))
	items, pairs := p.largest()
	m, q := float64(items), float64(pairs)
	workers := float64(o.Workers)
	if workers == 0 {
		workers = float64(runtime.GOMAXPROCS(0))
	}
	need := Need{
		Items:   8 * matrices(n, features, full) * n * n,
		Votes:   float64(p.Len()) * 40,
		Working: 8 * (n*(1+d+float64(personFeatures))*(2*memory+8) + room + workers*(9*m*m+36*q)),
	}
	held := float64(p.itemStart[p.Len()])*4 + float64(p.NumPairs())*(4+16)
	if p.count != nil {
		held += 8 * float64(p.NumPairs())
	}
	if p.answer != nil {
		held += 4 * float64(p.NumPairs())
	}
	if p.disk != nil {
		need.Disk = held
		held = min(held, 8*room+8*4*q) // a batch, or the person with the most pairs
	}
	need.Votes += held
	return need
}

// Check returns an error when learning would take more than limit bytes, with
// the most items that would fit and what would lift that.
func (n Need) Check(limit float64, items int, features, full bool) error {
	if n.Total() <= limit {
		return nil
	}
	gb := func(x float64) string {
		if x < 1e9 {
			return fmt.Sprintf("%.0f MB", x/1e6)
		}
		return fmt.Sprintf("%.1f GB", x/1e9)
	}
	left := limit - n.Votes - n.Working
	if left <= 0 {
		lift := "raise the limit"
		if n.Disk == 0 && n.Votes > n.Working {
			lift = "keep the votes on disk, or raise the limit"
		}
		return fmt.Errorf("population: the votes take %s and the work %s, more than the limit of %s: %s", gb(n.Votes), gb(n.Working), gb(limit), lift)
	}
	most := func(features, full bool) int { return int(math.Sqrt(left / (8 * matrices(1, features, full)))) }
	lift := "raise the limit"
	switch {
	case full:
		lift = fmt.Sprintf("a covariance of low rank lifts that to %d with item features, and to any number without", most(true, false))
	case features:
		lift = "without item features the covariance is of low rank, and any number fits"
	}
	return fmt.Errorf("population: %d items take %s, more than the limit of %s; the most items that fit are %d: %s", items, gb(n.Total()), gb(limit), most(features, full), lift)
}
