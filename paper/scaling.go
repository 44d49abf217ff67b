package paper

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"palate"
	"palate/crowd"
	"palate/model"
)

// ScalingOptions say which sizes to run.
type ScalingOptions struct {
	Sizes []int // voters, and as many items; 20 votes each; none: 1,000, 10,000 and 100,000
	Seed  uint64
	// Passes over all voters; 0 stands for 3.
	Passes float64
	// Progress, if set, is told what is under way.
	Progress func(string)
}

// Scaling is how a stochastic fit of one size went.
type Scaling struct {
	Items   int     `json:"items"`
	Voters  int     `json:"voters"`
	Votes   int     `json:"votes"`
	Step    float64 `json:"step_cpu_s"` // median over the steps
	Steps   int     `json:"steps"`
	CPU     float64 `json:"cpu_s"` // of the fit
	Planned float64 `json:"planned_mb"`
	Peak    float64 `json:"peak_mb"`
	Acc     float64 `json:"acc"` // of votes held out
	CE      float64 `json:"ce"`
	Pooled  float64 `json:"pooled_acc"` // of a consensus alone
	TrueAcc float64 `json:"true_acc"`   // of the utilities that drew the votes
	TrueCE  float64 `json:"true_ce"`
}

// MarshalJSON writes one flat object, as other rows are.
func (s *Scaling) MarshalJSON() ([]byte, error) {
	type plain Scaling
	return json.Marshal(struct {
		Data  string `json:"data"`
		Split string `json:"split"`
		Model string `json:"model"`
		*plain
	}{"simulation", "scaling", "crowd", (*plain)(s)})
}

// What is the same at all sizes. Items are few enough at the smallest to have a weight each, and then a step of it takes
// longer than one of a hundred times as many items: with all sizes on inducing points steps compare.
const (
	scalingInducing = 100
	scalingFactors  = 10
	scalingBatch    = 250
	scalingVotes    = 20
)

