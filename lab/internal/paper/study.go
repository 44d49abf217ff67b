package paper

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
)

// Study is an experiment with sets and tables of its own.
type Study[T any] struct {
	Sets   []string // that there are
	About  []string // of the sets, a line each
	Models []string // that there are; none: they cannot be chosen
	// Run yields a table for every set that is asked for.
	Run   func(context.Context, StudyOptions) iter.Seq2[T, error]
	check func(StudyOptions) error // nil: names are those of Sets and Models, and all else is free
}

// Lines are About as text.
func (s Study[T]) Lines() string { return strings.Join(s.About, "\n") }

// Check says what is wrong with the options.
func (s Study[T]) Check(o StudyOptions) error {
	if s.check != nil {
		return s.check(o)
	}
	return o.check(s.Sets, s.Models)
}

// described is a set of a study.
type described interface {
	described() (name, about string)
}

// studyOf returns a study that makes a table of every set, with so many repeats unless others are asked for.
func studyOf[S described, T any](sets []S, repeats int, table func(S, context.Context, StudyOptions) (T, error)) Study[T] {
	s := Study[T]{About: about(sets, S.described)}
	for _, set := range sets {
		name, _ := set.described()
		s.Sets = append(s.Sets, name)
	}
	s.Run = func(ctx context.Context, o StudyOptions) iter.Seq2[T, error] {
		o.Repeats = cmp.Or(o.Repeats, repeats)
		asked := func(set S) bool { name, _ := set.described(); return o.asks(name) }
		return tables(sets, asked, func(set S) (T, error) { return table(set, ctx, o) })
	}
	return s
}

// beside gives the study a peer, which is a program in Python.
func (s Study[T]) beside(program string) Study[T] {
	run := s.Run
	s.Run = func(ctx context.Context, o StudyOptions) iter.Seq2[T, error] {
		return func(yield func(T, error) bool) {
			o.peer = &peer{python: o.Python, program: program}
			defer o.peer.close()
			run(ctx, o)(yield)
		}
	}
	return s
}

// StudyOptions say how much of a study to do. Every study has fewer of these settings than there are here; what its
// Check says is of all that it has.
type StudyOptions struct {
	Folder   Folder   // of data sets
	Sets     []string // none: those that the study runs unless asked
	Models   []string // none: likewise
	Repeats  int      // drawings, splits or searches of each set; 0: as many as the study says
	Seed     uint64
	Python   string         // that has the packages of the peers; empty: they are left out
	Noise    float64        // of each of two points of a duel, in deviations of the function
	Duels    int            // of a search; 0: 100
	AllPairs bool           // learn from all pairs of each person's ratings, too
	Progress func(Progress) // is told before every trial
	Results  *Results       // keeps what is finished; nil: nothing is kept
	peer     *peer          // of a study that runs beside one
}

// check says what is wrong with the options of a study that has these sets, and these models if it has any.
func (o StudyOptions) check(sets, models []string) error {
	if o.Repeats < 0 {
		return fmt.Errorf("paper: %d repeats", o.Repeats)
	}
	for _, asked := range []struct {
		what         string
		names, known []string
	}{{"set", o.Sets, sets}, {"model", o.Models, models}} {
		for _, name := range asked.names {
			if !slices.Contains(asked.known, name) {
				return fmt.Errorf("paper: no %s %q; there are %s", asked.what, name, strings.Join(asked.known, ", "))
			}
		}
	}
	return nil
}

// repeats is how often each set is drawn.
func (o StudyOptions) repeats(unless int) int {
	if o.Repeats > 0 {
		return o.Repeats
	}
	return unless
}

// asks is whether a set is asked for by name, or runs unless others are.
func (o StudyOptions) asks(set string) bool { return len(o.Sets) == 0 || slices.Contains(o.Sets, set) }

// progress tells where a study is: at trial done, of total, which is of a model on drawing split of a set.
func (o StudyOptions) progress(p Progress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// tables yields a table for every set that is asked for, up to the first that fails.
func tables[S, T any](sets []S, asked func(S) bool, table func(S) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, s := range sets {
			if !asked(s) {
				continue
			}
			t, err := table(s)
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// drawings does the work of every repeat of a set, with randomness of its own, unless its result is kept.
func drawings[R any](o StudyOptions, study, set, model string, work func(*rand.Rand) (R, error)) (all []R, err error) {
	for repeat := range o.Repeats {
		o.progress(Progress{Set: set, Split: repeat, Splits: o.Repeats})
		name := study + "/" + set
		r, err := remembered(o.Results, trialKey{Set: name, Model: model, Split: repeat, Seed: o.Seed}, func() (R, error) {
			return work(stream(o.Seed, name, repeat))
		})
		if err != nil {
			return nil, fmt.Errorf("paper: %s, %d: %w", set, repeat, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// meanOver is the mean over results, with its standard error, which is 0 of a single one.
func meanOver[R any](all []R, of func(R) float64) (mean, se float64) {
	var x []float64
	for _, r := range all {
		x = append(x, of(r))
	}
	mean, sd := stat.MeanStdDev(x, nil)
	if len(x) < 2 {
		sd = 0
	}
	return mean, stat.StdErr(sd, float64(len(x)))
}

// about describes named things, a line each.
func about[T any](all []T, of func(T) (name, about string)) (lines []string) {
	for _, x := range all {
		name, is := of(x)
		lines = append(lines, fmt.Sprintf("  %-16s %s", name, is))
	}
	return lines
}

// namesOf lists the names of things.
func namesOf[T any](all []T, name func(T) string) (names []string) {
	for _, x := range all {
		names = append(names, name(x))
	}
	return names
}

// writeLines writes objects as JSON, one a line.
func writeLines[T any](w io.Writer, rows ...T) error {
	to := json.NewEncoder(w)
	for _, r := range rows {
		if err := to.Encode(r); err != nil {
			return err
		}
	}
	return nil
}
