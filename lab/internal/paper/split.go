package paper

import (
	"hash/fnv"
	"math/rand/v2"

	"palate"
)

// Split is votes to learn from and votes to predict. Items and users of both are those of Train.
type Split struct {
	Train *palate.Dataset
	Test  []palate.Vote // Left or Right wins
	// Gold holds the items of each user's true ranking, best first; nil where there are no rankings.
	Gold [][]int
	// Lists are gold scores of some items to a user, where they are not rankings of all users.
	Lists []List
	// Beside holds the same votes with features learnt from all items, those to predict among them; nil where there are
	// no texts.
	Beside *palate.Dataset
	texts  []string
	cost   float64 // seconds of processor time that the features took
}

// List is gold scores of items to a user, more for better; a negative user is the consensus.
type List struct {
	User  int
	Items []int
	Score []float64
}

// lists returns all gold as scores.
func (s *Split) lists() []List {
	lists := s.Lists
	for u, items := range s.Gold {
		l := List{User: u, Items: items}
		for k := range items {
			l.Score = append(l.Score, -float64(k))
		}
		lists = append(lists, l)
	}
	return lists
}

// stream returns the source of randomness for one repeat of a set. It depends on nothing but its arguments, so
// that repeats can be added or taken away without moving the others.
func stream(seed uint64, name string, repeat int) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(name))
	return rand.New(rand.NewPCG(seed, h.Sum64()+uint64(repeat)))
}

// flipHalf turns round half of the votes, chosen at random, so that knowing the side is of no use.
func flipHalf(votes []palate.Vote, rng *rand.Rand) {
	for _, k := range rng.Perm(len(votes))[:len(votes)/2] {
		votes[k] = votes[k].Swap()
	}
}

// subset returns the rows of f in the given order; nil stays nil.
func subset(f *palate.Features, rows []int) *palate.Features {
	if f == nil {
		return nil
	}
	s := &palate.Features{Names: f.Names, Rows: len(rows), Cols: f.Cols, Blocks: f.Blocks, Data: make([]float64, 0, len(rows)*f.Cols)}
	for _, r := range rows {
		s.Data = append(s.Data, f.Row(r)...)
	}
	return s
}
