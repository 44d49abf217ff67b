package paper

import (
	"context"
	"fmt"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"palate/kernel"
	"palate/lab/internal/worlds"
	"palate/model"
)

// describedModel is one that is tried on items with features.
type describedModel struct {
	name, about string
	peer        bool // a program in Python
	personal    bool // tells voters apart
	// chances are those of the questions, and cpu the seconds of a processor that they took; zero: it is to be measured.
	chances func(ctx context.Context, d *worlds.Drawn, o StudyOptions) (p []float64, cpu float64, err error)
}

func describedModels() []describedModel {
	return []describedModel{
		{"single", "palate fit --model single, as it is", false, false, fitDescribed("single", model.Settings{})},
		{"auto", "palate fit, which chooses a model", false, false, chooseDescribed},
		{"median", "single with --kernel matern32, at medians", false, false, fitDescribed("single", model.Settings{Features: &model.FeatureKernel{}})},
		{"se", "single with --lengths learnt --kernel se", false, false, fitDescribed("single", model.Settings{Lengths: model.LearntLengths, Features: &model.FeatureKernel{Shape: kernel.SE}})},
		{"matern32", "single with --lengths learnt --kernel matern32", false, false, fitDescribed("single", model.Settings{Lengths: model.LearntLengths, Features: &model.FeatureKernel{Shape: kernel.Matern32}})},
		{"population", "palate fit --model population, as it is", false, true, fitDescribed("population", model.Settings{})},
		{"population-median", "population with --kernel matern32, at medians", false, true, fitDescribed("population", model.Settings{Features: &model.FeatureKernel{}})},
		{"low-rank", "population with --factors 20, one Gaussian in place of several forms", false, true, fitDescribed("population", model.Settings{Factors: 20})},
		{"crowd", "palate fit --model crowd, as it is", false, true, fitDescribed("crowd", model.Settings{})},
		{"crowd-median", "crowd with --kernel matern32, at medians", false, true, fitDescribed("crowd", model.Settings{Features: &model.FeatureKernel{}})},
		{"logistic", "logistic regression on differences of features, its penalty by four-fold cross-validation", false, false, regress},
		{"pairwise-gp", "BoTorch's PairwiseGP as its tutorial has it, by --python", true, false, pairwiseGP},
	}
}

// describedResult is how a model did in one world: cross-entropy above that of the true chances, in nats a pair of known
// items and a pair of new ones, and the seconds of a processor that fit and predictions took.
type describedResult struct {
	Known, New, CPU float64
}

// try fits a model to what a world drew, and holds it to the truth.
func (m describedModel) try(ctx context.Context, d *worlds.Drawn, o StudyOptions) (r describedResult, err error) {
	clock := startMeter()
	p, cpu, err := m.chances(ctx, d, o)
	if err != nil {
		return r, err
	}
	var cost Figures
	if clock.stop(&cost); cpu == 0 {
		cpu = cost[CPU]
	}
	if len(p) != len(d.Asked) {
		return r, fmt.Errorf("%d chances for %d questions", len(p), len(d.Asked))
	}
	r.CPU = cpu
	half := len(p) / 2
	for k, q := range d.Asked {
		loss := divergence(q.Chance, p[k]) / float64(half)
		if k < half {
			r.Known += loss
		} else {
			r.New += loss
		}
	}
	return r, ctx.Err()
}

// fitDescribed fits a model of a name.
func fitDescribed(name string, s model.Settings) func(context.Context, *worlds.Drawn, StudyOptions) ([]float64, float64, error) {
	return func(ctx context.Context, d *worlds.Drawn, o StudyOptions) ([]float64, float64, error) {
		s := s
		s.Seed = o.Seed
		m, err := fitNamed(ctx, d.Votes, name, s)
		return askDescribed(m, d, err)
	}
}

// chooseDescribed fits the model that auto takes.
func chooseDescribed(ctx context.Context, d *worlds.Drawn, o StudyOptions) ([]float64, float64, error) {
	m, err := fitNamed(ctx, d.Votes, autoModel, model.Settings{Seed: o.Seed})
	return askDescribed(m, d, err)
}

// askDescribed adds the new items to a model, and puts the questions to it.
func askDescribed(m model.Model, d *worlds.Drawn, err error) ([]float64, float64, error) {
	if err != nil {
		return nil, 0, err
	}
	ids := make([]string, d.Later.Rows)
	for i := range ids {
		ids[i] = "new" + strconv.Itoa(i)
	}
	if m, err = m.Extend(ids, mat.NewDense(d.Later.Rows, d.Later.Cols, d.Later.Data)); err != nil {
		return nil, 0, err
	}
	p := make([]float64, len(d.Asked))
	for k, q := range d.Asked {
		p[k] = m.Prefer(q.User, q.Left, q.Right)
	}
	return p, 0, nil
}
