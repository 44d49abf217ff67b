package server

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"palate/active"
	"palate/model"
	"palate/store"
)

// views are the leaderboards made last, by whose they are.
type views struct {
	mu   sync.Mutex
	last map[View]*shown
}

// shown is a leaderboard and what it was made from.
type shown struct {
	mu      sync.Mutex
	version int64
	at      time.Time
	board   *Leaderboard
}

// Draws is the number of joint draws that a leaderboard is made from.
const Draws = 2000

// Leaderboards are not made more often than this, nor are more of them kept.
const (
	viewAge   = 500 * time.Millisecond
	viewsKept = 200
)

// Leaderboard returns the ranking now; a board that is voted on is at most half
// a second behind.
func (s *Service) Leaderboard(ctx context.Context, board string, v View) (*Leaderboard, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	if v.Voter != "" {
		if err := s.known(ctx, l, v.Voter); err != nil {
			return nil, err
		}
	}
	at := l.boards.of(v)
	at.mu.Lock() // one at a time makes it
	defer at.mu.Unlock()
	l.mu.RLock()
	version := l.version
	l.mu.RUnlock()
	if at.board != nil && (at.version == version || time.Since(at.at) < viewAge) {
		return at.board, nil
	}
	made, version, err := s.leaderboard(l, v)
	if err != nil {
		return nil, err
	}
	at.board, at.version, at.at = made, version, time.Now()
	return made, nil
}

func (v *views) of(who View) *shown {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last == nil || len(v.last) > viewsKept {
		v.last = map[View]*shown{}
	}
	if v.last[who] == nil {
		v.last[who] = &shown{}
	}
	return v.last[who]
}

func (s *Service) leaderboard(l *live, v View) (*Leaderboard, int64, error) {
	p, err := s.predictor(l, v)
	if err != nil {
		return nil, 0, err
	}
	l.mu.RLock()
	b := &Leaderboard{Items: l.items, Seq: l.seq, Fitted: l.fitted, Pending: l.pending, Provisional: make([]bool, len(l.items))}
	version, set := l.version, l.about.Settings
	in := make([]int, 0, len(l.items))
	for i, item := range l.items {
		if item.Excluded == "" && i < p.NumItems() {
			in = append(in, i)
		}
	}
	for voter, ballot := range l.ballots {
		who := l.people[voter]
		if who.Excluded != "" || v.Voter != "" && voter != v.Voter || v.Group != "" && who.Group != v.Group {
			continue
		}
		b.Votes, b.Skips = b.Votes+ballot.votes, b.Skips+ballot.skips
		if ballot.votes > 0 {
			b.Voters++
		}
	}
	l.mu.RUnlock()
	if len(in) == 0 {
		return nil, 0, invalid("all items are excluded")
	}
	// All items are on one list: the prior puts them on one scale, and the trust
	// panel says when votes do not connect them.
	only := among{p, in}
	b.Board = model.NewBoard(only, 0, &model.BoardOptions{Draws: Draws, Level: set.Level})
	for _, row := range b.Groups[0].Rows {
		b.Provisional[row.Item] = row.Votes < enoughVotes
	}
	b.Progress = progress(set, active.Settled(among{p, in}.small(), 0, goalOf(set.Goal), s.rng()))
	return b, version, nil
}

// enoughVotes is the number of votes below which an item's place is provisional:
// with fewer its interval is most of the prior.
const enoughVotes = 4

// predictor returns the model of a view, which nothing changes any more.
func (s *Service) predictor(l *live, v View) (model.Predictor, error) {
	switch {
	case v.Voter != "":
		return s.taster(l, v.Voter)
	case v.Group != "":
		l.mu.RLock()
		d, err := l.dataset(func(who store.Voter) bool { return who.Group == v.Group })
		l.mu.RUnlock()
		if err != nil {
			return nil, err
		}
		if d.NumVotes() == 0 {
			return nil, fmt.Errorf("%w: votes of group %q", store.ErrNotFound, v.Group)
		}
		// Not the request's context: a fit that was broken off would be kept for others.
		return model.FitSingle(s.ctx, d, nil)
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.fit != nil && l.pending == 0 && !l.stale {
		return l.fit, nil // whose draws are mended
	}
	return l.model.Frozen(), nil
}

// among is a model seen at some of its items.
type among struct {
	model.Predictor
	items []int
}

func (a among) Groups() [][]int { return [][]int{a.items} }

// small is the same with those items only, numbered anew.
func (a among) small() model.Predictor {
	if len(a.items) == a.NumItems() {
		return a.Predictor
	}
	return few(a)
}

// Predict returns the probability that left beats right, by identifier.
func (s *Service) Predict(ctx context.Context, board string, v View, left, right string) (float64, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return 0, err
	}
	l.mu.RLock()
	a, b, err := l.numbers(left, right)
	l.mu.RUnlock()
	if err != nil {
		return 0, fmt.Errorf("%w: %w", store.ErrNotFound, err)
	}
	if v == (View{}) {
		l.mu.RLock()
		defer l.mu.RUnlock()
		if max(a, b) >= l.model.NumItems() {
			return 0.5, nil
		}
		return l.model.Prefer(-1, a, b), nil
	}
	p, err := s.predictor(l, v)
	if err != nil {
		return 0, err
	}
	return p.Prefer(0, a, b), nil
}

// Matrix returns who beat whom how often.
func (s *Service) Matrix(ctx context.Context, board string) (*Matrix, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	d, err := l.dataset(nil)
	m := &Matrix{Items: l.items}
	l.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	for range m.Items {
		m.Wins, m.Ties = append(m.Wins, make([]int, len(m.Items))), append(m.Ties, make([]int, len(m.Items)))
	}
	for _, t := range d.Tallies(false) {
		if t.Tie {
			m.Ties[t.A][t.B] += int(t.Weight)
			m.Ties[t.B][t.A] += int(t.Weight)
		} else {
			m.Wins[t.A][t.B] += int(t.Weight)
		}
	}
	return m, nil
}

// Groups lists the groups of voters whose rankings somebody may see.
func (s *Service) Groups(ctx context.Context, id Identity) ([]string, error) {
	all, err := s.groups(ctx, id.Board)
	var seen []string
	for group, voted := range all {
		if id.Owner || voted >= MinGroup {
			seen = append(seen, group)
		}
	}
	slices.Sort(seen)
	return seen, err
}

// groups counts the voters of each group who have voted.
func (s *Service) groups(ctx context.Context, board string) (map[string]int, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	voted := map[string]int{}
	for id, v := range l.people {
		if v.Group == "" {
			continue
		}
		if b := l.ballots[id]; b != nil && b.votes > 0 && v.Excluded == "" {
			voted[v.Group]++
		} else {
			voted[v.Group] += 0 // the owner sees those who have not voted, too
		}
	}
	return voted, nil
}
