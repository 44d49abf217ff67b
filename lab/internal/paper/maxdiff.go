package paper

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

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
}

func maxDiffSets() []maxDiffSet {
	return []maxDiffSet{
		{name: "own", about: "300 people, 20 items, 12 tasks of 4; tastes of everybody's own", voters: 300, items: 20, tasks: 12},
		{name: "factors", about: "the same, tastes along two factors", voters: 300, items: 20, tasks: 12, factors: 2},
		{name: "segments", about: "the same, three segments of people who are alike", voters: 300, items: 20, tasks: 12, segments: 3},
		{name: "few", about: "50 people, 10 items, 8 tasks of 4; tastes of everybody's own", voters: 50, items: 10, tasks: 8},
	}
}

// MaxDiffSets lists the surveys.
func MaxDiffSets() []string {
	return namesOf(maxDiffSets(), func(s maxDiffSet) string { return s.name })
}

// MaxDiffAbout describes them, a line each.
func MaxDiffAbout() []string {
	return about(maxDiffSets(), func(s maxDiffSet) (string, string) { return s.name, s.about })
}

// CheckMaxDiff says what is wrong with the options.
func CheckMaxDiff(o StudyOptions) error { return o.check(MaxDiffSets(), nil) }

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
	Correlation []float64 // of everybody's utilities with the truth, in the mean
	Off         []float64 // by how many points shares are off, in the mean over items
	Held        []float64 // share of everybody's 95 % intervals that hold the truth; −1: there are none
	Lost        []float64 // of the reach of the best portfolio of four, by the one that is found
}

// RunMaxDiff reads surveys in several ways, and yields a table for each.
func RunMaxDiff(ctx context.Context, o StudyOptions) iter.Seq2[*MaxDiffTable, error] {
	o.Repeats = o.repeats(5)
	return tables(maxDiffSets(), func(s maxDiffSet) bool { return o.asks(s.name) }, func(s maxDiffSet) (*MaxDiffTable, error) {
		all, err := drawings(o, "maxdiff", s.name, "population", func(rng *rand.Rand) (*maxDiffResult, error) { return s.world(ctx, rng) })
		if err != nil {
			return nil, err
		}
		t := &MaxDiffTable{Set: s.name, About: s.about, Surveys: o.Repeats}
		t.add(all)
		return t, nil
	})
}

// people draws utilities of everybody.
func (s maxDiffSet) people(rng *rand.Rand) [][]float64 {
	normal := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	mean := normal(s.items)
	var axes, centres [][]float64
	for range s.factors {
		axes = append(axes, normal(s.items))
	}
	for range s.segments {
		centres = append(centres, normal(s.items))
	}
	out := make([][]float64, s.voters)
	for u := range out {
		f := slices.Clone(mean)
		switch {
		case s.factors > 0:
			for _, axis := range axes {
				num.Axpy(rng.NormFloat64()/math.Sqrt(float64(s.factors)), axis, f)
			}
		case s.segments > 0:
			num.Axpy(1, centres[rng.IntN(s.segments)], f)
		default:
			num.Axpy(1, normal(s.items), f)
		}
		out[u] = f
	}
	return out
}

// world draws people, asks them, and reads what they say.
func (s maxDiffSet) world(ctx context.Context, rng *rand.Rand) (*maxDiffResult, error) {
	truth := s.people(rng)
	b := palate.NewBuilder()
	for i := range s.items {
		b.Item(strconv.Itoa(i))
	}
	for u, f := range truth {
		user := b.User(strconv.Itoa(u))
		for range s.tasks {
			shown, drawn := rng.Perm(s.items)[:4], make([]float64, s.items)
			for _, i := range shown {
				drawn[i] = f[i] + math.Sqrt(0.5)*rng.NormFloat64()
			}
			slices.SortFunc(shown, func(i, j int) int { return cmp.Compare(drawn[j], drawn[i]) })
			group := b.NewGroup()
			var failed error
			bestAndWorst(shown, func(winner, loser int) {
				failed = cmp.Or(failed, b.Add(palate.Vote{User: user, Left: winner, Right: loser, Weight: 1, Group: group, Unsided: true}))
			})
			if failed != nil {
				return nil, failed
			}
		}
	}
	d, err := b.Build()
	if err != nil {
		return nil, err
	}
	share, likes := trueShares(truth, rng), make([][]int, s.voters)
	users := make([]int, s.voters)
	for u, f := range truth {
		users[u], likes[u] = u, survey.Best(f, 1)
	}
	reach := survey.NewReach(s.items, likes)
	best, err := reach.Portfolio(ctx, 4, nil)
	if err != nil {
		return nil, err
	}
	r := &maxDiffResult{}
	for _, way := range maxDiffWays {
		m, err := way.fit(ctx, d)
		if err != nil {
			return nil, err
		}
		voters, found, err := surveyOf(ctx, m, users)
		if err != nil {
			return nil, err
		}
		var correlation, held float64
		got := make([]float64, s.items)
		for u, v := range voters {
			level := stat.Mean(truth[u], nil)
			correlation += stat.Correlation(v.Score, truth[u], nil) / float64(s.voters)
			for i := range got {
				got[i] += v.Share[i] / float64(s.voters)
				if v.Lo == nil {
					held = -1
				} else if x := truth[u][i] - level; v.Lo[i] <= x && x <= v.Hi[i] {
					held += 1 / float64(s.voters*s.items)
				}
			}
		}
		var off float64
		for i, x := range share {
			off += math.Abs(got[i]-x) / float64(s.items)
		}
		r.Correlation, r.Held, r.Off = append(r.Correlation, correlation), append(r.Held, held), append(r.Off, off)
		r.Lost = append(r.Lost, 1-reach.Of(found).Reach/best.Reach)
	}
	return r, nil
}

