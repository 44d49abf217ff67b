package compare

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/internal/num"
	"palate/model"
)

// Breakdown are the boards of categories of votes, such as languages or kinds of prompts, of
// the same items. A category is to the consensus what a voter is in a population: how far
// categories differ is learnt from all of them, and each is drawn to the consensus as far
// as its own votes leave open.
type Breakdown struct {
	Overall    *model.Board // the mean of the categories: items, scores and ranks alone
	Categories []Category   // those with most votes first
	// Departures are where categories differ from the mean of all, the surest first.
	Departures []Departure
	Level      float64
}

// Category is the board of some votes.
type Category struct {
	Name  string
	Votes float64
	Board *model.Board
	// Raw is the board of these votes alone.
	Raw *model.Board
}

// Departure is how an item's score in a category differs from the mean of all categories.
type Departure struct {
	Category, ID   string
	Difference, SD float64
	Lo, Hi         float64
	Above          float64 // probability that it is above the mean
	// Sure marks departures that hold, all that are marked together, with the level's
	// probability.
	Sure bool
}

// Categories breaks votes down by their users, which are categories (see
// palate.Dataset.WithUsers), by a model of them that tells users apart.
func Categories(ctx context.Context, d *palate.Dataset, m model.Model, o *Options) (*Breakdown, error) {
	opt := o.defaults()
	switch {
	case d.NumUsers() < 2:
		return nil, fmt.Errorf("compare: votes of %d categories; it takes two to break them down", d.NumUsers())
	case m.NumUsers() != d.NumUsers():
		return nil, fmt.Errorf("compare: a %s model has one board for all categories; take one that tells voters apart, such as population", m.Name())
	}
	if g := m.Groups(); len(g[0]) < d.NumItems() {
		return nil, fmt.Errorf("compare: no votes connect %q with %q: leave one of them out", m.ItemID(g[0][0]), m.ItemID(g[1][0]))
	}
	var err error
	board := &model.BoardOptions{Level: opt.Level, Seed: opt.Seed}
	b := &Breakdown{Level: opt.Level}
	of := make([][]int, d.NumUsers())
	votes := make([]float64, d.NumUsers())
	for k, v := range d.Votes() {
		if v.User >= 0 && v.Outcome != palate.Skip {
			of[v.User] = append(of[v.User], k)
			votes[v.User] += v.Weight
		}
	}
	all := num.Indices(d.NumItems())
	var draws []side
	for u := range of {
		c := Category{Name: d.UserID(u), Votes: votes[u]}
		if c.Board, err = model.NewBoard(ctx, m, u, board); err != nil {
			return nil, err
		}
		if len(of[u]) > 0 {
			if c.Raw, err = rawBoard(ctx, d.Select(of[u]), board); err != nil {
				return nil, err
			}
		}
		b.Categories = append(b.Categories, c)
		rng := rand.New(rand.NewPCG(opt.Seed, stream+3+uint64(u)))
		drawn, err := m.Draws(ctx, u, opt.Draws, rng)
		if err != nil {
			return nil, err
		}
		draws = append(draws, scores(drawn, all, resampled(drawn.Weight, opt.Draws, rng)))
	}
	b.Overall = mean(b.Categories)
	if err := b.depart(ctx, d, draws, opt); err != nil {
		return nil, err
	}
	slices.SortStableFunc(b.Categories, func(x, y Category) int { return cmp.Compare(y.Votes, x.Votes) })
	return b, nil
}

// mean is the board of the mean of categories, each as much as another.
func mean(categories []Category) *model.Board {
	rows := make([]model.BoardRow, len(categories[0].Board.Groups[0].Rows))
	for _, c := range categories {
		for _, r := range c.Board.Groups[0].Rows {
			x := &rows[r.Item]
			x.Item, x.ID = r.Item, r.ID
			x.Score += r.Score / float64(len(categories))
		}
	}
	slices.SortFunc(rows, func(x, y model.BoardRow) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.ID, y.ID))
	})
	for i := range rows {
		rows[i].Rank = i + 1
	}
	return &model.Board{Groups: []model.BoardGroup{{Rows: rows}}, Level: categories[0].Board.Level}
}

// rawBoard is the board of one category's votes alone.
func rawBoard(ctx context.Context, d *palate.Dataset, o *model.BoardOptions) (*model.Board, error) {
	m, err := model.FitSingle(ctx, d, &model.Options{Pooled: true, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	return model.NewBoard(ctx, m, -1, o)
}

// depart finds where categories differ from the mean of all, by draws of each on its own:
// that they share what is known of the consensus is left out, which makes claims the more
// careful.
func (b *Breakdown) depart(ctx context.Context, d *palate.Dataset, draws []side, o Options) error {
	n, all := d.NumItems(), float64(len(draws))
	weight := make([]float64, o.Draws)
	for k := range weight {
		weight[k] = 1 / float64(o.Draws)
	}
	mean := make([]float64, o.Draws)
	var by [][]float64
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		clear(mean)
		for _, s := range draws {
			for k, x := range s[i] {
				mean[k] += x / all
			}
		}
		for u, s := range draws {
			x := make([]float64, o.Draws)
			for k := range x {
				x[k] = s[i][k] - mean[k]
			}
			y := summarise(x, weight, o.Level)
			by = append(by, x)
			b.Departures = append(b.Departures, Departure{Category: d.UserID(u), ID: d.ItemID(i), Difference: y.mean, SD: y.sd, Lo: y.lo, Hi: y.hi, Above: y.positive})
		}
	}
	b.Departures = surest(b.Departures, by, weight, o.Level, func(x *Departure) (claimed, *bool) {
		return claimed{x.Above, x.Difference, x.ID + "\x1f" + x.Category}, &x.Sure
	})
	return nil
}

// claimed is a claim that something is above 0, or below.
type claimed struct {
	above, difference float64
	name              string
}

// surest orders claims, which draws are about: those that are most probably so, of these the
// largest, then by name; and marks as sure those of the first that hold all together at a level.
func surest[T any](all []T, draws [][]float64, weight []float64, level float64, of func(*T) (c claimed, sure *bool)) []T {
	claim := func(k int) claimed { c, _ := of(&all[k]); return c }
	chance := func(c claimed) float64 { return math.Round(1e6*max(c.above, 1-c.above)) / 1e6 } // sums of weights are rounded
	order := num.Indices(len(all))
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := claim(a), claim(b)
		return cmp.Or(cmp.Compare(chance(y), chance(x)), cmp.Compare(math.Abs(y.difference), math.Abs(x.difference)), cmp.Compare(x.name, y.name))
	})
	hold := holdTogether(order, draws, weight, level, func(k int) bool { return claim(k).above > 0.5 })
	sorted := make([]T, len(order))
	for r, k := range order {
		sorted[r] = all[k]
		_, sure := of(&sorted[r])
		*sure = r < hold
	}
	return sorted
}

// holdTogether returns how many claims, of those in an order, hold all together at a level, by
// draws of what they are about: above 0, or below. The share of draws that may fail is that
// which the intervals at the level leave out at one end, so that a single claim is made just
// where the interval is on one side of 0.
func holdTogether(order []int, draws [][]float64, weight []float64, level float64, above func(k int) bool) int {
	failing, broken := 0.0, make([]bool, len(weight)) // of the draws in which some claim does not hold
	for r, i := range order {
		for k, w := range weight {
			if !broken[k] && (draws[i][k] > 0) != above(i) {
				broken[k] = true
				failing += w
			}
		}
		if failing > (1-level)/2+1e-9 {
			return r
		}
	}
	return len(order)
}
