package asking

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/active"
	"palate/model"
)

// Ways are how several items may be asked about: which is the best, which the best and which
// the worst, and in which order they are.
func Ways() []string { return []string{"choice", "best-worst", "ranking"} }

// Of sets, how many items there are, and how many are shown at a time.
const (
	SetItems = 20
	setSize  = 4
)

// SetMarks are the answers at which orders are held to the truth.
func SetMarks() []int { return []int{10, 20, 40} }

// AsksSets reports whether a policy chooses sets.
func (p Policy) AsksSets() bool { return p.strategy != nil }

// RunSets is Run with questions about several items, answers being those of what they saw
// with noise of their own. All start from sets of four that share no item.
func RunSets(ctx context.Context, p Policy, way string, items, rng *rand.Rand) ([]Order, error) {
	u := make([]float64, SetItems)
	for i := range u {
		u[i] = items.NormFloat64()
	}
	b := palate.NewBuilder()
	for i := range u {
		b.Item(fmt.Sprint(i))
	}
	answers := 0
	ask := func(set []int, rng *rand.Rand) error {
		answers++
		group := b.NewGroup()
		for _, v := range answer(way, set, u, rng) {
			v.Group = group
			if err := b.Add(v); err != nil {
				return err
			}
		}
		return nil
	}
	for set := range slices.Chunk(items.Perm(SetItems), setSize) {
		if err := ask(set, items); err != nil {
			return nil, err
		}
	}
	var found []Order
	for marks := SetMarks(); len(marks) > 0; {
		d, err := b.Build()
		if err != nil {
			return nil, err
		}
		m, err := model.FitSingle(ctx, d, &model.Options{Whole: true})
		if err != nil {
			return nil, err
		}
		most := marks[0] - answers
		if most <= 0 {
			found = append(found, order(m, u))
			marks = marks[1:]
			continue
		}
		seen := active.Pairs{}
		for range min(most, SetItems/10) { // until the next fit
			s, err := active.NextSet(ctx, m, -1, setSize, &active.Options{Policy: *p.strategy, Exclude: seen}, rng)
			if err != nil {
				return nil, err
			}
			for a, i := range s.Items {
				for _, j := range s.Items[:a] {
					seen.Add(i, j)
				}
			}
			if err := ask(s.Items, rng); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// answer is what somebody says about a set: the comparisons that follow from it.
func answer(way string, set []int, u []float64, rng *rand.Rand) (votes []palate.Vote) {
	drawn := map[int]float64{}
	for _, i := range set {
		drawn[i] = u[i] + rng.NormFloat64()*math.Sqrt(0.5)
	}
	ranked := slices.Clone(set)
	slices.SortFunc(ranked, func(a, b int) int {
		if drawn[a] > drawn[b] {
			return -1
		}
		return 1
	})
	for a, i := range ranked {
		for b := a + 1; b < len(ranked); b++ {
			if way == "ranking" || a == 0 || way == "best-worst" && b == len(ranked)-1 {
				votes = append(votes, palate.Vote{User: -1, Left: i, Right: ranked[b], Weight: 1})
			}
		}
	}
	return votes
}
