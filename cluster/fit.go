package cluster

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"

	"palate/infer"
	"palate/population"
)

// Fitting is how a population is fitted.
type Fitting struct {
	Factors int // the most factors of taste; 0 stands for 20
	Seed    uint64
	// Penalty on the factors; 0 stands for that of palate fit.
	Penalty float64
	// Dense is up to how many items the spread of the mean is learnt from a matrix of items by items, which
	// every shard sends once; above from its diagonal. 0 stands for 2,000.
	Dense int
	// Steps is the most steps of the climb, of which there are two; 0 stands for 200.
	Steps int `json:",omitempty"`
	// Progress, if set, is told after every evaluation, and whether it was made before.
	Progress func(Progress) `json:"-"`
}

// Progress is a fit under way.
type Progress struct {
	Evaluation int
	Again      bool    // it was made by a run before, and is taken from there
	Evidence   float64 // log evidence of the votes
	HeldOut    float64 // loss of a vote that was held out, in nats; NaN without
	Shards     int
	Persons    int
}

// Fit is a population that was fitted, or its voters under that of another fit.
type Fit struct {
	deal   *Deal
	folder string
	last   fitted
	learnt *population.Learnt
}

// fitted is fit.json, which is there when a fit is whole.
type fitted struct {
	Format     int         `json:"format"`
	Deal       string      `json:"deal"`       // checksum
	Settings   string      `json:"settings"`   // of the fit
	Evaluation int         `json:"evaluation"` // the last, whose query and sites are those of the fit
	Objective  float64     `json:"objective"`
	Evidence   float64     `json:"evidence"`
	HeldOut    *float64    `json:"held_out,omitempty"`
	Rounds     int         `json:"rounds"`
	Evals      int         `json:"evaluations"`
	Converged  bool        `json:"converged"`
	Stats      infer.Stats `json:"stats"`
	Spread     float64     `json:"spread"`
}

func fitFile(folder string) string   { return folder + "/fit.json" }
func startFile(folder string) string { return folder + "/start.json" }
func (d *Deal) fitFolder() string    { return d.folder + "/fit" }
func (d *Deal) digest() string       { return sum([]byte(compact(d.sums()) + compact(d.Items))) }

// begin holds a folder to one fit: a run that begins again goes on, and one of other settings is refused.
func (d *Deal) begin(ctx context.Context, settings string) error {
	start := []byte(compact(fitted{Format: format, Deal: d.digest(), Settings: settings}))
	path := startFile(d.fitFolder())
	there, err := exists(ctx, path)
	if err != nil {
		return err
	}
	if !there {
		return writeFile(ctx, path, start)
	}
	before, err := readFile(ctx, path)
	if err == nil && string(before) != string(start) {
		err = fmt.Errorf("%s: a fit with other settings, or of another deal, has begun there; remove %s to begin afresh", path, d.fitFolder())
	}
	return err
}

// Run fits a population to votes that were dealt. A run that was killed goes on when it is run again, and
// ends with the same bytes.
func (o Fitting) Run(ctx context.Context, r Runner, d *Deal) (*Fit, error) {
	o.Dense = cmp.Or(o.Dense, 2000)
	o.Penalty = cmp.Or(o.Penalty, population.Penalty*d.Redundancy)
	settings := compact(o)
	if err := d.begin(ctx, settings); err != nil {
		return nil, err
	}
	e := &evaluator{deal: d, fit: d.fitFolder(), runner: r, said: o.say(d)}
	l, err := population.LearnFrom(ctx, e, d.items(), d.hasTies(), &population.Options{Rank: o.Factors, Penalty: o.Penalty, Seed: o.Seed, DenseItems: o.Dense, MaxSteps: o.Steps})
	if err != nil {
		return nil, err
	}
	return d.end(ctx, settings, e.asked, l)
}

