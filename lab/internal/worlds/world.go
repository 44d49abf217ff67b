package worlds

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"palate"
	"palate/internal/num"
	"palate/kernel"
)

// World is a made-up truth, and how votes come about in it.
type World struct {
	Set   string // the kind of world it is, such as voters
	Name  string // set/name, or the set alone where it has one world
	About string
	// Clean reports whether all that a model of one utility assumes holds: utilities that
	// stay, and votes that are independent given them.
	Clean bool
	// Personal reports whether it asks what each voter would say.
	Personal bool
	draw     func(ctx context.Context, rng *rand.Rand) (*Drawn, error)
}

// Draw draws the truth, and votes on it. It fails only when ctx ends.
func (w World) Draw(ctx context.Context, rng *rand.Rand) (*Drawn, error) { return w.draw(ctx, rng) }

// Drawn is what a world drew.
type Drawn struct {
	Votes *palate.Dataset
	// Target are the utilities that a board is held to, and Chance is that of a over b when
	// somebody new decides between them; nil where people are asked about.
	Target []float64
	Chance func(a, b int) float64
	Asked  []Question       // of people, and of items with features
	Links  *kernel.Graph    // between items; nil: there are none
	Later  *palate.Features // of items that have no votes, numbered after those that do; nil: there are none
}

// Question is one to a voter, with the true chance that left is picked.
type Question struct {
	User, Left, Right int
	Chance            float64
}

// All are the worlds of boards, then those of people and of many items. Those of Features are
// apart: the questions they ask are for other models.
func All() []World { return slices.Concat(Boards(), People(), PeopleOfSizes(), Categories(), Many()) }

// Boards are the worlds that ask for one ranking.
func Boards() (all []World) {
	for _, more := range [][]World{coins(), scales(), voters(), unbalanced(), sides(), contexts(), drifts(), cycles(), ties(), adaptive()} {
		all = append(all, more...)
	}
	return all
}

// always is a world that draws without failing.
func always(set, name, about string, clean bool, draw func(rng *rand.Rand) *Drawn) World {
	if name != "" {
		name = "/" + name
	}
	return World{Set: set, Name: set + name, About: about, Clean: clean, draw: func(ctx context.Context, rng *rand.Rand) (*Drawn, error) {
		return draw(rng), ctx.Err()
	}}
}

// vote is one answer of a voter, whose number is negative where votes have no names.
type vote struct {
	user, left, right int
	outcome           palate.Outcome
}

// cast makes votes of n items a dataset, one cast a minute.
func cast(n, voters int, votes []vote) *palate.Dataset { return castWith(n, voters, votes, nil) }

// castWith is cast of items with features.
func castWith(n, voters int, votes []vote, f *palate.Features) *palate.Dataset {
	b := palate.NewBuilder()
	b.SetItemFeatures(f)
	for i := range n {
		b.Item("item" + strconv.Itoa(i))
	}
	for u := range voters {
		b.User("voter" + strconv.Itoa(u))
	}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for k, v := range votes {
		if err := b.Add(palate.Vote{User: v.user, Left: v.left, Right: v.right, Outcome: v.outcome, Weight: 1, Time: start.Add(time.Duration(k) * time.Minute)}); err != nil {
			panic(err) // all items and voters are known
		}
	}
	d, err := b.Build()
	if err != nil {
		panic(err)
	}
	return d
}

// pair draws two of n items, in random order.
func pair(n int, rng *rand.Rand) (a, b int) {
	a = rng.IntN(n)
	return a, (a + 1 + rng.IntN(n-1)) % n
}

// answer is left with a chance.
func answer(chance float64, rng *rand.Rand) palate.Outcome {
	if rng.Float64() < chance {
		return palate.Left
	}
	return palate.Right
}

// normal draws n utilities N(0, sd²).
func normal(n int, sd float64, rng *rand.Rand) []float64 {
	u := make([]float64, n)
	for i := range u {
		u[i] = sd * rng.NormFloat64()
	}
	return u
}

// probit is the chance of each pair by utilities in units of the noise of a vote.
func probit(u []float64) func(a, b int) float64 {
	return func(a, b int) float64 { return num.Phi(u[a] - u[b]) }
}
