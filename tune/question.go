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
	// Information asks for the pair whose answer tells most about where the best point is.
	Information
)

var policies = [...]string{"eubo", "thompson", "challenge", "random", "information"}

// Policies lists every policy.
func Policies() []Policy { return []Policy{EUBO, Thompson, Challenge, Random, Information} }

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
	var list []Question
	for k := range n {
		q, err := s.Beside(ctx, policy, k)
		if err != nil {
			return nil, err
		}
		list = append(list, q)
	}
	return list, nil
}

// Beside returns a question to ask while so many others wait for an answer: that of the policy
// with none, else one of Thompson's. When ctx ends before it is done it returns the error of
// ctx.
func (s *Search) Beside(ctx context.Context, policy Policy, waiting int) (q Question, err error) {
	rng := s.rng(askStream, len(s.Log.Duels)+waiting<<20)
	switch {
	case policy == Random:
		q = Question{s.Space.Sample(rng), s.Space.Sample(rng)}
		err = ctx.Err()
	case s.Log.Answers()+waiting < s.Space.fillers():
		q = s.fill(waiting, rng)
		err = ctx.Err()
	case waiting > 0:
		q, err = s.choose(ctx, Thompson, rng)
	default:
		q, err = s.choose(ctx, policy, rng)
	}
	if err != nil {
		return q, err
	}
	pair := []Point{q.Left, q.Right}
	err = s.Space.part(pair, rng)
	return Question{pair[0], pair[1]}, err
}

// Choice returns k points to choose the best from. Two of them are those of EUBO, and each of
// the others is the one of many that raises the expected utility of the best of all most, by
// utilities drawn from what is believed: no choice of as many points is expected to be
// better by much, as the gain of a further one only shrinks with those that are there. When
// ctx ends before it is done it returns the error of ctx.
func (s *Search) Choice(ctx context.Context, k int) ([]Point, error) {
	if k < 2 {
		return nil, fmt.Errorf("tune: a choice is among two points or more, and %d were asked for", k)
	}
	rng := s.rng(askStream, len(s.Log.Duels))
	if s.Log.Answers() < s.Space.fillers() {
		points := s.filling(k, s.Log.Answers(), rng)
		if err := s.Space.part(points, rng); err != nil {
			return nil, err
		}
		return points, ctx.Err()
	}
	q, err := s.choose(ctx, EUBO, rng)
	if err != nil {
		return nil, err
	}
	b, err := s.Belief(ctx)
	if err != nil {
		return nil, err
	}
	f := s.field(b, rng)
	n := len(f.points)
	f.points = append(f.points, q.Left, q.Right)
	f.measure(b)
	list, err := f.bestOf(ctx, f.utilities(b, choiceDraws, rng), []int{n, n + 1}, k)
	if err != nil {
		return nil, err
	}
	var points []Point
	for _, i := range list {
		points = append(points, f.points[i])
	}
	if err := s.Space.part(points, rng); err != nil {
		return nil, err
	}
	rng.Shuffle(k, func(i, j int) { points[i], points[j] = points[j], points[i] })
	return points, nil
}

// part puts others in place of points that are the same as one before them: nothing is asked
// against itself.
func (s *Space) part(points []Point, rng *rand.Rand) error {
	for i := range points {
		same := func() bool {
			return slices.ContainsFunc(points[:i], func(x Point) bool {
				return distance(s.Features(x), s.Features(points[i])) <= 1e-12
			})
		}
		for try := 0; same(); try++ {
			if try == tries {
				return fmt.Errorf("tune: %d points that differ were not found in the space: there is nothing to choose from", len(points))
			}
			points[i] = s.Sample(rng)
		}
	}
	return nil
}

// fill returns two points that fill the space, given how many questions wait for an answer; the
// first of all is the start.
func (s *Search) fill(pending int, rng *rand.Rand) Question {
	points := s.filling(2, s.Log.Answers()+pending, rng)
	return Question{points[0], points[1]}
}

// filling returns k points that fill the space, after so many times as many.
func (s *Search) filling(k, asked int, rng *rand.Rand) (points []Point) {
	for i := range k {
		points = append(points, s.Space.spread(k*asked+i, s.rng(fillStream, 0), rng))
	}
	if asked == 0 && s.Space.Start != nil {
		points[0] = s.Space.Start
	}
	return points
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
	climbs     = 6   // candidates that are climbed from
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
	case Information:
		if i, j, ok := field.telling(field.utilities(b, informationDraws, rng)); ok {
			q = Question{field.points[i], field.points[j]}
			break
		}
		fallthrough // there is one best point, and its rivals may still be nearer than the field is
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
	if rng.IntN(2) == 1 { // sides tell nothing
		q.Left, q.Right = q.Right, q.Left
	}
	return q, ctx.Err()
}
