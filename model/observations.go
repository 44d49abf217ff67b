package model

import (
	"slices"

	"palate"
	"palate/gp"
	"palate/likelihood"
)

// outcome is what a row observed: that its first item won, or a tie.
type outcome uint8

const (
	won outcome = iota
	tied
)

// observations are votes as linear forms with likelihoods: one row for every
// pair and outcome, counted.
type observations struct {
	rows    gp.Rows
	outcome []outcome
	count   []float64
	power   []float64 // weight of one count; nil: all 1
	group   []int     // the voter, −1 without one; nil: voters are pooled
	effects []string  // names of what bears on votes beside the items, the side first; nil: nothing is told apart
	context *gp.Rows  // of every row, by number of the effect; of the side, 1 where the first item was left and −1 where it was right
	habit   []int     // whose habits of calling ties are the row's, see habits; nil: all have the same
	ties    bool
}

// observe collapses votes to rows, with their sides apart or not. A weight that is not
// whole becomes the next whole number of votes that count for less.
func observe(tallies []palate.Tally, apart bool) *observations {
	o := &observations{}
	for _, t := range tallies {
		o.rows.AppendPair(t.A, t.B)
		kind := won
		if t.Tie {
			kind = tied
			o.ties = true
		}
		n, power := likelihood.Whole(t.Weight)
		o.outcome = append(o.outcome, kind)
		o.count = append(o.count, n)
		if power != 1 && o.power == nil {
			o.power = make([]float64, len(o.count)-1, len(tallies))
			for i := range o.power {
				o.power[i] = 1
			}
		}
		if o.power != nil {
			o.power = append(o.power, power)
		}
		if t.User >= 0 && o.group == nil {
			o.group = make([]int, len(o.count)-1, len(tallies))
			for i := range o.group {
				o.group[i] = -1
			}
		}
		if o.group != nil {
			o.group = append(o.group, t.User)
		}
		if apart {
			if o.context == nil {
				o.context, o.effects = &gp.Rows{}, []string{leftEffect}
			}
			if t.Side == 0 {
				o.context.Append(nil, nil)
			} else {
				o.context.Append([]int{0}, []float64{float64(t.Side)})
			}
		}
	}
	return o
}

// pick returns the listed rows, on the items they touch, and those items.
func (o *observations) pick(rows []int) (*observations, []int) {
	p := &observations{}
	var items []int
	p.rows, items = o.rows.Pick(rows)
	for _, r := range rows {
		p.outcome, p.count = append(p.outcome, o.outcome[r]), append(p.count, o.count[r])
		p.ties = p.ties || o.outcome[r] == tied
		if o.power != nil {
			p.power = append(p.power, o.power[r])
		}
		if o.habit != nil {
			p.habit = append(p.habit, o.habit[r])
		}
	}
	return p, items
}

// around returns rows of the given items, all of one before those of the next, until
// there are so many.
func (o *observations) around(items []int, rows int) (pick []int) {
	start := make([]int, len(items)+1)
	for r := range o.rows.Len() {
		index, _ := o.rows.Row(r)
		for _, i := range index {
			start[i+1]++
		}
	}
	for i := range items {
		start[i+1] += start[i]
	}
	of, at := make([]int, start[len(items)]), slices.Clone(start)
	for r := range o.rows.Len() {
		index, _ := o.rows.Row(r)
		for _, i := range index {
			of[at[i]] = r
			at[i]++
		}
	}
	taken := make([]bool, o.rows.Len())
	for _, i := range items {
		for _, r := range of[start[i]:start[i+1]] {
			if !taken[r] && len(pick) < rows {
				taken[r] = true
				pick = append(pick, r)
			}
		}
	}
	return pick
}

// total returns the number of votes, and of ties among them.
func (o *observations) total() (votes, ties float64) {
	for r, c := range o.count {
		if o.power != nil {
			c *= o.power[r]
		}
		votes += c
		if o.outcome[r] == tied {
			ties += c
		}
	}
	return votes, ties
}
