package paper

import (
	"context"
	"strings"

	"palate/lab/internal/collab"
	"palate/model"
	"palate/population"

	"gonum.org/v1/gonum/mat"
)

// populations are the population model, and COLLAB's family as the paper has it.
func populations() []Method {
	all := []Method{
		{Name: "population", About: "each voter's utilities a draw from one population, which is learnt", Fit: fitPopulation(model.PopulationOptions{})},
		{Name: "population-mean", About: "the same population, but everybody is a new voter to it: μ alone", Fit: fitPopulation(model.PopulationOptions{}), Of: "population", See: func(p Predictor) Predictor { return asNewVoter{p} }},
		{Name: "population-lengths", About: "the same with length-scales chosen by voters who were not learnt from", Fit: fitPopulation(model.PopulationOptions{Lengths: model.LearntLengths})},
		{Name: "population-full", About: "the same with any covariance, for few items", Lacks: Ties, Fit: fitPopulation(model.PopulationOptions{Covariance: model.FullCovariance})},
	}
	for _, f := range collab.Families() {
		all = append(all, Method{Name: f.Name, About: f.About, Lacks: Ties | Consensus, Fit: fitFamily(f.Name, collab.Options{})})
	}
	all = append(all, Method{Name: "GPfull-Laplace", Aliases: []string{"joint"}, About: "a GP over people × items, for few votes", Lacks: Ties, Fit: fitJoint})
	return append(all, Method{Name: "GPVU-EP-mean", About: "GPVU-EP with item biases μ, which the paper leaves out", Lacks: Ties, Fit: fitFamily("GPVU-EP", collab.Options{Mean: true})})
}

// asNewVoter answers for everybody as for a person nothing is known of.
type asNewVoter struct{ population Predictor }

func (s asNewVoter) Prefer(_, left, right int) float64 { return s.population.Prefer(-1, left, right) }

func (s asNewVoter) Utility(_, item int) (mean, variance float64) {
	return s.population.Utility(-1, item)
}

func fitPopulation(o model.PopulationOptions) func(context.Context, Task) (Predictor, error) {
	return func(ctx context.Context, t Task) (Predictor, error) {
		o.Seed = t.Seed
		m, err := model.FitPopulation(ctx, t.Train, &o)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
}

func fitJoint(ctx context.Context, t Task) (Predictor, error) {
	m, err := model.FitTensor(ctx, t.Train, nil)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// fitFamily fits a member of the family with the settings of COLLAB §5: on MovieLens 30 factors, log ψ = 1 and jitter 1,
// but every pair of everybody where the paper takes 400 at a time; elsewhere those of its table 2.
func fitFamily(name string, o collab.Options) func(context.Context, Task) (Predictor, error) {
	return func(ctx context.Context, t Task) (Predictor, error) {
		o := o
		if strings.HasPrefix(t.Data, "movielens") {
			psi := 1.0
			o.Rank, o.LogPsi, o.Jitter = 30, &psi, 1
		}
		return learnFamily(ctx, t, name, o)
	}
}

// learnFamily fits a member of the family.
func learnFamily(ctx context.Context, t Task, name string, o collab.Options) (Predictor, error) {
	family, err := collab.Find(name)
	if err != nil {
		return nil, err
	}
	people, err := population.NewPeople(t.Train.NumItems(), t.Train.Tallies(true))
	if err != nil {
		return nil, err
	}
	var features *mat.Dense
	if f := t.Train.ItemFeatures(); f != nil && f.Cols > 0 {
		features = mat.NewDense(f.Rows, f.Cols, f.Data)
	}
	o.Seed = t.Seed
	fit, err := collab.Learn(ctx, family, people, features, o)
	if err != nil {
		return nil, err
	}
	return collab.NewPredictor(fit.Engine, fit.Full, fit.Win)
}
