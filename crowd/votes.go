package crowd

import (
	"slices"

	"palate"
	"palate/gp"
	"palate/population"
)

// Votes are those of many voters. Pairs that several voters were shown are one
// row of forms.
type Votes struct {
	people *population.People // the voters, numbered by user
	items  int
	rows   gp.Rows // distinct pairs, the winner first
	start  []int   // the votes of voter u are start[u] … start[u+1]
	pairs  []int   // the pairs of voter u begin at pairs[u] among those of the people; answers make the two differ
	row    []int32
	count  []float64
	kind   []uint8
	kinds  []population.Observation
	owner  []int

	answers [][]answered // of every voter, about several items; nil: there are none
	bent    []float64    // of votes that are of answers, by how much they bend at most under EP; shorter where others come last
}

// NewVotes sorts tallies by voter. Votes of unknown voters come from as many
// voters as there are votes. Any weight is a count of votes of one of a few kinds
// (likelihood.Counted). Answers about several items are for fits that take them; see
// Options.TakesAnswers.
func NewVotes(items int, tallies []palate.Tally, answers ...palate.Answer) (*Votes, error) {
	if err := checkAnswers(items, answers); err != nil {
		return nil, err
	}
	p, err := population.ByUser(items, tallies, answers...)
	if err != nil {
		return nil, err
	}
	return votesOf(p), nil
}

// votesOf numbers the pairs of people.
func votesOf(p *population.People) *Votes {
	v := &Votes{people: p, items: p.NumItems(), start: []int{0}, kinds: slices.Clone(p.Kinds())}
	at := map[[2]int]int32{}
	rowOf := func(win, lose int) int32 {
		pair := [2]int{win, lose}
		r, ok := at[pair]
		if !ok {
			r = int32(v.rows.Len())
			at[pair] = r
			v.rows.AppendPair(win, lose)
		}
		return r
	}
	if p.Answers() {
		v.answers = make([][]answered, p.Len())
	}
	pairs := 0
	for u := range p.Len() {
		v.pairs = append(v.pairs, pairs)
		for _, t := range p.Pairs(u) {
			pairs++
			if !v.kinds[t.Kind].Drawn {
				v.row, v.count, v.kind = append(v.row, rowOf(t.Win, t.Lose)), append(v.count, t.Count), append(v.kind, t.Kind)
			}
		}
		if v.answers != nil {
			tallies, answers := p.Said(u)
			next := v.pairs[u] + len(tallies)
			for _, a := range answers {
				v.answers[u] = append(v.answers[u], v.addAnswer(a, next, rowOf))
				next += len(a.Said)
			}
		}
		v.start, v.owner = append(v.start, len(v.row)), append(v.owner, p.Owner(u))
	}
	return v
}

// Voters returns the number of voters.
func (v *Votes) Voters() int { return len(v.owner) }

// Len returns the number of distinct votes, summed over voters.
func (v *Votes) Len() int { return len(v.row) }

// Owner returns the dataset's user who is voter u, −1 when unknown.
func (v *Votes) Owner(u int) int { return v.owner[u] }

// ties reports whether somebody called one.
func (v *Votes) ties() bool { return v.people.Ties() }

// subset returns the votes of some voters, on rows of their own.
func (v *Votes) subset(voters []int) *Votes {
	p, err := v.people.Listed(voters)
	if err != nil {
		panic(err) // in memory
	}
	return votesOf(p)
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
