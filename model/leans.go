package model

import (
	"fmt"
	"math"
	"slices"

	"palate"
	"palate/population"
)

// sided are the votes of d by voter and by side, where what sides are worth to voters is
// learnt: in several forms at once, of votes in memory that none weighs less than one; else
// nil.
func (m *Population) sided(d *palate.Dataset) ([]palate.Tally, error) {
	o := &m.options
	if o.Rank != 0 || o.Penalty != 0 || o.Kernel != nil || o.Covariance != LowRank || m.features != nil && !m.settles() || o.UserLinks != nil || o.usesFeatures(d) {
		return nil, nil
	}
	d, err := m.inMemory(d)
	if err != nil || d == nil {
		return nil, err
	}
	if _, d = m.split(d); !sidesKnown(d) || sidesOfItems(d) > mostSided {
		return nil, nil
	}
	tallies := d.TalliesApart(palate.Apart{Group: usersOf(d), Sides: true})
	if slices.ContainsFunc(tallies, func(t palate.Tally) bool { return t.Weight < 1 }) {
		return nil, nil
	}
	people, err := population.NewPeople(d.NumItems(), tallies)
	if err != nil || !population.Blends(people) {
		return nil, err
	}
	return tallies, nil
}

// mostSided is how far items may have sides of their own for leans to be learnt: where
// sweet things were always on the left, who likes the left cannot be told from who likes
// sweet things.
const mostSided = 0.1

// sidesOfItems is how far items were shown on one side each, beyond what chance does: 0
// where sides were drawn at random, 1 where each item has its own.
func sidesOfItems(d *palate.Dataset) float64 {
	lead, shown := make([]float64, d.NumItems()), make([]float64, d.NumItems())
	for _, v := range d.Votes() {
		if v.Unsided || v.Outcome == palate.Skip {
			continue
		}
		lead[v.Left]++
		lead[v.Right]--
		shown[v.Left]++
		shown[v.Right]++
	}
	var sum, all float64
	for i, n := range shown {
		if n > 0 {
			sum += lead[i]*lead[i]/n - 1
			all += n
		}
	}
	return sum / max(all, 1)
}

// Effects returns what the left side is worth to voters, where it is worth something; scores
// are without it.
func (m *Population) Effects() []Effect {
	l := m.family.Leans
	if l == nil {
		return nil
	}
	return []Effect{{Name: leftEffect, Mean: l.Centre, SD: l.Spread / math.Sqrt(float64(len(l.Of))), Lean: l.Spread}}
}

// PreferShown is Prefer where left and right are the sides on which the two are shown.
func (m *Population) PreferShown(user, left, right int) float64 {
	bonus, unsure := m.lean(user)
	return m.posterior(user).PreferWith(left, right, bonus, unsure)
}

// lean is what the left side is worth to a user, and the variance of that where nothing is
// known of it.
func (m *Population) lean(user int) (mean, variance float64) {
	switch l := m.family.Leans; {
	case l == nil:
		return 0, 0
	case user >= 0 && user < len(m.person) && m.person[user] >= 0:
		return l.Of[m.person[user]], 0
	default:
		return l.Centre, l.Spread * l.Spread
	}
}

// loadLeans reads what the left side is worth to persons.
func (m *Population) loadLeans(a *arrayReader, h populationHeader, persons int) error {
	if h.Leans == nil {
		return nil
	}
	of := a.floats("person_lean", persons)
	if a.err == nil && !(h.Leans.Spread > 0) {
		a.err = fmt.Errorf("model.json: leans of spread %g", h.Leans.Spread)
	}
	m.family.Leans = &population.Leans{Of: of, Centre: h.Leans.Centre, Spread: h.Leans.Spread}
	return a.err
}
