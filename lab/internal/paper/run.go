package paper

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options say how much of an experiment to do.
type Options struct {
	Folder  Folder
	Sets    []string // data, split, or data/split; none: all
	Models  []string // none: those of the experiment
	Repeats int      // splits of each set; 0: as many as the set says
	Folds   int      // of each set that has them; 0: all
	Seed    uint64
	// Results, if set, has trials that are not done again, and takes those that are finished.
	Results *Results
	// Progress, if set, is told before every trial.
	Progress func(Progress)
}

// Progress tells where a run is.
type Progress struct {
	Set, Model  string
	Split       int // from 0
	Splits      int
	Done, Total int // fits
}

// String says it for a terminal.
func (p Progress) String() string {
	var s strings.Builder
	if p.Total > 0 {
		fmt.Fprintf(&s, "%d of %d: ", p.Done+1, p.Total)
	}
	s.WriteString(p.Set)
	if p.Splits > 0 {
		fmt.Fprintf(&s, ", %d of %d", p.Split+1, p.Splits)
	}
	if p.Model != "" {
		s.WriteString(", " + p.Model)
	}
	return s.String()
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
// seed, the set and its number. When something fails or ctx ends, the tables of the sets under way follow with the
// splits that every method has finished, if there are any, the last of them beside the error.
func (e Experiment) Run(ctx context.Context, o Options) iter.Seq2[*Table, error] {
	return func(yield func(*Table, error) bool) {
		r, err := e.prepare(o)
		if err != nil {
			yield(nil, err)
			return
		}
		for _, together := range r.groups() {
			tables, err := r.run(ctx, together)
			for _, t := range tables[:len(tables)-1] {
				if t != nil && !yield(t, nil) {
					return
				}
			}
			if !yield(tables[len(tables)-1], err) || err != nil {
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
			chosen = slices.DeleteFunc(chosen, func(m Method) bool { return slices.ContainsFunc(s.Skip, m.is) || s.refuses(m) != nil })
		}
		for _, m := range chosen {
			if err := s.refuses(m); err != nil {
				return nil, err
			}
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

// groups lists sets whose splits are run together, because a fit serves all of them.
func (r *run) groups() (groups [][]int) {
	at := map[string]int{}
	for k, s := range r.sets {
		g, found := at[s.Train]
		if s.Train == "" || !found {
			g = len(groups)
			groups = append(groups, nil)
			at[s.Train] = g
		}
		groups[g] = append(groups[g], k)
	}
	return groups
}

// run does some sets split by split, every method on all of them before the next, and returns their tables; nil where
// there is no finished split.
func (r *run) run(ctx context.Context, sets []int) ([]*Table, error) {
	tables, most := make([]*Table, len(sets)), 0
	for i, k := range sets {
		s := r.sets[k]
		t := &Table{Set: s, Loss: r.experiment.Loss, Splits: r.splits(s), Printed: printed(r.papers, s.Data, s.Split)}
		for _, m := range r.methods[k] {
			t.Rows = append(t.Rows, &Row{Data: s.Data, Split: s.Split, Model: m.Name, Published: published(r.papers, s.Data, s.Split, m), Others: slices.Clone(t.Rows)})
		}
		tables[i], most = t, max(most, t.Splits)
	}
	var err error
	draws := make([]func(int, *rand.Rand) (*Split, error), len(sets))
	for repeat := 0; repeat < most && err == nil; repeat++ {
		err = r.repeat(ctx, sets, tables, draws, repeat)
	}
	for i, t := range tables {
		tables[i] = t.settle()
	}
	return tables, err
}

// repeat does the split of one number of each set. Data are opened, and splits drawn, when a trial needs them.
func (r *run) repeat(ctx context.Context, sets []int, tables []*Table, draws []func(int, *rand.Rand) (*Split, error), repeat int) error {
	trials, splits, seeds := make([][]Trial, len(sets)), make([]*Split, len(sets)), make([]uint64, len(sets))
	for i, t := range tables {
		trials[i] = make([]Trial, len(t.Rows))
	}
	draw := func(i int) (err error) {
		s := r.sets[sets[i]]
		if draws[i] == nil {
			if draws[i], err = s.splits(r.Folder); err != nil {
				return err
			}
		}
		rng := s.stream(r.Seed, repeat)
		if splits[i], err = draws[i](repeat, rng); err != nil {
			return fmt.Errorf("%w (%s, split %d)", err, s.Name(), repeat)
		}
		seeds[i] = rng.Uint64()
		return nil
	}
	shared := map[string]*fitted{} // for methods that see another's fit
	for _, m := range r.together(sets) {
		var own *fitted
		for i, t := range tables {
			k := slices.IndexFunc(r.methods[sets[i]], func(o Method) bool { return o.key == m.key })
			if k < 0 || repeat >= t.Splits {
				continue
			}
			if r.Progress != nil {
				r.Progress(Progress{t.Name(), r.methods[sets[i]][k].Name, repeat, t.Splits, r.done, r.total})
			}
			r.done++
			key := trialKey{t.Name(), m.key, repeat, r.Seed}
			var found bool
			if trials[i][k], found = r.Results.find(key); found {
				continue
			}
			if splits[i] == nil {
				if err := draw(i); err != nil {
					return err
				}
			}
			err := ctx.Err()
			if own == nil {
				own, err = r.fit(ctx, sets, m, Task{t.Data, splits[i].Train, splits[i].Beside, seeds[i], splits[i].Test}, shared)
			}
			if err == nil {
				trials[i][k], err = own.measure(m, splits[i])
			}
			if err == nil {
				err = r.Results.keep(key, trials[i][k])
			}
			if err != nil {
				return fmt.Errorf("paper: %s, split %d, %s: %w", t.Name(), repeat, m.Name, err)
			}
		}
	}
	for i, t := range tables {
		for k := range t.Rows {
			if repeat < t.Splits {
				t.Rows[k].Trials = append(t.Rows[k].Trials, trials[i][k])
			}
		}
	}
	return nil
}

// together lists the methods of some sets, each once.
func (r *run) together(sets []int) (all []Method) {
	for _, k := range sets {
		for _, m := range r.methods[k] {
			if !slices.ContainsFunc(all, func(o Method) bool { return o.key == m.key }) {
				all = append(all, m)
			}
		}
	}
	return all
}

// fitted is what a fit returned and what it cost.
type fitted struct {
	Predictor
	cost Figures
}

// fit fits a method, or returns the fit that it sees; fits that another method of the sets sees are kept.
func (r *run) fit(ctx context.Context, sets []int, m Method, t Task, shared map[string]*fitted) (*fitted, error) {
	name := m.key
	if m.See != nil {
		name = m.Of
	}
	if f := shared[name]; f != nil {
		return f, nil
	}
	f, err := fit(ctx, m, t)
	if err == nil && slices.ContainsFunc(r.together(sets), func(o Method) bool { return o.See != nil && o.Of == name }) {
		shared[name] = f
	}
	return f, err
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
