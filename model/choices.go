package model

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/internal/num"
)

// choice is how often, by weight, the first of some items was chosen from among them: as
// the best, or as the worst.
type choice struct {
	items  []int
	worst  bool
	weight float64
}

// utilities appends those of the items by which the choice is made.
func (c choice) utilities(dst, score []float64) []float64 {
	for _, i := range c.items {
		if x := score[i]; c.worst {
			dst = append(dst, -x)
		} else {
			dst = append(dst, x)
		}
	}
	return dst
}

// logChance is the log probability of the choice.
func (c choice) logChance(score []float64) float64 {
	var room [16]float64
	u := c.utilities(room[:0], score)
	return u[0] - num.LogSumExp(u)
}

// chancesTo appends the probability of each of the items to be chosen.
func (c choice) chancesTo(dst, score []float64) []float64 {
	from := len(dst)
	dst = c.utilities(dst, score)
	total := num.LogSumExp(dst[from:])
	for k := from; k < len(dst); k++ {
		dst[k] = math.Exp(dst[k] - total)
	}
	return dst
}

// choicesOf are the choices that an answer is made of, if it is made of choices.
func choicesOf(a palate.Answer) (out []choice, ok bool) {
	made, ok := a.Choices()
	for _, c := range made {
		out = append(out, choice{c.Items, c.Worst, a.Weight})
	}
	return out, ok
}

// read takes down the choices that votes are, with those that whole answers are made of
// where these are to be told from votes, and counts the votes.
func (m *PlackettLuce) read(d *palate.Dataset, whole bool) {
	told := d.Tallies(false)
	var answers []palate.Answer
	tallies := told
	if whole {
		told = d.Tempered().Tallies(false)
		var votes *palate.Dataset
		answers, votes = d.Answers(nil)
		tallies = votes.Tallies(false)
	}
	m.fit.Votes, m.fit.Ties = m.count(told)
	var several []choice
	var pairs, all float64
	for _, a := range answers {
		all += a.Weight
		if made, ok := choicesOf(a); ok {
			several = append(several, made...)
		} else {
			pairs += a.Weight
			tallies = append(tallies, a.Tallies()...)
		}
	}
	if pairs > 0 {
		m.remarks = append(m.remarks, fmt.Sprintf("%g of %g answers about several items are taken as pairs that weigh no more than they tell: items share a place, or no choice of a best or a worst comes first.", pairs, all))
	}
	for _, t := range tallies {
		if t.Tie {
			m.choices = append(m.choices, choice{items: []int{t.A, t.B}, weight: t.Weight / 2}, choice{items: []int{t.B, t.A}, weight: t.Weight / 2})
		} else {
			m.choices = append(m.choices, choice{items: []int{t.A, t.B}, weight: t.Weight})
		}
	}
	m.choices = append(m.choices, counted(several)...)
}

// counted puts choices in order, those of fewer items first, and adds up equal ones.
func counted(all []choice) []choice {
	slices.SortStableFunc(all, func(a, b choice) int {
		return cmp.Or(cmp.Compare(len(a.items), len(b.items)), slices.Compare(a.items, b.items), cmp.Compare(indicator(a.worst), indicator(b.worst)))
	})
	out := all[:0]
	for _, c := range all {
		if n := len(out) - 1; n >= 0 && out[n].worst == c.worst && slices.Equal(out[n].items, c.items) {
			out[n].weight += c.weight
		} else {
			out = append(out, c)
		}
	}
	return out
}
