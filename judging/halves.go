package judging

import (
	"cmp"
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"palate"
)

// split correlates the scores by halves of the judges, again and again.
func (j *Judging) split(ctx context.Context, d *palate.Dataset, s *scale, o Options) error {
	rng := rand.New(rand.NewPCG(o.Seed, 0x4a1f))
	judges := slices.SortedFunc(slices.Values(j.Judges), func(a, b Judge) int { return cmp.Compare(a.ID, b.ID) })
	var found []float64
	for done := range o.Splits {
		if o.Progress != nil {
			o.Progress(done, o.Splits)
		}
		second := make([]bool, d.NumUsers())
		order := rng.Perm(len(judges))
		for _, k := range order[len(order)/2:] {
			second[judges[k].User] = true
		}
		var scores [2]map[int]float64
		for half := range scores {
			var err error
			if scores[half], err = halfScores(ctx, d, func(v palate.Vote) bool { return v.User >= 0 && second[v.User] == (half == 1) }); err != nil {
				return err
			}
		}
		var x, y []float64
		for _, i := range s.items { // in their order, so that sums are the same every time
			a, in := scores[0][i]
			if b, too := scores[1][i]; in && too {
				x, y = append(x, a), append(y, b)
			}
		}
		if len(x) > 2 {
			found = append(found, stat.Correlation(x, y, nil))
		}
	}
	if j.Splits = len(found); j.Splits > 0 {
		j.SplitHalf, j.SplitSD = stat.MeanStdDev(found, nil)
		if j.Splits == 1 {
			j.SplitSD = math.NaN()
		}
	}
	return nil
}

// halfScores are the scores by some of the votes, of the largest set of items that they
// connect.
func halfScores(ctx context.Context, d *palate.Dataset, of func(palate.Vote) bool) (map[int]float64, error) {
	votes := func() iter.Seq2[int, palate.Vote] {
		return func(yield func(int, palate.Vote) bool) {
			for k, v := range d.Votes() {
				if of(v) && !yield(k, v) {
					return
				}
			}
		}
	}
	on := d.ComponentsOf(votes())[0]
	if len(on) < 3 {
		return nil, nil
	}
	s := newScale(d, on, votes())
	if err := s.climb(ctx, 0.1); err != nil {
		return nil, err
	}
	scores := map[int]float64{}
	for k, i := range on {
		scores[i] = s.theta[k]
	}
	return scores, nil
}
