package model

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Choice is an item that a user likes, with the mean and deviation of its utility less the
// mean of all items in its group.
type Choice struct {
	Item      int
	Score, SD float64
}

// Top returns the n items that a user likes best, best first; the consensus's when user is
// negative. Items of which skip says so are left out; it may be nil. Only the largest group
// of comparable items counts. It is far faster than a board, and fails only when ctx ends.
func Top(ctx context.Context, p Predictor, user, n int, skip func(item int) bool) ([]Choice, error) {
	score := make([]float64, p.NumItems())
	if err := scoresTo(ctx, score, p, user); err != nil {
		return nil, err
	}
	group := p.Groups()[0]
	order := make([]int, 0, len(group))
	for _, i := range group {
		if skip == nil || !skip(i) {
			order = append(order, i)
		}
	}
	order = first(order, n, func(a, b int) int { return cmp.Or(cmp.Compare(score[b], score[a]), cmp.Compare(a, b)) })
	top := make([]Choice, len(order))
	for k, i := range order {
		_, variance := p.Utility(user, i)
		top[k] = Choice{i, score[i], math.Sqrt(variance)}
	}
	return top, ctx.Err()
}

// first returns the first n of some things in an order, or all where there are fewer. What it is given it may change.
func first(all []int, n int, order func(a, b int) int) []int {
	if n > len(all)/8 {
		slices.SortFunc(all, order)
		return all[:min(n, len(all))]
	}
	var top []int
	for _, x := range all {
		if len(top) == n && order(top[n-1], x) < 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, x, order)
		top = slices.Insert(top[:min(len(top), n-1)], at, x)
	}
	return top
}
