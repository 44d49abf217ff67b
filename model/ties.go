package model

import (
	"context"
	"math"
	"math/rand/v2"

	"palate"
	"palate/internal/trial"
	"palate/population"
)

// Whether ties are learnt from is settled by a fifth of the votes that are none, held out
// from those of some voters, with a population of low rank; with fewer votes than
// fewestHeldOut nothing is settled.
const (
	fewestHeldOut = 50
	sureOfTies    = 0.5 // standard errors by which ties must help
	trialVotes    = 20_000
	trialRank     = 4
	trialSteps    = 40
)

// decideTies settles whether ties are learnt from. Where voters have tastes of their own, a tie
// may say more of a voter's habits than of how near two items are, and harm what is said
// of other votes.
func (m *Population) decideTies(ctx context.Context, d *palate.Dataset) error {
	d, err := m.inMemory(d)
	if err != nil || d == nil || m.options.Covariance != LowRank {
		return err
	}
	m.withoutTies, err = tiesHarm(ctx, d, m.options.Seed)
	return err
}

// inMemory returns d with its votes in memory, where they are no more than voterVotes; else nil.
func (m *Population) inMemory(d *palate.Dataset) (*palate.Dataset, error) {
	spooled := m.options.Votes
	switch {
	case spooled == nil && d.NumVotes() <= voterVotes:
		return d, nil
	case spooled == nil || spooled.spool.Len() > voterVotes:
		return nil, nil
	}
	b := palate.NewBuilder()
	for i := range d.NumItems() {
		b.Item(d.ItemID(i))
	}
	for u := range d.NumUsers() {
		b.User(d.UserID(u))
	}
	for range spooled.spool.NumGroups() {
		b.NewGroup()
	}
	for _, v := range spooled.Votes() {
		if err := b.Add(v); err != nil {
			return nil, err
		}
	}
	return b.Build()
}

// tiesHarm reports whether ties are better left alone: votes held out are not predicted better
// with ties than without by half a standard error or more, as ties that teach are worth less
// than those that mislead cost. What is held out hangs on what votes say, not on their order
// nor on names.
func tiesHarm(ctx context.Context, d *palate.Dataset, seed uint64) (bool, error) {
	if d.NumVotes() > voterVotes || !hasTies(d) {
		return false, nil
	}
	d = trial.Sample(d, trialVotes, seed)
	folds := trial.Folds(d, 1, seed)
	if len(folds) == 0 {
		return false, nil
	}
	kept, heldOut := d.Select(folds[0].Train).Tallies(true), decided(d.Select(folds[0].Test).Tallies(true))
	if plain := decided(kept); len(plain) == 0 || len(plain) == len(kept) || len(heldOut) < fewestHeldOut {
		return false, nil
	}
	with, err := trialLoss(ctx, d.NumItems(), kept, heldOut, seed)
	if err != nil {
		return false, err
	}
	without, err := trialLoss(ctx, d.NumItems(), decided(kept), heldOut, seed)
	if err != nil {
		return false, err
	}
	var gain, square float64
	for k, loss := range with {
		gain += without[k] - loss
		square += (without[k] - loss) * (without[k] - loss)
	}
	return gain < sureOfTies*math.Sqrt(square), nil
}

// hasTies reports whether somebody called one.
func hasTies(d *palate.Dataset) bool {
	for _, v := range d.Votes() {
		if v.Outcome == palate.Tie {
			return true
		}
	}
	return false
}

// withoutTies returns the votes that are none.
func withoutTies(d *palate.Dataset) *palate.Dataset {
	var rest []int
	for k, v := range d.Votes() {
		if v.Outcome != palate.Tie {
			rest = append(rest, k)
		}
	}
	return d.Select(rest)
}

// learntTallies are the tallies that are learnt from.
func (m *Population) learntTallies(tallies []palate.Tally) []palate.Tally {
	if m.withoutTies {
		return decided(tallies)
	}
	return tallies
}

// decided are tallies that are no ties.
func decided(tallies []palate.Tally) (out []palate.Tally) {
	for _, t := range tallies {
		if !t.Tie {
			out = append(out, t)
		}
	}
	return out
}

// trialLoss is the loss of each of the votes held out under a population of the others.
func trialLoss(ctx context.Context, items int, kept, heldOut []palate.Tally, seed uint64) ([]float64, error) {
	people, err := population.NewPeople(items, kept)
	if err != nil {
		return nil, err
	}
	l, e, err := population.Learn(ctx, people, population.NewItems(items, nil, nil, rand.New(rand.NewPCG(seed, 1))), nil, 0,
		&population.Options{Rank: trialRank, Rounds: 1, MaxSteps: trialSteps, Seed: seed})
	if err != nil {
		return nil, err
	}
	person := make(map[int]int, people.Len())
	for k := range people.Len() {
		person[people.Owner(k)] = k
	}
	user, q := -1, population.NewVoter(l.LowRank)
	win := population.Voting(l.Threshold)(population.Observation{Power: 1})
	losses := make([]float64, len(heldOut))
	for k, t := range heldOut {
		if t.User != user {
			user, q = t.User, population.NewVoter(l.LowRank)
			if k, ok := person[user]; ok {
				if q, err = e.Posterior(l.LowRank, k); err != nil {
					return nil, err
				}
			}
		}
		mean, variance := q.Difference(t.A, t.B)
		losses[k] = -t.Weight * math.Log(population.Prefer(win, mean, variance))
	}
	return losses, ctx.Err()
}
