package paper

import (
	"context"

	"palate/evaluate"
)

// baselines are the methods that a model has to beat.
func baselines() []Method {
	return []Method{
		{Name: "coin", Yardstick: true, About: "knows nothing", Fit: func(context.Context, Task) (Predictor, error) { return evaluate.Coin{}, nil }},
		{Name: "majority", Yardstick: true, About: "share of votes that the left item won, all voters pooled", Fit: func(_ context.Context, t Task) (Predictor, error) { return evaluate.NewMajority(t.Train), nil }},
	}
}
