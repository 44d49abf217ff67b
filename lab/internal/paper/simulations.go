package paper

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"palate"
	"palate/metric"
	"palate/model"
)

// simulation is one panel of CROWD figure 1, or a test beside it.
type simulation struct {
	name, about string
	vary        string // what is varied
	values      []float64
	lines       []float64 // and what tells curves apart, for those with several; nil: one
	models      []string
	run         func(context.Context, *trialWorld) ([]simResult, error)
}

// trialWorld is one repeat at one setting.
type trialWorld struct {
	value, line float64
	rng         *rand.Rand
}

// simResult is what one model did in one world; NaN where it does not apply.
type simResult struct {
	noise, tau, recovery, inUse, ce float64
}

// MarshalJSON writes the numbers in the order of the fields.
func (r simResult) MarshalJSON() ([]byte, error) {
	return json.Marshal([]lossless{lossless(r.noise), lossless(r.tau), lossless(r.recovery), lossless(r.inUse), lossless(r.ce)})
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *simResult) UnmarshalJSON(text []byte) error {
	var x [5]lossless
	err := json.Unmarshal(text, &x)
	*r = simResult{float64(x[0]), float64(x[1]), float64(x[2]), float64(x[3]), float64(x[4])}
	return err
}

func nothing() simResult {
	n := math.NaN()
	return simResult{n, n, n, n, n}
}

func simulations() []simulation {
	all := []string{"crowd", "pooled-GPPL", "GPPL-per-voter"}
	return []simulation{
		{name: "single", about: "one voter's utilities for items not compared (figure 1a)", vary: "s", values: []float64{0.01, 0.1, 1, 3, 10, 30}, models: []string{"single"}, run: runSingle},
		{name: "consensus", about: "the consensus of 25 voters with 3 factors, s = .001 (figure 1b)", vary: "sigma", values: []float64{0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01}, models: all, run: runConsensus},
		{name: "personal", about: "the utilities of each of 25 voters with 3 factors, sigma = 10 (figure 1c)", vary: "s", values: []float64{0.01, 0.1, 0.3, 1, 3, 10}, models: all, run: runPersonal},
		{name: "factors", about: "the weights of 25 voters, 25 factors where there are fewer, s = .2, sigma = 1 (figure 1d)", vary: "votes", values: []float64{36, 144, 576, 2304}, lines: []float64{1, 3, 10, 20}, models: []string{"crowd", "crowd-turned", "truth-turned", "prior", "random"}, run: runFactors},
		{name: "newcomers", about: "voters not in the fit, by features: 200 voters of 20 votes, 3 factors, s = .2, sigma = 1", vary: "votes", values: []float64{4000}, models: []string{"crowd", `crowd\u`, "truth"}, run: runNewcomers},
	}
}

// Simulations have a table each. Every world depends on nothing but the seed, its set, setting and number.
func Simulations() Study[*SimulationTable] { return studyOf(simulations(), 25, simulation.table) }

func (s simulation) described() (name, about string) { return s.name, s.about }

func (s simulation) table(ctx context.Context, o StudyOptions) (*SimulationTable, error) {
	t := &SimulationTable{simulation: s, Repeats: o.Repeats}
	lines := s.lines
	if lines == nil {
		lines = []float64{math.NaN()}
	}
	done := 0
	for _, line := range lines {
		for _, value := range s.values {
			rows := make([]*SimulationRow, len(s.models))
			for k, m := range s.models {
				rows[k] = &SimulationRow{Set: s.name, Model: m, Vary: s.vary, Value: value, True: line, first: rows[0]}
			}
			rows[0].first = rows[0]
			for repeat := range o.Repeats {
				o.progress(Progress{Set: fmt.Sprintf("%s, %s = %g", s.name, s.vary, value), Model: strings.Join(s.models, ", "), Split: repeat, Splits: o.Repeats, Done: done, Total: len(lines) * len(s.values) * o.Repeats})
				done++
				w := &trialWorld{value, line, stream(o.Seed, fmt.Sprintf("simulation/%s/%g/%g", s.name, value, line), repeat)}
				key := trialKey{Set: fmt.Sprintf("simulation/%s/%s = %g, %g", s.name, s.vary, value, line), Model: strings.Join(s.models, ","), Split: repeat, Seed: o.Seed}
				results, err := remembered(o.Results, key, func() ([]simResult, error) {
					results, err := s.run(ctx, w)
					if err == nil {
						err = ctx.Err()
					}
					return results, err
				})
				if err != nil {
					return nil, fmt.Errorf("paper: %s, %s = %g, world %d: %w", s.name, s.vary, value, repeat, err)
				}
				for k, r := range results {
					rows[k].results = append(rows[k].results, r)
				}
			}
			t.Rows = append(t.Rows, rows...)
		}
	}
	return t, nil
}

// half splits the items into those to learn from and those to predict.
func half(items int, rng *rand.Rand) (train, test []int) {
	order := rng.Perm(items)
	return order[:items/2], order[items/2:]
}

// cast draws votes of any voters on pairs of some items; noise is the share that contradicts the utilities that truth
// gives.
func (w *crowdWorld) cast(items []int, pairs int, truth func(voter int) []float64, rng *rand.Rand) (votes []palate.Vote, noise float64) {
	n, _ := w.voters.Dims()
	for range pairs {
		v := w.vote(rng.IntN(n), items, rng)
		f := truth(v.User)
		if (f[v.Left] > f[v.Right]) != (v.Outcome == palate.Left) {
			noise += 1 / float64(pairs)
		}
		votes = append(votes, v)
	}
	return votes, noise
}

