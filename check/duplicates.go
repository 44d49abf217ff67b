package check

import (
	"cmp"
	"slices"

	"palate"
	"palate/internal/wording"
)

// findDuplicates finds votes by the same voter on the same pair.
func (e *election) findDuplicates() {
	type ballot struct {
		pair       uint64
		user, vote int32
	}
	// Voters one after the other, then the votes of each by pair.
	var cast []ballot
	end := make([]int, e.d.NumUsers()+1)
	for k, v := range until(e.ctx, e.d.Votes()) {
		if v.User >= 0 && v.Outcome != palate.Skip {
			cast = append(cast, ballot{uint64(min(v.Left, v.Right))<<32 | uint64(max(v.Left, v.Right)), int32(v.User), int32(k)})
			end[v.User+1]++
		}
	}
	for u := range e.d.NumUsers() {
		end[u+1] += end[u]
	}
	all := make([]ballot, len(cast))
	for _, b := range cast {
		all[end[b.user]] = b
		end[b.user]++
	}
	from := 0
	for _, to := range end[:e.d.NumUsers()] {
		if e.ctx.Err() != nil {
			return
		}
		mine := all[from:to]
		slices.SortFunc(mine, func(x, y ballot) int {
			if x.pair != y.pair {
				return cmp.Compare(x.pair, y.pair)
			}
			return cmp.Compare(x.vote, y.vote)
		})
		for k := 1; k < len(mine); k++ {
			if mine[k-1].pair == mine[k].pair {
				e.compare(mine[k-1].vote, mine[k].vote)
			}
		}
		from = to
	}
	for _, found := range [][][2]int32{e.repeated, e.changed} {
		slices.SortFunc(found, func(x, y [2]int32) int { return cmp.Compare(x[1], y[1]) })
	}
}

// compare notes whether a voter said the same of a pair again.
func (e *election) compare(x, y int32) {
	v, w := e.d.Vote(int(x)), e.d.Vote(int(y))
	if v.Left != w.Left {
		w = w.Swap()
	}
	switch {
	case v.Outcome != w.Outcome:
		e.changed = append(e.changed, [2]int32{x, y})
	case v.Time.Equal(w.Time): // at another time it is a second opinion
		e.repeated = append(e.repeated, [2]int32{x, y})
	}
}

func (e *election) duplicates(f *Finding, most int) {
	f.Kind = "duplicate votes"
	e.again(f, most, e.repeated, "the same")
}

func (e *election) contradictions(f *Finding, most int) {
	f.Kind = "contradictory votes"
	e.again(f, most, e.changed, "another")
}

// again tells of pairs of votes, of which the later one gave the same answer or another.
func (e *election) again(f *Finding, most int, found [][2]int32, which string) {
	for _, p := range found {
		v := e.d.Vote(int(p[1]))
		f.add(most, e.at(p[1], winnerColumn, "%s gave %s answer about %s and %s on %s",
			wording.Quote(e.d.UserID(v.User)), which, wording.Quote(e.d.ItemID(v.Left)), wording.Quote(e.d.ItemID(v.Right)), e.where(p[0], p[1])))
	}
}
