package active_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"palate/active"
	"palate/model"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleNext() {
	votes, _, err := model.Simulate(context.Background(), model.SimulateOptions{Items: 5, Votes: 30, Seed: 2})
	check(err)
	m, err := model.FitSingle(context.Background(), votes, nil)
	check(err)
	rng := rand.New(rand.NewPCG(1, 1))
	pairs, err := active.Next(context.Background(), m, -1, 2, nil, rng)
	check(err)
	for _, p := range pairs {
		fmt.Printf("%s or %s? %s wins with %.0f%%; the answer is worth %.2f bits\n",
			m.ItemID(p.Left), m.ItemID(p.Right), m.ItemID(p.Left), 100*p.Chance, p.Gain)
	}
	// Output:
	// item4 or item1? item4 wins with 24%; the answer is worth 0.19 bits
	// item4 or item5? item4 wins with 83%; the answer is worth 0.17 bits
}
