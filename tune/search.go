package tune

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"

	"palate/gp"
	"palate/internal/num"
)

// Search is a space and what was answered in it so far. What it asks and says is a function
// of these and of the seed.
type Search struct {
	Space *Space
	Log   *Log

	// Voter is the person whom questions are for and whose utility is looked at; with "" it is
	// the mean of those of all who answered.
	Voter string

	at        int // numbers and duels that the particles have seen
	particles []particle
	draws     []*fitted // of all answers; nil: not made yet
	belief    *Belief   // of whom it says; nil: not made yet
	held      bool      // the particles stay as they are
}

// particle is a draw of the hyper-parameters under way.
type particle struct {
	h     hyper
	sites []gp.Site
}

// particles is how many draws of the hyper-parameters there are after so many numbers and
// duels: the more of these, the less they differ.
func particles(rows int) int {
	switch {
	case rows <= 20:
		return 16
	case rows <= 40:
		return 8
	case rows <= 100:
		return 4
	}
	return 3
}

// moves is how many steps each takes when it moves.
const moves = 5

// following returns the number of numbers and duels at which hyper-parameters move next.
func following(rows int) int { return rows + max(1, rows/5) }

// NewSearch takes up a log.
func NewSearch(s *Space, log *Log) *Search { return &Search{Space: s, Log: log} }

// Tell adds an answer.
func (s *Search) Tell(d Duel) {
	s.Log.Duels = append(s.Log.Duels, d)
	s.draws, s.belief = nil, nil
}

// TellChoice adds a choice, as Log.Choose does.
func (s *Search) TellChoice(points []Point, best int, voter string) {
	s.Log.Choose(points, best, voter)
	s.draws, s.belief = nil, nil
}

// TellValue adds a number. Numbers are taken to have been known from the first question on.
func (s *Search) TellValue(v Value) {
	s.Log.Values = append(s.Log.Values, v)
	s.forget()
}

// Undo takes the last answer back, all comparisons of it.
func (s *Search) Undo() {
	last := 0
	for i := 0; i < len(s.Log.Duels); i += s.Log.answer(i) {
		last = i
	}
	s.Log.Duels = s.Log.Duels[:last]
	s.forget()
}

func (s *Search) forget() { s.at, s.particles, s.draws, s.belief = 0, nil, nil, nil }

// Streams of randomness, which are told apart by what they are for.
const (
	hyperStream = iota << 32
	askStream
	fillStream
	standStream
)

func (s *Search) rng(stream, k int) *rand.Rand {
	return rand.New(rand.NewPCG(s.Log.Seed, uint64(stream+k)))
}

// learn moves the hyper-parameters as far as the duels allow.
func (s *Search) learn(ctx context.Context) error {
	if s.particles == nil {
		rng := s.rng(hyperStream, 0)
		for range particles(0) {
			s.particles = append(s.particles, particle{h: s.Space.newHyper(rng)})
		}
	}
	known := len(s.Log.Values)
	for next := following(s.at); next <= known+len(s.Log.Duels) && !s.held; next = following(s.at) {
		moved := make([]particle, particles(next))
		failed := make([]error, len(moved))
		d := s.Space.newData(s.Log.Values[:min(known, next)], s.Log.Duels[:max(0, next-known)])
		err := num.ParallelUntil(ctx, len(moved), 1, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				moved[k], failed[k] = s.stir(ctx, d, s.particles[k], s.rng(hyperStream, next*particles(0)+k))
			}
		})
		if err := firstOf(ctx, err, failed); err != nil {
			return err
		}
		s.particles, s.at = moved, next
	}
	return nil
}

// firstOf is what went wrong in a parallel loop and its parts: the end of ctx, before all else.
func firstOf(ctx context.Context, loop error, parts []error) error {
	return cmp.Or(ctx.Err(), loop, errors.Join(parts...))
}

// stir moves one draw of the hyper-parameters on all duels there are.
func (s *Search) stir(ctx context.Context, d *data, p particle, rng *rand.Rand) (particle, error) {
	value, sites, err := s.Space.evidence(ctx, d, p.h, p.sites)
	for range moves {
		if err != nil {
			return p, err
		}
		p.h, value, sites, err = s.Space.move(ctx, d, p.h, value, sites, rng)
	}
	return particle{p.h, sites}, err
}

// Belief returns what is known of utility after all answers. When ctx ends before it is done
// it returns the error of ctx.
func (s *Search) Belief(ctx context.Context) (*Belief, error) {
	if s.belief != nil && s.belief.voter == s.Voter {
		return s.belief, ctx.Err()
	}
	if err := s.fit(ctx); err != nil {
		return nil, err
	}
	b := &Belief{space: s.Space, voter: s.Voter}
	for _, g := range s.draws {
		b.draws = append(b.draws, g.of(s.Voter))
	}
	s.belief = b
	return b, ctx.Err()
}

// fit infers utility from all answers under every draw of the hyper-parameters.
func (s *Search) fit(ctx context.Context) error {
	if s.draws != nil {
		return ctx.Err()
	}
	if err := s.learn(ctx); err != nil {
		return err
	}
	d := s.Space.newData(s.Log.Values, s.Log.Duels)
	seen := s.particles[:min(len(s.particles), particles(len(s.Log.Values)+len(s.Log.Duels)))]
	draws, failed := make([]*fitted, len(seen)), make([]error, len(seen))
	err := num.ParallelUntil(ctx, len(seen), 1, func(lo, hi int) {
		for k := lo; k < hi; k++ {
			draws[k], failed[k] = s.Space.posterior(ctx, d, seen[k].h, seen[k].sites)
		}
	})
	if err := firstOf(ctx, err, failed); err != nil {
		return err
	}
	s.draws = draws
	return ctx.Err()
}

// Belief is a mixture of Gaussian processes over the space, one for every draw of the
// hyper-parameters, all as likely. Utility is in units of the noise of a duel.
type Belief struct {
	space *Space
	voter string
	draws []*process
}
