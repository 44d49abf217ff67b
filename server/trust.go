package server

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"palate"
	"palate/model"
	"palate/store"
)

// Check is one line of the trust panel: what was looked at, whether it is well,
// and what was found, in words. Passes are stated as well as failures.
type Check struct {
	Name string // connected, enough, never-won, never-lost, sides, skips, voters
	OK   bool
	Says string
	// Counts and Items are what it says it of, for who says it in other words: how many
	// parts, items, or votes of how many; voters, the most of one, and all votes.
	Counts []int
	Items  []string
}

// Trust looks at what could be wrong with a board's votes.
func (s *Service) Trust(ctx context.Context, board string) ([]Check, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	return keep(ctx, s, l, &l.trust, 0, func() ([]Check, error) {
		m := l.moment()
		s.slow(surveying)
		return m.checks()
	})
}

func (m *moment) checks() ([]Check, error) {
	t := m.survey()
	d, err := m.dataset(nil)
	if err != nil {
		return nil, err
	}
	parts := 0
	for _, c := range d.Components() {
		if len(c) > 1 || m.items[c[0]].Excluded == "" {
			parts++
		}
	}
	in := func(list []string) string { return fmt.Sprintf("%d: %s", len(list), shortList(list)) }
	z := 0.0 // of the share of left, against one half
	if n := t.left + t.right; n > 0 {
		z = (float64(t.left) - float64(n)/2) / (math.Sqrt(float64(n)) / 2)
	}
	first := t.first.check()
	sides := fmt.Sprintf("Left won %d of %d decided votes: ", t.left, t.left+t.right)
	one := fmt.Sprintf("%d people voted, one of them cast %d of %d votes.", t.voters, t.most, t.votes)
	switch t.voters {
	case 0:
		one = "Nobody has voted yet."
	case 1:
		one = "One person cast all votes."
	}
	asked := t.votes + t.skips
	checks := []Check{
		{"connected", parts == 1, either(parts == 1, "Votes connect all items with each other.", fmt.Sprintf("Votes leave the items in %d groups that nothing connects.", parts)), []int{parts}, nil},
		{"enough", len(t.few) == 0, either(len(t.few) == 0, fmt.Sprintf("Every item has at least %d votes.", enoughVotes), fmt.Sprintf("Items with fewer than %d votes, %s.", enoughVotes, in(t.few))), []int{len(t.few), enoughVotes}, t.few},
		{"never-won", len(t.neverWon) == 0, either(len(t.neverWon) == 0, "Every item has won at least once.", "Items that never won, "+in(t.neverWon)+"."), []int{len(t.neverWon)}, t.neverWon},
		{"never-lost", len(t.neverLost) == 0, either(len(t.neverLost) == 0, "Every item has lost at least once.", "Items that never lost, "+in(t.neverLost)+"."), []int{len(t.neverLost)}, t.neverLost},
		{"sides", math.Abs(z) < 3, sides + either(math.Abs(z) < 3, "no sign that a side is favoured.", "voters favour a side."), []int{t.left, t.left + t.right}, nil},
		{"skips", t.skips*5 <= asked, either(t.skips*5 <= asked, fmt.Sprintf("%d of %d questions were skipped.", t.skips, asked), fmt.Sprintf("%d of %d questions were skipped: they may be hard to answer.", t.skips, asked)), []int{t.skips, asked}, nil},
		{"voters", t.voters >= 3 && t.most*2 <= t.votes, either(t.voters >= 3 && t.most*2 <= t.votes, fmt.Sprintf("%d people voted, nobody cast more than half of the votes.", t.voters), one), []int{t.voters, t.most, t.votes}, nil},
	}
	if first != nil { // in place of sides, where there are none
		at := slices.IndexFunc(checks, func(c Check) bool { return c.Name == "sides" })
		if t.left+t.right == 0 {
			checks[at] = *first
		} else {
			checks = slices.Insert(checks, at+1, *first)
		}
	}
	if m.space != nil { // most points are compared once, by design
		checks = slices.DeleteFunc(checks, func(c Check) bool { return !slices.Contains([]string{"sides", "skips", "voters"}, c.Name) })
	}
	return checks, nil
}

