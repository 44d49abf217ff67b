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
	effects []string  // names of what bears on votes beside the items, the side first; nil: nothing is told apart
	context *gp.Rows  // of every row, by number of the effect; of the side, 1 where the first item was left and −1 where it was right
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

// voting is the likelihood of all outcomes of a vote.
type voting struct {
	family    Likelihood
	threshold float64 // 0: no ties
	repeat    float64 // the part of the noise's variance that a voter repeats, see infer.Effects
	sides     Sides
	lean      float64 // the deviation of voters' own bonuses for the left item; 0: it was not learnt
	learnt    bool    // the bonus of the left item is learnt, and not integrated out
	bonus     float64
}

// wider is the voting whose threshold has a logarithm larger by d.
func (v voting) wider(d float64) voting {
	v.threshold *= math.Exp(d)
	return v
}

// win returns the likelihood that the first item of a row wins.
func (v voting) win() likelihood.Scalar {
	if v.family == Logit {
		return likelihood.Logit{}
	}
	return likelihood.Probit{Offset: v.threshold}
}

// of returns the likelihood of each row of o.
func (v voting) of(o *observations) []likelihood.Scalar {
	win, tie := v.win(), likelihood.Scalar(likelihood.Tie{Threshold: v.threshold})
	noise := math.Sqrt(1 - v.repeat)
	out := make([]likelihood.Scalar, len(o.outcome))
	for r, kind := range o.outcome {
		out[r] = win
		if kind == tied {
			out[r] = tie
		}
		if v.repeat > 0 && o.group[r] >= 0 { // the rest is the voter's
			if out[r] = (likelihood.Probit{Offset: v.threshold, Noise: noise}); kind == tied {
				out[r] = likelihood.Tie{Threshold: v.threshold, Noise: noise}
			}
		}
		if o.power != nil {
			out[r] = likelihood.Raised(out[r], o.power[r])
		}
		if v.bonus != 0 && o.context != nil {
			if _, x := o.context.Row(r); len(x) > 0 {
				out[r] = likelihood.Shifted{Of: out[r], By: x[0] * v.bonus}
			}
		}
	}
	return out
}

// prefer returns the probability of a win given that there is no tie, for a
// difference with mean m and variance v.
func (v voting) prefer(m, variance float64) float64 {
	win, lose := v.chances(m, variance)
	return win / (win + lose)
}

// chances returns the probabilities of a win of the first and of the second.
func (v voting) chances(m, variance float64) (win, lose float64) {
	win = math.Exp(likelihood.Tilt(v.win(), m, variance).LogZ)
	if v.threshold == 0 {
		return win, 1 - win
	}
	return win, math.Exp(likelihood.Tilt(v.win(), -m, variance).LogZ)
}
