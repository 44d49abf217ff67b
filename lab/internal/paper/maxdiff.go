package paper

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"palate"
	"palate/internal/num"
	"palate/model"
	"palate/survey"
)

// maxDiffSet is a made-up survey by best and worst of four: how people differ around utilities
// N(0, 1), by a variance of 1.
type maxDiffSet struct {
	name, about          string
	voters, items, tasks int
	factors, segments    int // 0: everybody's own tastes
	next                 int // new people, who are asked by what those before taught
}

func maxDiffSets() []maxDiffSet {
	return []maxDiffSet{
		{name: "own", about: "300 people, 20 items, 12 tasks of 4; tastes of everybody's own", voters: 300, items: 20, tasks: 12},
		{name: "factors", about: "the same, tastes along two factors", voters: 300, items: 20, tasks: 12, factors: 2},
		{name: "segments", about: "the same, three segments of people who are alike", voters: 300, items: 20, tasks: 12, segments: 3},
		{name: "next", about: "100 new people by what a pilot of 100 taught: 20 items, 6 tasks of 4; two factors", voters: 100, items: 20, tasks: 12, factors: 2, next: 100},
		{name: "few", about: "50 people, 10 items, 8 tasks of 4; tastes of everybody's own", voters: 50, items: 10, tasks: 8},
	}
}

// maxDiffWays are how a survey is read, the first being what others are held against.
var maxDiffWays = []struct {
	name string
	fit  func(context.Context, *palate.Dataset) (model.Model, error)
}{
	{"answers", func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
		return model.FitPopulation(ctx, d, &model.PopulationOptions{Whole: true})
	}},
	{"pairs", func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
		return model.FitPopulation(ctx, d, &model.PopulationOptions{Redundancy: palate.Redundancy(d.Votes())})
	}},
	{"aggregate", func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
		return model.FitBradleyTerry(ctx, d, nil)
	}},
}

// maxDiffResult is how each of the ways did in one survey.
type maxDiffResult struct {
	Ways        []string
	Correlation []float64 // of everybody's utilities with the truth, in the mean
	Off         []float64 // by how many points shares are off, in the mean over items
	Held        []float64 // share of everybody's 95 % intervals that hold the truth; −1: there are none
	SharesHeld  []float64 // share of the intervals of shares that hold those of all such people; −1: there are none
	Lost        []float64 // of the reach of the best portfolio of four, by the one that is found
}

// MaxDiff reads surveys in several ways, with a table for each.
func MaxDiff() Study[*MaxDiffTable] { return studyOf(maxDiffSets(), 5, maxDiffSet.table) }

func (s maxDiffSet) described() (name, about string) { return s.name, s.about }

func (s maxDiffSet) table(ctx context.Context, o StudyOptions) (*MaxDiffTable, error) {
	all, err := drawings(o, "maxdiff", s.name, "population", func(rng *rand.Rand) (*maxDiffResult, error) {
		if s.next > 0 {
			return s.after(ctx, rng)
		}
		return s.world(ctx, rng)
	})
	if err != nil {
		return nil, err
	}
	t := &MaxDiffTable{Set: s.name, About: s.about, Surveys: o.Repeats}
	t.add(all)
	return t, nil
}

// people draws what people are like, and returns what draws one of them.
func (s maxDiffSet) people(rng *rand.Rand) func(rng *rand.Rand) []float64 {
	normal := func(n int, rng *rand.Rand) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	mean := normal(s.items, rng)
	var axes, centres [][]float64
	for range s.factors {
		axes = append(axes, normal(s.items, rng))
	}
	for range s.segments {
		centres = append(centres, normal(s.items, rng))
	}
	return func(rng *rand.Rand) []float64 {
		f := slices.Clone(mean)
		switch {
		case s.factors > 0:
			for _, axis := range axes {
				num.Axpy(rng.NormFloat64()/math.Sqrt(float64(s.factors)), axis, f)
			}
		case s.segments > 0:
			num.Axpy(1, centres[rng.IntN(s.segments)], f)
		default:
			num.Axpy(1, normal(s.items, rng), f)
		}
		return f
	}
}

// several draws n people.
func several(n int, person func(rng *rand.Rand) []float64, rng *rand.Rand) (all [][]float64) {
	for range n {
		all = append(all, person(rng))
	}
	return all
}

// builder has the items of a survey.
func (s maxDiffSet) builder() *palate.Builder {
	b := palate.NewBuilder()
	for i := range s.items {
		b.Item(strconv.Itoa(i))
	}
	return b
}

// ask asks somebody of such utilities for the best and the worst of every task.
func (s maxDiffSet) ask(b *palate.Builder, user int, f []float64, tasks [][]int, rng *rand.Rand) (failed error) {
	for _, task := range tasks {
		shown, drawn := slices.Clone(task), make([]float64, s.items)
		for _, i := range shown {
			drawn[i] = f[i] + math.Sqrt(0.5)*rng.NormFloat64()
		}
		slices.SortFunc(shown, func(i, j int) int { return cmp.Compare(drawn[j], drawn[i]) })
		group := b.NewGroup()
		bestAndWorst(shown, func(winner, loser int) {
			failed = cmp.Or(failed, b.Add(palate.Vote{User: b.User(strconv.Itoa(user)), Left: winner, Right: loser, Weight: 1, Group: group, Unsided: true}))
		})
	}
	return failed
}

