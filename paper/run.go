package paper

import (
	"context"
	"fmt"
	"iter"
	"slices"
)

// Options say how much of an experiment to do.
type Options struct {
	Folder  Folder
	Sets    []string // data, split, or data/split; none: all
	Models  []string // none: those of the experiment
	Repeats int      // splits of each set; 0: as many as the set says
	Folds   int      // of each set that has them; 0: all
	Seed    uint64
	// Progress, if set, is told before every fit.
	Progress func(Progress)
}

// Progress tells where a run is.
type Progress struct {
	Set, Model  string
	Split       int // from 0
	Splits      int
	Done, Total int // fits
}

// Table is how the methods did on one set.
type Table struct {
	Set
	Rows    []*Row
	Loss    Measure
	Splits  int       // asked for; rows have fewer trials when the run was cut short
	Printed []Printed // what the papers have on the set
}

// Run does the experiment, a table a set. All methods see the same splits, each of which depends on nothing but the
// seed, the set and its number. When something fails or ctx ends, the table of the set under way follows with the
// splits that every method has finished, if there are any, beside the error.
func (e Experiment) Run(ctx context.Context, o Options) iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		r, err := e.prepare(o)
		if err != nil {
			yield(nil, err)
			return
		}
		for k := range r.sets {
			t, err := r.run(ctx, k)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// Check says what is wrong with the options, without looking at the data.
func (e Experiment) Check(o Options) error {
	_, err := e.prepare(o)
	return err
}

// run is an experiment under way.
type run struct {
	Options
	experiment  Experiment
	papers      []*Publication
	sets        []Set
	methods     [][]Method // by set
	done, total int
}

func (e Experiment) prepare(o Options) (*run, error) {
	r := &run{Options: o, experiment: e}
	if o.Repeats < 0 || o.Folds < 0 {
		return nil, fmt.Errorf("paper: %d repeats, %d folds", o.Repeats, o.Folds)
	}
	var err error
	if r.sets, err = e.sets(o.Sets); err != nil {
		return nil, err
	}
	for _, s := range r.sets {
		switch {
		case s.Folds == 0 && o.Folds > 0:
			return nil, fmt.Errorf("paper: %s is split at random: say how many repeats, not folds", s.Name())
		case s.Folds > 0 && (o.Repeats > 0 || o.Folds > s.Folds):
			return nil, fmt.Errorf("paper: %s has %d folds: say how many folds, up to that", s.Name(), s.Folds)
		}
	}
	for _, s := range r.sets {
		names := o.Models
		if len(names) == 0 {
			names = e.Models
			if s.Models != nil {
				names = s.Models
			}
		}
		chosen, err := methods(names)
		if err != nil {
			return nil, err
		}
		if len(o.Models) == 0 {
			chosen = slices.DeleteFunc(chosen, func(m Method) bool { return slices.ContainsFunc(s.Skip, m.is) })
		}
		r.methods = append(r.methods, chosen)
		r.total += len(chosen) * r.splits(s)
	}
	r.papers, err = e.Papers()
	return r, err
}

func (r *run) splits(s Set) int {
	switch {
	case r.Folds > 0:
		return r.Folds
	case s.Folds > 0:
		return s.Folds
	}
	if r.Repeats > 0 {
		return r.Repeats
	}
	return s.Repeats
}

func (r *run) run(ctx context.Context, k int) (*Table, error) {
	s := r.sets[k]
	draw, err := s.open(r.Folder)
	if err != nil {
		return nil, err
	}
	t := &Table{Set: s, Loss: r.experiment.Loss, Splits: r.splits(s), Printed: printed(r.papers, s.Data, s.Split)}
	for _, m := range r.methods[k] {
		t.Rows = append(t.Rows, &Row{Data: s.Data, Split: s.Split, Model: m.Name, Published: published(r.papers, s.Data, s.Split, m), Others: slices.Clone(t.Rows)})
	}
	for repeat := range t.Splits {
		rng := stream(r.Seed, s.Name(), repeat)
		split, err := draw(rng)
		if err != nil {
			return t.settle(), fmt.Errorf("%w (%s, split %d)", err, s.Name(), repeat)
		}
		seed := rng.Uint64()
		trials := make([]Trial, len(t.Rows))
		shared := map[string]*fitted{}
		for i, m := range r.methods[k] {
			if r.Progress != nil {
				r.Progress(Progress{s.Name(), m.Name, repeat, t.Splits, r.done, r.total})
			}
			if trials[i], err = r.try(ctx, k, m, split, Task{s.Data, split.Train, split.Beside, seed}, shared); err != nil {
				return t.settle(), fmt.Errorf("paper: %s, split %d, %s: %w", s.Name(), repeat, m.Name, err)
			}
			r.done++
		}
		for i, trial := range trials {
			t.Rows[i].Trials = append(t.Rows[i].Trials, trial)
		}
	}
	return t.settle(), nil
}

// fitted is what a fit returned and what it cost.
type fitted struct {
	Predictor
	cost Figures
}

// try fits a method to a split and measures it. Fits that a method of the set may share are kept.
func (r *run) try(ctx context.Context, k int, m Method, s *Split, t Task, shared map[string]*fitted) (Trial, error) {
	name := m.Name
	if m.See != nil {
		name = m.Of
	}
	f := shared[name]
	if f == nil {
		var err error
		if f, err = fit(ctx, m, t); err != nil {
			return Trial{}, err
		}
		if slices.ContainsFunc(r.methods[k], func(o Method) bool { return o.See != nil && o.Of == name }) {
			shared[name] = f
		}
	}
	return f.measure(m, s)
}

// fit fits a method, and measures the cost.
func fit(ctx context.Context, m Method, t Task) (*fitted, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	meter := startMeter()
	p, err := m.Fit(ctx, t)
	f := &fitted{Predictor: p}
	meter.stop(&f.cost)
	if ctx.Err() != nil { // what an interrupted fit returns is not the method's answer
		return nil, ctx.Err()
	}
	return f, err
}

// measure measures what was fitted as a method sees it.
func (f *fitted) measure(m Method, s *Split) (Trial, error) {
	p := f.Predictor
	if m.See != nil {
		p = m.See(p)
	}
	trial, err := measure(p, s)
	trial.Figures[CPU], trial.Figures[Peak] = s.cost+f.cost[CPU], f.cost[Peak]
	return trial, err
}

// settle sums the rows up; a table without a finished split is none.
func (t *Table) settle() *Table {
	if len(t.Rows) == 0 || len(t.Rows[0].Trials) == 0 {
		return nil
	}
	for _, r := range t.Rows {
		r.summarise()
	}
	return t
}
