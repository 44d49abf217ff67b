package model

import (
	"math"
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
	answer  []int     // about several items that the row is of, −1 where it is a vote; nil: all are
	effects []string  // names of what bears on votes beside the items, the side first; nil: nothing is told apart
	context *gp.Rows  // of every row, by number of the effect; of the side, 1 where the first item was left and −1 where it was right
	sided   bool      // sides are told apart
	class   []int     // of every row, see covariates; nil: there are none, or they were read from a file
	habit   []int     // whose habits of calling ties are the row's, see habits; nil: all have the same
	ties    bool
}

// observe collapses votes to rows, with their sides and what else bears on them apart, if
// there is anything. A weight that is not whole becomes the next whole number of votes that
// count for less. The rows of a voter's answers about several items come after those of the
// voter's votes.
func observe(tallies []palate.Tally, answers []palate.Answer, sided bool, more *covariates) *observations {
	o := &observations{sided: sided}
	told := slices.ContainsFunc(answers, func(a palate.Answer) bool { return a.User >= 0 })
	given := 0 // answers that are among the rows
	upTo := func(user int) {
		for given < len(answers) && answers[given].User <= user {
			o.take(given, answers[given], told)
			given++
		}
	}
	if sided || more.any() {
		o.context, o.effects = &gp.Rows{}, []string{leftEffect}
	}
	if more.any() {
		for _, e := range more.effects {
			o.effects = append(o.effects, e.Name)
		}
	}
	for _, t := range tallies {
		upTo(t.User - 1)
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
		if o.answer != nil {
			o.answer = append(o.answer, -1)
		}
		if o.context == nil {
			continue
		}
		var index []int
		var coef []float64
		if t.Side != 0 {
			index, coef = append(index, 0), append(coef, float64(t.Side))
		}
		if more.any() {
			class := t.Class % len(more.values)
			for k, x := range more.values[class] {
				if x != 0 {
					index, coef = append(index, 1+k), append(coef, x)
				}
			}
			o.class = append(o.class, class)
		}
		o.context.Append(index, coef)
	}
	upTo(math.MaxInt)
	return o
}

// take appends what an answer says. Users are told apart, or not.
func (o *observations) take(number int, a palate.Answer, told bool) {
	if o.answer == nil {
		o.answer = slices.Repeat([]int{-1}, len(o.count))
	}
	if told && o.group == nil {
		o.group = slices.Repeat([]int{-1}, len(o.count))
	}
	for _, c := range a.Said {
		o.rows.AppendPair(c.A, c.B)
		kind := won
		if c.Tie {
			kind, o.ties = tied, true
		}
		o.outcome, o.count, o.answer = append(o.outcome, kind), append(o.count, a.Weight), append(o.answer, number)
		if o.power != nil {
			o.power = append(o.power, 1)
		}
		if o.group != nil {
			o.group = append(o.group, a.User)
		}
		if o.context != nil {
			o.context.Append(nil, nil)
			if o.class != nil {
				o.class = append(o.class, 0)
			}
		}
	}
}

// inAnswer reports whether row r is of an answer about several items.
func (o *observations) inAnswer(r int) bool { return o.answer != nil && o.answer[r] >= 0 }

// spread is the variance of every effect beforehand, where sides do this.
func (o *observations) spread(sides Sides) []float64 {
	if o.context == nil {
		return nil
	}
	out := make([]float64, len(o.effects))
	for k := range out {
		out[k] = propertySpread
	}
	if out[0] = sideSpread; sides == NoSides {
		out[0] = 0
	}
	return out
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
