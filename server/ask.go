package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"palate/active"
	"palate/model"
	"palate/store"
)

// Ask returns the voter's open question, whichever process asked it. When there is
// none it chooses a pair: one they have not seen, and that nobody else is looking
// at, while there are such.
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
	if err := l.asks(voter); err != nil {
		return Question{}, err
	}
	began := time.Now()
	defer func() { s.meter.asks.observe(time.Since(began)) }()
	for try := 0; ; try++ {
		at := time.Now()
		read, err := s.ballot(ctx, l, voter)
		s.spent(ctx, phaseBallot, at)
		if err != nil {
			return Question{}, err
		}
		if q, open := s.reopen(l, voter, read.Open, time.Now()); open {
			return q, nil
		}
		at = time.Now()
		q, err := s.propose(ctx, l, voter, s.rng())
		s.spent(ctx, phaseChoose, at)
		if err != nil {
			return Question{}, err
		}
		at = time.Now()
		err = s.store.Pose(ctx, board, voter, read, q)
		s.spent(ctx, phasePose, at)
		if errors.Is(err, store.ErrStale) && try < retries { // the voter asks elsewhere, too
			continue
		}
		if err != nil {
			return Question{}, err
		}
		l.mu.RLock()
		defer l.mu.RUnlock()
		return s.question(l, voter, q), nil
	}
}

// retries is how often somebody is overtaken by their own requests before they are
// told so.
const retries = 20

// ballot reads what the store knows of a voter, and takes in what this process has
// not heard of yet: another may have served the voter before.
func (s *Service) ballot(ctx context.Context, l *live, voter string) (store.Ballot, error) {
	for try := 0; ; try++ {
		read, err := s.store.Ballot(ctx, l.id, voter)
		if err != nil {
			return read, err
		}
		l.mu.RLock()
		behind := read.Seq > l.last(voter)
		l.mu.RUnlock()
		if !behind {
			return read, nil
		}
		if try == retries {
			return read, fmt.Errorf("server: board %s: vote %d of voter %s is not to be found", l.id, read.Seq, voter)
		}
		if err := s.catchBoard(ctx, l); err != nil {
			return read, err
		}
	}
}

// last is the number of the last record of a voter that is known of.
func (l *live) last(voter string) int64 {
	if b := l.ballots[voter]; b != nil {
		return b.seq
	}
	return 0
}