func (o Fitting) say(d *Deal) func(int, bool, *population.Statistics) {
	return func(evaluation int, again bool, s *population.Statistics) {
		if o.Progress != nil {
			o.Progress(Progress{evaluation, again, s.Evidence, s.Loss / s.Watched, len(d.Shards), s.Persons})
		}
	}
}

// end writes down that a fit is whole.
func (d *Deal) end(ctx context.Context, settings string, evaluation int, l *population.Learnt) (*Fit, error) {
	f := fitted{
		Format: format, Deal: d.digest(), Settings: settings, Evaluation: evaluation, Objective: l.Objective, Evidence: l.Evidence,
		Rounds: l.Rounds, Evals: l.Evals, Converged: l.Converged, Stats: l.Stats, Spread: l.Spread,
	}
	if !math.IsNaN(l.HeldOut) {
		f.HeldOut = &l.HeldOut
	}
	data, err := json.MarshalIndent(f, "", "\t")
	if err == nil {
		err = writeFile(ctx, fitFile(d.fitFolder()), data)
	}
	return &Fit{d, d.fitFolder(), f, l}, err
}

// Population is what voters come from.
func (f *Fit) Population() *population.Learnt { return f.learnt }

// OpenFit reads a fit that is whole.
func OpenFit(ctx context.Context, d *Deal) (*Fit, error) {
	folder := d.fitFolder()
	data, err := readFile(ctx, fitFile(folder))
	if err != nil {
		return nil, fmt.Errorf("%s: there is no fit of this deal, or it has not come to its end: %w; run palate-cluster fit", folder, err)
	}
	f := &Fit{deal: d, folder: folder}
	if err := json.Unmarshal(data, &f.last); err != nil {
		return nil, fmt.Errorf("%s: it is damaged: %w; remove %s and fit again", fitFile(folder), err, folder)
	}
	if f.last.Format != format || f.last.Deal != d.digest() {
		return nil, fmt.Errorf("%s: the fit is of another deal; remove %s and fit again", fitFile(folder), folder)
	}
	q, err := readQuery(ctx, queryFile(folder, f.last.Evaluation), "")
	if err != nil {
		return nil, err
	}
	x := f.last
	f.learnt = &population.Learnt{
		LowRank: q.Prior, Objective: x.Objective, Evidence: x.Evidence, HeldOut: math.NaN(), Rounds: x.Rounds, Evals: x.Evals,
		Converged: x.Converged, Stats: x.Stats, Spread: x.Spread, Threshold: q.Threshold,
	}
	if x.HeldOut != nil {
		f.learnt.HeldOut = *x.HeldOut
	}
	return f, nil
}

// Fold infers voters who were dealt like those of a fit, under the population that was fitted: one evaluation.
func (f *Fit) Fold(ctx context.Context, r Runner, d *Deal) (*Fit, error) {
	if compact(d.Items) != compact(f.deal.Items) {
		return nil, fmt.Errorf("%s: the items are others than those of %s: deal with --like %s", d.folder, f.deal.folder, f.deal.folder)
	}
	settings := "folded into " + f.last.Deal + " " + f.last.Settings
	if err := d.begin(ctx, settings); err != nil {
		return nil, err
	}
	if d.hasTies() && f.learnt.Threshold == 0 {
		return nil, fmt.Errorf("%s: there are ties among the votes, but the model has seen none", d.folder)
	}
	e := &evaluator{deal: d, fit: d.fitFolder(), runner: r}
	told, err := e.Evaluate(ctx, population.Query{Prior: f.learnt.LowRank, Threshold: f.learnt.Threshold, Tolerance: folding, Want: population.Evidence})
	if err != nil {
		return nil, err
	}
	l := *f.learnt
	l.Evidence, l.Stats, l.HeldOut = told.Evidence, told.Stats, told.Loss/told.Watched
	return d.end(ctx, settings, e.asked, &l)
}

// folding is how well new voters are inferred.
const folding = 1e-6
