package paper

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"palate"
)

// crowdSize is a made-up set of votes, as large as one wants.
type crowdSize struct {
	people, items, features int
	// votes are how many each person casts between random pairs; 0: everybody rates some items, as in MovieLens, and
	// what is liked beats what is not.
	votes int
}

const (
	tastes    = 8    // factors of the made-up population
	zipf      = 0.7  // how fast popularity falls with rank
	activity  = 3.41 // log of the median number of items that a person rates: 18.5 million pairs of 45,600 people
	likedPart = 0.75 // of what is rated
	testEach  = 4    // pairs
)

// split draws the votes. Utilities are a mean, factors, what features explain, and a person's own; raters compare all
// liked with all disliked items, of which a fifth is hidden; others vote with noise.
func (c crowdSize) split(rng *rand.Rand) (*Split, error) {
	b := palate.NewBuilder()
	f := &palate.Features{Rows: c.items, Cols: c.features}
	for k := range c.features {
		f.Names = append(f.Names, fmt.Sprintf("x%d", k))
	}
	normals := func(n int, sd float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = sd * rng.NormFloat64()
		}
		return x
	}
	mean, factor, effect := normals(c.items, 1), normals(c.items*tastes, 0.5), normals(c.features*(1+tastes), 0.4)
	f.Data = normals(c.items*c.features, 1)
	popular := make([]float64, c.items) // cumulative
	for i := range c.items {
		b.Item(fmt.Sprintf("item%d", i))
		for k, x := range f.Row(i) {
			mean[i] += x * effect[k*(1+tastes)]
			for d := range tastes {
				factor[i*tastes+d] += x * effect[k*(1+tastes)+1+d]
			}
		}
		popular[i] = math.Pow(float64(i+1), -zipf)
		if i > 0 {
			popular[i] += popular[i-1]
		}
	}
	if c.features > 0 {
		b.SetItemFeatures(f)
	}
	pick := func() int { return sort.SearchFloat64s(popular, rng.Float64()*popular[c.items-1]) }
	s := &Split{}
	own := map[int]float64{}
	taste := make([]float64, tastes)
	for u := range c.people {
		b.User(fmt.Sprintf("person%d", u))
		clear(own)
		for d := range taste {
			taste[d] = rng.NormFloat64()
		}
		utility := func(i int) float64 {
			x, ok := own[i]
			if !ok {
				x = mean[i] + rng.NormFloat64()
				for d, t := range taste {
					x += t * factor[i*tastes+d]
				}
				own[i] = x
			}
			return x
		}
		var train, test []palate.Vote
		if c.votes > 0 {
			for k := range c.votes + 1 {
				v := palate.Vote{User: u, Left: pick(), Right: pick(), Weight: 1}
				for v.Right == v.Left {
					v.Right = pick()
				}
				if utility(v.Left)-utility(v.Right)+rng.NormFloat64() < 0 {
					v.Outcome = palate.Right
				}
				if k == c.votes {
					test = append(test, v)
				} else {
					train = append(train, v)
				}
			}
		} else {
			n := int(min(max(math.Exp(activity+0.8*rng.NormFloat64()), 5), 500, float64(c.items)/2))
			var items []int
			for len(own) < n {
				i := pick()
				if _, ok := own[i]; !ok {
					utility(i)
					items = append(items, i)
				}
			}
			slices.SortFunc(items, func(i, j int) int { return cmp.Compare(own[j], own[i]) })
			cut := max(1, min(n-1, int(likedPart*float64(n))))
			liked, disliked := items[:cut], items[cut:]
			rng.Shuffle(len(liked), func(i, j int) { liked[i], liked[j] = liked[j], liked[i] })
			rng.Shuffle(len(disliked), func(i, j int) { disliked[i], disliked[j] = disliked[j], disliked[i] })
			hl, hd := len(liked)/5, len(disliked)/5
			train, test = pairs(u, liked[hl:], disliked[hd:]), pairs(u, liked[:hl], disliked[:hd])
			rng.Shuffle(len(test), func(i, j int) { test[i], test[j] = test[j], test[i] })
			test = test[:min(len(test), testEach)]
		}
		for _, v := range train {
			if err := b.Add(v); err != nil {
				return nil, err
			}
		}
		s.Test = append(s.Test, test...)
	}
	flipHalf(s.Test, rng)
	var err error
	s.Train, err = b.Build()
	return s, err
}
