package model

import (
	"context"
	"math"
	"math/rand/v2"

	"palate"
	"palate/population"
)

// Whether ties are learnt from is settled by a share of the votes that are none, put aside
// from those of some voters, with a population of low rank; with fewer votes than
// fewestAside nothing is settled.
const (
	asideShare  = 0.2
	fewestAside = 50
	trialVotes  = 20_000
	trialRank   = 4
	trialSteps  = 40
)

// hear settles whether ties are learnt from. Where voters have tastes of their own, a tie
// may say more of a voter's habits than of how near two items are, and harm what is said
// of other votes.
func (m *Population) hear(ctx context.Context, d *palate.Dataset) error {
	o := &m.options
	if o.Votes != nil && o.Votes.spool.Len() <= voterVotes { // they are as good in memory
		b := palate.NewBuilder()
		for i := range d.NumItems() {
			b.Item(d.ItemID(i))
		}
		for u := range d.NumUsers() {
			b.User(d.UserID(u))
		}
		for _, v := range o.Votes.Votes() {
			if err := b.Add(v); err != nil {
				return err
			}
		}
		var err error
		if d, err = b.Build(); err != nil {
			return err
		}
	} else if o.Votes != nil {
		return nil
	}
	if o.Covariance != LowRank || d.NumVotes() > voterVotes {
		return nil
	}
	tallies := d.Tallies(true)
	if last := trialVotes; len(tallies) > last { // all of every voter's
		for last < len(tallies) && tallies[last].User == tallies[last-1].User {
			last++
		}
		tallies = tallies[:last]
	}
	kept, aside := population.SetAside(tallies, asideShare, o.Seed)
	aside = decided(aside)
	if plain := decided(kept); len(plain) == 0 || len(plain) == len(kept) || len(aside) < fewestAside {
		return nil
	}
	with, err := trialLoss(ctx, d.NumItems(), kept, aside, o.Seed)
	if err != nil {
		return err
	}
	without, err := trialLoss(ctx, d.NumItems(), decided(kept), aside, o.Seed)
	m.deaf = err == nil && without < with
	return err
}

// heard are the tallies that are learnt from.
func (m *Population) heard(tallies []palate.Tally) []palate.Tally {
	if m.deaf {
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

// trialLoss is the loss of votes put aside under a population of the others.
func trialLoss(ctx context.Context, items int, kept, aside []palate.Tally, seed uint64) (sum float64, err error) {
	people, err := population.NewPeople(items, kept)
	if err != nil {
		return 0, err
	}
	l, e, err := population.Learn(ctx, people, population.NewItems(items, nil, nil, rand.New(rand.NewPCG(seed, 1))), nil, 0,
		&population.Options{Rank: trialRank, Rounds: 1, MaxSteps: trialSteps, Seed: seed})
	if err != nil {
		return 0, err
	}
	person := make(map[int]int, people.Len())
	for k := range people.Len() {
		person[people.Owner(k)] = k
	}
	user, q := -1, population.Stranger(l.LowRank)
	win := population.Voting(l.Threshold)(population.Observation{Power: 1})
	for _, t := range aside {
		if t.User != user {
			user, q = t.User, population.Stranger(l.LowRank)
			if k, ok := person[user]; ok {
				if q, err = e.Posterior(l.LowRank, k); err != nil {
					return 0, err
				}
			}
		}
		mean, variance := q.Difference(t.A, t.B)
		sum -= t.Weight * math.Log(population.Prefer(win, mean, variance))
	}
	return sum, ctx.Err()
}