// atFirst counts answers about several items whose best was the one that was shown first, and how
// many that would be by chance.
type atFirst struct {
	answers, times   int
	chance, variance float64
}

// add counts an answer.
func (f *atFirst) add(s store.Set) {
	_, items, places := s.Parts()
	best := 0
	for _, p := range places {
		if p == 0 {
			best++
		}
	}
	if best != 1 {
		return
	}
	if f.answers++; places[0] == 0 {
		f.times++
	}
	p := 1 / float64(len(items))
	f.chance, f.variance = f.chance+p, f.variance+p*(1-p)
}

// check says whether what is shown first is favoured; nil without answers about several items.
func (f *atFirst) check() *Check {
	if f.answers == 0 {
		return nil
	}
	ok := math.Abs(float64(f.times)-f.chance) < 3*math.Sqrt(f.variance)
	says := fmt.Sprintf("What was shown first was put first in %d of %d answers, where chance makes it %.0f: ", f.times, f.answers, f.chance)
	return &Check{"first", ok, says + either(ok, "no sign that a place is favoured.", "voters favour a place."), []int{f.times, f.answers, int(math.Round(f.chance))}, nil}
}

func either(ok bool, yes, no string) string {
	if ok {
		return yes
	}
	return no
}

// shortList names the first few.
func shortList(names []string) string {
	var some []string
	for _, name := range names[:min(len(names), 5)] {
		if strings.ContainsFunc(name, rightToLeft) {
			name = "\u2068" + name + "\u2069" // so that it does not turn its neighbours around
		}
		some = append(some, name)
	}
	list := strings.Join(some, ", ")
	if len(names) > len(some) {
		list += " and others"
	}
	return list
}

func rightToLeft(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana, unicode.Nko)
}

// tally is what the checks count.
type tally struct {
	left, right, votes, skips, voters, most int
	few, neverWon, neverLost                []string
	first                                   atFirst
}

func (m *moment) survey() tally {
	var t tally
	n := len(m.items)
	wins, losses, all := make([]int, n), make([]int, n), make([]int, n)
	of := map[string]int{}
	for k := range m.records {
		if !m.stands(k) {
			continue
		}
		v := m.vote(k)
		if v.Outcome == palate.Skip {
			t.skips++
			continue
		}
		t.votes++
		of[v.Voter]++
		if v.Set != "" {
			t.first.add(v.Set)
			for i := range compared(setVotes(v.Set, m.items), wins, losses) {
				all[i]++
			}
			continue
		}
		all[v.Left]++
		all[v.Right]++
		switch v.Outcome {
		case palate.Left:
			t.left++
			wins[v.Left]++
			losses[v.Right]++
		case palate.Right:
			t.right++
			wins[v.Right]++
			losses[v.Left]++
		}
	}
	for i, item := range m.items {
		if item.Excluded != "" {
			continue
		}
		if all[i] < enoughVotes {
			t.few = append(t.few, item.ID)
		}
		if wins[i] == 0 {
			t.neverWon = append(t.neverWon, item.ID)
		}
		if losses[i] == 0 {
			t.neverLost = append(t.neverLost, item.ID)
		}
	}
	t.voters = len(of)
	for _, k := range of {
		t.most = max(t.most, k)
	}
	return t
}

// compared counts who won and lost in the votes of one answer, each item once, and returns the items.
func compared(votes []palate.Vote, wins, losses []int) map[int]bool {
	won, lost, all := map[int]bool{}, map[int]bool{}, map[int]bool{}
	for _, v := range votes {
		if all[v.Left], all[v.Right] = true, true; v.Outcome == palate.Right {
			v = v.Swap()
		}
		if v.Outcome == palate.Left {
			won[v.Left], lost[v.Right] = true, true
		}
	}
	for i := range won {
		wins[i]++
	}
	for i := range lost {
		losses[i]++
	}
	return all
}

