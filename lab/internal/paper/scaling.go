package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"palate"
	"palate/model"
)

// ScalingOptions say which sizes to run.
type ScalingOptions struct {
	Sets     []string // scaling, inducing; none: both
	Sizes    []int    // voters, and as many items; 20 votes each; none: 1,000, 10,000 and 100,000
	Inducing []int    // numbers of inducing points, of 10,000 voters; none: 25 to 400
	Seed     uint64
	// Passes over all voters; 0 stands for 3.
	Passes  float64
	Results *Results // keeps what is finished; nil: nothing is kept
	// Progress, if set, is told what is under way.
	Progress func(string)
}

// ScalingSets are what RunScaling knows: growing crowds, and growing numbers of inducing points.
func ScalingSets() []string { return []string{"scaling", "inducing"} }

// Check says what is wrong with the options.
func (o *ScalingOptions) Check() error {
	for _, s := range o.Sets {
		if !slices.Contains(ScalingSets(), s) {
			return fmt.Errorf("paper: no set %q of growing crowds; there are %s", s, strings.Join(ScalingSets(), ", "))
		}
	}
	for _, n := range o.Sizes {
		if n < 10 {
			return fmt.Errorf("paper: %d voters; 10 at least", n)
		}
	}
	for _, m := range o.Inducing {
		if m < 1 {
			return fmt.Errorf("paper: %d inducing points", m)
		}
	}
	if o.Passes < 0 {
		return fmt.Errorf("paper: %v passes", o.Passes)
	}
	return nil
}

// Scaling is how a stochastic fit of one size went.
type Scaling struct {
	Set      string  `json:"-"` // the split
	Items    int     `json:"items"`
	Voters   int     `json:"voters"`
	Votes    int     `json:"votes"`
	Inducing int     `json:"inducing"`
	Step     float64 `json:"step_cpu_s"` // median over the steps
	Steps    int     `json:"steps"`
	CPU      float64 `json:"cpu_s"` // of the fit
	Planned  float64 `json:"planned_mb"`
	Peak     float64 `json:"peak_mb"`
	Acc      float64 `json:"acc"` // of votes held out
	CE       float64 `json:"ce"`
	Pooled   float64 `json:"pooled_acc"` // of a consensus alone
	TrueAcc  float64 `json:"true_acc"`   // of the utilities that drew the votes
	TrueCE   float64 `json:"true_ce"`
}

// MarshalJSON writes one flat object, as other rows are.
func (s *Scaling) MarshalJSON() ([]byte, error) {
	type plain Scaling
	return json.Marshal(struct {
		Data  string `json:"data"`
		Split string `json:"split"`
		Model string `json:"model"`
		*plain
	}{"simulation", s.Set, "crowd", (*plain)(s)})
}

// What is the same at all sizes. Items are few enough at the smallest to have a weight each, and then a step of it takes
// longer than one of a hundred times as many items: with all sizes on inducing points steps compare.
const (
	scalingInducing = 100
	scalingVoters   = 10000 // where inducing points grow
	scalingFactors  = 10
	scalingBatch    = 250
	scalingVotes    = 20
)

// RunScaling fits crowds of growing size with the same number of inducing points, factors and voters in a batch (CROWD
// figures 2 and 3).
func RunScaling(ctx context.Context, o ScalingOptions) iter.Seq2[*Scaling, error] {
	if len(o.Sets) == 0 {
		o.Sets = ScalingSets()
	}
	if len(o.Sizes) == 0 {
		o.Sizes = []int{1000, 10000, 100000}
	}
	if len(o.Inducing) == 0 {
		o.Inducing = []int{25, 50, 100, 200, 400}
	}
	tell := func(format string, args ...any) {
		if o.Progress != nil {
			o.Progress(fmt.Sprintf(format, args...))
		}
	}
	o.Passes = cmp.Or(o.Passes, 3)
	return func(yield func(*Scaling, error) bool) {
		for _, set := range o.Sets {
			at := Scaling{Set: set, Voters: scalingVoters, Inducing: scalingInducing}
			steps, grow := o.Sizes, &at.Voters
			if set == "inducing" {
				steps, grow = o.Inducing, &at.Inducing
			}
			for _, *grow = range steps {
				key := trialKey{Set: fmt.Sprintf("simulation/%s/%d voters, %d points, %g passes", set, at.Voters, at.Inducing, o.Passes), Model: "crowd", Seed: o.Seed}
				s, err := remembered(o.Results, key, func() (*Scaling, error) { return runSize(ctx, at, o, tell) })
				if s != nil {
					s.Set = set // which is no part of its JSON
				}
				if !yield(s, err) || err != nil {
					return
				}
			}
		}
	}
}

