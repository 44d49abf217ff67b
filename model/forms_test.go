package model

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"palate/infer"
	"palate/internal/declared"
	"palate/kernel"
)

// form is a kind of model in one of the forms that it can take.
type form struct {
	name    string
	votes   electorate
	options any // of the kind of model
	grow    int // items to add by their features
}

// fit fits the model of a form.
func (f form) fit(t testing.TB) Model {
	t.Helper()
	d := f.votes.draw(t)
	var m Model
	var err error
	switch o := f.options.(type) {
	case Options:
		m, err = asModel(FitSingle(t.Context(), d, &o))
	case PopulationOptions:
		m, err = asModel(FitPopulation(t.Context(), d, &o))
	case CrowdOptions:
		m, err = asModel(FitCrowd(t.Context(), d, &o))
	case TensorOptions:
		m, err = asModel(FitTensor(t.Context(), d, &o))
	case DuelOptions:
		m, err = asModel(FitDuelVotes(t.Context(), d, &o))
	case BradleyTerryOptions:
		m, err = asModel(FitBradleyTerry(t.Context(), d, &o))
	case PlackettLuceOptions:
		m, err = asModel(FitPlackettLuce(t.Context(), d, &o))
	case MovingOptions:
		m, err = asModel(FitMoving(t.Context(), d, &o))
	case RatedOptions:
		m, err = asModel(FitRated(t.Context(), d, &o))
	case GlickoOptions:
		m, err = asModel(FitGlicko(t.Context(), d, &o))
	case []Part:
		m, err = fitAverage(t.Context(), d, &Settings{Parts: o})
	default:
		t.Fatalf("options of no model: %T", o)
	}
	if err == nil && f.grow > 0 {
		x := mat.NewDense(f.grow, f.votes.features, nil)
		for i := range x.RawMatrix().Data {
			x.RawMatrix().Data[i] = 0.1 * float64(i)
		}
		var ids []string
		for i := range f.grow {
			ids = append(ids, fmt.Sprint("new ", i))
		}
		m, err = m.Extend(ids, x)
	}
	if err != nil {
		t.Fatal(err)
	}
	// The recipes for features travel with the model.
	var items, users []byte
	if f.votes.features > 0 {
		items = []byte(`{"columns":1}`)
	}
	if f.votes.about > 0 {
		users = []byte(`{"columns":2}`)
	}
	switch m := m.(type) {
	case *Single:
		m.ItemEncoder = items
	case *Duels:
		if f.name != "duels, no recipe" {
			m.ItemEncoder = items
		}
	case *Population:
		m.ItemEncoder, m.UserEncoder = items, users
	case *Crowd:
		m.ItemEncoder, m.UserEncoder = items, users
	case *Tensor:
		m.ItemEncoder, m.UserEncoder = items, users
	case *Average:
		m.ItemEncoder, m.UserEncoder = items, users
	}
	return m
}

var (
	fittedOnce sync.Mutex
	fittedForm = map[string]Model{}
)

// fitted is the model of a form of the table, fitted once for all laws, none of which changes it.
func (f form) fitted(t testing.TB) Model {
	t.Helper()
	fittedOnce.Lock()
	defer fittedOnce.Unlock()
	m := fittedForm[f.name]
	if m == nil {
		m = f.fit(t)
		fittedForm[f.name] = m
	}
	return m
}

