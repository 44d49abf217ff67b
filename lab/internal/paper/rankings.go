package paper

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"palate"
)

// Rankings are people's orders of items, best first.
type Rankings struct {
	Items, Users               []string
	ItemFeatures, UserFeatures *palate.Features
	Orders                     [][]int // one a user
}

// Split draws users at random, then from the pairs of each one's ranking train pairs to learn from and, apart from
// these, test pairs to predict. Users without so many pairs are an error. Of all test pairs half are turned round; a
// training pair is with even chance.
func (r *Rankings) Split(users, train, test int, rng *rand.Rand) (*Split, error) {
	if users > len(r.Users) {
		return nil, fmt.Errorf("paper: %d of %d users asked for", users, len(r.Users))
	}
	chosen := rng.Perm(len(r.Users))[:users]
	b := palate.NewBuilder()
	for _, id := range r.Items {
		b.Item(id)
	}
	b.SetItemFeatures(r.ItemFeatures)
	b.SetUserFeatures(subset(r.UserFeatures, chosen))
	s := &Split{}
	for u, from := range chosen {
		order := r.Orders[from]
		b.User(r.Users[from])
		s.Gold = append(s.Gold, slices.Clone(order))
		var pairs []palate.Vote
		for k, winner := range order {
			for _, loser := range order[k+1:] {
				pairs = append(pairs, palate.Vote{User: u, Left: winner, Right: loser, Outcome: palate.Left, Weight: 1})
			}
		}
		if len(pairs) < train+test {
			return nil, fmt.Errorf("paper: user %q has %d pairs, not %d to learn from and %d to predict", r.Users[from], len(pairs), train, test)
		}
		rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, v := range pairs[:train] {
			if rng.IntN(2) == 1 {
				v = v.Swap()
			}
			if err := b.Add(v); err != nil {
				return nil, err
			}
		}
		s.Test = append(s.Test, pairs[train:train+test]...)
	}
	flipHalf(s.Test, rng)
	var err error
	s.Train, err = b.Build()
	return s, err
}
