package paper

import (
	"math"
	"math/rand/v2"

	"palate"
)

// Ratings are what each person liked (rated 5) and disliked (rated 1), as COLLAB §5.2 makes preferences of ratings:
// every liked item beats every disliked one. Everybody here has both.
type Ratings struct {
	Items, Users    []string
	ItemFeatures    *palate.Features
	Liked, Disliked [][]int // by user
}

// NumPairs returns the number of pairs over all users.
func (r *Ratings) NumPairs() (n int) {
	for u := range r.Users {
		n += len(r.Liked[u]) * len(r.Disliked[u])
	}
	return n
}

// PaperSplit draws up to four test pairs a user from all of that user's pairs, and leaves at least one to learn from.
// It mostly tests transitivity: both items of a test pair nearly always occur in training pairs of the same user.
func (r *Ratings) PaperSplit(rng *rand.Rand) (*Split, error) {
	const each = 4
	return r.split(rng, func(u int) (train, test []palate.Vote) {
		all := pairs(u, r.Liked[u], r.Disliked[u])
		n := min(each, len(all)-1)
		for k := range n { // the first n places of a shuffle
			j := k + rng.IntN(len(all)-k)
			all[k], all[j] = all[j], all[k]
		}
		return all[n:], all[:n]
	})
}

// HonestSplit hides a fifth of each user's liked and of the disliked items, to the nearest whole number. Test pairs
// are those between hidden items, training pairs those between the others, so that nothing the user said about
// either item of a test pair is known. All test pairs count the same, so a few users with many ratings weigh heavily
// and splits differ much: use ten or more.
func (r *Ratings) HonestSplit(rng *rand.Rand) (*Split, error) {
	const share = 0.2
	hide := func(items []int) (hidden, seen []int) {
		n := int(math.Round(share * float64(len(items))))
		for k, i := range rng.Perm(len(items)) {
			if k < n {
				hidden = append(hidden, items[i])
			} else {
				seen = append(seen, items[i])
			}
		}
		return hidden, seen
	}
	return r.split(rng, func(u int) (train, test []palate.Vote) {
		hiddenLiked, liked := hide(r.Liked[u])
		hiddenDisliked, disliked := hide(r.Disliked[u])
		return pairs(u, liked, disliked), pairs(u, hiddenLiked, hiddenDisliked)
	})
}

// split gathers each user's training and test votes. Half of the test pairs are turned round; a training pair is with
// even chance.
func (r *Ratings) split(rng *rand.Rand, of func(user int) (train, test []palate.Vote)) (*Split, error) {
	b := palate.NewBuilder()
	for _, id := range r.Items {
		b.Item(id)
	}
	b.SetItemFeatures(r.ItemFeatures)
	b.Grow(r.NumPairs())
	s := &Split{}
	for u, id := range r.Users {
		b.User(id)
		train, test := of(u)
		for _, v := range train {
			if rng.IntN(2) == 1 {
				v = v.Swap()
			}
			if err := b.Add(v); err != nil {
				return nil, err
			}
		}
		s.Test = append(s.Test, test...)
	}
	flipHalf(s.Test, rng)
	var err error
	s.Train, err = b.Build()
	return s, err
}

// pairs returns every liked item against every disliked one.
func pairs(user int, liked, disliked []int) []palate.Vote {
	votes := make([]palate.Vote, 0, len(liked)*len(disliked))
	for _, i := range liked {
		for _, j := range disliked {
			votes = append(votes, palate.Vote{User: user, Left: i, Right: j, Outcome: palate.Left, Weight: 1})
		}
	}
	return votes
}
