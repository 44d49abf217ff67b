package report

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"palate/model"
)

// Fit says what a board comes from.
type Fit struct {
	Model      string // its name
	Form       string // of the model, in words; empty: there is only one
	Rule       string // of inference; empty: not known
	Personal   bool   // scores are in units of the noise of somebody's own votes, not of a new voter's with their tastes
	Likelihood model.Likelihood
	Threshold  float64 // of ties; 0 without
	Items      int
	Features   int     // of an item; 0 without
	Votes      float64 // that were used, by their weights
	Called     string  // what votes are called; empty: votes
	Cast       int     // number of votes that were used; 0: not known, as from a model file
	Ties       float64 // among them
	Counted    bool    // the next two are known: a model file does not have them
	Skips      int     // besides the votes
	Voters     int
	Per        []string       // columns whose categories stand in the place of voters
	Segments   []float64      // probability of each number of segments of voters, that of one first; nil: not known
	Effects    []model.Effect // what bears on votes beside the items
	Gain       *float64       // by how many nats differences between items explain the votes better than coins; nil: not known
	Objective  float64
	Kind       string // of the objective
	Status     string
}

// String returns a line such as "12 items, 400 votes (31 ties) by 20 voters;
// single model, probit; EP log evidence -231.4".
func (f Fit) String() string {
	var s strings.Builder
	s.WriteString(count(float64(f.Items), "item"))
	if f.Features > 0 {
		fmt.Fprintf(&s, " with %s", count(float64(f.Features), "feature"))
	}
	called := cmp.Or(f.Called, "vote")
	if f.Cast > 0 && float64(f.Cast) != f.Votes {
		fmt.Fprintf(&s, ", %s that weigh %s", count(float64(f.Cast), called), amount(f.Votes))
	} else {
		fmt.Fprintf(&s, ", %s", count(f.Votes, called))
	}
	if f.Ties > 0 {
		fmt.Fprintf(&s, " (%s)", count(f.Ties, "tie"))
	}
	if f.Skips > 0 {
		fmt.Fprintf(&s, " and %s", count(float64(f.Skips), "skip"))
	}
	switch {
	case len(f.Per) > 0:
		fmt.Fprintf(&s, " in %d categories of %s", f.Voters, strings.Join(f.Per, " and "))
	case f.Voters > 0:
		fmt.Fprintf(&s, " by %s", count(float64(f.Voters), "voter"))
	}
	fmt.Fprintf(&s, "; %s model", f.Model)
	if f.Form != "" {
		fmt.Fprintf(&s, ", %s", f.Form)
	}
	fmt.Fprintf(&s, ", %v", f.Likelihood)
	if f.Rule != "" && !strings.HasPrefix(f.Kind, f.Rule) { // not twice
		fmt.Fprintf(&s, ", %s", f.Rule)
	}
	fmt.Fprintf(&s, "; %s %s", f.Kind, fixed(f.Objective, 1))
	if f.Status != "converged" {
		fmt.Fprintf(&s, " (%s)", f.Status)
	}
	return s.String()
}

// coins reports whether votes rather tell no more of the items than coins would; where a
// board does not weigh that in, whether the evidence for differences is so small that coins
// reach it in one of twenty cases or more.
func (f Fit) coins(b *model.Board) bool { return b.Coins >= 0.5 || f.Gain != nil && *f.Gain < 2 }

// leastCoins is the least probability of coins that is spoken of.
const leastCoins = 0.005

// chance returns the probability that an item wins a vote against one whose
// utility is less by lead, ties apart.
func (f Fit) chance(lead float64) float64 {
	cumulative, threshold := phi, f.Threshold
	switch f.Likelihood {
	case model.Logit:
		cumulative = logistic
	case model.Davidson: // ties say nothing of the odds of the two
		cumulative, threshold = logistic, 0
	}
	win, lose := cumulative(lead-threshold), cumulative(-lead-threshold)
	return win / (win + lose)
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

func phi(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// fixed shows a number with so many decimals, and zero without a sign.
func fixed(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return s
}

// amount shows a number of votes, which may be weighted.
func amount(x float64) string {
	return trimmed(x, 3)
}

// trimmed shows a number with at most so many decimals.
func trimmed(x float64, decimals int) string {
	s := fixed(x, decimals)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func count(n float64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return amount(n) + " " + noun
}
