package paper

import (
	"context"
	"fmt"
	"io"
	"strings"

	"palate"
	"palate/evaluate"
	"palate/ingest"
	"palate/model"
)

// starsSet are the ratings of the first people of a set, all of them where none are counted.
type starsSet struct {
	name, about string
	ratingSet
	people  int
	numbers bool // ratings are numbers with Gaussian noise
}

func starsSets() []starsSet {
	s := ratingSets()
	return []starsSet{
		{"jester", "jokes rated by the first 1,000 people, as numbers", s[0], 1000, true},
		{"movielens-100k", "films rated by 943 people", s[1], 0, false},
		{"movielens-1m/1000", "films rated by the first 1,000 of 6,040 people", s[2], 1000, false},
		{"movielens-1m", "films rated by all of 6,040 people; takes minutes", s[2], 0, false},
	}
}

// Stars learns from nine tenths of ratings and predicts the others: by the model of ratings, by a matrix factorisation
// whose settings are chosen on the nine tenths, by means, and by how often each rating is given.
func Stars() Study[*StarsTable] { return studyOf(starsSets(), 1, starsSet.table) }

func (s starsSet) described() (name, about string) { return s.name, s.about }

func (s starsSet) table(ctx context.Context, o StudyOptions) (*StarsTable, error) {
	return remembered(o.Results, trialKey{Set: "stars/" + s.name, Seed: o.Seed}, func() (*StarsTable, error) { return s.run(ctx, o) })
}

func (s starsSet) run(ctx context.Context, o StudyOptions) (*StarsTable, error) {
	people, err := s.load(o.Folder)
	if err != nil {
		return nil, err
	}
	if s.people > 0 {
		people = people[:min(s.people, len(people))]
	}
	d, err := dataset(ctx, nil, people, ingest.Options{Rated: true})
	if err != nil {
		return nil, err
	}
	folds, err := evaluate.Split(d, &evaluate.SplitOptions{Share: 0.1, Seed: o.Seed})
	if err != nil {
		return nil, err
	}
	scale := model.Scale{Numbers: s.numbers}
	spent := map[string]float64{}
	metered := func(name string, fit func(context.Context, *palate.Dataset, uint64) (Predictor, error)) evaluate.Method {
		return evaluate.Method{Name: name, Fit: func(ctx context.Context, d *palate.Dataset, seed uint64) (Predictor, error) {
			meter, cost := startMeter(), noFigures()
			p, err := fit(ctx, d, seed)
			meter.stop(&cost)
			spent[name] = cost[CPU]
			return p, err
		}}
	}
	methods := append(evaluate.RatingYardsticks(scale),
		metered("factorisation", func(ctx context.Context, d *palate.Dataset, seed uint64) (Predictor, error) {
			return newFactorised(ctx, d, seed)
		}),
		metered("ratings", func(ctx context.Context, d *palate.Dataset, seed uint64) (Predictor, error) {
			return model.FitRated(ctx, d, &model.RatedOptions{Scale: scale, Seed: seed})
		}))
	r, err := evaluate.Ratings(ctx, d, folds, methods, &evaluate.Options{Seed: o.Seed, Progress: func(method string, _ int) {
		o.progress(Progress{Set: s.name, Model: method, Splits: 1})
	}})
	if err != nil {
		return nil, err
	}
	t := &StarsTable{Set: s.name, About: s.about, Ratings: d.NumVotes(), Predicted: r.Cases}
	for _, x := range r.Scores {
		t.Rows = append(t.Rows, StarsRow{x.Method, x.RMSE.Value, x.RMSE.SE, x.LogLoss.Value, x.LogLoss.SE, x.CrossEntropy.Value, x.CrossEntropy.SE, spent[x.Method]})
	}
	return t, nil
}

// StarsTable is how ways to predict ratings did on a set.
type StarsTable struct {
	Set       string     `json:"set"`
	About     string     `json:"about"`
	Ratings   int        `json:"ratings"`
	Predicted int        `json:"predicted"`
	Rows      []StarsRow `json:"rows"`
}

// StarsRow is how one way did, with standard errors over people.
type StarsRow struct {
	Way       string  `json:"way"`
	RMSE      float64 `json:"rmse"`
	RMSEError float64 `json:"rmse_error"`
	Log       float64 `json:"log_loss"`
	LogError  float64 `json:"log_loss_error"`
	Pair      float64 `json:"pair"`
	PairError float64 `json:"pair_error"`
	CPU       float64 `json:"cpu_seconds"`
}

// WriteText writes the table for people.
func (t *StarsTable) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s; %d of %d ratings predicted\n", t.Set, t.About, t.Predicted, t.Ratings)
	for _, r := range t.Rows {
		fmt.Fprintf(&s, "  %-13s  RMSE %.4f (%.4f)  log loss %.4f (%.4f)  pair %.4f (%.4f)  %.1f s\n", r.Way, r.RMSE, r.RMSEError, r.Log, r.LogError, r.Pair, r.PairError, r.CPU)
	}
	_, err := io.WriteString(w, s.String()+"\n")
	return err
}