// within returns the votes on two of the items.
func within(items []int, votes []palate.Vote) (some []palate.Vote) {
	for _, v := range votes {
		if slices.Contains(items, v.Left) && slices.Contains(items, v.Right) {
			some = append(some, v)
		}
	}
	return some
}

// tauAt is Kendall's τ of two utilities over some of the items.
func tauAt(items []int, truth, found func(int) float64) float64 {
	x, y := make([]float64, len(items)), make([]float64, len(items))
	for k, i := range items {
		x[k], y[k] = truth(i), found(i)
	}
	return metric.KendallTauB(x, y)
}

func runSingle(ctx context.Context, t *trialWorld) ([]simResult, error) {
	w, err := drawWorld(worldOptions{items: 100, voters: 1, sigma: t.value}, t.rng)
	if err != nil {
		return nil, err
	}
	train, test := half(100, t.rng)
	votes, noise := w.cast(t.rng.Perm(100), 500, w.utilities, t.rng) // of any points, as the text has it
	d, err := w.dataset(within(train, votes))
	if err != nil {
		return nil, err
	}
	m, err := fitPooled(ctx, Task{Data: "simulation", Train: d, Seed: t.rng.Uint64()})
	if err != nil {
		return nil, err
	}
	r := nothing()
	r.noise, r.tau = noise, tauAt(test, func(i int) float64 { return w.consensus[i] }, meanOf(m, -1))
	return []simResult{r}, nil
}

func meanOf(m Predictor, user int) func(int) float64 {
	return func(i int) float64 {
		mean, _ := m.Utility(user, i)
		return mean
	}
}

func runConsensus(ctx context.Context, t *trialWorld) ([]simResult, error) {
	return runCrowd(ctx, t, worldOptions{100, 25, 3, t.value, 0.001}, true)
}

func runPersonal(ctx context.Context, t *trialWorld) ([]simResult, error) {
	return runCrowd(ctx, t, worldOptions{100, 25, 3, 10, t.value}, false)
}

// runCrowd fits the crowd with a factor a voter, all votes as those of one voter, and each voter alone, to the 900 votes of
// CROWD table 1 on items to learn from.
func runCrowd(ctx context.Context, t *trialWorld, o worldOptions, consensus bool) ([]simResult, error) {
	w, err := drawWorld(o, t.rng)
	if err != nil {
		return nil, err
	}
	train, test := half(o.items, t.rng)
	truth := w.utilities
	if consensus {
		truth = func(int) []float64 { return w.consensus }
	}
	votes, noise := w.cast(train, 900, truth, t.rng)
	d, err := w.dataset(votes)
	if err != nil {
		return nil, err
	}
	task := Task{Data: "simulation", Train: d, Seed: t.rng.Uint64()}
	var out []simResult
	for _, fit := range []func(context.Context, Task) (Predictor, error){fitCrowd(model.CrowdOptions{Factors: o.voters}), fitPooled, fitPerVoter} {
		m, err := fit(ctx, task)
		if err != nil {
			return nil, err
		}
		r := nothing()
		r.noise = noise
		if consensus {
			r.tau = tauAt(test, func(i int) float64 { return w.consensus[i] }, consensusOf(m, o.voters))
		} else {
			r.tau = 0
			for u := range o.voters {
				f := w.utilities(u)
				r.tau += tauAt(test, func(i int) float64 { return f[i] }, meanOf(m, u)) / float64(o.voters)
			}
		}
		out = append(out, r)
	}
	return out, nil
}

// consensusOf is what a method takes for the consensus: voters apart have none but their mean.
func consensusOf(m Predictor, voters int) func(int) float64 {
	if _, apart := m.(perVoter); !apart {
		return meanOf(m, -1)
	}
	return func(i int) (sum float64) {
		for u := range voters {
			sum += meanOf(m, u)(i) / float64(voters)
		}
		return sum
	}
}

// runNewcomers asks how well votes of people whom the fit has not seen are predicted from their features.
func runNewcomers(ctx context.Context, t *trialWorld) ([]simResult, error) {
	const known, fresh, asked = 200, 100, 3000
	w, err := drawWorld(worldOptions{100, known + fresh, 3, 1, 0.2}, t.rng)
	if err != nil {
		return nil, err
	}
	var votes []palate.Vote
	all := t.rng.Perm(100)
	for k := range int(t.value) {
		votes = append(votes, w.vote(k%known, all, t.rng))
	}
	d, err := w.dataset(votes)
	if err != nil {
		return nil, err
	}
	var test []palate.Vote
	for range asked {
		v := w.vote(known+t.rng.IntN(fresh), all, t.rng)
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		test = append(test, v)
	}
	loss := func(prefer func(user, left, right int) float64) simResult {
		r := nothing()
		r.ce = 0
		for _, v := range test {
			r.ce -= math.Log(prefer(v.User, v.Left, v.Right)) / asked
		}
		return r
	}
	var out []simResult
	seed := t.rng.Uint64()
	for _, use := range []model.UseFeatures{model.WithFeatures, model.WithoutFeatures} {
		m, err := model.FitCrowd(ctx, d, &model.CrowdOptions{Seed: seed, VoterFeatures: use})
		if err != nil {
			return nil, err
		}
		out = append(out, loss(m.Prefer))
	}
	return append(out, loss(func(u, a, b int) float64 {
		return 0.5 * math.Erfc((w.utility(u, b)-w.utility(u, a))/math.Sqrt2)
	})), nil
}