// VoterRow is what the owner sees of a voter.
type VoterRow struct {
	store.Voter
	Votes, Ties, Skips, Undone int
	// Agreement is the mean probability that the consensus gave to the voter's
	// answers, ties apart; Left the share of left among those about pairs; Quick the share
	// answered within half a second.
	Agreement, Left, Quick float64
	Sided                  bool // some answers are about pairs, of which one is left
	Last                   time.Time
}

// quick is how fast an answer is that nobody can have thought about.
const quick = 500 * time.Millisecond

// Voters returns what the owner sees of the voters, those who voted most first.
func (s *Service) Voters(ctx context.Context, board string) ([]VoterRow, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	m, consensus := l.read(), l.frozen()
	l.mu.RUnlock()
	s.slow(describing)
	return m.sorted().voters(consensus), nil
}

// voters describes the voters beside the consensus.
func (m *moment) voters(consensus model.Predictor) []VoterRow {
	rows := make(map[string]*profile, len(m.people))
	for id, who := range m.people {
		rows[id] = &profile{VoterRow: VoterRow{Voter: who}}
	}
	undone := make(map[int64]bool, len(m.undos))
	for _, seq := range m.undos {
		undone[seq] = true
	}
	for k := range m.records {
		v := m.vote(k)
		if r := rows[v.Voter]; r != nil {
			r.add(v, m.stood[k], undone[v.Seq], consensus, m.items)
		}
	}
	all := make([]VoterRow, 0, len(rows))
	for _, r := range rows {
		all = append(all, r.row())
	}
	slices.SortFunc(all, func(a, b VoterRow) int {
		return cmp.Or(cmp.Compare(b.Votes, a.Votes), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// profile counts the answers of a voter.
type profile struct {
	VoterRow
	last                 int64 // record
	decided, sided, fast float64
}

// add counts an answer.
func (r *profile) add(v store.Vote, stands, undone bool, consensus model.Predictor, items []store.Item) {
	if v.Seq > r.last {
		r.last, r.Last = v.Seq, v.Time
	}
	if undone {
		r.Undone++
	}
	switch {
	case !stands:
		return
	case v.Outcome == palate.Skip:
		r.Skips++
		return
	}
	r.Votes++
	if v.Response > 0 && v.Response < quick {
		r.fast++
	}
	if v.Set != "" {
		r.addSet(setVotes(v.Set, items), consensus)
		return
	}
	switch v.Outcome {
	case palate.Tie:
		r.Ties++
		return
	case palate.Left:
		r.Left++
	}
	r.decided++
	r.sided++
	if max(v.Left, v.Right) < consensus.NumItems() {
		r.Agreement += agreement(consensus, palate.Vote{Left: v.Left, Right: v.Right, Outcome: v.Outcome})
	}
}

// agreement is the probability that the consensus gives to a vote that is no tie.
func agreement(consensus model.Predictor, v palate.Vote) float64 {
	p := consensus.Prefer(-1, v.Left, v.Right)
	if v.Outcome == palate.Right {
		p = 1 - p
	}
	return p
}

// addSet counts an answer about several items, which agrees as its pairs do on average.
func (r *profile) addSet(votes []palate.Vote, consensus model.Predictor) {
	sum, n := 0.0, 0
	for _, v := range votes {
		if v.Outcome != palate.Tie && max(v.Left, v.Right) < consensus.NumItems() {
			sum, n = sum+agreement(consensus, v), n+1
		}
	}
	if n > 0 {
		r.decided++
		r.Agreement += sum / float64(n)
	}
}

// row turns sums into shares.
func (r *profile) row() VoterRow {
	if r.decided > 0 {
		r.Agreement /= r.decided
	}
	if r.Sided = r.sided > 0; r.Sided {
		r.Left /= r.sided
	}
	if r.Votes > 0 {
		r.Quick = r.fast / float64(r.Votes)
	}
	return r.VoterRow
}
