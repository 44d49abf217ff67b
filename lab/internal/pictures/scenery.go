package pictures

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"palate"
	"palate/compare"
	"palate/evaluate"
	"palate/model"
	"palate/report"
)

// scenery is what there is to be drawn of some made-up votes.
type scenery struct {
	votes *palate.Dataset
	model model.Model
	board *model.Board
	held  *report.Held
	fit   *report.Fit
	rng   *rand.Rand
}

// itemName and voterName are names as people give them: short ones, long ones, and such that
// differ at their ends or in their middle.
func itemName(i int) string {
	return []string{
		fmt.Sprintf("a-large-language-model-v%d-instruct-preview", i+1), fmt.Sprintf("Tea %d", i+1), fmt.Sprintf("Essay %d about the sea and the people who live beside it", i+1),
		fmt.Sprintf("Crème de la crème nº %d", i+1), fmt.Sprintf("%d", 1000+i), fmt.Sprintf("gpt-%d-turbo", i+1),
	}[i%6]
}

func voterName(u int) string {
	return []string{fmt.Sprintf("voter-%d", u+1), fmt.Sprintf("anna.maria.%d@example.org", u+1), fmt.Sprintf("N%d", u+1)}[u%3]
}

// newScenery makes votes about n items, and a crowd of them.
func newScenery(ctx context.Context, n int, seed uint64) (*scenery, error) {
	drawn, _, err := model.Simulate(ctx, model.SimulateOptions{Model: "crowd", Items: n, Users: max(20, n/3), Votes: 40 * n, Factors: 2, Taste: 1.2, Spread: 1.3, Ties: 0.1, Seed: seed})
	if err != nil {
		return nil, err
	}
	s := &scenery{rng: rand.New(rand.NewPCG(seed, uint64(n)))}
	b := palate.NewBuilder()
	start := time.Date(2024, 3, 5, 9, 0, 0, 0, time.UTC)
	for k, v := range drawn.Votes() {
		v.Left, v.Right, v.User = b.Item(itemName(v.Left)), b.Item(itemName(v.Right)), b.User(voterName(v.User))
		v.Time = start.Add(time.Duration(k) * 3 * time.Hour)
		if err := b.Add(v); err != nil {
			return nil, err
		}
	}
	if s.votes, err = b.Build(); err != nil {
		return nil, err
	}
	crowd, err := model.FitCrowd(ctx, s.votes, &model.CrowdOptions{Tastes: model.FactorTastes, Factors: 3, Habits: true})
	if err != nil {
		return nil, err
	}
	s.model = crowd
	if s.board, err = model.NewBoard(ctx, crowd, -1, nil); err != nil {
		return nil, err
	}
	f := crowd.Fit()
	s.fit = &report.Fit{Model: crowd.Name(), Items: n, Votes: f.Votes, Ties: f.Ties, Voters: s.votes.NumUsers(), Objective: f.Objective, Kind: f.Kind, Rule: f.Rule, Status: "converged"}
	return s, s.hold(ctx)
}

// hold holds votes out from the simplest methods.
func (s *scenery) hold(ctx context.Context) error {
	folds, err := evaluate.Split(s.votes, nil)
	if err != nil {
		return err
	}
	methods := evaluate.Yardsticks()
	slices.Reverse(methods) // the best is last
	r, err := evaluate.Run(ctx, s.votes, folds, methods, &evaluate.Options{Resamples: 50, Bins: 10})
	if err != nil {
		return err
	}
	s.held = &report.Held{Parts: len(folds), Result: r}
	for k := range r.Scores {
		s.held.Lessons = append(s.held.Lessons, report.Lesson{Votes: 50 * math.Pow(8, float64(k)), Score: r.Scores[len(r.Scores)-1-k]})
	}
	return nil
}

func (s *scenery) page() *report.Page {
	return &report.Page{
		Paper: report.Paper{Title: "Everything we taste and test", Subtitle: "Made up, to be looked at", Made: "lab pictures"},
		Model: s.model, User: -1, Board: s.board, Options: report.Options{Fit: s.fit}, Held: s.held, Per: s.breakdown(),
		First: s.votes.Vote(0).Time, Last: s.votes.Vote(s.votes.NumVotes() - 1).Time,
	}
}

