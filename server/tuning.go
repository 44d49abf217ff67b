package server

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"palate/store"
	"palate/tune"
)

// tuned is what is known of the search of a board of a space.
type tuned struct {
	search   *tune.Search   // of the last fit; its belief is made, and it is only read
	standing *tune.Standing // nil before the first fit of answers
	path     []tune.Step
	clock    int   // up to which answers are in it
	changes  int64 // see live.changes

	// How many questions were asked since the last answer.
	asked, since int

	own views[*Optimum] // of voters

	folding sync.Mutex // held by the one who folds answers in; guards folded
	folded  struct {
		search  *tune.Search
		clock   int
		changes int64
	}
}

const (
	// foldedDuels is up to how many duels a question waits until all answers are folded in,
	// some 80 ms; with more of them it is chosen by the last fit.
	foldedDuels = 150
	// pathSteps is how many steps of the path are kept, at most.
	pathSteps = 40
	// pointsWaiting is how many points may be on a board that nobody has answered about.
	pointsWaiting = 1000
)

// newTuned starts at the prior.
func newTuned(ctx context.Context, space *tune.Space, seed uint64) (*tuned, *tune.Belief, error) {
	t := &tuned{search: tune.NewSearch(space, &tune.Log{Seed: seed}), clock: -1}
	b, err := t.search.Belief(ctx)
	return t, b, err
}

// retune learns from a board's answers anew, as refitBoard does for a list of items. The
// caller holds fitting.
func (s *Service) retune(l *live) error {
	l.mu.Lock()
	m, was, steps := l.read(), l.tuned.search, l.tuned.path
	l.stale = false // what changes from here on makes it so again
	l.mu.Unlock()
	s.slow(refitting)
	log := m.sorted().duels()
	search := was.GoOn(log)
	var b *tune.Belief
	var standing *tune.Standing
	var path []tune.Step
	err := s.attempt(func() (err error) {
		if b, err = search.Belief(s.ctx); err != nil || len(log.Duels) == 0 {
			return err
		}
		if standing, err = search.Standing(s.ctx, nil); err == nil {
			path, err = pathOf(s.ctx, search, standing, was, steps)
		}
		return err
	})
	if err != nil {
		l.fails(time.Now())
		return err
	}
	model := newTried(b, m.items)
	for k := range m.records {
		if m.counts(k) && !m.records[k].set {
			model.votes[m.records[k].left]++
			model.votes[m.records[k].right]++
		}
	}
	l.mu.Lock()
	l.tuned.search, l.tuned.standing, l.tuned.path, l.tuned.clock, l.tuned.changes = search, standing, path, m.clock, m.changes
	l.model, l.still, l.pending, l.fitted = model.with(l.items), nil, 0, time.Now()
	l.stale = l.stale || l.changes != m.changes
	l.version++
	l.fold(l.since(m.clock))
	l.mu.Unlock()
	s.hub.send(Event{Board: l.id, Kind: Fitted})
	return nil
}

// pathOf returns how the best point moved: where the answers of an earlier search begin those
// of a later one, its path and the last step, else one made anew. Every other step is left out
// when there are too many.
func pathOf(ctx context.Context, search *tune.Search, standing *tune.Standing, was *tune.Search, path []tune.Step) ([]tune.Step, error) {
	n := len(was.Log.Duels)
	if len(path) == 0 || !search.Continues(was) {
		return search.Path(ctx, pathSteps/4)
	}
	if standing.Duels == n {
		return path, nil
	}
	if len(path) == pathSteps {
		var half []tune.Step
		for k := 1; k < len(path); k += 2 {
			half = append(half, path[k])
		}
		path = half
	}
	return append(slices.Clip(path), tune.Step{Duels: standing.Duels, Best: standing.Best}), nil
}

