package population

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"palate"
)

// drawAnswers makes people who rank, choose, and name the best and the worst, some twice the
// same; with ties where items share a place.
func drawAnswers(rng *rand.Rand, persons, items, answers int, ties bool) (out []palate.Answer) {
	for u := range persons {
		f := make([]float64, items)
		for i := range f {
			f[i] = float64(i)/3 + 2*rng.NormFloat64()
		}
		for n := range rng.IntN(answers + 1) {
			k := 3 + rng.IntN(min(3, items-2))
			order := rng.Perm(items)[:k]
			slices.SortFunc(order, func(a, b int) int {
				if f[a]+rng.NormFloat64() > f[b] {
					return -1
				}
				return 1
			})
			a := palate.Answer{User: u, Weight: float64(1 + rng.IntN(4)/3)}
			for i := 1; i < k; i++ {
				switch {
				case n%3 == 0 && ties && i == k-1:
					a.Said = append(a.Said, palate.Comparison{A: min(order[i-1], order[i]), B: max(order[i-1], order[i]), Tie: true})
				case n%3 == 0:
					a.Said = append(a.Said, palate.Comparison{A: order[i-1], B: order[i]})
				case n%3 == 1:
					a.Said = append(a.Said, palate.Comparison{A: order[0], B: order[i]})
				case i < k-1:
					a.Said = append(a.Said, palate.Comparison{A: order[0], B: order[i]}, palate.Comparison{A: order[i], B: order[k-1]})
				}
			}
			out = append(out, a)
		}
	}
	return out
}

// told are what some people tell of a population, near to convergence.
func told(t *testing.T, prior *LowRank, people *People) (*Statistics, []float64) {
	t.Helper()
	e := mustEngine(t, people, Settings{Tolerance: 1e-12, MaxSweeps: 3000, Likelihood: Voting(0.2)})
	s, stats, err := e.statistics(context.Background(), prior)
	if err != nil || stats.Unconverged > 0 {
		t.Fatal(err, stats)
	}
	return s, e.LogEvidence()
}

// nearly wants the same statistics.
func nearly(t *testing.T, what string, got, want *Statistics) {
	t.Helper()
	for k, x := range want.lists() {
		for i, v := range *x {
			if g := (*got.lists()[k])[i]; math.Abs(g-v) > 1e-9*(1+math.Abs(v)) {
				t.Errorf("%s: entry %d of list %d is %.12g, want %.12g", what, i, k, g, v)
			}
		}
	}
	for k, x := range want.numbers() {
		if g := *got.numbers()[k]; math.Abs(g-*x) > 1e-9*(1+math.Abs(*x)) {
			t.Errorf("%s: sum %d is %.12g, want %.12g", what, k, g, *x)
		}
	}
}

// An answer about two items is a vote.
func TestAnswerOfTwoIsAVote(t *testing.T) {
	for _, items := range []int{6, 40} { // in the space of items, and of pairs
		prior, _ := example(t, 4, items, 1, 1, false)
		tallies := draw(rand.New(rand.NewPCG(2, 2)), 6, items, 20, true)
		var answers []palate.Answer
		for _, x := range tallies {
			answers = append(answers, palate.Answer{User: x.User, Weight: x.Weight, Said: []palate.Comparison{{A: x.A, B: x.B, Tie: x.Tie}}})
		}
		want, _ := told(t, prior, mustPeople(t, items, tallies))
		got, _ := told(t, prior, mustPeople(t, items, nil, answers...))
		nearly(t, "votes as answers", got, want)
	}
}

// The order of answers and of what they say does not matter, nor whether one that was given
// twice is counted.
func TestOrderOfAnswers(t *testing.T) {
	const items = 7
	prior, _ := example(t, 4, items, 1, 1, false)
	rng := rand.New(rand.NewPCG(3, 3))
	answers := drawAnswers(rng, 10, items, 5, true)
	want, _ := told(t, prior, mustPeople(t, items, nil, answers...))
	var other []palate.Answer
	for _, k := range rng.Perm(len(answers)) {
		a := answers[k]
		a.Said = slices.Clone(a.Said)
		rng.Shuffle(len(a.Said), func(i, j int) { a.Said[i], a.Said[j] = a.Said[j], a.Said[i] })
		for n := a.Weight; n > 0; n-- {
			a.Weight = 1
			other = append(other, a)
		}
	}
	got, _ := told(t, prior, mustPeople(t, items, nil, other...))
	nearly(t, "in another order", got, want)
}

// Long answers, and those that contradict each other, settle whatever the scale of utilities.
func TestAnswersSettle(t *testing.T) {
	for _, scale := range []float64{1e-2, 1, 1e2} {
		for _, c := range []struct{ items, k, answers int }{{40, 30, 3}, {10, 10, 12}, {20, 4, 60}} {
			for kind := range 3 {
				for _, contrary := range []bool{false, true} {
					rng := rand.New(rand.NewPCG(9, 9))
					var answers []palate.Answer
					for n := range c.answers {
						order := rng.Perm(c.items)[:c.k]
						if slices.Sort(order); contrary && n%2 == 1 {
							slices.Reverse(order)
						}
						a := palate.Answer{Weight: 1}
						for i := 1; i < c.k; i++ {
							switch {
							case kind == 0:
								a.Said = append(a.Said, palate.Comparison{A: order[i-1], B: order[i]})
							case kind == 1:
								a.Said = append(a.Said, palate.Comparison{A: order[0], B: order[i]})
							case i < c.k-1:
								a.Said = append(a.Said, palate.Comparison{A: order[0], B: order[i]}, palate.Comparison{A: order[i], B: order[c.k-1]})
							}
						}
						answers = append(answers, a)
					}
					prior := &LowRank{Items: NewItems(c.items, nil, nil, nil), Scale: scale, T: make([]float64, c.items)}
					e := mustEngine(t, mustPeople(t, c.items, nil, answers...), Settings{})
					z, stats, err := e.Evaluate(context.Background(), prior)
					if err != nil || stats.Unconverged > 0 || math.IsNaN(z) {
						t.Errorf("kind %d, %d of %d items, scale %g, contrary %v: %v, %+v, evidence %v", kind, c.k, c.items, scale, contrary, err, stats, z)
					}
				}
			}
		}
	}
}

// What is held out of answers is whole ones, and everybody keeps something.
func TestHoldOutAnswers(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	tallies, answers := draw(rng, 20, 12, 4, false), drawAnswers(rng, 20, 12, 6, false)
	kept, said, heldOut := HoldOut(tallies, answers, 0.3, 7)
	var gone int
	for _, a := range answers {
		if !slices.ContainsFunc(said, func(b palate.Answer) bool { return b.User == a.User && slices.Equal(a.Said, b.Said) }) {
			gone += len(a.Tallies())
		}
	}
	if votes := len(tallies) - len(kept); gone == 0 || votes == 0 || gone+votes != len(heldOut) {
		t.Errorf("%d votes and %d pairs of answers are gone, %d held out", votes, gone, len(heldOut))
	}
	left := map[int]bool{}
	for _, x := range kept {
		left[x.User] = true
	}
	for _, a := range said {
		left[a.User] = true
	}
	for _, x := range heldOut {
		if !left[x.User] {
			t.Errorf("nothing is left of user %d", x.User)
		}
	}
}
