package server

import (
	"palate"
	"palate/store"
)

// answersOf collects the votes of a file that follow from answers about several items, by
// the number of their group.
type answersOf map[int]*fileAnswer

// fileAnswer is one of them: where it stands among the votes, and what it says.
type fileAnswer struct {
	at    int
	votes []palate.Vote
}

// add takes a vote of a group, and reports whether the group is known: then its place is
// that of its first vote, which is put there by who calls.
func (a answersOf) add(at int, v palate.Vote) bool {
	g, known := a[v.Group]
	if !known {
		g = &fileAnswer{at: at}
		a[v.Group] = g
	}
	g.votes = append(g.votes, v)
	return known
}

// settled puts answers in the place of the first of their votes. Where votes of a group are
// no one answer that can be kept, they are votes of their own, as they came.
func (a answersOf) settled(votes []fileVote) []fileVote {
	if len(a) == 0 {
		return votes
	}
	of := make(map[int]*fileAnswer, len(a))
	for _, g := range a {
		of[g.at] = g
	}
	out := make([]fileVote, 0, len(votes))
	for k, v := range votes {
		g := of[k]
		if g == nil {
			out = append(out, v)
			continue
		}
		if set, ok := g.set(); ok {
			v.set, v.outcome = set, palate.Left
			if g.votes[0].Outcome == palate.Skip {
				v.outcome = palate.Skip
			}
			out = append(out, v)
			continue
		}
		for _, w := range g.votes {
			out = append(out, fileVote{int32(w.Left), int32(w.Right), int32(w.User), w.Outcome, w.Time, ""})
		}
	}
	return out
}

// set is the answer, if the votes are one of one voter.
func (g *fileAnswer) set() (store.Set, bool) {
	skips := 0
	for _, v := range g.votes {
		if v.User != g.votes[0].User {
			return "", false
		}
		if v.Outcome == palate.Skip {
			skips++
		}
	}
	if skips > 0 {
		return skippedSet(g.votes)
	}
	items, places, way, ok := weakOrder(g.votes)
	return store.NewSet(way, items, places), ok
}

// skippedSet is a question about several items that was skipped, as an export writes it: the
// first item beside each of the others.
func skippedSet(votes []palate.Vote) (store.Set, bool) {
	items := []int{votes[0].Left}
	seen := map[int]bool{votes[0].Left: true}
	for _, v := range votes {
		if v.Outcome != palate.Skip || v.Left != items[0] || seen[v.Right] {
			return "", false
		}
		items, seen[v.Right] = append(items, v.Right), true
	}
	if len(items) < minSet || len(items) > maxAnswer {
		return "", false
	}
	return store.NewSet(store.Ranking, items, nil), true
}