// searching returns the search that questions are chosen by, and how many answers it does not
// have: none while there are few, which are folded in without learning hyper-parameters anew.
func (s *Service) searching(ctx context.Context, l *live) (*tune.Search, int, error) {
	l.mu.RLock()
	t := l.tuned
	fit, current := t.search, t.clock == l.clock && t.changes == l.changes
	duels := len(l.records) - len(l.ends)
	l.mu.RUnlock()
	if current {
		return fit, 0, nil
	}
	if duels > foldedDuels {
		return fit, max(1, duels-len(fit.Log.Duels)), nil
	}
	t.folding.Lock()
	defer t.folding.Unlock()
	m := l.moment()
	if f := &t.folded; f.search == nil || f.clock != m.clock || f.changes != m.changes {
		search := fit.Fold(m.duels())
		if _, err := search.Belief(ctx); err != nil {
			return nil, 0, err
		}
		f.search, f.clock, f.changes = search, m.clock, m.changes
	}
	return t.folded.search, 0, nil
}

// proposePoints chooses two points that a voter has not compared yet, and that nobody else is
// looking at.
func (s *Service) proposePoints(ctx context.Context, l *live, voter string) (store.Question, error) {
	l.mu.RLock()
	closed, full := l.about.ClosedAt(time.Now()), l.duelsLeft() == 0
	l.mu.RUnlock()
	switch {
	case closed:
		return store.Question{}, fmt.Errorf("server: %w", ErrClosed)
	case full:
		return store.Question{}, fmt.Errorf("server: %w", ErrFull)
	}
	search, behind, err := s.searching(ctx, l)
	if err != nil {
		return store.Question{}, err
	}
	s.slow(choosing)
	for try := range retries {
		waiting := l.waiting(voter) + behind + try
		points, err := search.Beside(ctx, tune.EUBO, waiting)
		if err != nil {
			return store.Question{}, err
		}
		numbers, err := s.pointNumbers(ctx, l, s.spare(l, points))
		if err != nil {
			return store.Question{}, err
		}
		now := now()
		l.mu.Lock()
		pair := pairOf(numbers[0], numbers[1])
		q := store.Question{Key: token(10), Left: numbers[0], Right: numbers[1], Policy: searches, Time: now}
		on, taken := l.leases[pair]
		out := numbers[0] == numbers[1] || l.items[numbers[0]].Excluded != "" || l.items[numbers[1]].Excluded != ""
		if !out && !l.said(voter, q.Topic()) && !(taken && on.voter != voter && now.Before(on.until)) {
			l.lease(voter, pair, now)
			l.mu.Unlock()
			return q, nil
		}
		l.mu.Unlock()
	}
	return store.Question{}, fmt.Errorf("server: %w", ErrDone)
}

// searches is the policy of questions that a search has chosen.
const searches = "tune"

// waiting counts questions that were asked since the last answer, of others first, and this
// one with them.
func (l *live) waiting(voter string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	t, now := l.tuned, time.Now()
	if t.since != l.clock {
		t.since, t.asked = l.clock, 0
		for _, on := range l.leases {
			if on.voter != voter && now.Before(on.until) {
				t.asked++
			}
		}
	}
	t.asked++
	return t.asked - 1
}

// spare returns the points of a question; where many wait for an answer already, as those whom
// people were asked about who went away, it is two of these.
func (s *Service) spare(l *live, q tune.Question) []tune.Point {
	l.mu.RLock()
	m := l.read()
	l.mu.RUnlock()
	if len(m.items) < 2*len(m.records)+pointsWaiting {
		return []tune.Point{q.Left, q.Right}
	}
	answered := make([]bool, len(m.items))
	for k := range m.records {
		if r := &m.records[k]; !r.set {
			answered[r.left], answered[r.right] = true, true
		}
	}
	var idle []tune.Point
	for k, i := range m.items {
		if !answered[k] && i.Excluded == "" {
			idle = append(idle, i.Features)
		}
	}
	if len(idle) < 2 {
		return []tune.Point{q.Left, q.Right}
	}
	rng := s.rng()
	a, b := rng.IntN(len(idle)), rng.IntN(len(idle)-1)
	if b >= a {
		b++
	}
	return []tune.Point{idle[a], idle[b]}
}