// reopen returns a voter's open question, if it is still worth asking.
func (s *Service) reopen(l *live, voter string, q store.Question, now time.Time) (Question, bool) {
	if q.Key == "" || now.Sub(q.Time) > questionsLast {
		return Question{}, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	out := func(item int) bool { return item >= len(l.items) || l.items[item].Excluded != "" }
	if l.about.ClosedAt(now) || out(q.Left) || out(q.Right) || l.said(voter, pairOf(q.Left, q.Right)) {
		return Question{}, false
	}
	l.lease(voter, pairOf(q.Left, q.Right), now)
	return s.question(l, voter, q), true
}

// question is a question as the voter is asked it.
func (s *Service) question(l *live, voter string, q store.Question) Question {
	shown := Question{
		Token: s.sign(asked{
			Board: l.id, Voter: voter, Left: q.Left, Right: q.Right, Policy: q.Policy, Propensity: q.Propensity, Key: q.Key, Time: q.Time.UnixMilli(),
		}),
		Left: l.items[q.Left], Right: l.items[q.Right], Policy: q.Policy, Propensity: q.Propensity,
	}
	n, seen := 0, 0
	for _, i := range l.items {
		if i.Excluded == "" {
			n++
		}
	}
	if b := l.ballots[voter]; b != nil {
		shown.Votes, seen = b.votes, b.votes+b.skips // a pair has one that stands
	}
	shown.Pairs = max(0, n*(n-1)/2-seen)
	if most := l.about.Rules.Quota; most > 0 {
		shown.Pairs = min(shown.Pairs, max(0, most-shown.Votes))
	}
	return shown
}

// propose chooses a new question.
func (s *Service) propose(ctx context.Context, l *live, voter string, rng *rand.Rand) (store.Question, error) {
	p, err := s.personal(l, voter)
	if err != nil {
		return store.Question{}, err
	}
	for try := 0; ; try++ {
		pair, policy, err := s.choose(ctx, l, voter, p, rng)
		if err != nil {
			return store.Question{}, err
		}
		now := now()
		if s.show(l, voter, pair, now, try == 2) {
			return store.Question{Key: token(10), Left: pair.Left, Right: pair.Right, Policy: policy, Propensity: pair.Propensity, Time: now}, nil
		}
	}
}

// choose looks for the pair that is worth most.
func (s *Service) choose(ctx context.Context, l *live, voter string, p model.Predictor, rng *rand.Rand) (pair active.Pair, policy string, err error) {
	o, others, now, err := l.choice(voter)
	if err != nil {
		return pair, "", err
	}
	if p == nil || p.NumItems() != now.NumItems() {
		p = now
	}
	s.slow(choosing)
	pairs, err := active.Next(ctx, p, -1, 1, o, rng)
	if err == nil && len(pairs) == 0 && o.TooClose > 0 {
		o.TooClose = 0
		pairs, err = active.Next(ctx, p, -1, 1, o, rng)
	}
	if err == nil && len(pairs) == 0 && len(others) > 0 { // rather what another is looking at than nothing
		for _, pair := range others {
			o.Exclude.Remove(pair[0], pair[1])
		}
		pairs, err = active.Next(ctx, p, -1, 1, o, rng)
	}
	if err != nil {
		return pair, "", err
	}
	if len(pairs) == 0 {
		return pair, "", fmt.Errorf("server: %w", ErrDone)
	}
	return pairs[0], o.Policy.Name, nil
}

// choice returns what there is to choose from: options that leave out what the
// voter has answered and what others are looking at, the latter alone, and the
// consensus as it is now.
func (l *live) choice(voter string) (o *active.Options, others [][2]int, consensus model.Predictor, err error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.about.ClosedAt(time.Now()) {
		return nil, nil, nil, fmt.Errorf("server: %w", ErrClosed)
	}
	set := l.about.Settings
	o = &active.Options{Policy: policyOf(set.Goal), Explore: set.Explore, Exclude: active.Pairs{}, Familiarity: l.present(), Limit: shortlist(len(l.items))}
	votes := 0
	if b := l.ballots[voter]; b != nil {
		votes = b.votes
		for pair := range l.pairs(voter) {
			if pair[1] < l.model.NumItems() {
				o.Exclude[pair] = struct{}{}
			}
		}
	}
	if votes < set.Novice {
		o.TooClose = nearTie
	}
	now := time.Now()
	for pair, on := range l.leases {
		if on.voter != voter && now.Before(on.until) && pair[1] < l.model.NumItems() && !o.Exclude.Has(pair[0], pair[1]) {
			others = append(others, pair)
			o.Exclude[pair] = struct{}{}
		}
	}
	return o, others, l.frozen(), nil
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
func (s *Service) show(l *live, voter string, pair active.Pair, now time.Time, anyway bool) bool {
	key := pairOf(pair.Left, pair.Right)
	l.mu.Lock()
	defer l.mu.Unlock()
	if on, taken := l.leases[key]; taken && on.voter != voter && now.Before(on.until) && !anyway {
		return false
	}
	l.lease(voter, key, now)
	return true
}

// lease notes that a voter is looking at a pair, and at no other.
func (l *live) lease(voter string, pair [2]int, now time.Time) {
	for k, on := range l.leases {
		if on.voter == voter || now.After(on.until) {
			delete(l.leases, k)
		}
	}
	l.leases[pair] = lease{voter, now.Add(looking)}
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
	l.met = append(l.met, v)
	if v.Subject != "" {
		l.subject[v.Subject] = v.ID
	}
}
