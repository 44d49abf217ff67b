package crowd

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
	"palate/gp"
)

// drawAnswers makes up rankings, choices and bests and worsts of a few voters, some given twice,
// and one with a tie.
func drawAnswers(items, voters int) (all []palate.Answer) {
	rng := rand.New(rand.NewPCG(4, 9))
	for u := range voters {
		for k := range 3 {
			x := rng.Perm(items)[:4]
			slices.SortFunc(x, func(a, b int) int { // of two camps, more or less
				if rng.Float64() < 0.2 {
					return 0
				}
				return (a - b) * (1 - 2*(u%2))
			})
			a := palate.Answer{User: u, Weight: 1}
			say := func(i, j int) { a.Said = append(a.Said, palate.Comparison{A: x[i], B: x[j]}) }
			switch k {
			case 0:
				say(0, 1)
				say(1, 2)
				say(2, 3)
			case 1:
				a.Weight = 2
				say(0, 1)
				say(0, 2)
				say(0, 3)
			default:
				say(0, 1)
				say(0, 2)
				say(1, 3)
				say(2, 3)
			}
			if u == 0 && k == 0 {
				a.Said[1] = palate.Comparison{A: min(x[1], x[2]), B: max(x[1], x[2]), Tie: true}
			}
			all = append(all, a)
		}
	}
	return all
}

// What an answer says of the utilities of its items is what its pairs' sites say: covariances
// that follow from the sites are those that EP found by the answer as a whole. Slopes are
// derivatives of the evidence, and in what order comparisons are does not matter.
func TestAnswers(t *testing.T) {
	const items, voters = 8, 10
	tallies, answers := draw(3, voters, items, 3, true), drawAnswers(items, voters)
	for kind, prior := range priors(t, items) {
		t.Run(kind, func(t *testing.T) {
			fit := func(answers []palate.Answer) (*Learnt, *propagation, float64) {
				v, err := NewVotes(items, tallies, answers...)
				if err != nil {
					t.Fatal(err)
				}
				l, g := propagateVotes(t, prior, v, Options{})
				e, _ := mustAll(t, g, 1, true)
				return l, g, e
			}
			l, _, evidence := fit(answers)
			l.noteSites()
			l.on(prior)
			for u := range l.Voters() {
				_, cov := l.weights(u)
				for k, x := range l.covarianceFromSites(u) {
					if math.Abs(x-cov[k]) > 1e-8 {
						t.Fatalf("voter %d: covariance %d is %.12g by sites, %.12g by answers", u, k, x, cov[k])
					}
				}
			}
			turned := slices.Clone(answers)
			for k, a := range turned {
				turned[k].Said = slices.Clone(a.Said)
				slices.Reverse(turned[k].Said)
			}
			slices.Reverse(turned)
			if _, _, e := fit(turned); math.Abs(e-evidence) > 1e-8 {
				t.Errorf("evidence %.12g, %.12g in another order", evidence, e)
			}
			again, g, _ := fit(answers)
			propagationSlopes(t, again, g)
		})
	}
}

// An answer about two items is a vote, and somebody folded in by answers is the voter inside a
// fit.
func TestAnswersOfTwoItems(t *testing.T) {
	const items, voters = 6, 12
	prior := gp.White(items)
	tallies := draw(3, voters, items, 9, true)
	var answers []palate.Answer
	for _, x := range tallies {
		if x.User >= 0 {
			answers = append(answers, palate.Answer{User: x.User, Weight: x.Weight, Said: []palate.Comparison{{A: x.A, B: x.B, Tie: x.Tie}}})
		}
	}
	tallies = slices.DeleteFunc(tallies, func(x palate.Tally) bool { return x.User < 0 })
	v, err := NewVotes(items, nil, answers...)
	if err != nil {
		t.Fatal(err)
	}
	a, g := propagate(t, prior, tallies, Options{})
	b, h := propagateVotes(t, prior, v, Options{})
	one, _ := mustAll(t, g, 1, true)
	if two, _ := mustAll(t, h, 1, true); math.Abs(one-two) > 1e-10*math.Abs(one) {
		t.Errorf("evidence %.14g of votes, %.14g of answers", one, two)
	}
	for u := range a.Voters() {
		w, cov := a.weights(u)
		w2, cov2 := b.weights(u)
		for _, x := range [2][2][]float64{{w, w2}, {cov, cov2}} {
			for k := range x[0] {
				if math.Abs(x[0][k]-x[1][k]) > 1e-10 {
					t.Errorf("voter %d: %.14g by votes, %.14g by answers", u, x[0][k], x[1][k])
				}
			}
		}
	}
	long := drawAnswers(items, voters)
	if v, err = NewVotes(items, tallies, long...); err != nil {
		t.Fatal(err)
	}
	l := mustFit(t, v, prior, nil)
	for k := range 3 {
		u := l.Owner(k)
		own := slices.DeleteFunc(slices.Clone(tallies), func(x palate.Tally) bool { return x.User != u })
		said := slices.DeleteFunc(slices.Clone(long), func(x palate.Answer) bool { return x.User != u })
		for _, from := range []*Learnt{l, mustArrays(t, prior, l)} {
			one, err := from.FoldIn(own, said, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, s := l.Form(k, pair(1, 4))
			m2, s2 := one.Form(0, pair(1, 4))
			if math.Abs(m-m2) > 0.02*math.Sqrt(s) || math.Abs(s-s2) > 0.02*s {
				t.Errorf("user %d: %g ± %g inside, %g ± %g alone", u, m, s, m2, s2)
			}
		}
	}
}
