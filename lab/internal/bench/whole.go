package bench

import (
	"bytes"
	"context"

	"palate"
	"palate/ingest"
	"palate/model"
	"palate/population"
)

// voters is one E-step over 2,000 voters with 40 votes each between 100 items:
// expectation propagation for every voter, from scratch.
func voters() (float64, func(), error) {
	const items, users, votes = 100, 2000, 80000
	d, _, err := model.Simulate(context.Background(), model.SimulateOptions{Model: "population", Items: items, Users: users, Votes: votes, Seed: 3})
	if err != nil {
		return 0, nil, err
	}
	people, err := population.NewPeople(items, d.Tallies(true))
	if err != nil {
		return 0, nil, err
	}
	prior := &population.Full{N: items, S: make([]float64, items*items), T: make([]float64, items)}
	for i := range items {
		prior.S[i*items+i] = 2
	}
	var flops float64
	for u := range people.Len() {
		m := float64(len(people.Items(u)))
		flops += 2 * m * m * m // a factor and an inverse a sweep
	}
	const sweeps = 8 // about what a voter takes
	return sweeps * flops, func() {
		e := must(population.NewEngine(people, population.Settings{Workers: 1}))
		_, _, err := e.Evaluate(context.Background(), prior)
		must(0, err)
	}, nil
}

// file ranks a file of 500,000 votes between 100 items, from bytes to board.
func file() (float64, func(), error) {
	d, _, err := model.Simulate(context.Background(), model.SimulateOptions{Items: 100, Users: 1000, Votes: 500000, Seed: 4})
	if err != nil {
		return 0, nil, err
	}
	var text bytes.Buffer
	if err := ingest.WriteVotes(context.Background(), &text, d); err != nil {
		return 0, nil, err
	}
	return 0, func() {
		b := palate.NewBuilder()
		must(ingest.Votes(context.Background(), "votes.csv", bytes.NewReader(text.Bytes()), b, ingest.Options{}))
		m := must(model.FitSingle(context.Background(), must(b.Build()), nil))
		must(model.NewBoard(context.Background(), m, -1, nil))
	}, nil
}
