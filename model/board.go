package model

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// BoardOptions are the settings of NewBoard; nil means the defaults.
type BoardOptions struct {
	Draws int     // joint draws; 0 stands for 4000
	Level float64 // of intervals and tiers; 0 stands for 0.95
	Top   int     // k of P(top k); 0 stands for 3
	Seed  uint64
}

// Board is a leaderboard: one list for every comparable group of items.
type Board struct {
	Groups []BoardGroup
	Level  float64
	Top    int
	Draws  int
	// ESS is the effective sample size of the draws after mending; Mended tells
	// whether they were mended (see Draws).
	ESS    float64
	Mended bool
	// Coins is the probability that items do not differ and votes tell no more of them than
	// coins. Ranks, tiers, PBest and PTop weigh it in; scores, with their deviations and
	// intervals, are what they are if items differ.
	Coins float64
}

// BoardGroup ranks items that are comparable with one another.
type BoardGroup struct {
	Rows []BoardRow // best first
}

// BoardRow is one item on a board. Scores are utilities less the mean of the
// group, in units of the noise of a vote.
type BoardRow struct {
	Rank           int
	Item           int
	ID             string
	Score, SD      float64
	Lo, Hi         float64 // interval of the score
	RankLo, RankHi int     // interval of the rank
	PBest, PTop    float64 // probabilities to be the best, and among the top k
	// Tier is one more than the number of tiers whose first items are above the item;
	// all that tiers of a board claim holds together with the level's probability.
	Tier  int
	Votes float64
}

// NewBoard ranks the items of a model for a user, or for the consensus when
// user is negative, by joint draws. It fails only when ctx ends.
func NewBoard(ctx context.Context, p Predictor, user int, o *BoardOptions) (*Board, error) {
	opt := *cmp.Or(o, &BoardOptions{})
	opt.Draws = cmp.Or(opt.Draws, boardDraws)
	opt.Level = cmp.Or(opt.Level, 0.95)
	opt.Top = cmp.Or(opt.Top, 3)
	d, err := p.Draws(ctx, user, opt.Draws, rand.New(rand.NewPCG(opt.Seed, boardStream)))
	if err != nil {
		return nil, err
	}
	draws, _ := d.F.Dims()
	b := &Board{Level: opt.Level, Top: opt.Top, Draws: draws, ESS: d.ESS, Mended: d.Mended, Coins: d.Coins()}
	votes := p.Votes()
	var scores [][][]float64 // by group, row and draw
	given := d.Different().Weight
	for _, items := range p.Groups() {
		g, score, err := rankGroup(ctx, d, given, items, opt)
		if err != nil {
			return nil, err
		}
		scores = append(scores, score)
		for r := range g.Rows {
			g.Rows[r].ID = p.ItemID(g.Rows[r].Item)
			g.Rows[r].Votes = votes[g.Rows[r].Item]
		}
		b.Groups = append(b.Groups, g)
	}
	for g, of := range tiers(scores, d.Weight, opt.Level) {
		for r, tier := range of {
			b.Groups[g].Rows[r].Tier = tier
		}
	}
	return b, nil
}

// rankGroup ranks some items by the draws of their utilities, and their weights given that
// items differ, and returns the draws of their scores, in the order of the rows.
func rankGroup(ctx context.Context, d Draws, given []float64, items []int, o BoardOptions) (BoardGroup, [][]float64, error) {
	n := len(items)
	draws := len(d.Weight)
	score := make([][]float64, n) // by item, then draw
	rank := make([][]int32, n)
	for i := range items {
		score[i], rank[i] = make([]float64, draws), make([]int32, draws)
	}
	rows := make([]BoardRow, n)
	list, room := make([]placed, n), make([]placed, n)
	for k := range draws {
		if err := ctx.Err(); err != nil {
			return BoardGroup{}, nil, err
		}
		f := d.F.RawRowView(k)
		var mean float64
		for _, item := range items {
			mean += f[item] / float64(n)
		}
		for i, item := range items {
			x := f[item] - mean
			list[i] = placed{-x, i}
			score[i][k] = x
			rows[i].Score += given[k] * x
		}
		order := sortPlaced(list, room)
		for r, p := range order {
			rank[p.at][k] = int32(r + 1)
			if r < o.Top {
				rows[p.at].PTop += d.Weight[k]
			}
		}
		rows[order[0].at].PBest += d.Weight[k]
	}
	list, room = make([]placed, draws), make([]placed, draws)
	byRank := make([]int64, draws)
	for i := range items {
		if err := ctx.Err(); err != nil {
			return BoardGroup{}, nil, err
		}
		row := &rows[i]
		row.Item = items[i]
		for k, w := range given {
			row.SD += w * (score[i][k] - row.Score) * (score[i][k] - row.Score)
			list[k] = placed{score[i][k], k}
		}
		row.SD = math.Sqrt(row.SD)
		byScore := sortPlaced(list, room)
		row.Lo, row.Hi = quantile(byScore, given, (1-o.Level)/2), quantile(byScore, given, (1+o.Level)/2)
		row.RankLo, row.RankHi = span(rank[i], d.Weight, byRank, o.Level)
	}
	slices.SortStableFunc(rows, func(a, b BoardRow) int { return cmp.Compare(b.Score, a.Score) })
	at := make(map[int]int, n)
	for i, item := range items {
		at[item] = i
	}
	ordered := make([][]float64, n)
	for r := range rows {
		ordered[r] = score[at[rows[r].Item]]
		rows[r].Rank = r + 1
		rows[r].hold()
	}
	return BoardGroup{Rows: rows}, ordered, nil
}

// hold stretches intervals to the estimates that they are about: a mean may lie
// beyond the quantiles of a skewed distribution.
func (r *BoardRow) hold() {
	r.Lo, r.Hi = min(r.Lo, r.Score), max(r.Hi, r.Score)
	r.RankLo, r.RankHi = min(r.RankLo, r.Rank), max(r.RankHi, r.Rank)
}

// quantile returns the first of numbers in order at which the weight reaches p.
func quantile(order []placed, w []float64, p float64) float64 {
	var sum float64
	for _, o := range order {
		if sum += w[o.at]; sum >= p {
			return o.x
		}
	}
	return order[len(order)-1].x
}

// span returns the ranks between which the given share of the weight lies, equal shares
// left out at both ends. It sorts in order, of the same length.
func span(rank []int32, w []float64, order []int64, level float64) (lo, hi int) {
	for k, r := range rank {
		order[k] = int64(r)<<32 | int64(k)
	}
	slices.Sort(order)
	out := (1 - level) / 2
	var sum float64
	for k := 0; k < len(order); {
		var at float64
		for hi = int(order[k] >> 32); k < len(order) && int(order[k]>>32) == hi; k++ {
			at += w[order[k]&math.MaxUint32]
		}
		sum += at
		if lo == 0 && sum > out {
			lo = hi
		}
		if sum >= 1-out-1e-12 {
			break
		}
	}
	return max(lo, 1), hi
}
