package model

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/gp"
	"palate/infer"
	"palate/likelihood"
	"palate/population"
)

// Consistency is how well what a voter said follows from what else that voter said, and from
// what others are like.
type Consistency struct {
	Answers float64 // how many, votes among them
	// RLH is the root likelihood: the geometric mean of the chances of the answers, each given
	// the others. Surveys report it at utilities that were fitted to the answer itself, which
	// flatters those who answer at random.
	RLH float64
	// Chance is what guessing gets: one of k for a choice, one of k(k − 1) for a best and worst.
	Chance float64
	// Gain is how much likelier the answers are than when guessed, in nats, in all.
	Gain float64
}

// Consistent reports whether a voter's answers are likelier than guesses.
func (c Consistency) Consistent() bool { return c.Gain > 0 }

// Surveyed reports whether voters were asked about several items at once.
func (m *Population) Surveyed() bool { return m.family.People().Answers() }

// Consistency returns that of a voter who was in the fit. Every answer is left out in turn:
// an answer's chance is by how much it changes the evidence.
func (m *Population) Consistency(ctx context.Context, user int) (c Consistency, err error) {
	if user < 0 || user >= len(m.person) {
		return c, fmt.Errorf("model: consistency of voter %d of %d", user, len(m.person))
	}
	if m.person[user] < 0 {
		return c, nil // nothing was said
	}
	var features []float64
	if n := len(m.centre); n > 0 {
		features = m.about[user*n : (user+1)*n]
	}
	settings := func(of *population.Member) population.Settings {
		s := m.settings(of)
		s.Lean, _ = m.lean(user)
		return s
	}
	tallies, answers := m.family.People().Said(m.person[user])
	logZ := func(tallies []palate.Tally, answers []palate.Answer) float64 {
		z, failed := m.family.LogChance(tallies, features, settings, answers...)
		if err == nil {
			err = failed
		}
		return z
	}
	all := logZ(tallies, answers)
	var sum, guess float64
	add := func(log, by, weight float64) {
		c.Answers, sum, guess = c.Answers+weight, sum+weight*log, guess+weight*by
	}
	for k, t := range tallies {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		once := min(1, t.Weight)
		rest := append([]palate.Tally(nil), tallies...)
		if rest[k].Weight -= once; rest[k].Weight < 1e-9 {
			rest = append(rest[:k], rest[k+1:]...)
		}
		by := math.Log(0.5)
		if m.fit.Threshold > 0 { // so many of all votes are ties
			win := math.Exp(likelihood.Tilt(likelihood.Probit{Offset: m.fit.Threshold}, 0, 0).LogZ)
			if by = math.Log(win); t.Tie {
				by = math.Log1p(-2 * win)
			}
		}
		add((all-logZ(rest, answers))/once, by, t.Weight)
	}
	for k, a := range answers {
		if err := ctx.Err(); err != nil {
			return c, err
		}
		rest := append([]palate.Answer(nil), answers...)
		if rest[k].Weight--; rest[k].Weight < 1 {
			rest = append(rest[:k], rest[k+1:]...)
		}
		by, failed := guessed(ctx, a.Said, m.fit.Threshold)
		if failed != nil {
			return c, failed
		}
		add(all-logZ(tallies, rest), by, a.Weight)
	}
	if err != nil || c.Answers == 0 {
		return c, err
	}
	c.RLH, c.Chance, c.Gain = math.Exp(sum/c.Answers), math.Exp(guess/c.Answers), sum-guess
	return c, nil
}

// mostCounted is how many items an answer may have for its orders to be counted.
const mostCounted = 12

// guessed is the log chance of comparisons among items that are all alike: the share of orders in
// which they hold, by counting, or with ties and of many items by EP.
func guessed(ctx context.Context, said []palate.Comparison, margin float64) (float64, error) {
	at := map[int]int{}
	for _, c := range said {
		for _, i := range [2]int{c.A, c.B} {
			if _, ok := at[i]; !ok {
				at[i] = len(at)
			}
		}
	}
	n, ties := len(at), false
	above := make([]uint, n) // those that each lost to
	for _, c := range said {
		above[at[c.B]] |= 1 << at[c.A]
		ties = ties || c.Tie
	}
	if ties || n > mostCounted || margin > 0 {
		rows, l, cov := &gp.Rows{}, make([]likelihood.Scalar, len(said)), mat.NewSymDense(n, nil)
		for r, c := range said {
			rows.AppendPair(at[c.A], at[c.B])
			if l[r] = (likelihood.Step{Offset: margin}); c.Tie {
				l[r] = likelihood.Within{Threshold: margin}
			}
		}
		for i := range n {
			cov.SetSym(i, i, answerNoise)
		}
		c, err := infer.LogChance(ctx, make([]float64, n), cov, rows, l)
		return c.Log + c.Amend, err
	}
	orders := make([]float64, 1<<n) // of those of a set, from the top
	orders[0] = 1
	share := 1.0
	for set := uint(1); set < 1<<n; set++ {
		for last := range n {
			if rest := set &^ (1 << last); rest != set && above[last]&^rest == 0 {
				orders[set] += orders[rest]
			}
		}
	}
	for k := 2; k <= n; k++ {
		share /= float64(k)
	}
	return math.Log(orders[1<<n-1] * share), nil
}
