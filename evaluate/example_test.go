package evaluate_test

import (
	"context"
	"fmt"
	"log"

	"palate"
	"palate/evaluate"
	"palate/model"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func ExampleRun() {
	votes, _, err := model.Simulate(context.Background(), model.SimulateOptions{Items: 6, Votes: 300, Seed: 4})
	check(err)
	folds, err := evaluate.Split(votes, &evaluate.SplitOptions{Folds: 4})
	check(err)
	single := evaluate.Method{Name: "single", Fit: func(ctx context.Context, train *palate.Dataset, seed uint64) (evaluate.Predictor, error) {
		return model.FitSingle(ctx, train, &model.Options{Seed: seed})
	}}
	result, err := evaluate.Run(context.Background(), votes, folds, append(evaluate.Yardsticks(), single), nil)
	check(err)
	for _, s := range result.Scores {
		fmt.Printf("%-8s %.2f\n", s.Method, s.CrossEntropy.Value)
	}
	// Output:
	// coin     0.69
	// majority 0.34
	// bt       0.34
	// glicko   0.35
	// single   0.35
}