// charts are all that reports have.
func (s *scenery) charts(ctx context.Context) ([]*report.Chart, error) {
	matrix, err := report.Matrix(ctx, s.model, -1, s.board, report.Options{})
	if err != nil {
		return nil, err
	}
	t, err := report.NewTastes(ctx, s.model)
	if err != nil {
		return nil, err
	}
	traits, err := report.Traits(ctx, s.model, 0.95, report.Options{})
	if err != nil {
		return nil, err
	}
	tuned, err := s.search(ctx)
	if err != nil {
		return nil, err
	}
	all, err := s.surveyed(ctx)
	if err != nil {
		return nil, err
	}
	t.Segments = s.segments() // so that the map has their colours
	t.Segment = make([]int, len(t.Voters))
	for u := range t.Segment {
		t.Segment[u] = u % len(t.Segments.Segments)
	}
	judged := s.judged()
	for _, c := range []*report.Chart{
		report.Leaderboard(s.board, report.Options{}), matrix, report.Reliability(s.held), report.Learning(s.held), report.Trajectories(s.course(), report.Options{}),
		report.Voters(t), report.Loadings(t), report.Disagreement(t), traits,
		report.Categories(s.breakdown(), report.Options{}), report.Changes(s.change(), report.Options{}), report.Leads(s.pairs(), report.Options{}),
		report.Dependence(s.dependences(), 0.95, report.Options{}), report.Segments(t.Segments, report.Options{}),
		report.Slices(tuned), report.Plane(tuned), report.Path(tuned), report.Importance(tuned), report.People(tuned),
		report.Scripts(judged, report.Options{}), report.GradeChances(judged, report.Options{}), report.Judges(judged, report.Options{}),
	} {
		if c != nil {
			all = append(all, c)
		}
	}
	return all, nil
}

// rows are those of the board.
func (s *scenery) rows() []model.BoardRow { return s.board.Groups[0].Rows }

// course is a walk of every item to its score.
func (s *scenery) course() *model.Trajectories {
	c := &model.Trajectories{Level: 0.95, Unit: "month"}
	for t := range 18 {
		c.Labels = append(c.Labels, time.Date(2023, time.Month(1+t), 1, 0, 0, 0, 0, time.UTC).Format("2006-01"))
	}
	for _, r := range s.rows() {
		p := model.Path{Item: r.Item, ID: r.ID}
		x := r.Score + 0.5*s.rng.NormFloat64()
		for range c.Labels {
			x += 0.2*(r.Score-x) + 0.1*s.rng.NormFloat64()
			p.Score, p.Lo, p.Hi = append(p.Score, x), append(p.Lo, x-2*r.SD), append(p.Hi, x+2*r.SD)
		}
		c.Items = append(c.Items, p)
	}
	return c
}

// breakdown moves the board a little for every category.
func (s *scenery) breakdown() *report.Breakdown {
	b := &report.Breakdown{Breakdown: &compare.Breakdown{Overall: s.board, Level: 0.95}, Columns: []string{"language"}}
	for k, name := range []string{"English", "German", "French", "Spanish", "Japanese", "Traditional Chinese", "Portuguese (Brazil)", "Hindi", "Arabic", "Swahili"} {
		b.Categories = append(b.Categories, compare.Category{Name: name, Votes: float64(900 - 80*k), Board: s.board})
		for _, r := range s.rows() {
			x := 0.4 * s.rng.NormFloat64()
			b.Departures = append(b.Departures, compare.Departure{Category: name, ID: r.ID, Difference: x, Lo: x - 0.5, Hi: x + 0.5, Above: 0.5 + 0.4*math.Tanh(x), Sure: math.Abs(x) > 0.9})
		}
	}
	return b
}

// change moves every item a little.
func (s *scenery) change() *report.Change {
	c := &report.Change{Change: &compare.Change{Level: 0.95}, First: "may.csv", Second: "june.csv", Still: -1}
	for k, r := range s.rows() {
		x := 1.5 * math.Exp(-float64(k)/8) * []float64{1, -1}[k%2]
		c.Moves = append(c.Moves, compare.Move{ID: r.ID, Before: r.Score, After: r.Score + x, RankBefore: r.Rank, RankAfter: r.Rank, Difference: x, Lo: x - 2*r.SD, Hi: x + 2*r.SD, Rose: 0.5 + 0.5*math.Tanh(x), Sure: math.Abs(x) > 3*r.SD})
	}
	return c
}

// pairs are neighbours on the board.
func (s *scenery) pairs() *report.Comparison {
	c := &report.Comparison{ID: s.model.ItemID, Level: 0.95}
	rows := s.rows()
	for k := 1; k < len(rows); k++ {
		a, b := rows[k-1], rows[k]
		x, sd := a.Score-b.Score, math.Hypot(a.SD, b.SD)
		c.Pairs = append(c.Pairs, compare.Pair{A: a.Item, B: b.Item, Comparable: true, Difference: x, Lo: x - 2*sd, Hi: x + 2*sd, Better: 0.5 + 0.5*math.Erf(x/sd/math.Sqrt2), Wins: 0.55, More: k % 4})
	}
	return c
}