// forms is the table that laws of all models run over: every kind in every form.
func forms(t testing.TB) []form {
	t.Helper()
	graph := func(n int) *kernel.Graph {
		var links []kernel.Edge
		for i := range n {
			links = append(links, kernel.Edge{From: i, To: (i + 1) % n, Weight: 1})
		}
		g, err := kernel.NewGraph(n, links)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	at := func(x float64) *float64 { return &x }
	se := kernel.NewStationary(kernel.SE, kernel.Euclidean, []float64{1})
	one := infer.Gamma{Shape: 1, Rate: 1}
	bare := electorate{items: 6, users: 8, votes: 12}
	many := electorate{items: 5, users: 140, votes: 4}
	rich := electorate{items: 8, users: 10, votes: 15, features: 2}
	known := electorate{items: 6, users: 12, votes: 15, about: 2, silent: true}
	all := []form{
		{"single, sides", electorate{items: 6, votes: 150, bonus: 0.6}, Options{}, 0},
		{"single, sides that may not matter", electorate{items: 6, votes: 60}, Options{}, 0},
		{"single, sides of voters", electorate{items: 5, users: 20, votes: 25, alike: true, bonuses: 1}, Options{}, 0},
		{"single, sides and features", electorate{items: 12, votes: 150, features: 2, bonus: 0.6}, Options{}, 0},
		{"single, graph, sides", electorate{items: 6, votes: 150, bonus: 0.6}, Options{DenseLimit: 4}, 0},
		{"single", bare, Options{}, 0},
		{"single, pooled", bare, Options{Pooled: true}, 0},
		{"single, ties of voters", electorate{items: 5, users: 6, votes: 20, ties: true, weighted: true}, Options{}, 0},
		{"single, ties of voters, pooled", electorate{items: 5, users: 6, votes: 20, ties: true, weighted: true}, Options{Pooled: true}, 0},
		{"single, ties of many voters, pooled", electorate{items: 5, users: 140, votes: 4, ties: true}, Options{Pooled: true}, 0},
		{"single, logit, ties", electorate{items: 5, votes: 40, ties: true, weighted: true}, Options{Likelihood: Logit}, 0},
		{"single, Davidson's ties of voters", electorate{items: 5, users: 6, votes: 20, ties: true}, Options{Likelihood: Davidson}, 0},
		{"single, answers repeated", electorate{items: 6, users: 8, votes: 12, times: 4}, Options{}, 0},
		{"single, rankings and choices", electorate{items: 6, answers: 20}, Options{Whole: true}, 0},
		{"single, rankings of voters", electorate{items: 6, users: 8, answers: 4, votes: 3}, Options{Whole: true}, 0},
		{"single, rankings with ties and votes with sides", electorate{items: 6, answers: 15, votes: 80, ties: true, bonus: 0.8}, Options{Whole: true}, 0},
		{"single, rankings and features", electorate{items: 10, answers: 20, features: 2}, Options{Whole: true}, 0},
		{"single, rankings, logit", electorate{items: 6, answers: 20}, Options{Whole: true, Likelihood: Logit}, 0},
		{"single, nobody", electorate{items: 5, votes: 40}, Options{}, 0},
		{"single, two items", electorate{items: 2, votes: 3}, Options{}, 0},
		{"single, ties", electorate{items: 5, votes: 40, ties: true}, Options{Threshold: 0.3}, 0},
		{"single, ties learnt", electorate{items: 5, votes: 40, ties: true}, Options{}, 0},
		{"single, weights", electorate{items: 5, votes: 40, weighted: true}, Options{}, 0},
		{"single, groups", electorate{items: 6, votes: 60, apart: true}, Options{}, 0},
		{"single, graph", bare, Options{DenseLimit: 4}, 0},
		{"single, graph, ties, weights and groups", electorate{items: 6, votes: 60, ties: true, weighted: true, apart: true}, Options{DenseLimit: 4}, 0},
		{"single, graph, voters", electorate{items: 6, users: 8, votes: 12, ties: true}, Options{DenseLimit: 4}, 0},
		{"single, graph, logit at a scale", bare, Options{DenseLimit: 4, Likelihood: Logit, Scale: 0.7}, 0},
		{"single, features", rich, Options{Features: &FeatureKernel{Shape: kernel.Matern52, Combination: kernel.SoftAnd}}, 0},
		{"single, settled kernel", rich, Options{}, 0},
		{"single, learnt lengths", rich, Options{Features: &FeatureKernel{}, Lengths: LearntLengths}, 0},
		{"single, kernel", rich, Options{Kernel: se, Scale: 0.5, Tolerance: 1e-7}, 0},
		{"single, links", bare, Options{Links: graph(6)}, 0},
		{"single, links and features", rich, Options{Links: graph(8)}, 0},
		{"single, Laplacian of links", bare, Options{Links: graph(6), LinkKernel: kernel.Laplacian}, 0},
		{"single, sum of kernels", rich, Options{Features: &FeatureKernel{Combination: kernel.SoftOr, Median: kernel.MedianTimesD}}, 0},
		{"single, smooth", rich, Options{Features: &FeatureKernel{}, Smoothness: Smooth, Lengths: LearntLengths}, 0},
		{"single, smooth, as published", rich, Options{Smoothness: Smooth, Inducing: 4, Rule: infer.Linearised{}, Schedule: infer.Stochastic{Batch: 20, Delay: 2, Forget: 0.7}, ScalePrior: infer.Gamma{Shape: 2, Rate: 5}}, 0},
		{"single, inducing points", rich, Options{Inducing: 3, Seed: 3}, 0},
		{"single, inducing points and kernel", rich, Options{Inducing: 3, Kernel: se}, 0},
		{"single, inducing points, grown", rich, Options{Inducing: 3}, 2},
		{"single, above the limit", rich, Options{DenseLimit: 4, Inducing: 4}, 0},
		{"single, voters above the limit", rich, Options{DenseLimit: 4}, 0},
		{"single, batches", rich, Options{Inducing: 3, Kernel: se, Schedule: infer.Stochastic{Batch: 20, Steps: 30}}, 0},
		{"single, one by one", bare, Options{Schedule: infer.Sequential{}}, 0},
		{"single, logit", bare, Options{Likelihood: Logit, ScalePrior: infer.Gamma{Shape: 2, Rate: 1}}, 0},
		{"single, logit, Jaakkola", bare, Options{Likelihood: Logit, Rule: infer.Jaakkola{}}, 0},
		{"single, VI", bare, Options{Rule: infer.VI{}}, 0},
		{"single, Laplace", bare, Options{Rule: infer.Laplace{}}, 0},
		{"single, linearised", bare, Options{Rule: infer.Linearised{}}, 0},

		{"moving", electorate{items: 6, votes: 150, days: 5}, MovingOptions{}, 0},
		{"moving, ties, weights and groups", electorate{items: 6, votes: 100, days: 20, ties: true, weighted: true, apart: true}, MovingOptions{Periods: Periods{Unit: "week", Zone: "Europe/Berlin"}, Likelihood: Logit}, 0},
		{"moving, links", electorate{items: 6, votes: 60, days: 5}, MovingOptions{Links: graph(6), Periods: Periods{Number: 3}, Seed: 3}, 0},

		{"population", bare, PopulationOptions{}, 0},
		{"population, nobody", electorate{items: 5, votes: 40}, PopulationOptions{}, 0},
		{"population, many voters", many, PopulationOptions{Rank: 2, Penalty: 3, Seed: 4}, 0},
		{"population, alike", electorate{items: 5, users: 140, votes: 4, alike: true}, PopulationOptions{}, 0},
		{"population, ties and weights", electorate{items: 5, users: 20, votes: 12, ties: true, weighted: true}, PopulationOptions{}, 0},
		{"population, sides of voters", electorate{items: 5, users: 20, votes: 25, bonuses: 1}, PopulationOptions{}, 0},
		{"population, redundant", bare, PopulationOptions{Redundancy: 1.5}, 0},
		{"population, one form, ties", electorate{items: 5, users: 20, votes: 12, ties: true, weighted: true}, PopulationOptions{Rank: 2}, 0},
		{"population, groups", electorate{items: 6, users: 10, votes: 20, apart: true}, PopulationOptions{}, 0},
		{"population, features", rich, PopulationOptions{}, 0},
		{"population, features, grown", rich, PopulationOptions{}, 2},
		{"population, features, ties and sides", electorate{items: 8, users: 20, votes: 25, features: 2, ties: true, bonuses: 1}, PopulationOptions{}, 2},
		{"population, features of tastes as of the mean", electorate{items: 8, users: 20, votes: 25, features: 2}, PopulationOptions{}, 2},
		{"population, kernel", rich, PopulationOptions{Kernel: se}, 0},
		{"population, sum of kernels", rich, PopulationOptions{Features: &FeatureKernel{Combination: kernel.SoftOr}}, 2},
		{"population, learnt lengths", rich, PopulationOptions{Lengths: LearntLengths}, 0},
		{"population, voter features", known, PopulationOptions{VoterFeatures: WithFeatures}, 0},
		{"population, voter links", bare, PopulationOptions{UserLinks: graph(8)}, 0},
		{"population, full covariance", bare, PopulationOptions{Covariance: FullCovariance}, 0},
		{"population, rankings and choices", electorate{items: 6, users: 10, answers: 4, votes: 3}, PopulationOptions{Whole: true}, 0},
		{"population, rankings with ties and features", electorate{items: 8, users: 20, answers: 6, features: 2, ties: true}, PopulationOptions{Whole: true}, 2},
		{"population, rankings, one form, some held out", electorate{items: 6, users: 10, answers: 4, votes: 3, ties: true}, PopulationOptions{Whole: true, Rank: 2, HoldOut: 0.2}, 0},
		{"population, rankings, full covariance", electorate{items: 6, users: 10, answers: 4}, PopulationOptions{Whole: true, Covariance: FullCovariance}, 0},
		{"population, rankings of nobody", electorate{items: 6, answers: 20}, PopulationOptions{Whole: true}, 0},
		{"population, votes held out", bare, PopulationOptions{HoldOut: 0.2}, 0},

		{"crowd, rankings and choices", electorate{items: 6, users: 10, answers: 4, votes: 3, ties: true}, CrowdOptions{Whole: true, Tastes: WideTastes}, 0},
		{"crowd, rankings that are weighed", electorate{items: 6, users: 10, answers: 4, votes: 3}, CrowdOptions{Whole: true, Tastes: NarrowTastes}, 0},
		{"crowd, too few to choose", electorate{items: 5, users: 4, votes: 5}, CrowdOptions{}, 0},
		{"crowd, chosen", electorate{items: 5, users: 10, votes: 12}, CrowdOptions{}, 0},
		{"crowd, chosen smoothness", rich, CrowdOptions{}, 0},
		{"crowd, nobody", electorate{items: 5, votes: 40}, CrowdOptions{Tastes: WideTastes}, 0},
		{"crowd, many voters alike", electorate{items: 5, users: 140, votes: 4, alike: true}, CrowdOptions{Tastes: FactorTastes}, 0},
		{"crowd, many voters without factors", many, CrowdOptions{Tastes: OwnTastes}, 0},
		{"crowd, many voters without tastes", many, CrowdOptions{Tastes: SameTastes}, 0},
		{"crowd, factors kept", electorate{items: 5, users: 140, votes: 4, alike: true}, CrowdOptions{Tastes: WideTastes, Factors: 2, KeepFactors: true}, 0},
		{"crowd, priors", bare, CrowdOptions{ConsensusScale: one, FactorScale: one, OwnScale: one, MaxSweeps: 20, Tolerance: 1e-4}, 0},
		{"crowd, ties and weights", electorate{items: 5, users: 10, votes: 15, ties: true, weighted: true}, CrowdOptions{Tastes: WideTastes, Threshold: 0.3, ByBound: true}, 0},
		{"crowd, groups", electorate{items: 6, users: 10, votes: 20, apart: true}, CrowdOptions{Tastes: WideTastes}, 0},
		{"crowd, rough", rich, CrowdOptions{Tastes: WideTastes, Smoothness: Rough}, 2},
		{"crowd, smooth", rich, CrowdOptions{Tastes: WideTastes, Smoothness: Smooth}, 2},
		{"crowd, kernel", rich, CrowdOptions{Tastes: NarrowTastes, Kernel: se, Seed: 2}, 0},
		{"crowd, learnt lengths", electorate{items: 5, users: 4, votes: 8, features: 1}, CrowdOptions{Tastes: WideTastes, Lengths: LearntLengths, MaxSweeps: 5}, 0},
		{"crowd, features left out", rich, CrowdOptions{Tastes: WideTastes, ItemFeatures: WithoutFeatures}, 0},
		{"crowd, nugget", rich, CrowdOptions{Tastes: WideTastes, Nugget: true}, 2},
		{"crowd, nugget without factors", rich, CrowdOptions{Tastes: SameTastes, Nugget: true}, 0},
		{"crowd, blocks", electorate{items: 8, users: 10, votes: 15, features: 4, blocks: []int{2, 2}}, CrowdOptions{Tastes: WideTastes}, 2},
		{"crowd, blocks under a kernel", electorate{items: 8, users: 10, votes: 15, features: 4, blocks: []int{2, 2}}, CrowdOptions{Tastes: WideTastes, Features: &FeatureKernel{Combination: kernel.SoftOr}}, 2},
		{"crowd, inducing points", rich, CrowdOptions{Tastes: WideTastes, Inducing: 3}, 2},
		{"crowd, inducing points and kernel", rich, CrowdOptions{Tastes: WideTastes, Inducing: 3, Kernel: se}, 0},
		{"crowd, above the limit", rich, CrowdOptions{Tastes: OwnTastes, DenseLimit: 4, Inducing: 4}, 0},
		{"crowd, reliability", many, CrowdOptions{Tastes: WideTastes, Reliability: true}, 0},
		{"crowd, habits", electorate{items: 5, users: 20, votes: 12, ties: true}, CrowdOptions{Tastes: WideTastes, Reliability: true, Habits: true}, 0},
		{"crowd, classes without tastes", electorate{items: 5, users: 140, votes: 4, ties: true}, CrowdOptions{Tastes: SameTastes, Reliability: true, Habits: true}, 0},
		{"crowd, voter features", known, CrowdOptions{Tastes: WideTastes, VoterKernel: se}, 0},
		{"crowd, voter features without factors", known, CrowdOptions{Tastes: OwnTastes}, 0},
		{"crowd, voter features without tastes", known, CrowdOptions{Tastes: SameTastes}, 0},
		{"crowd, voter features, alike", electorate{items: 6, users: 12, votes: 15, about: 2, silent: true, alike: true}, CrowdOptions{Tastes: FactorTastes}, 0},
		{"crowd, voter features, everybody voted", electorate{items: 6, users: 140, votes: 4, about: 2}, CrowdOptions{Tastes: WideTastes}, 0},
		{"crowd, voter features left out", known, CrowdOptions{Tastes: WideTastes, VoterFeatures: WithoutFeatures}, 0},
		{"crowd, batches", many, CrowdOptions{Tastes: WideTastes, Steps: Steps{Batch: 30}, Passes: 2}, 0},
		{"crowd, batches without factors", many, CrowdOptions{Tastes: OwnTastes, Steps: Steps{Batch: 30}, Passes: 2}, 0},
		{"crowd, batches without tastes", many, CrowdOptions{Tastes: SameTastes, Steps: Steps{Batch: 30}, Passes: 2}, 0},

		{"ratings", electorate{items: 6, users: 20, rated: 5}, RatedOptions{}, 0},
		{"ratings and votes", electorate{items: 6, users: 20, rated: 4, votes: 4, ties: true, weighted: true, silent: true}, RatedOptions{Factors: 2, Seed: 3}, 0},
		{"ratings, classes", electorate{items: 6, users: 20, rated: 5}, RatedOptions{Scale: Scale{Classes: 3, LowerBetter: true}}, 0},
		{"ratings, numbers", electorate{items: 6, users: 20, rated: 5}, RatedOptions{Scale: Scale{Numbers: true}}, 0},

		{"average", bare, []Part(nil), 0},
		{"average, features", rich, []Part{{Model: "population", Weight: 0.3}, {Model: "crowd", Settings: Settings{Tastes: WideTastes}, Weight: 0.7}}, 2},

		{"joint", electorate{items: 5, users: 6, votes: 4}, TensorOptions{}, 0},
		{"joint, features", electorate{items: 5, users: 6, votes: 4, features: 2, about: 1, weighted: true, silent: true}, TensorOptions{LogPsiItems: at(1), LogPsiUsers: at(-1), LogSigma2: at(0.5), Jitter: 0.2}, 2},
		{"joint, item features", electorate{items: 5, users: 6, votes: 4, features: 2}, TensorOptions{Rule: infer.EP{}, MaxCells: 100}, 0},
		{"joint, voter features", electorate{items: 6, users: 6, votes: 8, about: 2, apart: true}, TensorOptions{}, 0},

		{"duels", rich, DuelOptions{}, 0},
		{"duels, no recipe", rich, DuelOptions{}, 0},
		{"duels, weights", electorate{items: 8, votes: 40, features: 3, weighted: true}, DuelOptions{Features: FeatureKernel{Shape: kernel.SE, Combination: kernel.SoftOr}, Seed: 3}, 2},
		{"duels, truncated", rich, DuelOptions{Formulation: TruncatedDuels, ScalePrior: one, Schedule: infer.Batch{}, Tolerance: 1e-7}, 2},
		{"duels, given", rich, DuelOptions{Kernel: se, Scale: 0.5, Noise: 0.4, Rule: infer.VI{}}, 0},

		{"bt", bare, BradleyTerryOptions{}, 0},
		{"bt, ties, weights and groups", electorate{items: 6, votes: 60, ties: true, weighted: true, apart: true}, BradleyTerryOptions{Ridge: 0.5}, 0},
		{"plackett-luce", bare, PlackettLuceOptions{}, 0},
		{"plackett-luce, rankings, choices and votes", electorate{items: 6, users: 8, answers: 4, votes: 3}, PlackettLuceOptions{Whole: true}, 0},
		{"plackett-luce, rankings with ties", electorate{items: 6, answers: 15, votes: 40, ties: true, weighted: true}, PlackettLuceOptions{Whole: true, Ridge: 0.5}, 0},
		{"glicko", bare, GlickoOptions{}, 0},
		{"glicko, ties and groups", electorate{items: 6, votes: 60, ties: true, apart: true}, GlickoOptions{Variance: 2}, 0},
		{"diagonal", bare, GlickoOptions{Rule: Diagonal}, 0},
		{"diagonal, groups", electorate{items: 6, votes: 60, apart: true}, GlickoOptions{Rule: Diagonal}, 0},
	}
	for taste := WideTastes; taste <= SameTastes; taste++ {
		all = append(all, form{"crowd, " + taste.String(), bare, CrowdOptions{Tastes: taste}, 0})
	}
	return all
}

// Every kind of model and every setting that a model can be fitted with is in the
// table of forms, but for what leaves no trace in the model.
func TestFormsAreComplete(t *testing.T) {
	apart := map[string]string{
		"Options.Progress": "tells how far a fit is", "PopulationOptions.Progress": "tells how far a fit is",
		"CrowdOptions.Progress":        "tells how far a fit is",
		"BradleyTerryOptions.Progress": "tells how far a fit is", "PlackettLuceOptions.Progress": "tells how far a fit is", "MovingOptions.Progress": "tells how far a fit is", "RatedOptions.Progress": "tells how far a fit is", "GlickoOptions.Progress": "tells how far a fit is", "DuelOptions.Progress": "tells how far a fit is",
		"PopulationOptions.Plan": "tells what a fit will take", "PopulationOptions.MaxMemory": "only refuses", "CrowdOptions.MaxMemory": "only refuses",
		"PopulationOptions.Checkpoint": "of a fit under way", "PopulationOptions.CheckpointEvery": "of a fit under way",
		"PopulationOptions.Votes": "from disk, to the same result",
	}
	set, kinds, names := map[string]bool{}, map[string]bool{}, map[string]bool{}
	visit := func(v reflect.Value) {
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name := v.Type().Name() + "." + f.Name
			set[name] = set[name] || !v.Field(i).IsZero()
		}
	}
	for _, f := range forms(t) {
		if names[f.name] {
			t.Errorf("two forms are called %q", f.name)
		}
		names[f.name] = true
		if v := reflect.ValueOf(f.options); v.Kind() == reflect.Struct {
			visit(v)
		}
		kinds[reflect.TypeOf(f.options).String()] = true
	}
	for name, is := range set {
		if _, ok := apart[name]; ok == is {
			t.Errorf("%s: set by a form %v, apart %v", name, is, ok)
		}
	}
	options := map[string]string{
		"Single": "model.Options", "Population": "model.PopulationOptions", "Crowd": "model.CrowdOptions", "Tensor": "model.TensorOptions", "Duels": "model.DuelOptions",
		"PlackettLuce": "model.PlackettLuceOptions", "Glicko": "model.GlickoOptions", "Average": "[]model.Part", "Moving": "model.MovingOptions", "Rated": "model.RatedOptions",
	}
	for _, kind := range declared.Methods(t, "Save") {
		if !kinds[options[kind]] {
			t.Errorf("%s can be saved, and is not in the table of forms", kind)
		}
	}
}
