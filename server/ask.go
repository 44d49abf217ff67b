package server

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"palate/active"
	"palate/model"
	"palate/store"
)

// Ask returns the voter's open question, whichever process asked it. When there is
// none it chooses a pair: one they have not seen, and that nobody else is looking
// at, while there are such. On a board that asks about several items at a time it is the
// pair that a set is begun with.
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
	way, items, _ := q.Set.Parts()
	if l.about.ClosedAt(now) || out(q.Left) || out(q.Right) || slices.ContainsFunc(items, out) || l.said(voter, q.Topic()) {
		return Question{}, false
	}
	if l.space != nil && l.duelsLeft() == 0 { // others were quicker
		return Question{}, false
	}
	if wanted, size := l.asking(); way != wanted || way != store.Pairs && len(items) != size { // the owner has changed that
		return Question{}, false
	}
	l.lease(voter, pairOf(q.Left, q.Right), now)
	return s.question(l, voter, q), true
}

// question is a question as the voter is asked it.
func (s *Service) question(l *live, voter string, q store.Question) Question {
	shown := Question{
		Token: s.sign(asked{
			Board: l.id, Voter: voter, Left: q.Left, Right: q.Right, Set: string(q.Set), Policy: q.Policy, Propensity: q.Propensity, Key: q.Key, Time: q.Time.UnixMilli(),
		}),
		Left: l.items[q.Left], Right: l.items[q.Right], Policy: q.Policy, Propensity: q.Propensity,
	}
	way, items, _ := q.Set.Parts()
	shown.Way = way
	for _, i := range items {
		shown.Items = append(shown.Items, l.items[i])
	}
	n, seen := 0, 0
	for _, i := range l.items {
		if i.Excluded == "" {
			n++
		}
	}
	if b := l.ballots[voter]; b != nil {
		shown.Votes, seen = b.votes, b.votes+b.skips // a pair has one that stands
		if b.sets > 0 {
			seen = len(l.seen(voter))
		}
	}
	shown.Pairs = max(0, n*(n-1)/2-seen)
	if l.space != nil {
		shown.Pairs = l.duelsLeft()
	}
	if most := l.about.Rules.Quota; most > 0 {
		shown.Pairs = min(shown.Pairs, max(0, most-shown.Votes))
	}
	return shown
}

// propose chooses a new question.
func (s *Service) propose(ctx context.Context, l *live, voter string, rng *rand.Rand) (store.Question, error) {
	if l.space != nil {
		return s.proposePoints(ctx, l, voter)
	}
	p, err := s.personal(l, voter)
	if err != nil {
		return store.Question{}, err
	}
	for try := 0; ; try++ {
		pair, set, policy, err := s.choose(ctx, l, voter, p, rng)
		if err != nil {
			return store.Question{}, err
		}
		now := now()
		if s.show(l, voter, pair, now, try == 2) {
			return store.Question{Key: token(10), Left: pair.Left, Right: pair.Right, Set: set, Policy: policy, Propensity: pair.Propensity, Time: now}, nil
		}
	}
}

// choose looks for the pair that is worth most, and on a board that asks about several
// items at a time for those that are beside it.
func (s *Service) choose(ctx context.Context, l *live, voter string, p model.Predictor, rng *rand.Rand) (pair active.Pair, set store.Set, policy string, err error) {
	o, others, now, err := l.choice(voter)
	if err != nil {
		return pair, "", "", err
	}
	l.mu.RLock()
	way, size := l.asking()
	if m := l.current(); p == nil && m != nil {
		p = m
	}
	l.mu.RUnlock()
	if p == nil || p.NumItems() != now.NumItems() {
		p = now
	}
	s.slow(choosing)
	found := false
	look := func() {
		if way == store.Pairs {
			var pairs []active.Pair
			if pairs, err = active.Next(ctx, p, -1, 1, o, rng); len(pairs) > 0 {
				pair, found = pairs[0], true
			}
			return
		}
		var some active.Set
		if some, err = active.NextSet(ctx, p, -1, size, o, rng); len(some.Items) > 0 {
			pair, set, found = some.Pair, store.NewSet(way, some.Items, nil), true
		}
	}
	look()
	if err == nil && !found && o.TooClose > 0 {
		o.TooClose = 0
		look()
	}
	if err == nil && !found && len(others) > 0 { // rather what another is looking at than nothing
		for _, pair := range others {
			o.Exclude.Remove(pair[0], pair[1])
		}
		look()
	}
	if err != nil {
		return pair, "", "", err
	}
	if !found {
		return pair, "", "", fmt.Errorf("server: %w", ErrDone)
	}
	return pair, set, o.Policy.Name, nil
}

// asking is how voters are asked now, and about how many items at a time: in pairs where no
// more are in. The caller holds the lock.
func (l *live) asking() (way store.Way, size int) {
	set := l.about.Settings
	if set.Ask == store.Pairs {
		return store.Pairs, 2
	}
	in := 0
	for i := range min(len(l.items), l.model.NumItems()) {
		if l.items[i].Excluded == "" {
			in++
		}
	}
	if in < minSet {
		return store.Pairs, 2
	}
	return set.Ask, min(set.Size, in)
}

// seen are the pairs that a voter was shown together. The caller holds the lock.
func (l *live) seen(voter string) active.Pairs {
	all := active.Pairs{}
	for pair := range l.pairs(voter) {
		if pair[1] < l.model.NumItems() {
			all[pair] = struct{}{}
		}
	}
	return all
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
	o = &active.Options{Policy: policyOf(set.Goal), Explore: set.Explore, Exclude: l.seen(voter), Familiarity: l.present(), Limit: shortlist(len(l.items))}
	votes := 0
	if b := l.ballots[voter]; b != nil {
		votes = b.votes
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
	if old, known := l.people[v.ID]; !known || old != v {
		l.people[v.ID] = v
		l.met = append(l.met, v)
	}
	if v.Subject != "" {
		l.subject[v.Subject] = v.ID
	}
}
