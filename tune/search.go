package tune

import (
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

	at        int // duels that the particles have seen
	particles []particle
	belief    *Belief // of all duels; nil: not made yet
}

// particle is a draw of the hyper-parameters under way.
type particle struct {
	h     hyper
	sites []gp.Site
}

// particles is how many draws of the hyper-parameters there are after so many duels: the
// more duels, the less they differ.
func particles(duels int) int {
	switch {
	case duels <= 20:
		return 16
	case duels <= 40:
		return 8
	case duels <= 100:
		return 4
	}
	return 3
}

// moves is how many steps each takes when it moves.
const moves = 3

// following returns the number of duels at which hyper-parameters move next.
func following(duels int) int { return duels + max(1, duels/5) }

// NewSearch takes up a log.
func NewSearch(s *Space, log *Log) *Search { return &Search{Space: s, Log: log} }

// Tell adds an answer.
func (s *Search) Tell(d Duel) {
	s.Log.Duels = append(s.Log.Duels, d)
	s.belief = nil
}

// Undo takes the last answer back.
func (s *Search) Undo() {
	s.Log.Duels = s.Log.Duels[:len(s.Log.Duels)-1]
	s.at, s.particles, s.belief = 0, nil, nil
}

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
	for next := following(s.at); next <= len(s.Log.Duels); next = following(s.at) {
		moved := make([]particle, particles(next))
		failed := make([]error, len(moved))
		d := s.Space.newData(s.Log.Duels[:next])
		err := num.ParallelUntil(ctx, len(moved), 1, func(lo, hi int) {
			for k := lo; k < hi; k++ {
				moved[k], failed[k] = s.stir(ctx, d, s.particles[k], s.rng(hyperStream, next*particles(0)+k))
			}
		})
		if err := errors.Join(append(failed, err)...); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		s.particles, s.at = moved, next
	}
	return nil
}

// stir moves one draw of the hyper-parameters on all duels there are.
func (s *Search) stir(ctx context.Context, d *data, p particle, rng *rand.Rand) (particle, error) {
	value, sites, err := s.Space.evidence(ctx, d, p.h, nil)
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
	if s.belief != nil {
		return s.belief, ctx.Err()
	}
	if err := s.learn(ctx); err != nil {
		return nil, err
	}
	b := &Belief{space: s.Space}
	d := s.Space.newData(s.Log.Duels)
	for _, p := range s.particles[:min(len(s.particles), particles(len(s.Log.Duels)))] {
		g, err := s.Space.posterior(ctx, d, p.h)
		if err != nil {
			return nil, err
		}
		b.draws = append(b.draws, g)
	}
	s.belief = b
	return b, ctx.Err()
}

// Belief is a mixture of Gaussian processes over the space, one for every draw of the
// hyper-parameters, all as likely. Utility is in units of the noise of a duel.
type Belief struct {
	space *Space
	draws []*process
}
