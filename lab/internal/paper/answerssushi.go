package paper

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"palate"
	"palate/internal/num"
	"palate/model"
)

//go:embed choix.py
var choixProgram string

// sushiSets are rankings of ten sushi of which the first places are learnt from, by as many
// people as the name ends with, or 100.
func sushiSets() (all []answersSet) {
	for _, people := range []int{100, 1000} {
		for _, places := range []int{3, 5, 10} {
			s := answersSet{name: fmt.Sprintf("sushi/%d", places), count: people, k: 10, said: firstPlaces(places), sushi: places}
			if people != 100 {
				s.name += fmt.Sprintf("/%d", people)
			}
			s.about = fmt.Sprintf("the first %d places of the rankings of ten sushi (A) by %d people, the rest below", places, people)
			all = append(all, s)
		}
	}
	return all
}

// sushiWays are answersWays, populations in which each ranking is by a person of its own, read as
// an answer and as that person's pairs, Plackett–Luce, and choix if there is a Python for it: it has
// no model of ours, and is asked for scores.
func sushiWays(choix *peer) []answersWay {
	population := func(whole bool, read func(*palate.Dataset) *palate.Dataset) func(context.Context, *palate.Dataset) (model.Model, error) {
		return func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
			d, err := apart(d)
			if err != nil {
				return nil, err
			}
			return model.FitPopulation(ctx, read(d), &model.PopulationOptions{Whole: whole})
		}
	}
	asTheyAre := func(d *palate.Dataset) *palate.Dataset { return d }
	ways := append(answersWays[:len(answersWays):len(answersWays)],
		answersWay{name: "population", fit: population(true, asTheyAre)},
		answersWay{name: "its weighed pairs", fit: population(false, (*palate.Dataset).Tempered), than: len(answersWays)},
		answersWay{name: "its pairs", fit: population(false, asTheyAre), than: len(answersWays)},
		answersWay{name: "Plackett–Luce", fit: func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
			return model.FitPlackettLuce(ctx, d, &model.PlackettLuceOptions{Whole: true})
		}})
	if choix.python != "" {
		ways = append(ways, answersWay{name: "choix"})
	}
	return ways
}

// people learns from some people's rankings and predicts the pairs of others'.
func (s answersSet) people(ctx context.Context, all *Rankings, ways []answersWay, choix *peer, rng *rand.Rand) (*answersResult, error) {
	const others = 1000
	chosen := rng.Perm(len(all.Orders))
	if len(chosen) < s.count+others {
		return nil, fmt.Errorf("paper: %d people, not %d to learn from and %d to predict", len(chosen), s.count, others)
	}
	var orders [][]int
	for _, u := range chosen[:s.count] {
		orders = append(orders, all.Orders[u])
	}
	items := len(all.Items)
	d, err := s.votes(items, orders)
	if err != nil {
		return nil, err
	}
	wins := make([][]float64, items) // of others
	for i := range wins {
		wins[i] = make([]float64, items)
	}
	for _, u := range chosen[s.count : s.count+others] {
		firstPlaces(items)(all.Orders[u], func(a, b int) { wins[a][b]++ })
	}
	r := &answersResult{}
	for _, way := range ways {
		var prefer func(i, j int) float64
		if way.fit == nil {
			score, err := s.choixScores(ctx, choix, items, orders)
			if err != nil {
				return nil, err
			}
			prefer = func(i, j int) float64 { return num.Sigmoid(score[i] - score[j]) }
		} else {
			m, err := way.fit(ctx, d)
			if err != nil {
				return nil, err
			}
			prefer = func(i, j int) float64 { return m.Prefer(-1, i, j) }
		}
		var loss, pairs float64
		for i := range wins {
			for j, n := range wins[i] {
				if i != j {
					loss -= n * math.Log(prefer(i, j))
					pairs += n
				}
			}
		}
		r.Loss = append(r.Loss, loss/pairs)
	}
	return r, nil
}

// apart has every answer given by somebody else.
func apart(d *palate.Dataset) (*palate.Dataset, error) {
	b := palate.NewBuilder()
	for i := range d.NumItems() {
		b.Item(d.ItemID(i))
	}
	group := map[int]int{}
	for _, v := range d.Votes() {
		if _, ok := group[v.Group]; !ok {
			group[v.Group] = b.NewGroup()
		}
		v.Group = group[v.Group]
		v.User = b.User(strconv.Itoa(v.Group))
		if err := b.Add(v); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// choixScores asks choix for the scores of items whose first places in orders were chosen
// from among the rest, one after the other.
func (s answersSet) choixScores(ctx context.Context, choix *peer, items int, orders [][]int) (score []float64, err error) {
	var choices [][]int
	for _, order := range orders {
		for i := range min(s.sushi, len(order)-1) {
			choices = append(choices, order[i:])
		}
	}
	err = choix.ask(ctx, map[string]any{"items": items, "choices": choices}, &score)
	if err == nil && len(score) != items {
		err = fmt.Errorf("paper: choix: %d scores of %d items", len(score), items)
	}
	return score, err
}
