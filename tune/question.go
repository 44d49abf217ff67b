package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// Policy is a way to choose questions.
type Policy int

// The policies.
const (
	// EUBO asks for the pair whose better one is expected to be best.
	EUBO Policy = iota
	// Thompson asks for the best points of two utilities drawn from what is believed.
	Thompson
	// Challenge asks for the best point so far against the one that would, together with it,
	// make the better one best.
	Challenge
	// Random asks for any two points.
	Random
)

var policies = [...]string{"eubo", "thompson", "challenge", "random"}

// Policies lists every policy.
func Policies() []Policy { return []Policy{EUBO, Thompson, Challenge, Random} }

// String returns the name used in flags.
func (p Policy) String() string { return policies[p] }

// ParsePolicy is the inverse of String.
func ParsePolicy(name string) (Policy, error) {
	if k := slices.Index(policies[:], name); k >= 0 {
		return Policy(k), nil
	}
	return 0, fmt.Errorf("tune: unknown policy %q: there are %v", name, Policies())
}

// Question is a pair to be compared.
type Question struct{ Left, Right Point }

// fillers is how many questions fill the space before beliefs choose.
const fillers = 3

// Next returns n questions to ask now. The first is the policy's; further ones, which are
// asked without waiting for its answer, are Thompson's, so that they differ. When ctx ends
// before it is done it returns the error of ctx.
func (s *Search) Next(ctx context.Context, policy Policy, n int) ([]Question, error) {
	rng := s.rng(askStream, len(s.Log.Duels))
	var list []Question
	for k := range n {
		var q Question
		var err error
		asked := len(s.Log.Duels) + k
		switch {
		case policy == Random:
			q = Question{s.Space.Sample(rng), s.Space.Sample(rng)}
			err = ctx.Err()
		case asked < fillers:
			q = s.fill(list, rng)
			err = ctx.Err()
		case k > 0:
			q, err = s.choose(ctx, Thompson, rng)
		default:
			q, err = s.choose(ctx, policy, rng)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

// fill returns two points far from all that were asked; the first of all is the start.
func (s *Search) fill(pending []Question, rng *rand.Rand) Question {
	var seen [][]float64
	for _, d := range s.Log.Duels {
		seen = append(seen, s.Space.Features(d.Left), s.Space.Features(d.Right))
	}
	for _, q := range pending {
		seen = append(seen, s.Space.Features(q.Left), s.Space.Features(q.Right))
	}
	far := func() Point {
		var best Point
		most := -1.0
		for range 64 {
			x := s.Space.Sample(rng)
			f := s.Space.Features(x)
			least := math.Inf(1)
			for _, y := range seen {
				least = min(least, distance(f, y))
			}
			if len(seen) == 0 {
				least = 0
			}
			if least > most {
				best, most = x, least
			}
		}
		seen = append(seen, s.Space.Features(best))
		return best
	}
	var q Question
	if len(seen) == 0 && s.Space.Start != nil {
		q.Left = s.Space.Start
		seen = append(seen, s.Space.Features(q.Left))
	} else {
		q.Left = far()
	}
	q.Right = far()
	return q
}

func distance(x, y []float64) (sum float64) {
	for k, v := range x {
		sum += (v - y[k]) * (v - y[k])
	}
	return sum
}

// How hard a question is looked for.
const (
	candidates = 256 // points of the space that are looked at
	finalists  = 24  // those that are paired with each other
	climbs     = 4   // pairs that are climbed from
	climbSteps = 25
)

// choose returns the question of a policy.
func (s *Search) choose(ctx context.Context, policy Policy, rng *rand.Rand) (Question, error) {
	b, err := s.Belief(ctx)
	if err != nil {
		return Question{}, err
	}
	field := s.field(b, rng)
	top := field.best(b)
	var q Question
	switch policy {
	case Thompson:
		q = Question{field.drawn(b, rng), field.drawn(b, rng)}
	case Challenge:
		c := climber{s.Space, b.against(s.Space.Features(top)), climbSteps}
		var best *spot
		for _, i := range field.upper(climbs) {
			if p := c.climb([]Point{field.points[i]}); best == nil || p.value > best.value {
				best = p
			}
		}
		q = Question{top, best.points[0]}
	default:
		c := climber{s.Space, b.better, climbSteps}
		var best *spot
		for _, pair := range field.pairs(b, top) {
			if err := ctx.Err(); err != nil {
				return q, err
			}
			if p := c.climb(pair); best == nil || p.value > best.value {
				best = p
			}
		}
		q = Question{best.points[0], best.points[1]}
	}
	for range 100 { // a point is not asked against itself
		if distance(s.Space.Features(q.Left), s.Space.Features(q.Right)) > 1e-12 {
			break
		}
		q.Right = s.Space.Sample(rng)
	}
	if rng.IntN(2) == 1 { // sides tell nothing
		q.Left, q.Right = q.Right, q.Left
	}
	return q, ctx.Err()
}
