package paper

import (
	"context"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"palate/population"
)

// costAgainstPeople shows what an evaluation of the evidence and its gradient costs once warm, against the number of people: the
// first ones of a made-up set.
func costAgainstPeople(name string) func(context.Context, Task, *Split) ([]picture, error) {
	return func(ctx context.Context, t Task, _ *Split) ([]picture, error) {
		const warm, steps = 2, 5
		d := t.Train
		c := &chart{name: name, title: name + ": evidence and gradient, once warm", x: "people", y: "processor seconds an evaluation"}
		ours, line := c.curve("measured"), c.curve("in proportion to the first")
		line.dashed = true
		var features *mat.Dense
		if f := d.ItemFeatures(); f != nil {
			features = mat.NewDense(f.Rows, f.Cols, f.Data)
		}
		it := population.NewItems(d.NumItems(), features, nil, rand.New(rand.NewPCG(t.Seed, 1)))
		all, err := population.NewPeople(d.NumItems(), d.Tallies(true))
		if err != nil {
			return nil, err
		}
		order := rand.New(rand.NewPCG(t.Seed, 2)).Perm(all.Len())
		for part := 8; part >= 1; part /= 2 {
			n := max(all.Len()/part, 1)
			people, err := all.Subset(order[:n])
			if err != nil {
				return nil, err
			}
			var start, end float64 // processor seconds
			var first, last int    // evaluations
			step := 0
			o := &population.Options{Rounds: 1, MaxSteps: steps, Seed: t.Seed, Progress: func(p population.Progress) {
				if step++; step == warm {
					start, first = cpuSeconds(), p.Evaluations
				}
				end, last = cpuSeconds(), p.Evaluations
			}}
			if _, _, err := population.Learn(ctx, people, it, nil, 0, o); err != nil {
				return nil, err
			}
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			each := (end - start) / float64(max(last-first, 1))
			ours.add(float64(n), each)
			line.add(float64(n), ours.points[0].Y*float64(n)/ours.points[0].X)
		}
		return []picture{c}, nil
	}
}