// RunScaling fits crowds of growing size with the same number of inducing points, factors and voters in a batch (CROWD
// figures 2 and 3).
func RunScaling(ctx context.Context, o ScalingOptions) iter.Seq2[*Scaling, error] {
	if len(o.Sizes) == 0 {
		o.Sizes = []int{1000, 10000, 100000}
	}
	tell := func(format string, args ...any) {
		if o.Progress != nil {
			o.Progress(fmt.Sprintf(format, args...))
		}
	}
	if o.Passes == 0 {
		o.Passes = 3
	}
	return func(yield func(*Scaling, error) bool) {
		for _, n := range o.Sizes {
			s, err := runSize(ctx, n, o, tell)
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

func runSize(ctx context.Context, n int, o ScalingOptions, tell func(string, ...any)) (*Scaling, error) {
	rng := stream(o.Seed, "scaling", n)
	tell("drawing %d votes", n*scalingVotes)
	w := drawWaves(n, 3, rng)
	d, test, err := w.votes(n, scalingVotes, rng)
	if err != nil {
		return nil, err
	}
	s := &Scaling{Items: n, Voters: n, Votes: d.NumVotes()}
	options := func(factors int) *model.CrowdOptions {
		return &model.CrowdOptions{Inducing: scalingInducing, DenseLimit: 1, Seed: 1, MaxMemory: math.Inf(1), Crowd: crowd.Options{
			Factors: factors, NoOwn: factors < 0, Stochastic: &crowd.Stochastic{Batch: scalingBatch, Passes: o.Passes, Seed: 1},
		}}
	}
	tell("%d voters: a consensus alone", n)
	pooled, err := model.FitCrowd(ctx, d, options(-1))
	if err != nil {
		return nil, err
	}
	s.Pooled, _ = score(test, pooled.Prefer)
	pooled = nil
	var steps []float64
	last := math.NaN()
	full := options(scalingFactors)
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
	return s, nil
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

// waves are functions of an item's features: consensus and factors are sums of cosines, which are draws from a Gaussian
// process at the cost of the items.
type waves struct {
	features  [][]float64 // by item
	consensus []float64
	factors   [][]float64
	weights   [][]float64 // by voter
}

func drawWaves(n, factors int, rng *rand.Rand) *waves {
	const dims, cosines = 3, 100
	w := &waves{}
	for range n {
		x := make([]float64, dims)
		for k := range x {
			x[k] = rng.NormFloat64()
		}
		w.features = append(w.features, x)
	}
	column := func(size float64) []float64 {
		f := make([]float64, n)
		for range cosines {
			var along [dims]float64
			for k := range along {
				along[k] = rng.NormFloat64() / 1.5
			}
			phase, height := 2*math.Pi*rng.Float64(), size*rng.NormFloat64()*math.Sqrt(2.0/cosines)
			for i, x := range w.features {
				at := phase
				for k, v := range x {
					at += along[k] * v
				}
				f[i] += height * math.Cos(at)
			}
		}
		return f
	}
	w.consensus = column(1)
	for range factors {
		w.factors = append(w.factors, column(1.5))
	}
	for range n {
		x := make([]float64, factors)
		for c := range x {
			x[c] = rng.NormFloat64()
		}
		w.weights = append(w.weights, x)
	}
	return w
}

func (w *waves) utility(voter, item int) float64 {
	f := w.consensus[item]
	for c, v := range w.factors {
		f += w.weights[voter][c] * v[item]
	}
	return f
}

// votes draws each voter's, and votes that are held out, all won by the left item: one of every voter, of 5,000 at the
// most.
func (w *waves) votes(voters, each int, rng *rand.Rand) (*palate.Dataset, []palate.Vote, error) {
	n := len(w.features)
	cast := func(u int) palate.Vote {
		a := rng.IntN(n)
		b := (a + 1 + rng.IntN(n-1)) % n
		if w.utility(u, a)-w.utility(u, b)+rng.NormFloat64() < 0 {
			a, b = b, a
		}
		return palate.Vote{User: u, Left: a, Right: b, Weight: 1}
	}
	b := palate.NewBuilder()
	f := &palate.Features{Names: []string{"x", "y", "z"}, Rows: n, Cols: 3}
	for i, x := range w.features {
		b.Item(strconv.Itoa(i))
		f.Data = append(f.Data, x...)
	}
	b.SetItemFeatures(f)
	var test []palate.Vote
	for u := range voters {
		b.User(strconv.Itoa(u))
		for range each {
			if err := b.Add(cast(u)); err != nil {
				return nil, nil, err
			}
		}
		if len(test) < 5000 {
			test = append(test, cast(u))
		}
	}
	d, err := b.Build()
	return d, test, err
}

// WriteScaling writes the sizes for readers.
func WriteScaling(w io.Writer, all []*Scaling) error {
	fmt.Fprintf(w, "stochastic fits of growing size: %d inducing points, %d factors, %d voters in a batch, %d votes a voter\n\n", scalingInducing, scalingFactors, scalingBatch, scalingVotes)
	var g grid
	g.row("items", "voters", "votes", "cpu s a step", "steps", "cpu s", "planned MB", "peak MB", "acc", "pooled acc", "true acc", "ce", "true ce")
	lo, hi := math.Inf(1), 0.0
	for _, s := range all {
		g.row(strconv.Itoa(s.Items), strconv.Itoa(s.Voters), strconv.Itoa(s.Votes), fmt.Sprintf("%.3f", s.Step), strconv.Itoa(s.Steps), fmt.Sprintf("%.1f", s.CPU),
			fmt.Sprintf("%.0f", s.Planned), fmt.Sprintf("%.0f", s.Peak), fmt.Sprintf("%.3f", s.Acc), fmt.Sprintf("%.3f", s.Pooled), fmt.Sprintf("%.3f", s.TrueAcc), fmt.Sprintf("%.3f", s.CE), fmt.Sprintf("%.3f", s.TrueCE))
		lo, hi = min(lo, s.Step), max(hi, s.Step)
	}
	g.write(w)
	_, err := fmt.Fprintf(w, "\nThe slowest step takes %.2f times the quickest.\n", hi/lo)
	return err
}

// DrawScaling draws the time of a step against the number of votes into a folder, which it makes if need be.
func DrawScaling(dir string, all []*Scaling) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	c := &chart{name: "crowd-scaling", title: "time of a stochastic step", x: "votes", y: "CPU seconds a step", logX: true}
	k := c.curve("crowd")
	for _, s := range all {
		k.add(float64(s.Votes), s.Step)
	}
	return c.save(dir)
}
