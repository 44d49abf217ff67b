package model

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"palate/infer"
	"palate/internal/num"
)

// Every model in every form says what its objective is, and that is a log probability
// of the votes, below zero and not far below that of a coin, or a lower bound of it.
func TestObjectives(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of all forms, which TestRoundTrips has as well")
	}
	kinds := []string{infer.LogEvidence.String(), infer.LowerBound.String(), infer.LaplaceEvidence.String(), "log score of votes as foreseen"}
	for _, f := range forms(t) {
		t.Run(f.name, func(t *testing.T) {
			m := f.fitted(t)
			fit := m.Fit()
			if !slices.Contains(kinds, fit.Kind) {
				t.Errorf("objective %q", fit.Kind)
			}
			coin := -math.Ln2 * fit.Votes
			if fit.Ties > 0 {
				coin = -math.Log(3) * fit.Votes
			}
			floor := 2 * coin
			if fit.Kind == infer.LowerBound.String() { // which may be far below
				floor = math.Inf(-1)
			}
			if !(fit.Objective < 0) || !(fit.Objective > floor) {
				t.Errorf("%s %g; %g votes by coin have %g", fit.Kind, fit.Objective, fit.Votes, coin)
			}
			if p, ok := m.(*Population); ok && f.grow == 0 {
				if e, err := p.family.LogEvidence(t.Context()); err != nil || math.Abs(e-fit.Objective) > 1e-3*math.Abs(e) {
					t.Errorf("%s %g, and evaluated again %g, %v", fit.Kind, fit.Objective, e, err)
				}
			}
		})
	}
}

// The noise that a model says it has is that by which it predicts votes: with so many
// of them that utilities are known, its chances are what that noise makes of those,
// and not what the other would. A logistic model that is taken for a probit has Elo
// ratings 1.7 times too far apart.
func TestNoiseIsAsSaid(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of all forms, which TestRoundTrips has as well")
	}
	votes := electorate{items: 5, users: 4, votes: 500, alike: true}
	rows := []form{
		{"single", votes, Options{}, 0},
		{"single", votes, Options{Likelihood: Logit}, 0},
		{"single", votes, Options{Likelihood: Logit, Rule: infer.Jaakkola{}}, 0},
		{"population", votes, PopulationOptions{}, 0},
		{"population", votes, PopulationOptions{Covariance: FullCovariance}, 0},
		{"crowd", votes, CrowdOptions{Tastes: WideTastes}, 0},
		{"crowd", votes, CrowdOptions{Tastes: SameTastes}, 0},
		{"joint", votes, TensorOptions{}, 0},
		{"average", votes, []Part(nil), 0},
		{"duels", electorate{items: 5, votes: 2000, features: 2}, DuelOptions{}, 0},
		{"moving", electorate{items: 5, votes: 2000, days: 4}, MovingOptions{}, 0},
		{"moving", electorate{items: 5, votes: 2000, days: 4}, MovingOptions{Likelihood: Logit}, 0},
		{"ratings", electorate{items: 5, users: 4, votes: 500, alike: true, rated: 100}, RatedOptions{}, 0},
		{"bt", votes, BradleyTerryOptions{}, 0},
		{"plackett-luce", electorate{items: 5, votes: 500, answers: 500}, PlackettLuceOptions{Whole: true}, 0},
		{"glicko", votes, GlickoOptions{}, 0},
		{"diagonal", votes, GlickoOptions{Rule: Diagonal}, 0},
	}
	seen := map[string]bool{}
	for _, f := range rows {
		m := f.fit(t)
		seen[m.Name()] = true
		file := saved(t, m)
		back, err := Read(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []Model{m, back} {
			said := m.Fit().Likelihood
			if a, b := misfit(m, said), misfit(m, Probit+Logit-said); a > 0.03 || b < 2*a {
				t.Errorf("%s: chances are %.3f from what noise %s makes of utilities, %.3f from the other", f.name, a, likelihoodNames[said], b)
			}
		}
	}
	for _, f := range forms(t) {
		if m := f.fitted(t); !seen[m.Name()] {
			t.Errorf("%s: %s is not in the table", f.name, m.Name())
		}
	}
}

// misfit is how far the chances that a model gives are, at the most, from those that
// noise makes of its utilities, which are known.
func misfit(m Model, noise Likelihood) (worst float64) {
	user := min(0, m.NumUsers()-1)
	for i := range m.NumItems() {
		for j := range i {
			a, _ := m.Utility(user, i)
			b, _ := m.Utility(user, j)
			p := num.Phi(a - b)
			if noise == Logit {
				p = 1 / (1 + math.Exp(b-a))
			}
			worst = max(worst, math.Abs(m.Prefer(user, i, j)-p))
		}
	}
	return worst
}

// A fit that was stopped at its limit does not say that it converged, and one that
// has nothing to learn does.
func TestLimitsAreTold(t *testing.T) {
	if testing.Short() {
		t.Skip("fits of all forms, which TestRoundTrips has as well")
	}
	votes := electorate{items: 8, users: 30, votes: 15, features: 2}
	limited := []form{
		{"single", votes, Options{Tolerance: 1e-300}, 0},
		{"single, batches", votes, Options{Inducing: 3, Schedule: infer.Stochastic{Batch: 20, Steps: 3}}, 0},
		{"crowd", votes, CrowdOptions{Tastes: WideTastes, MaxSweeps: 1}, 0},
		{"crowd, batches", votes, CrowdOptions{Tastes: WideTastes, Steps: Steps{Batch: 10}, Passes: 1}, 0},
	}
	for _, f := range limited {
		if s := f.fit(t).Fit().Status; s == infer.Converged {
			t.Errorf("%s, stopped at its limit, says that it %v", f.name, s)
		}
	}
	for _, f := range []form{
		{"population", votes, PopulationOptions{}, 0},
		{"full covariance", votes, PopulationOptions{Covariance: FullCovariance}, 0},
		{"crowd", votes, CrowdOptions{Tastes: WideTastes}, 0},
	} {
		if s := f.fit(t).Fit().Status; s != infer.Converged {
			t.Errorf("%s: %v", f.name, s)
		}
	}
}

// What was counted on the way is told with how a fit ended.
func TestEnding(t *testing.T) {
	for want, f := range map[string]Fit{
		"converged":                      {},
		"stalled":                        {Status: infer.Stalled},
		"sweep limit, 3 voters not done": {Status: infer.SweepLimit, Stats: infer.Stats{Unconverged: 3}},
		"converged, 2 improper cavities left out":        {Stats: infer.Stats{Skipped: 2, Jitter: 1e-9}},
		"converged, 4 voters with jitter on their prior": {Stats: infer.Stats{Jittered: 4, Jitter: 1e-9}},
	} {
		if got := f.Ending(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
