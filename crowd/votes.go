package crowd

import (
	"cmp"
	"slices"

	"palate"
	"palate/gp"
	"palate/likelihood"
)

// Kind is what a vote observed: a win or a tie, and the weight of one count.
type Kind struct {
	Tie   bool
	Power float64 // in (0, 1]
}

// likelihood of a kind for voters with a slope when ties are called within a
// margin of the sloped difference.
func (k Kind) likelihood(slope, margin float64) likelihood.Scalar {
	var l likelihood.Scalar = likelihood.Probit{Noise: 1 / slope, Offset: margin / slope}
	if k.Tie {
		l = likelihood.Tie{Noise: 1 / slope, Threshold: margin / slope}
	}
	if k.Power != 1 {
		l = likelihood.Power{Of: l, Weight: k.Power}
	}
	return l
}

// Votes are those of many voters. Pairs that several voters were shown are one
// row of forms.
type Votes struct {
	items int
	rows  gp.Rows // distinct pairs, the winner first
	start []int   // the votes of voter u are start[u] … start[u+1]
	row   []int32
	count []float64
	kind  []uint8
	kinds []Kind
	owner []int
}

// NewVotes sorts tallies by voter. Votes of unknown voters come from as many
// voters as there are votes. Any weight is a count of votes of one of a few kinds
// (likelihood.Counted).
func NewVotes(items int, tallies []palate.Tally) *Votes {
	v := &Votes{items: items, start: []int{0}}
	byUser := func(a, b palate.Tally) int { return cmp.Compare(a.User, b.User) }
	if !slices.IsSortedFunc(tallies, byUser) {
		tallies = slices.Clone(tallies)
		slices.SortStableFunc(tallies, byUser)
	}
	at := map[[2]int]int32{}
	for k, t := range tallies {
		if t.User < 0 {
			for left := t.Weight; left > 0; left-- {
				t.Weight = min(left, 1)
				v.add(t, at)
				v.end(-1)
			}
			continue
		}
		v.add(t, at)
		if k+1 == len(tallies) || tallies[k+1].User != t.User {
			v.end(t.User)
		}
	}
	return v
}

func (v *Votes) add(t palate.Tally, at map[[2]int]int32) {
	pair := [2]int{t.A, t.B}
	r, ok := at[pair]
	if !ok {
		r = int32(v.rows.Len())
		at[pair] = r
		v.rows.AppendPair(t.A, t.B)
	}
	count, power := likelihood.Counted(t.Weight)
	kind := Kind{t.Tie, power}
	k := slices.Index(v.kinds, kind)
	if k < 0 {
		k = len(v.kinds)
		v.kinds = append(v.kinds, kind)
	}
	v.row, v.count, v.kind = append(v.row, r), append(v.count, count), append(v.kind, uint8(k))
}

func (v *Votes) end(user int) {
	v.start, v.owner = append(v.start, len(v.row)), append(v.owner, user)
}

// Voters returns the number of voters.
func (v *Votes) Voters() int { return len(v.owner) }

// Len returns the number of distinct votes, summed over voters.
func (v *Votes) Len() int { return len(v.row) }

// Owner returns the dataset's user who is voter u, −1 when unknown.
func (v *Votes) Owner(u int) int { return v.owner[u] }

// Ties reports whether somebody called one.
func (v *Votes) Ties() bool {
	return slices.ContainsFunc(v.kinds, func(k Kind) bool { return k.Tie })
}

// subset returns the votes of some voters, on rows of their own.
func (v *Votes) subset(voters []int) *Votes {
	s := &Votes{items: v.items, start: []int{0}, kinds: v.kinds}
	at := map[int32]int32{}
	var rows []int
	for _, u := range voters {
		for p := v.start[u]; p < v.start[u+1]; p++ {
			r, ok := at[v.row[p]]
			if !ok {
				r = int32(len(rows))
				at[v.row[p]] = r
				rows = append(rows, int(v.row[p]))
			}
			s.row, s.count, s.kind = append(s.row, r), append(s.count, v.count[p]), append(s.kind, v.kind[p])
		}
		s.end(v.owner[u])
	}
	s.rows = *v.rows.Select(rows)
	return s
}

// byRow lists the votes of every row: those of row r are at[start[r]] …
// at[start[r+1]], each with its voter.
func (v *Votes) byRow() (start []int, at, voter []int32) {
	start = make([]int, v.rows.Len()+1)
	for _, r := range v.row {
		start[r+1]++
	}
	for r := range v.rows.Len() {
		start[r+1] += start[r]
	}
	at, voter = make([]int32, v.Len()), make([]int32, v.Len())
	next := slices.Clone(start)
	for u := range v.Voters() {
		for p := v.start[u]; p < v.start[u+1]; p++ {
			k := next[v.row[p]]
			at[k], voter[k] = int32(p), int32(u)
			next[v.row[p]]++
		}
	}
	return start, at, voter
}
