package tune

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// GoOn returns a search of another log of the space and the seed: what it asks and says is
// what one that begins with that log would. Where the duels of this search begin the log,
// what was learnt from them is not learnt again.
func (s *Search) GoOn(log *Log) *Search {
	next := &Search{Space: s.Space, Log: log, Voter: s.Voter}
	if next.Continues(s) {
		next.at, next.particles = s.at, s.particles
		if len(s.Log.Duels) == len(log.Duels) {
			next.draws, next.belief = s.draws, s.belief
		}
	}
	return next
}

// Fold returns a search of another log whose hyper-parameters are the draws that this one has
// now: its belief takes a small part of the time that learning them anew would.
func (s *Search) Fold(log *Log) *Search {
	next := &Search{Space: s.Space, Log: log, Voter: s.Voter, at: s.at, particles: slices.Clone(s.particles), held: true}
	if !next.Continues(s) {
		for k := range next.particles {
			next.particles[k].sites = nil // of other answers
		}
	}
	return next
}

// Continues reports whether the log of another search begins this one's.
func (s *Search) Continues(other *Search) bool {
	a, b := other.Log, s.Log
	return a.Seed == b.Seed && slices.EqualFunc(a.Values, b.Values, Value.same) &&
		len(a.Duels) <= len(b.Duels) && slices.EqualFunc(a.Duels, b.Duels[:len(a.Duels)], Duel.same)
}

func (d Duel) same(other Duel) bool {
	return d.Answer == other.Answer && d.Voter == other.Voter && d.Group == other.Group && slices.Equal(d.Left, other.Left) && slices.Equal(d.Right, other.Right)
}

func (v Value) same(other Value) bool {
	return v.Value == other.Value && v.Voter == other.Voter && slices.Equal(v.Point, other.Point)
}

// Moments returns mean and variance of utility at a point.
func (b *Belief) Moments(x Point) (mean, variance float64) {
	row := mat.NewDense(1, b.space.features, b.space.Features(x))
	share := 1 / float64(len(b.draws))
	var square float64
	for _, g := range b.draws {
		m, cov := g.joint(row)
		mean += share * m[0]
		square += share * (m[0]*m[0] + cov.At(0, 0))
	}
	return mean, max(0, square-mean*mean)
}

// Wins returns the chance that the first of two points wins a duel that is no tie.
func (b *Belief) Wins(x, y Point) float64 {
	return b.compare(b.space.Features(x), b.space.Features(y)).Wins
}

// Joint returns n joint draws of utility at points, a row each.
func (b *Belief) Joint(points []Point, n int, rng *rand.Rand) *mat.Dense {
	x := mat.NewDense(len(points), b.space.features, nil)
	for i, p := range points {
		b.space.featuresTo(x.RawRowView(i), p)
	}
	all := mat.NewDense(n, len(points), nil)
	row := 0
	for k, g := range b.draws {
		until := (k + 1) * n / len(b.draws)
		mean, cov := g.joint(x)
		for _, values := range drawJoint(mean, cov, until-row, rng) {
			all.SetRow(row, values)
			row++
		}
	}
	return all
}
