package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"palate/internal/draw"
)

// How many items and voters a map of disagreement shows.
const (
	disagreeItems  = 40
	disagreeVoters = 60
)

// Disagreement shows where voters depart from the consensus: the items they
// disagree about most, and the voters who depart most.
func Disagreement(t *Tastes) *Chart {
	if len(t.Factors) == 0 {
		return nil
	}
	voters, items := t.divided()
	c := &Chart{
		Name: "disagreement", Title: "Who disagrees, and on what", Head: []string{"item"},
		Note: "How much more, or less, than the consensus a voter (column) likes an item (row), in units of the noise of one vote. Items that divide most are on top; voters are in the order of factor 1.",
	}
	if len(items) < len(t.Items) {
		c.Note += fmt.Sprintf(" The %d most divisive of %d items.", len(items), len(t.Items))
	}
	if len(voters) < t.Of {
		c.Note += fmt.Sprintf(" The %d voters of %d who depart most.", len(voters), t.Of)
	}
	for _, u := range voters {
		c.Head = append(c.Head, label(t.Voters[u]))
	}
	var far float64
	var who, what int
	for _, i := range items {
		row := []string{label(t.Items[i])}
		for _, u := range voters {
			x := t.Departure.At(u, i)
			if math.Abs(x) > far {
				far, who, what = math.Abs(x), u, i
			}
			row = append(row, fixed(x, 2))
		}
		c.Rows = append(c.Rows, row)
	}
	more := "more"
	if t.Departure.At(who, what) < 0 {
		more = "less"
	}
	c.Alt = fmt.Sprintf("Heat map of %d items and %d voters. Most divisive: %s. Farthest from the consensus: %s likes %s %s by %s",
		len(items), len(voters), label(t.Items[items[0]]), label(t.Voters[who]), label(t.Items[what]), more, fixed(far, 2))
	c.draw = func(width float64) *draw.Scene { return t.drawDisagreement(voters, items, far, width) }
	return c
}

// divided returns the voters who depart most, in the order of the first factor,
// and the items with the largest departures.
func (t *Tastes) divided() (voters, items []int) {
	byVoter, byItem := make([]float64, len(t.Voters)), make([]float64, len(t.Items))
	for u := range byVoter {
		for i := range byItem {
			x := t.Departure.At(u, i)
			byVoter[u] += x * x
			byItem[i] += x * x
		}
	}
	voters, items = largest(byVoter, disagreeVoters), largest(byItem, disagreeItems)
	w := t.Factors[0].Weight
	slices.SortStableFunc(voters, func(a, b int) int { return cmp.Compare(w[a], w[b]) })
	return voters, items
}

// largest returns the places of the n largest numbers, the largest first.
func largest(x []float64, n int) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(x[b], x[a]) })
	return order[:min(n, len(order))]
}

func (t *Tastes) drawDisagreement(voters, items []int, far, width float64) *draw.Scene {
	s := draw.New(width)
	h := heatLayout{columns: len(voters), most: 44}
	for _, i := range items {
		h.names = append(h.names, label(t.Items[i]))
	}
	for _, u := range voters {
		h.heads = append(h.heads, label(t.Voters[u]))
	}
	h.fit(width)
	inks := make([][]draw.Ink, len(items))
	for k, i := range items {
		for _, u := range voters {
			inks[k] = append(inks[k], draw.Level(0.5+0.5*t.Departure.At(u, i)/far))
		}
	}
	h.draw(s, inks)
	h.key(s, "likes it less, "+draw.Signed(-far, 1), "as the consensus", "more, "+draw.Signed(far, 1))
	return s
}
