package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"palate/tune"
)

// Tuned is what charts show of a search of a space of parameters.
type Tuned struct {
	Space    *tune.Space
	Standing *tune.Standing
	Duels    []tune.Duel
	People   []tune.Person // several voters, of a search that is about all of them

	whose  string // voter that it is about, or voters
	whom   string // what utilities are above those of
	slices []slice
	plane  *plane // nil: there are no two numbers to vary
	path   []pathStep
}

// slice is utility along one parameter through the best point.
type slice struct {
	parameter int
	values    []float64
	utility   []tune.Interval
}

// plane is utility over the two most important numbers, through the best point.
type plane struct {
	x, y   int // parameters
	xs, ys []float64
	mean   [][]float64 // a row a value of y; NaN outside the space
	spread [][]float64 // width of 90 %
	inside [][]bool
}

// pathStep is the best point after some duels, as it is seen after all.
type pathStep struct {
	tune.Step
	gain tune.Interval
}

// How fine charts of a search are.
const (
	slicePoints = 33
	planeCells  = 24
	pathSteps   = 30
)

// NewTuned gathers what charts show. When ctx ends before it is done it returns the error of
// ctx.
func NewTuned(ctx context.Context, s *tune.Search) (*Tuned, error) {
	st, err := s.Standing(ctx, nil)
	if err != nil {
		return nil, err
	}
	t := &Tuned{Space: s.Space, Standing: st, Duels: s.Log.Duels, whom: "the first point"}
	if s.Space.Start != nil {
		t.whom = "the start"
	}
	if st.Reference == nil {
		return nil, fmt.Errorf("report: nothing was answered yet, and there is nothing to show")
	}
	if s.Voter != "" {
		t.whose = " for " + s.Voter
	} else if t.People, err = s.People(ctx, st.Best); err != nil {
		return nil, err
	} else if n := len(t.People); n > 0 {
		t.whose = fmt.Sprintf(" for all %d voters", n)
	}
	worth := func(x tune.Point) (tune.Interval, error) {
		c, err := s.Compare(ctx, x, st.Reference)
		return c.Gain, err
	}
	order := t.byImportance()
	for _, j := range order {
		one := slice{parameter: j}
		for _, v := range s.Space.Parameters[j].Grid(slicePoints) {
			x := slices.Clone(st.Best)
			x[j] = v
			if s.Space.Check(x) != nil {
				continue
			}
			u, err := worth(x)
			if err != nil {
				return nil, err
			}
			one.values, one.utility = append(one.values, v), append(one.utility, u)
		}
		if len(one.values) > 1 {
			t.slices = append(t.slices, one)
		}
	}
	var numbers []int
	for _, j := range order {
		if s.Space.Parameters[j].Numeric() {
			numbers = append(numbers, j)
		}
	}
	if len(numbers) >= 2 {
		if t.plane, err = newPlane(s.Space, st.Best, numbers[0], numbers[1], worth); err != nil {
			return nil, err
		}
	}
	path, err := s.Path(ctx, pathSteps)
	if err != nil {
		return nil, err
	}
	for _, p := range path {
		u, err := worth(p.Best)
		if err != nil {
			return nil, err
		}
		t.path = append(t.path, pathStep{p, u})
	}
	return t, ctx.Err()
}

func newPlane(s *tune.Space, best tune.Point, x, y int, worth func(tune.Point) (tune.Interval, error)) (*plane, error) {
	p := &plane{x: x, y: y, xs: s.Parameters[x].Grid(planeCells), ys: s.Parameters[y].Grid(planeCells)}
	slices.Reverse(p.ys) // rows go from the top
	for _, v := range p.ys {
		mean, spread, inside := make([]float64, len(p.xs)), make([]float64, len(p.xs)), make([]bool, len(p.xs))
		for k, u := range p.xs {
			at := slices.Clone(best)
			at[x], at[y] = u, v
			if s.Check(at) != nil {
				continue
			}
			i, err := worth(at)
			if err != nil {
				return nil, err
			}
			mean[k], spread[k], inside[k] = i.Mean, i.Hi-i.Lo, true
		}
		p.mean, p.spread, p.inside = append(p.mean, mean), append(p.spread, spread), append(p.inside, inside)
	}
	return p, nil
}

// byImportance lists the parameters that vary, the most important first.
func (t *Tuned) byImportance() []int {
	order := t.Space.Varying()
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(t.Standing.Importance[b].Mean, t.Standing.Importance[a].Mean)
	})
	return order
}

// charts are those that there is something to show in.
func (t *Tuned) charts() (charts []*Chart) {
	for _, c := range []*Chart{Slices(t), Plane(t), People(t), Path(t), Importance(t)} {
		if c != nil {
			charts = append(charts, c)
		}
	}
	return charts
}

// TunedHTML writes a report of a search as one file that asks nothing of a network.
func TunedHTML(ctx context.Context, w io.Writer, title, made string, t *Tuned) error {
	st := t.Standing
	var absent []string
	if t.plane == nil {
		absent = []string{"No map of utility: fewer than two parameters are numbers."}
	}
	verdict := "further duels should help"
	if st.Enough {
		verdict = "further duels will not help much"
	}
	headline := fmt.Sprintf("The best point%s is believed to be %s; %s.", t.whose, t.Space.Describe(st.Best), verdict)
	facts := []fact{
		{"Duels", fmt.Sprint(st.Duels), ""},
		{"Better than " + t.whom, chance(st.Over.Better), fmt.Sprintf("by %s (%s to %s), winning %s of duels", fixed(st.Over.Gain.Mean, 2), fixed(st.Over.Gain.Lo, 2), fixed(st.Over.Gain.Hi, 2), chance(st.Over.Wins))},
		{"Regret left", fixed(st.Regret, 2), "the best there is would win " + chance(st.Ideal) + " of duels against it"},
	}
	facts = append(facts, t.compromise()...)
	return writePage(ctx, w, page{Paper: Paper{Title: title, Made: made}, words: in(""), headline: headline, facts: facts, charts: t.charts(), absent: absent})
}