func runSize(ctx context.Context, s Scaling, o ScalingOptions, tell func(string, ...any)) (*Scaling, error) {
	n := s.Voters
	rng := stream(o.Seed, "scaling", n)
	tell("drawing %d votes", n*scalingVotes)
	w := drawWaves(n, 3, rng)
	d, test, err := w.votes(n, scalingVotes, rng)
	if err != nil {
		return nil, err
	}
	s.Items, s.Votes = n, d.NumVotes()
	options := func(tastes model.Tastes) *model.CrowdOptions {
		return &model.CrowdOptions{
			Tastes: tastes, Inducing: s.Inducing, DenseLimit: 1, Seed: 1, MaxMemory: math.Inf(1), Factors: scalingFactors,
			Steps: model.Steps{Batch: scalingBatch}, Passes: o.Passes,
		}
	}
	tell("%d voters: a consensus alone", n)
	pooled, err := model.FitCrowd(ctx, d, options(model.SameTastes))
	if err != nil {
		return nil, err
	}
	s.Pooled, _ = score(test, pooled.Prefer)
	pooled = nil
	var steps []float64
	last := math.NaN()
	full := options(model.ChosenTastes)
	full.Progress = func(p model.Progress) {
		now := cpuSeconds()
		if !math.IsNaN(p.Objective) { // the fit of the first batch
			last = math.NaN()
			return
		}
		if !math.IsNaN(last) {
			steps = append(steps, now-last)
		}
		last = now
		tell("%d voters: step %d", n, p.Round)
	}
	if s.Planned, err = model.CrowdMemory(d, full); err != nil {
		return nil, err
	}
	s.Planned /= 1e6
	tell("%d voters: planned for %.0f MB", n, s.Planned)
	m := startMeter()
	fit, err := model.FitCrowd(ctx, d, full)
	if err != nil {
		return nil, err
	}
	var cost Figures
	m.stop(&cost)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	s.CPU, s.Peak, s.Steps = cost[CPU], cost[Peak], len(steps)
	slices.Sort(steps)
	if len(steps) > 0 {
		s.Step = steps[len(steps)/2]
	}
	s.Acc, s.CE = score(test, fit.Prefer)
	s.TrueAcc, s.TrueCE = score(test, func(u, a, b int) float64 {
		return 0.5 * math.Erfc((w.utility(u, b)-w.utility(u, a))/math.Sqrt2)
	})
	return &s, nil
}

// score returns accuracy and cross-entropy of votes that the left item won.
func score(test []palate.Vote, prefer func(user, left, right int) float64) (acc, ce float64) {
	for _, v := range test {
		p := prefer(v.User, v.Left, v.Right)
		if p > 0.5 {
			acc += 1 / float64(len(test))
		}
		ce -= math.Log(p) / float64(len(test))
	}
	return acc, ce
}

// WriteScaling writes what was run for readers, a table a set.
func WriteScaling(w io.Writer, all []*Scaling) {
	fmt.Fprintf(w, "stochastic fits: %d factors, %d voters in a batch, %d votes a voter\n", scalingFactors, scalingBatch, scalingVotes)
	for _, set := range ScalingSets() {
		var g grid
		g.row("inducing", "items", "voters", "votes", "cpu s a step", "steps", "cpu s", "planned MB", "peak MB", "acc", "pooled acc", "true acc", "ce", "true ce")
		lo, hi := math.Inf(1), 0.0
		of := slices.DeleteFunc(slices.Clone(all), func(s *Scaling) bool { return s.Set != set })
		if len(of) == 0 {
			continue
		}
		for _, s := range of {
			g.row(strconv.Itoa(s.Inducing), strconv.Itoa(s.Items), strconv.Itoa(s.Voters), strconv.Itoa(s.Votes), fmt.Sprintf("%.3f", s.Step), strconv.Itoa(s.Steps), fmt.Sprintf("%.1f", s.CPU),
				fmt.Sprintf("%.0f", s.Planned), fmt.Sprintf("%.0f", s.Peak), fmt.Sprintf("%.3f", s.Acc), fmt.Sprintf("%.3f", s.Pooled), fmt.Sprintf("%.3f", s.TrueAcc), fmt.Sprintf("%.3f", s.CE), fmt.Sprintf("%.3f", s.TrueCE))
			lo, hi = min(lo, s.Step), max(hi, s.Step)
		}
		fmt.Fprintln(w)
		g.write(w)
		if hi > 0 {
			fmt.Fprintf(w, "\nThe slowest step takes %.2f times the quickest.\n", hi/lo)
		}
	}
}

// DrawScaling draws, into a folder which it makes if need be, the time of a step against the number of votes, and time
// and accuracy against the number of inducing points (CROWD figure 2).
func DrawScaling(dir string, all []*Scaling) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	step := &chart{name: "crowd-scaling", title: "time of a stochastic step", x: "votes", y: "CPU seconds a step", logX: true}
	fit := &chart{name: "crowd-inducing", title: fmt.Sprintf("CROWD figure 2: time of a fit, %d voters", scalingVoters), x: "inducing points", y: "CPU seconds"}
	acc := &chart{name: "crowd-inducing-acc", title: "CROWD figure 2: votes held out that are predicted", x: "inducing points", y: "accuracy"}
	steps, fits := step.curve("crowd"), fit.curve("crowd")
	crowds, pooled, truth := acc.curve("crowd"), acc.curve("a consensus alone"), acc.curve("the truth")
	for _, s := range all {
		if s.Set == "scaling" {
			steps.add(float64(s.Votes), s.Step)
			continue
		}
		m := float64(s.Inducing)
		fits.add(m, s.CPU)
		crowds.add(m, s.Acc)
		pooled.add(m, s.Pooled)
		truth.add(m, s.TrueAcc)
	}
	for _, c := range []*chart{step, fit, acc} {
		if len(c.curves[0].points) == 0 {
			continue
		}
		if err := c.save(dir); err != nil {
			return err
		}
	}
	return nil
}
