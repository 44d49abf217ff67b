package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"palate"
	"palate/active"
	"palate/model"
	"palate/store"
)

// views are what was made last, by whose it is.
type views[T any] struct {
	mu   sync.Mutex
	last map[View]*cached[T]
}

// DrawsOf is the number of joint draws that a leaderboard of so many items is made from:
// 2000, and fewer of more than a thousand items, so that it fits into memory.
func DrawsOf(items int) int { return max(200, min(2000, 2_000_000/max(items, 1))) }

// viewsKept is the number of leaderboards that are kept of a board.
const viewsKept = 200

// Leaderboard returns the ranking now; a board that is voted on is behind by half a
// second and the time that it takes to make. A voter's or a group's is learnt in the
// background: see Leaderboard.Until and Leaderboard.Waiting.
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
	defer s.spent(ctx, phaseRank, time.Now())
	b, err := keep(ctx, s, l, l.boards.of(v), viewAge, func() (*Leaderboard, error) { return s.leaderboard(l, v) })
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.seq > b.Seq {
		older := *b // which others look at, too
		older.Behind = true
		b = &older
	}
	return b, nil
}

func (v *views[T]) of(who View) *cached[T] {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.last == nil || len(v.last) > viewsKept {
		v.last = map[View]*cached[T]{}
	}
	if v.last[who] == nil {
		v.last[who] = &cached[T]{}
	}
	return v.last[who]
}

func (s *Service) leaderboard(l *live, v View) (*Leaderboard, error) {
	p, from, err := s.predictor(l, v)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	b := &Leaderboard{Items: l.items, Seq: l.seq, Fitted: l.fitted, Pending: l.pending, Until: from.at, Waiting: from.waiting, Provisional: make([]bool, len(l.items))}
	set := l.about.Settings
	in := make([]int, 0, len(l.items))
	for i, item := range l.items {
		// Of a space it is the points that were answered about, and the first two: what it takes
		// grows with the cube of their number.
		if item.Excluded == "" && i < p.NumItems() && (l.space == nil || i < 2 || p.Votes()[i] > 0) {
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
		return nil, invalid("all items are excluded")
	}
	s.slow(ranking)
	// All items are on one list: the prior puts them on one scale, and the trust
	// panel says when votes do not connect them.
	only := among{p, in}
	if b.Board, err = model.NewBoard(s.ctx, only, 0, &model.BoardOptions{Draws: DrawsOf(len(in)), Level: set.Level}); err != nil {
		return nil, err
	}
	for _, row := range b.Groups[0].Rows {
		b.Provisional[row.Item] = row.Votes < enoughVotes
	}
	if l.space != nil {
		o, err := s.Best(s.ctx, l.id, View{})
		if err != nil {
			return nil, err
		}
		b.Progress = o.Progress()
		return b, nil
	}
	settled, err := active.Settled(s.ctx, only.small(), 0, goalOf(set.Goal), s.rng())
	if err != nil {
		return nil, err
	}
	b.Progress = progress(set, settled)
	if m, moves := p.(*model.Moving); moves {
		_, b.AsOf = m.Period()
	}
	return b, nil
}

// enoughVotes is the number of votes below which an item's place is provisional:
// with fewer its interval is most of the prior.
const enoughVotes = 4

// predictor returns the model of a view, which nothing changes any more, and what
// it was learnt from, if that was in the background.
func (s *Service) predictor(l *live, v View) (model.Predictor, learnt, error) {
	switch {
	case v.Voter != "":
		from := s.learnt(l, "")
		if from.population == nil {
			return l.consensus(), learnt{waiting: true}, nil
		}
		p, err := s.taster(l, from.population, v.Voter)
		return p, from, err
	case v.Group != "":
		if !l.voted(v.Group) {
			return nil, learnt{}, fmt.Errorf("%w: votes of group %q", store.ErrNotFound, v.Group)
		}
		if from := s.learnt(l, v.Group); from.group != nil {
			return from.group, from, nil
		}
		return l.consensus(), learnt{waiting: true}, nil
	}
	return l.consensus(), learnt{}, nil
}

// consensus returns the model of everybody's votes, which nothing changes any more.
func (l *live) consensus() model.Predictor {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if m := l.current(); m != nil {
		return m
	}
	if l.fit != nil && l.pending == 0 && !l.stale && weighed(l.fit) {
		return l.fit // whose draws are mended
	}
	return l.frozen()
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
	return subset(a)
}

// subset is some items of a model, numbered anew.
type subset among

func (f subset) NumItems() int       { return len(f.items) }
func (f subset) ItemID(i int) string { return f.Predictor.ItemID(f.items[i]) }
func (f subset) Prefer(user, left, right int) float64 {
	return f.Predictor.Prefer(user, f.items[left], f.items[right])
}
func (f subset) Utility(user, item int) (mean, variance float64) {
	return f.Predictor.Utility(user, f.items[item])
}

func (f subset) Draws(ctx context.Context, user, n int, rng *rand.Rand) (model.Draws, error) {
	d, err := f.Predictor.Draws(ctx, user, n, rng)
	if err != nil {
		return d, err
	}
	rows, _ := d.F.Dims()
	some := mat.NewDense(rows, len(f.items), nil)
	for k := range rows {
		for j, i := range f.items {
			some.Set(k, j, d.F.At(k, i))
		}
	}
	d.F = some
	return d, nil
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
		if m := l.current(); m != nil {
			return prefer(m, a, b), nil
		}
		return prefer(l.model, a, b), nil
	}
	p, _, err := s.predictor(l, v)
	if err != nil {
		return 0, err
	}
	return prefer(p, a, b), nil
}

