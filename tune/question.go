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
func (s *Space) fillers() int { return 4 + len(s.Varying())/4 }

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
		case asked < s.Space.fillers():
			q = s.fill(k, rng)
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

// fill returns two points that fill the space, given how many questions wait for an answer; the
// first of all is the start.
func (s *Search) fill(pending int, rng *rand.Rand) Question {
	n := 2 * (len(s.Log.Duels) + pending)
	q := Question{s.Space.spread(n, s.rng(fillStream, 0), rng), s.Space.spread(n+1, s.rng(fillStream, 0), rng)}
	if n == 0 && s.Space.Start != nil {
		q.Left = s.Space.Start
	}
	return q
}

// spread returns the n-th point of a sequence that fills the bounds evenly (Halton's, shifted at
// random), or any point where that one is outside the space.
func (s *Space) spread(n int, shift, rng *rand.Rand) Point {
	x := s.least()
	for k, j := range s.Varying() {
		u := halton(n+1, primes[k%len(primes)]) + shift.Float64()
		u -= math.Floor(u)
		if p := &s.Parameters[j]; p.Kind == Continuous {
			x[j] = p.at(u)
		} else {
			x[j] = p.level(int(u * float64(p.levels())))
		}
	}
	if len(s.equal) == 0 && s.feasible(x) {
		return x
	}
	return s.Sample(rng)
}

var primes = [...]int{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53}

// halton mirrors the digits of n at the point.
func halton(n, base int) (v float64) {
	for unit := 1 / float64(base); n > 0; n, unit = n/base, unit/float64(base) {
		v += float64(n%base) * unit
	}
	return v
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
	climbs     = 6   // of these that are climbed from
	climbSteps = 25
)

// choose returns the question of a policy.
func (s *Search) choose(ctx context.Context, policy Policy, rng *rand.Rand) (Question, error) {
	b, err := s.Belief(ctx)
	if err != nil {
		return Question{}, err
	}
	field := s.field(b, rng)
	top := field.best(b, 1)
	var q Question
	switch policy {
	case Thompson:
		q = Question{field.drawn(b, rng), field.drawn(b, rng)}
	case Challenge:
		c := climber{s.Space, b.against(s.Space.Features(top)), climbSteps}
		var best *spot
		for _, i := range field.rivals(b, top, climbs) {
			if p := c.climb([]Point{field.points[i]}); best == nil || p.value > best.value {
				best = p
			}
		}
		q = Question{top, best.points[0]}
	default:
		c := climber{s.Space, b.better, climbSteps}
		var best *spot
		for _, i := range field.rivals(b, top, climbs) {
			if err := ctx.Err(); err != nil {
				return q, err
			}
			if p := c.climb([]Point{top, field.points[i]}); best == nil || p.value > best.value {
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
