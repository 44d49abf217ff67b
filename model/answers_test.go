package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"palate"
	"palate/infer"
)

// Votes that follow from one answer about two items are votes: to the bit.
func TestAnswersOfTwoAreVotes(t *testing.T) {
	d := electorate{items: 6, users: 5, votes: 20}.draw(t)
	b := palate.NewBuilder()
	for i := range d.NumItems() {
		b.Item(d.ItemID(i))
	}
	for u := range d.NumUsers() {
		b.User(d.UserID(u))
	}
	for _, v := range d.Votes() {
		v.Group = b.NewGroup()
		if err := b.Add(v); err != nil {
			t.Fatal(err)
		}
	}
	grouped := built(t, b)
	want, got := fit(t, d, nil), fit(t, grouped, &Options{Whole: true})
	if got.Fit().Objective != want.Fit().Objective || !slices.Equal(got.result.Posterior.Utilities(), want.result.Posterior.Utilities()) {
		t.Errorf("evidence %v, of votes %v", got.Fit().Objective, want.Fit().Objective)
	}
}

// The order in which answers come, and their votes, changes no bit.
func TestOrderOfAnswers(t *testing.T) {
	d := electorate{items: 6, users: 6, answers: 4, votes: 4, ties: true}.draw(t)
	order := rand.New(rand.NewPCG(1, 1)).Perm(d.NumVotes())
	one, other := fit(t, d, &Options{Whole: true}), fit(t, d.Select(order), &Options{Whole: true})
	if one.obs.answer == nil || one.Fit().Objective != other.Fit().Objective || !slices.Equal(one.result.Posterior.Utilities(), other.result.Posterior.Utilities()) {
		t.Errorf("evidence %v, in another order %v", one.Fit().Objective, other.Fit().Objective)
	}
}

// Whoever gives one answer each is not told from others: nothing tells tastes from noise.
func TestOneAnswerEach(t *testing.T) {
	one := fit(t, electorate{items: 6, users: 30, answers: 1}.draw(t), &Options{Whole: true})
	several := fit(t, electorate{items: 6, users: 30, answers: 3}.draw(t), &Options{Whole: true})
	if one.obs.group != nil || several.obs.group == nil {
		t.Errorf("voters of one answer told apart %v, of three %v", one.obs.group != nil, several.obs.group != nil)
	}
}

// What hyper-parameters are learnt by is the slope of the evidence: of answers with ties, of
// voters with tastes of their own, over features.
func TestAnswersGradient(t *testing.T) {
	d := electorate{items: 7, users: 6, answers: 5, votes: 6, ties: true, features: 1}.draw(t)
	m := &Single{Base: newBase(d), options: Options{Tolerance: 1e-11, Whole: true}}
	if m.reading(d); m.obs.answer == nil || m.obs.group == nil || !m.obs.ties {
		t.Fatal("no answers of voters, with ties")
	}
	if err := m.setPrior(d.ItemFeatures()); err != nil {
		t.Fatal(err)
	}
	s := m.newSearch(NoSides)
	s.rough = 1e-11
	checkGradient(t, s, s.first(), 1e-4)
}

// Where answers are taken as pairs, that is what they are when tempered, and a remark says why.
func TestAnswersAsPairs(t *testing.T) {
	d := electorate{items: 6, answers: 20}.draw(t)
	for _, c := range []struct {
		why string
		o   Options
	}{
		{"Gaussian", Options{Likelihood: Logit}},
		{"not EP", Options{Rule: infer.VI{}}},
		{"not EP", Options{Schedule: infer.Sequential{}}},
		{"more than 4 items", Options{DenseLimit: 4}},
	} {
		want := fit(t, d.Tempered(), &c.o)
		c.o.Whole = true
		got := fit(t, d, &c.o)
		if got.Fit().Objective != want.Fit().Objective || !strings.Contains(strings.Join(got.Remarks(), " "), c.why) {
			t.Errorf("%s: evidence %v, of pairs %v; %q", c.why, got.Fit().Objective, want.Fit().Objective, got.Remarks())
		}
	}
	if m := fit(t, d, &Options{Whole: true}); len(m.Remarks()) > 0 || m.obs.answer == nil {
		t.Errorf("remarks %q", m.Remarks())
	}
}

// Intervals of scores hold the truth as often as they say, where those of all pairs that
// follow from an answer are too narrow.
func TestAnswersAreCalibrated(t *testing.T) {
	if testing.Short() {
		t.Skip("fits many worlds")
	}
	const items, worlds = 12, 30
	var held, pairs, all float64
	for w := range worlds {
		rng := rand.New(rand.NewPCG(uint64(w), 4))
		f, level := make([]float64, items), 0.0
		b := palate.NewBuilder()
		for i := range f {
			f[i] = rng.NormFloat64()
			level += f[i] / items
			b.Item(fmt.Sprintf("%02d", i))
		}
		for k := range 60 {
			electorate{items: items}.answer(t, b, rng, f, 0, k%2 == 1)
		}
		d := built(t, b)
		for _, whole := range []bool{true, false} {
			board, err := NewBoard(t.Context(), fit(t, d, &Options{Whole: whole}), -1, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range board.Groups[0].Rows {
				i, _ := d.Item(r.ID)
				in := indicator(r.Lo <= f[i]-level && f[i]-level <= r.Hi)
				if whole {
					held, all = held+in, all+1
				} else {
					pairs += in
				}
			}
		}
	}
	se := math.Sqrt(0.05 * 0.95 / all)
	if t.Logf("%.3f of intervals hold the truth, of pairs %.3f", held/all, pairs/all); math.Abs(held/all-0.95) > 3*se || pairs >= held {
		t.Errorf("%.3f of intervals hold the truth, of pairs %.3f", held/all, pairs/all)
	}
}
