package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"

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
	w := in(t.Language)
	voters, items := t.divided()
	c := &Chart{
		Name: "disagreement", Title: w.Say("chart-disagreement"), Head: []string{w.Say("chart-item")},
		Note: w.Say("chart-disagreement-note"),
	}
	if len(items) < len(t.Items) {
		c.Note += " " + w.Say("chart-divisive-items", strconv.Itoa(len(items)), len(t.Items))
	}
	if len(voters) < t.Of {
		c.Note += " " + w.Say("chart-departing-voters", strconv.Itoa(len(voters)), t.Of)
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
			row = append(row, w.fixed(x, 2))
		}
		c.Rows = append(c.Rows, row)
	}
	farthest := "chart-disagreement-more"
	if t.Departure.At(who, what) < 0 {
		farthest = "chart-disagreement-less"
	}
	c.Alt = w.Say("chart-disagreement-alt", strconv.Itoa(len(items)), strconv.Itoa(len(voters)), label(t.Items[items[0]])) + " " +
		w.Say(farthest, label(t.Voters[who]), label(t.Items[what]), w.fixed(far, 2))
	c.list(w, len(items), len(items), func(width float64, n int) *draw.Scene { return t.drawDisagreement(voters, items[:n], far, width) })
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

// drawDisagreement gives every voter a column with a name: where there is no room for all,
// those who depart most are shown.
func (t *Tastes) drawDisagreement(voters, items []int, far, width float64) *draw.Scene {
	s := draw.New(width)
	w := in(t.Language)
	h := heatLayout{most: 44, share: 0.3}
	var longest float64
	for _, i := range items {
		h.names = append(h.names, legible(t.Items[i]))
		longest = max(longest, draw.TextWidth(h.names[len(h.names)-1], 12, false))
	}
	room := int((width - min(longest+1, h.share*width) - 11) / namedCell)
	departs := make([]float64, len(voters))
	for k, u := range voters {
		for _, i := range items {
			departs[k] += t.Departure.At(u, i) * t.Departure.At(u, i)
		}
	}
	shown := largest(departs, room) // places in voters
	slices.Sort(shown)
	h.columns = len(shown)
	for _, k := range shown {
		h.heads = append(h.heads, legible(t.Voters[voters[k]]))
	}
	h.fit(width)
	inks := make([][]draw.Ink, len(items))
	for row, i := range items {
		for _, k := range shown {
			inks[row] = append(inks[row], draw.Level(0.5+0.5*t.Departure.At(voters[k], i)/far))
		}
	}
	h.draw(s, inks, true, shown)
	h.key(s, w.Say("chart-likes-less", w.fixed(-far, 1)), w.Say("chart-as-consensus"), w.Say("chart-likes-more", w.fixed(far, 1)))
	if len(shown) < len(voters) {
		s.Height += 4
		footnote(s, w.Say("chart-departing-shown", strconv.Itoa(len(shown)), len(voters)))
	}
	return s
}
