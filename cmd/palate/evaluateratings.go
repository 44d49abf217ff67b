package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"

	"palate/evaluate"
	"palate/internal/cli"
	"palate/model"
)

// onlyRatings reports whether all of some models read ratings as such, and refuses some that do beside some that do
// not: they are measured on other things.
func onlyRatings(names []string) (bool, error) {
	rated := ""
	for _, name := range names {
		if readsRatings(name) {
			rated = name
		}
	}
	for _, name := range names {
		if rated != "" && !readsRatings(name) {
			return false, cli.Usage("--models %s predicts ratings and %s votes between two items: measure them apart", rated, name)
		}
	}
	return rated != "", nil
}

// ratings measures models on ratings, and prints how they did.
func (e *evaluation) ratings(ctx context.Context, out *cli.Output, v *voteData, folds []evaluate.Fold, names []string, o *model.Settings, unsettled misses, c *cli.Console) error {
	methods := evaluate.RatingYardsticks(o.Scale)
	for _, name := range names {
		methods = append(methods, e.candidate(name, v, o, unsettled))
	}
	r, err := evaluate.Ratings(ctx, v.data, folds, methods, &evaluate.Options{Level: e.level, Seed: e.seed, Progress: evaluating(c, len(folds)*len(methods))})
	c.Clear()
	if err != nil {
		return err
	}
	unsettled.note(c, names, len(folds))
	return out.Print(ctx, func(w io.Writer) error {
		switch {
		case e.json:
			encoder := json.NewEncoder(w)
			encoder.SetIndent("", "  ")
			return encoder.Encode(ratingFigures(r))
		case e.csv:
			return writeRatingCSV(w, r)
		}
		e.ratingTable(w, r, v)
		return nil
	})
}

func (e *evaluation) ratingTable(w io.Writer, r *evaluate.RatingResult, v *voteData) {
	how := fmt.Sprintf("%d folds by %s", r.Folds, e.by)
	if e.share > 0 {
		how = fmt.Sprintf("a share of %v held out by %s", e.share, e.by)
	}
	fmt.Fprintf(w, "%s on %s; %s, %s predicted\n\n", count(v.data.NumVotes(), "answer"), count(v.data.NumItems(), "item"), how, count(r.Cases, "rating"))
	fmt.Fprintf(w, "%-12s %16s %16s %16s\n", "model", "RMSE", "log loss", "pairs")
	for _, s := range r.Scores {
		fmt.Fprintf(w, "%-12s", s.Method)
		for _, x := range []evaluate.Estimate{s.RMSE, s.LogLoss, s.CrossEntropy} {
			fmt.Fprintf(w, " %16s", fmt.Sprintf("%.4f ± %.4f", x.Value, x.SE))
		}
		fmt.Fprintln(w)
	}
	if !e.quiet {
		fmt.Fprintf(w, "\nRMSE      root mean square error of the expected rating; ± is a standard error, by voters\n"+
			"log loss  of a rating, in nats: less is better\n"+
			"pairs     surprise of which of two held-out ratings of a voter is the higher, where they differ (%s); .693 is a coin's\n", count(r.Pairs, "pair"))
	}
}

// ratingFigure is a row for programs.
type ratingFigure struct {
	Model          string   `json:"model"`
	Yardstick      bool     `json:"yardstick"`
	RMSE           *float64 `json:"rmse"`
	RMSESE         *float64 `json:"rmse_se"`
	LogLoss        *float64 `json:"log_loss"`
	LogLossSE      *float64 `json:"log_loss_se"`
	CrossEntropy   *float64 `json:"cross_entropy"`
	CrossEntropySE *float64 `json:"cross_entropy_se"`
}

// ratingReport is what programs are told.
type ratingReport struct {
	Folds   int            `json:"folds"`
	Ratings int            `json:"ratings"`
	Pairs   int            `json:"pairs"`
	Models  []ratingFigure `json:"models"`
}

func ratingFigures(r *evaluate.RatingResult) ratingReport {
	out := ratingReport{Folds: r.Folds, Ratings: r.Cases, Pairs: r.Pairs}
	for _, s := range r.Scores {
		out.Models = append(out.Models, ratingFigure{s.Method, s.Yardstick, figure(s.RMSE.Value), figure(s.RMSE.SE), figure(s.LogLoss.Value), figure(s.LogLoss.SE), figure(s.CrossEntropy.Value), figure(s.CrossEntropy.SE)})
	}
	return out
}

// figure is a number, nil where there is none.
func figure(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func writeRatingCSV(w io.Writer, r *evaluate.RatingResult) error {
	rows := [][]string{{"model", "rmse", "rmse_se", "log_loss", "log_loss_se", "cross_entropy", "cross_entropy_se"}}
	for _, f := range ratingFigures(r).Models {
		row := []string{f.Model}
		for _, x := range []*float64{f.RMSE, f.RMSESE, f.LogLoss, f.LogLossSE, f.CrossEntropy, f.CrossEntropySE} {
			text := ""
			if x != nil {
				text = strconv.FormatFloat(*x, 'f', 6, 64)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(w).WriteAll(rows)
}
