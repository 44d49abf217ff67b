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
)

// answersSet are worlds in which people give answers of a kind, or people who did.
type answersSet struct {
	name, about string
	count, k    int                                    // answers, and items of each
	said        func(order []int, vote func(a, b int)) // the pairs that follow from an order
	sushi       int                                    // places of SUSHI rankings that are learnt from; 0: none
	stars       bool                                   // answers are ratings of k items each
}

// answersItems is the number of items of made-up worlds, with utilities N(0, 1).
const answersItems = 20

func answersSets() []answersSet {
	all := []answersSet{
		{name: "rankings", about: "50 rankings of 5 of 20 items", count: 50, k: 5, said: firstPlaces(5)},
		{name: "choices", about: "100 choices of one of 6 of 20 items", count: 100, k: 6, said: firstPlaces(1)},
		{name: "best-worst", about: "the best and the worst of 4 of 20 items, 100 times", count: 100, k: 4, said: bestAndWorst},
		{name: "ratings", about: "ratings from 1 to 5 of 8 of 20 items by each of 50 people, who differ in scale", count: 50, k: 8, stars: true},
	}
	return append(all, sushiSets()...)
}

// firstPlaces are the pairs that follow from the first places of an order, others below.
func firstPlaces(n int) func([]int, func(a, b int)) {
	return func(order []int, vote func(a, b int)) {
		for i, winner := range order[:min(n, len(order))] {
			for _, loser := range order[i+1:] {
				vote(winner, loser)
			}
		}
	}
}

// bestAndWorst are those that follow from the best and the worst.
func bestAndWorst(order []int, vote func(a, b int)) {
	last := len(order) - 1
	for i := 1; i <= last; i++ {
		vote(order[0], order[i])
	}
	for _, i := range order[1:last] {
		vote(i, order[last])
	}
}

// answersWay is how answers are read.
type answersWay struct {
	name string
	fit  func(context.Context, *palate.Dataset) (model.Model, error)
	than int // the way that it is held against
}

// answersWays are those of all answers, the first being what others are held against.
var answersWays = []answersWay{
	{name: "answers", fit: func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
		if d.HasRatings() {
			return model.FitRated(ctx, d, nil)
		}
		return model.FitSingle(ctx, d, &model.Options{Whole: true})
	}},
	{name: "weighed pairs", fit: func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
		return model.FitSingle(ctx, d.Tempered(), nil)
	}},
	{name: "pairs", fit: func(ctx context.Context, d *palate.Dataset) (model.Model, error) {
		return model.FitSingle(ctx, d, nil)
	}},
}

// answersResult is how each of the ways did in one world.
type answersResult struct {
	Held  []float64 // share of 95 % intervals that hold the truth; none where it is not known
	Loss  []float64 // cross-entropy of a pair, above that of the truth where that is known
	Width []float64 // of intervals, in the mean
}

// Answers learns from answers in several ways, with a table for every kind.
func Answers() Study[*AnswersTable] {
	return studyOf(answersSets(), 40, answersSet.table).beside(choixProgram)
}

func (s answersSet) described() (name, about string) { return s.name, s.about }

func (s answersSet) table(ctx context.Context, o StudyOptions) (*AnswersTable, error) {
	ways, who, draw := answersWays, "single", func(rng *rand.Rand) (*answersResult, error) { return s.world(ctx, rng) }
	if s.sushi > 0 {
		people, _, err := LoadSushi(o.Folder)
		if err != nil {
			return nil, err
		}
		ways = sushiWays(o.peer)
		who = wayNames(ways)
		draw = func(rng *rand.Rand) (*answersResult, error) { return s.people(ctx, people, ways, o.peer, rng) }
	}
	all, err := drawings(o, "answers", s.name, who, draw)
	if err != nil {
		return nil, err
	}
	t := &AnswersTable{Set: s.name, About: s.about, Worlds: o.Repeats}
	t.add(ways, all)
	return t, nil
}

// wayNames are those of ways.
func wayNames(ways []answersWay) string {
	var names []string
	for _, w := range ways {
		names = append(names, w.name)
	}
	return strings.Join(names, ", ")
}