// prefer returns the probability that an item beats another; of one that has been
// added since the model was learnt nothing is known.
func prefer(p model.Predictor, a, b int) float64 {
	if max(a, b) >= p.NumItems() {
		return 0.5
	}
	return p.Prefer(-1, a, b)
}

// matrixItems is of how many items a matrix of wins is: the first of the consensus.
const matrixItems = 30

// Matrix returns who beat whom how often, among the first of the consensus.
func (s *Service) Matrix(ctx context.Context, board string) (*Matrix, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	b, err := s.Leaderboard(ctx, board, View{})
	if err != nil {
		return nil, err
	}
	var first []int
	for _, row := range b.Rows()[:min(matrixItems, len(b.Rows()))] {
		first = append(first, row.Item)
	}
	return keep(ctx, s, l, &l.matrix, viewAge, func() (*Matrix, error) {
		m := l.moment()
		s.slow(counting)
		return m.matrix(first), nil
	})
}

// matrix counts among some items.
func (m *moment) matrix(some []int) *Matrix {
	x := &Matrix{}
	for _, i := range some {
		x.Items = append(x.Items, m.items[i])
		x.Wins, x.Ties = append(x.Wins, make([]int, len(some))), append(x.Ties, make([]int, len(some)))
	}
	place := make([]int, len(m.items)) // in the matrix, from 1
	for k, i := range some {
		place[i] = k + 1
	}
	for k := range m.records {
		r := &m.records[k]
		switch {
		case !m.counts(k):
		case r.set:
			for _, v := range setVotes(m.sets[r.left].set, m.items) {
				x.count(place[v.Left]-1, place[v.Right]-1, v.Outcome)
			}
		default:
			x.count(place[r.left]-1, place[r.right]-1, r.outcome)
		}
	}
	return x
}

// count counts a vote between two places, −1 for what is not in the matrix.
func (x *Matrix) count(left, right int, o palate.Outcome) {
	if left < 0 || right < 0 {
		return
	}
	switch o {
	case palate.Left:
		x.Wins[left][right]++
	case palate.Right:
		x.Wins[right][left]++
	case palate.Tie:
		x.Ties[left][right]++
		x.Ties[right][left]++
	}
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

// voted reports whether somebody of a group has voted whose votes count.
func (l *live) voted(group string) bool {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for voter, b := range l.ballots {
		if who := l.people[voter]; b.votes > 0 && who.Group == group && who.Excluded == "" {
			return true
		}
	}
	return false
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
