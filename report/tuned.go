package report

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"palate/tune"
)

// Tuned is what charts show of a search of a space of parameters.
type Tuned struct {
	Space    *tune.Space
	Standing *tune.Standing
	Duels    []tune.Duel
	People   []tune.Person // several voters, of a search that is about all of them

	// Language is that of charts and pages, of Languages; empty: English.
	Language string

	voter  string // whom it is about; empty: all
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
	t := &Tuned{Space: s.Space, Standing: st, Duels: s.Log.Duels, voter: s.Voter}
	if st.Reference == nil {
		return nil, fmt.Errorf("report: nothing was answered yet, and there is nothing to show")
	}
	if s.Voter == "" {
		if t.People, err = s.People(ctx, st.Best); err != nil {
			return nil, err
		}
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

// believed is how much of what is believed intervals of a search hold.
const believed = 0.9

// within writes an interval.
func (s speech) within(i tune.Interval) string { return s.span(i.Lo, i.Hi, 2) }

// value says a value of a parameter: a word as it is, a number as the language writes it.
func (s speech) value(p *tune.Parameter, v float64, digits int) string {
	text := p.Format(v, digits)
	if p.Numeric() {
		text = strings.Replace(strings.Replace(text, "-", "−", 1), ".", s.Say("number-point"), 1)
	}
	return text
}

// point says where a point is.
func (s speech) point(space *tune.Space, x tune.Point) string {
	var words []string
	for _, j := range space.Varying() {
		p := &space.Parameters[j]
		words = append(words, label(p.Name)+" "+label(s.value(p, x[j], 4)))
	}
	return strings.Join(words, s.Say("comma"))
}

// zero names the point that utilities are compared with.
func (t *Tuned) zero() string {
	if t.Space.Start != nil {
		return in(t.Language).Say("tuned-start")
	}
	return in(t.Language).Say("tuned-first")
}

// headline says in two sentences which point is held to be best, and whether to go on.
func (t *Tuned) headline() string {
	w, st := in(t.Language), t.Standing
	best := w.point(t.Space, st.Best)
	text := w.Say("tuned-best", best)
	switch {
	case t.voter != "":
		text = w.Say("tuned-best-for", label(t.voter), best)
	case len(t.People) > 0:
		text = w.Say("tuned-best-all", w.Count(len(t.People)), best)
	}
	if st.Enough {
		return text + " " + w.Say("duels-enough", w.Chance(st.Ideal))
	}
	return text + " " + w.Say("duels-help", w.Chance(st.Ideal))
}

// TunedHTML writes a report of a search as one file that asks nothing of a network.
func TunedHTML(ctx context.Context, out io.Writer, p Paper, t *Tuned) error {
	w, st := in(t.Language), t.Standing
	var absent []string
	if t.plane == nil {
		absent = []string{w.Say("tuned-no-plane")}
	}
	over := st.Over
	facts := []fact{
		{Name: w.Say("chart-duels"), Value: w.Count(st.Duels)},
		{Name: w.Say("tuned-better", t.zero()), Value: w.Chance(over.Better), More: w.Say("tuned-better-more", w.fixed(over.Gain.Mean, 2), w.within(over.Gain), w.Chance(over.Wins))},
		{Name: w.Say("tuned-regret"), Value: w.fixed(st.Regret, 2), More: w.Say("tuned-regret-more")},
	}
	facts = append(facts, t.compromise()...)
	return writePage(ctx, out, page{Paper: p, words: w, headline: t.headline(), facts: facts, charts: t.charts(), absent: absent})
}