// world draws a world, and answers of people in it.
func (s answersSet) world(ctx context.Context, rng *rand.Rand) (*answersResult, error) {
	f, level := make([]float64, answersItems), 0.0
	for i := range f {
		f[i] = rng.NormFloat64()
		level += f[i] / answersItems
	}
	var orders [][]int
	if s.stars {
		whole, pairs, err := s.rated(f, rng)
		if err != nil {
			return nil, err
		}
		return judgedBy(ctx, f, level, whole, pairs, pairs)
	}
	for range s.count {
		order := rng.Perm(answersItems)[:s.k]
		u := map[int]float64{}
		for _, i := range order {
			u[i] = f[i] + math.Sqrt(0.5)*rng.NormFloat64()
		}
		slices.SortFunc(order, func(i, j int) int { return cmp.Compare(u[j], u[i]) })
		orders = append(orders, order)
	}
	d, err := s.votes(answersItems, orders)
	if err != nil {
		return nil, err
	}
	return judgedBy(ctx, f, level, d, d, d)
}

// judgedBy is how the ways do on what each of them reads, where utilities are f around a level.
func judgedBy(ctx context.Context, f []float64, level float64, reads ...*palate.Dataset) (*answersResult, error) {
	r := &answersResult{}
	for k, way := range answersWays {
		m, err := way.fit(ctx, reads[k])
		if err != nil {
			return nil, err
		}
		board, err := model.NewBoard(ctx, m, -1, nil)
		if err != nil {
			return nil, err
		}
		var held, width, loss float64
		for _, g := range board.Groups {
			for _, row := range g.Rows {
				if x := f[row.Item] - level; row.Lo <= x && x <= row.Hi {
					held += 1.0 / answersItems
				}
				width += (row.Hi - row.Lo) / answersItems
			}
		}
		for i := range f {
			for j := range i {
				p, q := m.Prefer(-1, i, j), num.Phi(f[i]-f[j])
				loss += (q*math.Log(q/p) + (1-q)*math.Log((1-q)/(1-p))) / (answersItems * (answersItems - 1) / 2)
			}
		}
		r.Held, r.Width, r.Loss = append(r.Held, held), append(r.Width, width), append(r.Loss, loss)
	}
	return r, nil
}

// votes returns what follows from orders, one answer each.
func (s answersSet) votes(items int, orders [][]int) (*palate.Dataset, error) {
	b := palate.NewBuilder()
	for i := range items {
		b.Item(strconv.Itoa(i))
	}
	var failed error
	for _, order := range orders {
		group := b.NewGroup()
		s.said(order, func(winner, loser int) {
			failed = cmp.Or(failed, b.Add(palate.Vote{User: -1, Left: winner, Right: loser, Weight: 1, Group: group, Unsided: true}))
		})
	}
	if failed != nil {
		return nil, failed
	}
	return b.Build()
}

// AnswersTable is how ways to read answers of a kind did.
type AnswersTable struct {
	Set    string       `json:"set"`
	About  string       `json:"about"`
	Worlds int          `json:"worlds"`
	Rows   []AnswersRow `json:"rows"`
}

// AnswersRow is how one way did, in the mean over worlds, with standard errors.
type AnswersRow struct {
	Way        string  `json:"way"`
	Held       float64 `json:"held"`
	HeldError  float64 `json:"held_error"`
	Width      float64 `json:"width"`
	Loss       float64 `json:"loss"`
	LossError  float64 `json:"loss_error"`
	Than       string  `json:"than"`
	Worse      float64 `json:"worse"` // than that, paired
	WorseError float64 `json:"worse_error"`
	known      bool    // the truth is
}

func (t *AnswersTable) add(ways []answersWay, all []*answersResult) {
	for k, way := range ways {
		row := AnswersRow{Way: way.name, Than: ways[way.than].name, known: len(all[0].Held) > 0}
		if row.known {
			row.Held, row.HeldError = meanOver(all, func(r *answersResult) float64 { return r.Held[k] })
			row.Width, _ = meanOver(all, func(r *answersResult) float64 { return r.Width[k] })
		}
		row.Loss, row.LossError = meanOver(all, func(r *answersResult) float64 { return r.Loss[k] })
		row.Worse, row.WorseError = meanOver(all, func(r *answersResult) float64 { return r.Loss[k] - r.Loss[way.than] })
		t.Rows = append(t.Rows, row)
	}
}

// WriteText writes the table for people.
func (t *AnswersTable) WriteText(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s; %d repeats\n", t.Set, t.About, t.Worlds)
	for _, r := range t.Rows {
		fmt.Fprintf(&s, "  %-17s", r.Way)
		if r.known {
			fmt.Fprintf(&s, "  intervals hold %.3f (%.3f), %.2f wide", r.Held, r.HeldError, r.Width)
		}
		fmt.Fprintf(&s, "  loss %.4f (%.4f)  worse than %s by %+.4f (%.4f)\n", r.Loss, r.LossError, r.Than, r.Worse, r.WorseError)
	}
	_, err := io.WriteString(w, s.String()+"\n")
	return err
}