// surveyOf is what a model says of voters, and the portfolio of four that it finds. A model of
// strengths says the same of all: shares by their logit, and the four that are strongest.
func surveyOf(ctx context.Context, m model.Model, users []int) ([]survey.Voter, []int, error) {
	if m.NumUsers() > 0 {
		voters, err := survey.Voters(ctx, m, users, nil, nil)
		if err != nil {
			return nil, nil, err
		}
		reach, err := survey.Reaching(ctx, m, users, nil)
		if err != nil {
			return nil, nil, err
		}
		p, err := reach.Portfolio(ctx, 4, nil)
		if err != nil {
			return nil, nil, err
		}
		return voters, p.Items, nil
	}
	score, share := make([]float64, m.NumItems()), make([]float64, m.NumItems())
	for i := range score {
		score[i], _ = m.Utility(-1, i)
	}
	total := num.LogSumExp(score)
	for i, x := range score {
		share[i] = 100 * math.Exp(x-total)
	}
	return slices.Repeat([]survey.Voter{{Score: score, Share: share}}, len(users)), survey.Best(score, 4), nil
}

// trueShares are the shares of people's choices from among all items, in percent.
func trueShares(truth [][]float64, rng *rand.Rand) []float64 {
	const times = 2000
	share := make([]float64, len(truth[0]))
	u := make([]float64, len(share))
	for _, f := range truth {
		for range times {
			for i, x := range f {
				u[i] = x + math.Sqrt(0.5)*rng.NormFloat64()
			}
			share[survey.Best(u, 1)[0]] += 100 / float64(times*len(truth))
		}
	}
	return share
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
	Lost        float64  `json:"reach_lost"`
}

func (t *MaxDiffTable) add(all []*maxDiffResult) {
	mean := func(of func(*maxDiffResult) float64) (float64, float64) { return meanOver(all, of) }
	for k, way := range maxDiffWays {
		row := MaxDiffRow{Way: way.name}
		row.Correlation, _ = mean(func(r *maxDiffResult) float64 { return r.Correlation[k] })
		row.Less, row.LessError = mean(func(r *maxDiffResult) float64 { return r.Correlation[0] - r.Correlation[k] })
		row.Off, _ = mean(func(r *maxDiffResult) float64 { return r.Off[k] })
		row.Lost, _ = mean(func(r *maxDiffResult) float64 { return r.Lost[k] })
		if held, _ := mean(func(r *maxDiffResult) float64 { return r.Held[k] }); held >= 0 {
			row.Held = &held
		}
		t.Rows = append(t.Rows, row)
	}
}

// WriteJSON writes the table as one object.
func (t *MaxDiffTable) WriteJSON(w io.Writer) error { return writeLines(w, t) }

// WriteText writes the table for people.
func (t *MaxDiffTable) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s; %d surveys\n", t.Set, t.About, t.Surveys)
	for _, r := range t.Rows {
		fmt.Fprintf(&s, "  %-9s  correlation %.3f, less by %+.4f (%.4f)  shares off by %.2f points  reach lost %.3f", r.Way, r.Correlation, r.Less, r.LessError, r.Off, r.Lost)
		if r.Held != nil {
			fmt.Fprintf(&s, "  intervals hold %.3f", *r.Held)
		}
		s.WriteByte('\n')
	}
	_, err := io.WriteString(w, s.String()+"\n")
	return err
}