// world draws people, asks them, and reads what they say.
func (s maxDiffSet) world(ctx context.Context, rng *rand.Rand) (*maxDiffResult, error) {
	person, b := s.people(rng), s.builder()
	asked := several(s.voters, person, rng)
	for u, f := range asked {
		for range s.tasks {
			if err := s.ask(b, u, f, [][]int{rng.Perm(s.items)[:4]}, rng); err != nil {
				return nil, err
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	truth, err := newSurveyTruth(ctx, asked, 0, person, rng)
	if err != nil {
		return nil, err
	}
	r := &maxDiffResult{}
	for _, way := range maxDiffWays {
		m, err := way.fit(ctx, d)
		if err != nil {
			return nil, err
		}
		if err := r.add(ctx, way.name, m, truth); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// after asks new people by what a pilot taught, and evenly.
func (s maxDiffSet) after(ctx context.Context, rng *rand.Rand) (*maxDiffResult, error) {
	person := s.people(rng)
	all := several(s.voters+s.next, person, rng)
	pilot, err := survey.NewDesign(ctx, survey.Plan{Items: s.items, Size: 4, Tasks: s.tasks, Versions: s.voters, Seed: rng.Uint64()})
	if err != nil {
		return nil, err
	}
	plan := survey.Plan{Items: s.items, Size: 4, Tasks: s.tasks / 2, Versions: s.next, Seed: rng.Uint64()}
	first, second := rng.Uint64(), rng.Uint64() // the same noise for all designs
	fit := func(next survey.Design) (model.Model, error) {
		b := s.builder()
		for k, design := range []survey.Design{pilot, next} {
			noise := rand.New(rand.NewPCG(first, second))
			for v, tasks := range design {
				if err := s.ask(b, k*s.voters+v, all[k*s.voters+v], tasks, noise); err != nil {
					return nil, err
				}
			}
		}
		d, err := b.Build()
		if err != nil {
			return nil, err
		}
		return maxDiffWays[0].fit(ctx, d)
	}
	taught, err := fit(nil)
	if err != nil {
		return nil, err
	}
	adapted, err := survey.Adapt(ctx, taught, plan)
	if err != nil {
		return nil, err
	}
	balanced, err := survey.NewDesign(ctx, plan)
	if err != nil {
		return nil, err
	}
	truth, err := newSurveyTruth(ctx, all[s.voters:], s.voters, person, rng)
	if err != nil {
		return nil, err
	}
	r := &maxDiffResult{}
	for k, next := range []survey.Design{adapted, balanced} {
		m, err := fit(next)
		if err != nil {
			return nil, err
		}
		if err := r.add(ctx, []string{"adaptive", "balanced"}[k], m, truth); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// MaxDiffTable is how ways to read a survey did.
type MaxDiffTable struct {
	Set     string       `json:"set"`
	About   string       `json:"about"`
	Surveys int          `json:"surveys"`
	Rows    []MaxDiffRow `json:"rows"`
}

// MaxDiffRow is how one way did, in the mean over surveys; differences to the first are paired.
type MaxDiffRow struct {
	Way         string   `json:"way"`
	Correlation float64  `json:"correlation"`
	Less        float64  `json:"less"` // than the first
	LessError   float64  `json:"less_error"`
	Off         float64  `json:"shares_off"`
	Held        *float64 `json:"held,omitempty"`
	SharesHeld  *float64 `json:"shares_held,omitempty"`
	Lost        float64  `json:"reach_lost"`
}

func (t *MaxDiffTable) add(all []*maxDiffResult) {
	mean := func(of func(*maxDiffResult) float64) (float64, float64) { return meanOver(all, of) }
	for k, way := range all[0].Ways {
		row := MaxDiffRow{Way: way}
		row.Correlation, _ = mean(func(r *maxDiffResult) float64 { return r.Correlation[k] })
		row.Less, row.LessError = mean(func(r *maxDiffResult) float64 { return r.Correlation[0] - r.Correlation[k] })
		row.Off, _ = mean(func(r *maxDiffResult) float64 { return r.Off[k] })
		row.Lost, _ = mean(func(r *maxDiffResult) float64 { return r.Lost[k] })
		if held, _ := mean(func(r *maxDiffResult) float64 { return r.Held[k] }); held >= 0 {
			row.Held = &held
		}
		if held, _ := mean(func(r *maxDiffResult) float64 { return r.SharesHeld[k] }); held >= 0 {
			row.SharesHeld = &held
		}
		t.Rows = append(t.Rows, row)
	}
}

// WriteText writes the table for people.
func (t *MaxDiffTable) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s; %d surveys\n", t.Set, t.About, t.Surveys)
	for _, r := range t.Rows {
		fmt.Fprintf(&s, "  %-9s  correlation %.3f, less by %+.4f (%.4f)  shares off by %.2f points  reach lost %.3f", r.Way, r.Correlation, r.Less, r.LessError, r.Off, r.Lost)
		if r.Held != nil {
			fmt.Fprintf(&s, "  intervals hold %.3f, of shares %.3f", *r.Held, *r.SharesHeld)
		}
		s.WriteByte('\n')
	}
	_, err := io.WriteString(w, s.String()+"\n")
	return err
}
