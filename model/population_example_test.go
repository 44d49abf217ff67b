package model_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"palate"
	"palate/model"
)

// Half of the people like sweet things and half salty ones. Someone new who
// says one thing about their taste is placed by it.
func ExampleFitPopulation() {
	foods := []string{"cake", "honey", "jam", "chips", "olives", "pretzel"}
	rng := rand.New(rand.NewPCG(1, 2))
	b := palate.NewBuilder()
	for _, f := range foods {
		b.Item(f)
	}
	for u := range 300 {
		b.User(fmt.Sprint(u))
		for range 6 {
			sweet, salty := rng.IntN(3), 3+rng.IntN(3)
			v := palate.Vote{User: u, Left: sweet, Right: salty, Weight: 1}
			if u%2 == 1 {
				v.Outcome = palate.Right
			}
			if err := b.Add(v); err != nil {
				panic(err)
			}
		}
	}
	votes, err := b.Build()
	if err != nil {
		panic(err)
	}
	m, err := model.FitPopulation(context.Background(), votes, nil)
	if err != nil {
		panic(err)
	}
	new, err := m.FoldIn([]palate.Vote{{Left: 0, Right: 3, Outcome: palate.Left}}, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("a new voter takes honey over olives: %.1f\n", m.Prefer(-1, 1, 4))
	fmt.Printf("after cake over chips: %.1f\n", new.Prefer(1, 4))
	// Output:
	// a new voter takes honey over olives: 0.5
	// after cake over chips: 1.0
}
