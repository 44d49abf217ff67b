package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"palate"
	"palate/model"
	"palate/store"
	"palate/tune"
)

// tried is the model of a board of a space: what its search believes of the points that were
// tried. Between fits it counts votes only; see Service.searching for what questions know.
type tried struct {
	belief *tune.Belief
	items  []store.Item
	number map[string]int // by pointKey
	votes  []float64
}

// newTried asks a belief about items.
func newTried(b *tune.Belief, items []store.Item) *tried {
	return (&tried{belief: b, number: map[string]int{}}).with(items)
}

// with returns the model with further items.
func (t *tried) with(items []store.Item) *tried {
	more := &tried{belief: t.belief, items: items, number: t.number, votes: slices.Clone(t.votes)}
	if len(items) > len(t.items) {
		more.number = make(map[string]int, len(items))
		for k, i := range items {
			more.number[pointKey(i.Features)] = k
		}
		more.votes = append(more.votes, make([]float64, len(items)-len(t.votes))...)
	}
	return more
}

func (t *tried) frozen() *tried { return t.with(t.items) }

func (t *tried) NumItems() int       { return len(t.items) }
func (t *tried) ItemID(i int) string { return t.items[i].ID }
func (t *tried) Votes() []float64    { return t.votes }

func (t *tried) point(i int) tune.Point { return t.items[i].Features }

func (t *tried) Groups() [][]int {
	all := make([]int, len(t.items))
	for i := range all {
		all[i] = i
	}
	return [][]int{all}
}

func (t *tried) Prefer(_, left, right int) float64 {
	return t.belief.Wins(t.point(left), t.point(right))
}

func (t *tried) Utility(_, item int) (mean, variance float64) { return t.belief.Moments(t.point(item)) }

func (t *tried) Draws(ctx context.Context, _, n int, rng *rand.Rand) (model.Draws, error) {
	points := make([]tune.Point, len(t.items))
	for i := range points {
		points[i] = t.point(i)
	}
	d := model.Draws{F: t.belief.Joint(points, n, rng), Weight: make([]float64, n), ESS: float64(n)}
	for k := range d.Weight {
		d.Weight[k] = 1 / float64(n)
	}
	return d, ctx.Err()
}

func (t *tried) Observe(v palate.Vote) error { return t.count(v, 1) }
func (t *tried) Forget(v palate.Vote) error  { return t.count(v, -1) }

func (t *tried) count(v palate.Vote, by float64) error {
	if max(v.Left, v.Right) >= len(t.items) {
		return errors.New("server: a point that is not known yet")
	}
	t.votes[v.Left] += by
	t.votes[v.Right] += by
	return nil
}

// addPoints is the verb of the log for points that questions are made of.
const addPoints = "add-points"

// pointNumbers returns the numbers of points on a board of a space; those that it does not have
// are added.
func (s *Service) pointNumbers(ctx context.Context, l *live, points []tune.Point) ([]int, error) {
	for try := 0; ; try++ {
		l.mu.RLock()
		known, b, old := l.model.(*tried).number, l.about, l.items
		l.mu.RUnlock()
		numbers := make([]int, len(points))
		var missing []tune.Point
		added := map[string]bool{}
		for k, x := range points {
			key, there := pointKey(x), false
			if numbers[k], there = known[key]; !there && !added[key] {
				missing, added[key] = append(missing, x), true
			}
		}
		if len(missing) == 0 {
			return numbers, nil
		}
		items, _, err := s.makeItems(ctx, b, old, pointItems(l.space, b.Space, old, missing))
		if err != nil {
			return nil, err
		}
		_, err = s.store.AddItems(ctx, l.id, items, store.Action{Actor: "server", Verb: addPoints, Object: fmt.Sprint(len(items)), Time: now()})
		if err != nil && (!errors.Is(err, store.ErrExists) || try == retries) { // another process has added some
			return nil, err
		}
		if err := s.renewPoints(ctx, l); err != nil {
			return nil, err
		}
	}
}

// duelsLeft is how many answers a board of a space still takes. Those of voters whom the owner
// has excluded leave their room to others. The caller holds the lock.
func (l *live) duelsLeft() int {
	left := MaxDuels
	for voter, b := range l.ballots {
		if l.people[voter].Excluded == "" {
			left -= b.votes + b.skips
		}
	}
	return max(0, left)
}

// takes says why a file of so many answers is too much for a board.
func (l *live) takes(name string, answers int) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.space == nil || answers <= l.duelsLeft() {
		return nil
	}
	return invalid("%s: %d duels, and the board takes %d more: %d are the most", name, answers, l.duelsLeft(), MaxDuels)
}

// duels are the answers of a moment that stand, as a search reads them: the first ones, should
// there be too many to learn from, as when several servers took the last ones at once.
func (m *moment) duels() *tune.Log {
	log := &tune.Log{Seed: m.about.Space.Seed}
	order := make([]int, 0, len(m.records))
	for k := range m.records {
		if r := &m.records[k]; m.stands(k) && !r.set && int(max(r.left, r.right)) < len(m.items) {
			order = append(order, k)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return int(m.records[a].seq - m.records[b].seq) })
	for _, k := range order[:min(len(order), MaxDuels)] {
		r := &m.records[k]
		d := tune.Duel{Left: m.items[r.left].Features, Right: m.items[r.right].Features, Answer: r.outcome}
		if who := m.names[r.voter]; who != nobody {
			d.Voter = who
		}
		log.Duels = append(log.Duels, d)
	}
	return log
}
