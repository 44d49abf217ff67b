package report

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"palate/evaluate"
)

// EvaluationTable writes an evaluation for people: the best method first, by
// cross-entropy, and in plain words which differences are real.
func EvaluationTable(w io.Writer, r *evaluate.Result, legend bool) error {
	t := &grid{
		head: []string{"model", "cross-entropy", "accuracy", "Brier", "ECE", percent(r.Level) + " interval", "τ"},
		left: []bool{true, false, false, false, false, false, false},
	}
	for _, s := range byEntropy(r) {
		unit := "%"
		if math.IsNaN(s.Accuracy.Value) {
			unit = ""
		}
		t.rows = append(t.rows, []string{
			label(s.Method), plusMinus(s.CrossEntropy, 1, 3), plusMinus(s.Accuracy, 100, 1) + unit, plusMinus(s.Brier, 1, 3),
			told(s.ECE.Value, 3), told(s.ECE.Lo, 3) + " … " + told(s.ECE.Hi, 3), plusMinus(s.Tau, 1, 2),
		})
		t.ruled = append(t.ruled, len(t.rows) == 1)
	}
	var out bytes.Buffer
	t.writeTo(&out)
	fmt.Fprintf(&out, "\n%s\n", r.Verdict())
	if legend {
		out.WriteString(`
cross-entropy  mean surprise at a vote, in nats; a coin has 0.693, less is better
accuracy       share of votes whose winner was predicted, ties apart
Brier          mean square of the error of a probability; less is better
ECE            how far probabilities are off, on average
τ              agreement of the order of the items with that of the test votes
±              one standard error; errors of two models on the same votes go
               together, so that smaller differences may be real
`)
	}
	_, err := w.Write(out.Bytes())
	return err
}

func byEntropy(r *evaluate.Result) []evaluate.Score {
	s := slices.Clone(r.Scores)
	slices.SortStableFunc(s, func(a, b evaluate.Score) int { return cmp.Compare(a.CrossEntropy.Value, b.CrossEntropy.Value) })
	return s
}

// told shows a figure, or a dash when there is none.
func told(x float64, decimals int) string {
	if math.IsNaN(x) {
		return "–"
	}
	return fixed(x, decimals)
}

func plusMinus(e evaluate.Estimate, unit float64, decimals int) string {
	if math.IsNaN(e.SE) {
		return told(unit*e.Value, decimals)
	}
	return fixed(unit*e.Value, decimals) + " ± " + fixed(unit*e.SE, decimals)
}

// EvaluationCSV writes an evaluation as comma-separated values, the best method
// first. The lead is that of the best method in cross-entropy.
func EvaluationCSV(w io.Writer, r *evaluate.Result) error {
	out := csv.NewWriter(w)
	out.Write([]string{"model", "cross_entropy", "cross_entropy_se", "accuracy", "accuracy_se", "brier", "brier_se",
		"ece", "ece_lo", "ece_hi", "tau", "tau_se", "best_leads_by", "best_leads_by_se", "real"})
	best := r.Best()
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return fixed(x, 5)
	}
	for _, s := range byEntropy(r) {
		row := []string{s.Method, number(s.CrossEntropy.Value), number(s.CrossEntropy.SE), number(s.Accuracy.Value), number(s.Accuracy.SE),
			number(s.Brier.Value), number(s.Brier.SE), number(s.ECE.Value), number(s.ECE.Lo), number(s.ECE.Hi), number(s.Tau.Value), number(s.Tau.SE)}
		lead := []string{"", "", ""}
		for _, d := range r.Differences {
			if d.A == best && d.B == s.Method {
				lead = []string{number(d.CrossEntropy.Value), number(d.CrossEntropy.SE), strconv.FormatBool(d.Real)}
			}
		}
		out.Write(append(row, lead...))
	}
	out.Flush()
	return out.Error()
}

type jsonEvaluation struct {
	Folds       int              `json:"folds"`
	Votes       int              `json:"votes"`
	Units       int              `json:"units"`
	Level       float64          `json:"level"`
	Verdict     string           `json:"verdict"`
	Models      []jsonScore      `json:"models"`
	Differences []jsonDifference `json:"differences"`
}

type jsonScore struct {
	Model        string       `json:"model"`
	CrossEntropy jsonEstimate `json:"cross_entropy"`
	Accuracy     jsonEstimate `json:"accuracy"`
	Brier        jsonEstimate `json:"brier"`
	ECE          jsonEstimate `json:"ece"`
	Tau          jsonEstimate `json:"tau"`
	Reliability  []jsonBin    `json:"reliability"`
}

// jsonEstimate has null where there is no figure.
type jsonEstimate struct {
	Value *json.Number `json:"value"`
	SE    *json.Number `json:"se"`
	Lo    *json.Number `json:"lo"`
	Hi    *json.Number `json:"hi"`
}

type jsonBin struct {
	From       *json.Number `json:"from"`
	To         *json.Number `json:"to"`
	Votes      *json.Number `json:"votes"`
	Predicted  *json.Number `json:"predicted"`
	Observed   *json.Number `json:"observed"`
	ObservedLo *json.Number `json:"observed_lo"`
	ObservedHi *json.Number `json:"observed_hi"`
}

type jsonDifference struct {
	Better       string       `json:"better"`
	Worse        string       `json:"worse"`
	CrossEntropy jsonEstimate `json:"cross_entropy"`
	Accuracy     jsonEstimate `json:"accuracy"`
	P            *json.Number `json:"p"`
	Real         bool         `json:"real"`
}

func estimate(e evaluate.Estimate) jsonEstimate {
	return jsonEstimate{figure(e.Value), figure(e.SE), figure(e.Lo), figure(e.Hi)}
}

// figure is a number, or null when there is none.
func figure(x float64) *json.Number {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return number(x, 5)
}

// EvaluationJSON writes an evaluation as one object: all figures with standard
// errors and intervals, reliability curves, and every pair of methods.
func EvaluationJSON(w io.Writer, r *evaluate.Result) error {
	out := jsonEvaluation{Folds: r.Folds, Votes: r.Cases, Units: r.Units, Level: r.Level, Verdict: r.Verdict(), Models: []jsonScore{}, Differences: []jsonDifference{}}
	for _, s := range byEntropy(r) {
		row := jsonScore{s.Method, estimate(s.CrossEntropy), estimate(s.Accuracy), estimate(s.Brier), estimate(s.ECE), estimate(s.Tau), []jsonBin{}}
		for _, b := range s.Reliability {
			if b.Weight > 0 {
				lo, hi := b.Interval(r.Level)
				row.Reliability = append(row.Reliability, jsonBin{figure(b.Lo), figure(b.Hi), figure(b.Weight), figure(b.Predicted), figure(b.Observed), figure(lo), figure(hi)})
			}
		}
		out.Models = append(out.Models, row)
	}
	for _, d := range r.Differences {
		out.Differences = append(out.Differences, jsonDifference{d.A, d.B, estimate(d.CrossEntropy), estimate(d.Accuracy), figure(d.P), d.Real})
	}
	return indented(w, out)
}
