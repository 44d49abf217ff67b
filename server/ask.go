package server

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"palate/active"
	"palate/model"
	"palate/store"
)

// Ask chooses the next pair for a voter: one they have not seen, and that nobody
// else is looking at, while there are such.
func (s *Service) Ask(ctx context.Context, board, voter string) (Question, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return Question{}, err
	}
	if err := s.known(ctx, l, voter); err != nil {
		return Question{}, err
	}
	if !s.voters.allow(board+"/"+voter, time.Now()) {
		return Question{}, fmt.Errorf("server: %w: more than %d a minute", ErrTooMany, s.options.VotesPerMinute)
	}
	began := time.Now()
	defer func() { s.meter.asks.observe(time.Since(began)) }()
	p, err := s.person(l, voter)
	if err != nil {
		return Question{}, err
	}
	rng := s.rng()
	for try := 0; ; try++ {
		pair, policy, votes, left, err := s.choose(l, voter, p, rng)
		if err != nil {
			return Question{}, err
		}
		q, ok := s.show(l, voter, pair, policy, time.Now(), try == 2)
		if ok {
			q.Votes, q.Pairs = votes, left
			return q, nil
		}
	}
}

// choose looks for the pair that is worth most.
func (s *Service) choose(l *live, voter string, p model.Predictor, rng *rand.Rand) (pair active.Pair, policy string, votes, left int, err error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.about.Closed {
		return pair, "", 0, 0, fmt.Errorf("server: %w", ErrClosed)
	}
	set := l.about.Settings
	o := active.Options{Policy: policyOf(set.Goal), Explore: set.Explore, Exclude: active.Pairs{}, Familiarity: l.present()}
	b := l.ballots[voter]
	if b != nil {
		votes = b.votes
		for pair := range b.seen {
			if pair[1] < l.model.NumItems() {
				o.Exclude[pair] = struct{}{}
			}
		}
	}
	seen := len(o.Exclude)
	if votes < set.Novice {
		o.TooClose = nearTie
	}
	now := time.Now()
	var others [][2]int
	for pair, on := range l.leases {
		if on.voter != voter && now.Before(on.until) && pair[1] < l.model.NumItems() && !o.Exclude.Has(pair[0], pair[1]) {
			others = append(others, pair)
			o.Exclude[pair] = struct{}{}
		}
	}
	if p == nil || p.NumItems() != l.model.NumItems() {
		p = l.model
	}
	pairs := active.Next(p, -1, 1, &o, rng)
	if len(pairs) == 0 && o.TooClose > 0 {
		o.TooClose = 0
		pairs = active.Next(p, -1, 1, &o, rng)
	}
	if len(pairs) == 0 && len(others) > 0 { // rather what another is looking at than nothing
		for _, pair := range others {
			o.Exclude.Remove(pair[0], pair[1])
		}
		pairs = active.Next(p, -1, 1, &o, rng)
	}
	if len(pairs) == 0 {
		return pair, "", 0, 0, fmt.Errorf("server: %w", ErrDone)
	}
	n := 0
	for _, i := range l.items {
		if i.Excluded == "" {
			n++
		}
	}
	return pairs[0], o.Policy.Name, votes, n*(n-1)/2 - seen, nil
}

// nearTie is the difference of utilities, in units of the noise of a vote, below
// which novices are spared a pair: the better item would win less than 7 in 10.
const nearTie = 0.5

// present returns 1 for items that are in and 0 for those that are out; nil when
// all are in. It is as long as the model knows of items.
func (l *live) present() []float64 {
	n := l.model.NumItems()
	all := true
	f := make([]float64, n)
	for i := range n {
		if l.items[i].Excluded == "" {
			f[i] = 1
		} else {
			all = false
		}
	}
	if all {
		return nil
	}
	return f
}

// show puts a pair before a voter: nobody else is to look at it for a while. It
// fails when somebody else has begun to meanwhile, unless that is to be so.
func (s *Service) show(l *live, voter string, pair active.Pair, policy string, now time.Time, anyway bool) (Question, bool) {
	key := [2]int{min(pair.Left, pair.Right), max(pair.Left, pair.Right)}
	l.mu.Lock()
	defer l.mu.Unlock()
	if on, taken := l.leases[key]; taken && on.voter != voter && now.Before(on.until) && !anyway {
		return Question{}, false
	}
	for k, on := range l.leases {
		if on.voter == voter || now.After(on.until) {
			delete(l.leases, k)
		}
	}
	l.leases[key] = lease{voter, now.Add(looking)}
	asked := asked{
		Board: l.id, Voter: voter, Left: pair.Left, Right: pair.Right, Policy: policy,
		Propensity: pair.Propensity, Key: token(10), Time: now.UnixMilli(),
	}
	return Question{
		Token: s.sign(asked), Left: l.items[pair.Left], Right: l.items[pair.Right], Policy: policy, Propensity: pair.Propensity,
	}, true
}

// known checks that a voter is one of the board's.
func (s *Service) known(ctx context.Context, l *live, voter string) error {
	l.mu.RLock()
	_, known := l.people[voter]
	l.mu.RUnlock()
	if known {
		return nil
	}
	v, err := s.store.Voter(ctx, l.id, voter) // another process may have met them
	if err != nil {
		return err
	}
	l.meet(v)
	return nil
}

// meet takes note of a voter.
func (l *live) meet(v store.Voter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.people[v.ID] = v
	if v.Subject != "" {
		l.subject[v.Subject] = v.ID
	}
}
