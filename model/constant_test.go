package model

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"palate"
	"palate/kernel"
)

// constantFits are all models that features take part in, each with settings under which they matter.
func constantFits() map[string]func(context.Context, *palate.Dataset) (Predictor, error) {
	fits := map[string]func(context.Context, *palate.Dataset) (Predictor, error){
		"single, inducing points": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitSingle(ctx, d, &Options{Inducing: 6})
		},
		"single, settled": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitSingle(ctx, d, nil)
		},
		"single, lengths": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitSingle(ctx, d, &Options{Features: &FeatureKernel{}, Lengths: LearntLengths})
		},
		"linked": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			g, err := kernel.NewGraph(d.NumItems(), []kernel.Edge{{From: 0, To: 1, Weight: 1}, {From: 1, To: 2, Weight: 1}})
			if err != nil {
				return nil, err
			}
			return FitSingle(ctx, d, &Options{Links: g})
		},
		"population": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitPopulation(ctx, d, &PopulationOptions{VoterFeatures: WithFeatures})
		},
		"population, lengths": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitPopulation(ctx, d, &PopulationOptions{Lengths: LearntLengths})
		},
		"population, full": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitPopulation(ctx, d, &PopulationOptions{Covariance: FullCovariance})
		},
		"crowd": func(ctx context.Context, d *palate.Dataset) (Predictor, error) { return FitCrowd(ctx, d, nil) },
		"crowd, inducing points": func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitCrowd(ctx, d, &CrowdOptions{Inducing: 6, Tastes: WideTastes, Smoothness: Smooth})
		},
		"joint": func(ctx context.Context, d *palate.Dataset) (Predictor, error) { return FitTensor(ctx, d, nil) },
	}
	for _, c := range []kernel.Combination{kernel.Euclidean, kernel.SoftAnd, kernel.SoftOr} {
		fits[fmt.Sprint("single, ", c)] = func(ctx context.Context, d *palate.Dataset) (Predictor, error) {
			return FitSingle(ctx, d, &Options{Features: &FeatureKernel{Combination: c}})
		}
	}
	return fits
}

// A feature that is the same for all items, or for all voters, changes nothing in any model.
func TestConstantFeaturesChangeNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of all forms, which TestRoundTrips has as well")
	}
	const items, users, d = 10, 12, 3
	rng := rand.New(rand.NewPCG(1, 5))
	table := func(rows int) *palate.Features {
		f := &palate.Features{Rows: rows, Cols: d, Names: []string{"a", "b", "c"}}
		for range rows * d {
			f.Data = append(f.Data, rng.NormFloat64())
		}
		return f
	}
	more := func(f *palate.Features) *palate.Features {
		w := &palate.Features{Rows: f.Rows, Cols: d + 1, Names: append([]string{"constant"}, f.Names...)}
		for i := range f.Rows {
			w.Data = append(append(w.Data, 7), f.Row(i)...)
		}
		return w
	}
	x, about := table(items), table(users)
	var votes []palate.Vote
	for range 400 {
		v := palate.Vote{User: rng.IntN(users), Left: rng.IntN(items), Right: rng.IntN(items), Weight: 1}
		if v.Left == v.Right {
			continue
		}
		gap := (x.At(v.Left, 0) - x.At(v.Right, 0)) + about.At(v.User, 1)*(x.At(v.Left, 2)-x.At(v.Right, 2))
		if gap+rng.NormFloat64() < 0 {
			v.Outcome = palate.Right
		}
		votes = append(votes, v)
	}
	build := func(x, about *palate.Features) *palate.Dataset {
		b := palate.NewBuilder()
		for i := range items {
			b.Item(fmt.Sprint("item", i))
		}
		for u := range users {
			b.User(fmt.Sprint("voter", u))
		}
		b.SetItemFeatures(x)
		b.SetUserFeatures(about)
		for _, v := range votes {
			if err := b.Add(v); err != nil {
				t.Fatal(err)
			}
		}
		set := built(t, b)
		return set
	}
	plain, wide := build(x, about), build(more(x), more(about))
	for name, fit := range constantFits() {
		t.Run(strings.ReplaceAll(name, ", ", "-"), func(t *testing.T) {
			a, err := fit(context.Background(), plain)
			if err != nil {
				t.Fatal(err)
			}
			b, err := fit(context.Background(), wide)
			if err != nil {
				t.Fatal(err)
			}
			var worst float64
			for u := -1; u < users; u++ {
				for i := range items {
					for j := range i {
						worst = max(worst, math.Abs(a.Prefer(u, i, j)-b.Prefer(u, i, j)))
					}
				}
			}
			if worst > 1e-6 {
				t.Errorf("a constant feature changes a probability by %.3g", worst)
			}
		})
	}
}
