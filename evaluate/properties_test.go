package evaluate

import (
	"context"
	"testing"

	"palate"
	"palate/model"
)

// What properties of held-out votes are worth is asked for: where length matters, a model
// that knows of it foresees them better.
func TestRunAmidProperties(t *testing.T) {
	d, _, err := model.Simulate(t.Context(), model.SimulateOptions{Items: 6, Votes: 600, Length: 0.6, Seed: 4})
	if err != nil {
		t.Fatal(err)
	}
	folds, err := Split(d, &SplitOptions{Folds: 2})
	if err != nil {
		t.Fatal(err)
	}
	single := func(name string, of func(*palate.Dataset) *palate.Dataset) Method {
		return Method{Name: name, Fit: func(ctx context.Context, train *palate.Dataset, _ uint64) (Predictor, error) {
			return asPredictor(model.FitSingle(ctx, of(train), nil))
		}}
	}
	r, err := Run(t.Context(), d, folds, []Method{
		single("told", func(d *palate.Dataset) *palate.Dataset { return d }),
		single("untold", func(d *palate.Dataset) *palate.Dataset { return d.WithProperties(nil) }),
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if told, untold := r.Scores[0].CrossEntropy.Value, r.Scores[1].CrossEntropy.Value; told > untold-0.05 {
		t.Errorf("cross-entropy %.3f, without lengths %.3f", told, untold)
	}
	choice, err := Choose(t.Context(), d, nil)
	if err != nil || choice.Model != "single" {
		t.Errorf("auto takes %s, %v", choice.Model, err)
	}
}
