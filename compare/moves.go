package compare

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"palate/internal/num"
	"palate/metric"
	"palate/model"
)

// Change is how one board differs from another, of the items that both have.
type Change struct {
	Moves     []Move   // the surest first
	New, Gone []string // items that only the second, and only the first board has
	Level     float64
	// Tau is Kendall's τ of the two orders by score, of the items on both.
	Tau float64
}

// Move is how an item moved. Scores are about the mean of the items on both boards, in
// units of the noise of a vote, and ranks are among these items.
type Move struct {
	ID                     string
	Before, After          float64 // scores
	RankBefore, RankAfter  int
	Difference, SD, Lo, Hi float64 // of the scores
	Rose                   float64 // probability that the score is now above what it was
	// Sure marks moves that hold, all that are marked together, with the level's probability.
	Sure bool
}

// side are joint draws of the scores of the items on both boards: by item, then draw.
type side [][]float64

// Boards compares two models of boards, matched by the identifiers of items, for a user of
// each or, when negative, the consensus. The two are taken to know nothing of each other.
func Boards(ctx context.Context, before, after model.Predictor, userBefore, userAfter int, o *Options) (*Change, error) {
	opt := o.defaults()
	at := map[string]int{}
	for i := range before.NumItems() {
		at[before.ItemID(i)] = i
	}
	c := &Change{Level: opt.Level}
	var first, second []int // numbers of the common items on the two boards
	for i := range after.NumItems() {
		if k, ok := at[after.ItemID(i)]; ok {
			first, second = append(first, k), append(second, i)
			delete(at, after.ItemID(i))
		} else {
			c.New = append(c.New, after.ItemID(i))
		}
	}
	for id := range at {
		c.Gone = append(c.Gone, id)
	}
	slices.Sort(c.New)
	slices.Sort(c.Gone)
	ids := make([]string, len(first))
	for k, i := range first {
		ids[k] = before.ItemID(i)
	}
	if err := together(before, first); err != nil {
		return nil, fmt.Errorf("compare: the first board: %w", err)
	}
	if err := together(after, second); err != nil {
		return nil, fmt.Errorf("compare: the second board: %w", err)
	}
	draws := func(p model.Predictor, user int, items []int, stream uint64) (side, error) {
		rng := rand.New(rand.NewPCG(opt.Seed, stream))
		d, err := p.Draws(ctx, user, opt.Draws, rng)
		if err != nil {
			return nil, err
		}
		return scores(d, items, resampled(d.Weight, opt.Draws, rng)), nil
	}
	x, err := draws(before, userBefore, first, stream+1)
	if err != nil {
		return nil, err
	}
	y, err := draws(after, userAfter, second, stream+2)
	if err != nil {
		return nil, err
	}
	even := make([]float64, opt.Draws)
	for k := range even {
		even[k] = 1 / float64(len(even))
	}
	return c, c.fill(ctx, ids, x, y, even)
}

// few is the error of boards that have too little in common.
func few(common int) error {
	return fmt.Errorf("compare: the boards have %d items in common; it takes two to see what moved", common)
}

// together checks that items of a board can be compared with each other.
func together(p model.Predictor, items []int) error {
	if len(items) < 2 {
		return few(len(items))
	}
	group := groupsOf(p)
	for _, i := range items[1:] {
		if group[i] != group[items[0]] {
			return fmt.Errorf("no votes connect %q and %q, so that their scores say nothing of each other", p.ItemID(items[0]), p.ItemID(i))
		}
	}
	return nil
}

// scores are the utilities of items less their mean, in the given draws.
func scores(d model.Draws, items, draws []int) side {
	s := make(side, len(items))
	for i := range s {
		s[i] = make([]float64, len(draws))
	}
	for k, at := range draws {
		row := d.F.RawRowView(at)
		var mean float64
		for _, i := range items {
			mean += row[i] / float64(len(items))
		}
		for r, i := range items {
			s[r][k] = row[i] - mean
		}
	}
	return s
}

// resampled draws n numbers of draws by their weights, evenly spread, in random order.
func resampled(weight []float64, n int, rng *rand.Rand) []int {
	out := make([]int, n)
	offset, k := rng.Float64(), 0
	sum := weight[0]
	for r := range out {
		for sum*float64(n) < float64(r)+offset && k < len(weight)-1 {
			k++
			sum += weight[k]
		}
		out[r] = k
	}
	rng.Shuffle(n, func(a, b int) { out[a], out[b] = out[b], out[a] })
	return out
}

// fill describes the moves between joint draws of the scores before and after.
func (c *Change) fill(ctx context.Context, ids []string, before, after side, weight []float64) error {
	moved := make([][]float64, len(ids))
	c.Moves = make([]Move, len(ids))
	for i, id := range ids {
		if err := ctx.Err(); err != nil {
			return err
		}
		m := &c.Moves[i]
		m.ID = id
		moved[i] = make([]float64, len(weight))
		for k, w := range weight {
			moved[i][k] = after[i][k] - before[i][k]
			m.Before += w * before[i][k]
			m.After += w * after[i][k]
		}
		s := summarise(moved[i], weight, c.Level)
		m.Difference, m.SD, m.Lo, m.Hi, m.Rose = s.mean, s.sd, s.lo, s.hi, s.positive
	}
	for r, i := range ranked(c.Moves, func(m Move) float64 { return m.Before }) {
		c.Moves[i].RankBefore = r + 1
	}
	for r, i := range ranked(c.Moves, func(m Move) float64 { return m.After }) {
		c.Moves[i].RankAfter = r + 1
	}
	scoresBefore, scoresAfter := make([]float64, len(ids)), make([]float64, len(ids))
	for i, m := range c.Moves {
		scoresBefore[i], scoresAfter[i] = m.Before, m.After
	}
	c.Tau = metric.KendallTauA(scoresBefore, scoresAfter)
	c.Moves = surest(c.Moves, moved, weight, c.Level, func(m *Move) (claimed, *bool) {
		return claimed{m.Rose, m.Difference, m.ID}, &m.Sure
	})
	return nil
}

// ranked are the numbers of moves by a score, best first.
func ranked(moves []Move, score func(Move) float64) []int {
	order := num.Indices(len(moves))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score(moves[b]), score(moves[a])) })
	return order
}
