package model

import (
	"math"

	"palate/infer"
	"palate/population"
)

// Elsewhere is a population that was learnt elsewhere, or a part of its voters, with what a
// model has beside it.
type Elsewhere struct {
	Items, Users []string
	Votes        []float64 // that each item took part in
	Ties         float64   // among all votes
	Groups       [][]int   // items within which utilities are comparable, largest first
	Digest       string    // of the votes
	Seed         uint64
	Learnt       *population.Learnt
	Engine       *population.Engine // has the people and their sites; its owners are Users
}

// NewPopulation makes a model of a population that was learnt elsewhere.
func NewPopulation(e Elsewhere) *Population {
	m := &Population{
		Base:  Base{ids: e.Items, users: e.Users, votes: e.Votes, groups: e.Groups, digest: knownDigest(e.Digest), names: &names{}},
		ties:  e.Ties,
		items: e.Learnt.Items,
	}
	m.options.Seed = e.Seed
	m.number(e.Engine.People)
	m.learnt(e.Learnt, e.Engine)
	return m
}

// learnt takes over a population of one form.
func (m *Population) learnt(l *population.Learnt, e *population.Engine) {
	m.family = population.Alone(l.LowRank, e, l.Scale*l.Spread, l.Threshold)
	m.fit = Fit{Objective: l.Evidence, Kind: infer.LogEvidence.String(), Scale: 1 / l.Scale, Threshold: l.Threshold}
	if !math.IsNaN(l.HeldOut) { // some votes were held out
		m.fit.HeldOut = l.HeldOut
	}
	m.setStatus(l.Converged && l.Stats.Unconverged == 0, l.Evals, l.Stats)
}
