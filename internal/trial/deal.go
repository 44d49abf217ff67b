package trial

import (
	"cmp"
	"math"
	"slices"

	"palate/internal/num"

	"palate"
)

// Keys are numbers drawn for votes, items and voters by what votes say, whatever these are
// called and in whatever order they come: what is chosen at random by them stays the same
// when rows are shuffled and names changed. Two that have the same key are as good as
// interchangeable.
type Keys struct {
	Vote, Item, User []uint64
}

// keyRounds is how often items and voters take on what those next to them are like.
const keyRounds = 3

// NewKeys draws them. Skips take no part.
func NewKeys(d *palate.Dataset, seed uint64) *Keys {
	const nobody = 0x9b0d
	k := &Keys{Vote: make([]uint64, d.NumVotes()), Item: make([]uint64, d.NumItems()), User: make([]uint64, d.NumUsers())}
	for i := range k.Item {
		k.Item[i] = seed
	}
	for u := range k.User {
		k.User[u] = seed
	}
	for range keyRounds {
		item, user := make([]uint64, len(k.Item)), make([]uint64, len(k.User))
		for _, v := range d.Votes() {
			if v.Outcome == palate.Skip {
				continue
			}
			if v.Outcome == palate.Right {
				v = v.Swap()
			}
			who := uint64(nobody)
			if v.User >= 0 {
				who = k.User[v.User]
			}
			said := stir(uint64(v.Outcome), math.Float64bits(v.Weight))
			if v.Outcome == palate.Tie { // it has no sides here
				item[v.Left] += stir(said, who, k.Item[v.Right])
				item[v.Right] += stir(said, who, k.Item[v.Left])
				said = stir(said, k.Item[v.Left]+k.Item[v.Right])
			} else {
				item[v.Left] += stir(said, who, k.Item[v.Right], 1)
				item[v.Right] += stir(said, who, k.Item[v.Left], 2)
				said = stir(said, k.Item[v.Left], k.Item[v.Right])
			}
			if v.User >= 0 {
				user[v.User] += said
			}
		}
		for i, x := range item {
			k.Item[i] = stir(k.Item[i], x)
		}
		for u, x := range user {
			k.User[u] = stir(k.User[u], x)
		}
	}
	for n, v := range d.Votes() {
		if v.Outcome == palate.Right {
			v = v.Swap()
		}
		who := uint64(nobody)
		if v.User >= 0 {
			who = k.User[v.User]
		}
		k.Vote[n] = stir(uint64(v.Outcome), math.Float64bits(v.Weight), who, k.Item[v.Left], k.Item[v.Right])
		if v.Outcome == palate.Tie {
			k.Vote[n] = stir(uint64(v.Outcome), math.Float64bits(v.Weight), who, k.Item[v.Left]+k.Item[v.Right])
		}
	}
	return k
}

// stir makes one number of several, by the finaliser of SplitMix64.
func stir(xs ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, x := range xs {
		h += x
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// Votes returns the numbers of all votes in order of their keys, and of content where these
// are the same.
func (k *Keys) Votes(d *palate.Dataset) []int {
	order := d.ByContent()
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(k.Vote[a], k.Vote[b]) })
	return order
}

// Order returns the numbers of keys in an order that looks random.
func Order(keys []uint64) []int {
	order := num.Indices(len(keys))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
	return order
}

// Units returns the keys of units that votes are part of, numbered from 0; a vote may be
// part of none, or of several.
func (k *Keys) Units(of [][]int, count int) []uint64 {
	out := make([]uint64, count)
	for vote, units := range of {
		for _, u := range units {
			out[u] += stir(k.Vote[vote])
		}
	}
	for u, x := range out {
		out[u] = stir(x)
	}
	return out
}

// Folds deals answers into fifths, and holds out one of these after the other until there
// are so many votes in them. What is in each hangs on what votes say and on the seed.
func Folds(d *palate.Dataset, votes int, seed uint64) (folds []Fold) {
	const fifths = 5
	keys := NewKeys(d, seed)
	answers := Answers(d, keys, true)
	of := make([][]int, d.NumVotes())
	for k, a := range answers.Of {
		if a >= 0 {
			of[k] = []int{a}
		}
	}
	home := make([]int, answers.Count)
	for k, a := range Order(keys.Units(of, answers.Count)) {
		home[a] = k % fifths
	}
	for f, held := 0, 0; f < fifths && held < votes; f++ {
		var fold Fold
		for k, a := range answers.Of {
			switch {
			case a < 0:
			case home[a] == f:
				fold.Test = append(fold.Test, k)
			default:
				fold.Train = append(fold.Train, k)
			}
		}
		if len(fold.Test) > 0 && len(fold.Train) > 0 {
			folds = append(folds, fold)
			held += len(fold.Test)
		}
	}
	return folds
}

// ownVotes are as many of one voter as a sample takes where there are more than manyItems:
// what it takes to tell a voter apart grows with the cube of what the voter voted on.
const (
	ownVotes  = 200
	manyItems = 200
)

// Sample returns the votes of as many voters as cast about so many, in order of content:
// all that each cast, but of many items not more than 200.
func Sample(d *palate.Dataset, votes int, seed uint64) *palate.Dataset {
	most := d.NumVotes()
	if d.NumItems() > manyItems {
		most = ownVotes
	}
	by, largest := make([][]int, d.NumUsers()), 0
	keys := NewKeys(d, seed)
	for _, k := range keys.Votes(d) {
		if v := d.Vote(k); v.User >= 0 && v.Outcome != palate.Skip {
			by[v.User] = append(by[v.User], k)
			largest = max(largest, len(by[v.User]))
		}
	}
	if d.NumVotes() <= votes && largest <= most {
		return d.Select(d.ByContent())
	}
	var picked []int
	for _, u := range Order(keys.User) {
		own := by[u][:min(most, len(by[u]))]
		if len(picked) > 0 && len(picked)+len(own) > votes {
			break
		}
		picked = append(picked, own...)
	}
	d = d.Select(picked)
	return d.Select(d.ByContent())
}
