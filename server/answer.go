package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"palate"
	"palate/internal/wording"
	"palate/store"
)

// questionsLast is how long a question stays open for those who come back to it;
// then another pair is worth more.
const questionsLast = 24 * time.Hour

// Tell takes an answer. It returns when the vote is on disk and in the posterior.
func (s *Service) Tell(ctx context.Context, board, voter string, a Answer) (Receipt, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return Receipt{}, err
	}
	if err := s.known(ctx, l, voter); err != nil {
		return Receipt{}, err
	}
	if !s.voters.allow(board+"/"+voter, time.Now()) {
		return Receipt{}, fmt.Errorf("server: %w: more than %d a minute", ErrTooMany, s.options.VotesPerMinute)
	}
	began := time.Now()
	defer func() { s.meter.tells.observe(time.Since(began)) }()
	if err := a.check(); err != nil {
		return Receipt{}, err
	}
	if a.Question == "" && a.Points != nil {
		if a.Left, a.Right, err = s.told(ctx, l, *a.Points); err != nil {
			return Receipt{}, err
		}
	}
	v, err := s.answer(l, voter, a)
	if err != nil {
		return Receipt{}, err
	}
	return s.keep(ctx, l, store.Entry{Vote: v, Answers: a.Question != "", Comment: a.Comment})
}

// keep makes a record durable, then part of the board.
func (s *Service) keep(ctx context.Context, l *live, e store.Entry) (Receipt, error) {
	v := e.Vote
	at := time.Now()
	stored, fresh, err := s.store.Append(ctx, e)
	s.spent(ctx, phaseStore, at)
	switch {
	case errors.Is(err, store.ErrStale):
		return Receipt{}, fmt.Errorf("server: %w: %w", ErrStale, err)
	case errors.Is(err, store.ErrClosed):
		return Receipt{}, fmt.Errorf("server: %w", ErrClosed)
	case errors.Is(err, store.ErrQuota):
		return Receipt{}, fmt.Errorf("server: %w", ErrQuota)
	}
	if err != nil {
		s.meter.refused.Add(1)
		return Receipt{}, err
	}
	if fresh {
		s.meter.votes.Add(1)
	} else {
		s.meter.repeated.Add(1)
	}
	defer s.spent(ctx, phaseFold, time.Now())
	l.mu.Lock()
	news := l.take(stored, true)
	votes := l.ballot(v.Voter).votes
	key := pairOf(v.Left, v.Right)
	if l.leases[key].voter == v.Voter {
		delete(l.leases, key)
	}
	l.mu.Unlock()
	if news {
		s.hub.send(Event{Board: l.id, Kind: Voted, Seq: stored.Seq})
	}
	return Receipt{Seq: stored.Seq, Fresh: fresh, Votes: votes}, nil
}

// check says what is wrong with an answer, whatever it is about.
func (a *Answer) check() error {
	switch {
	case a.Outcome > palate.Skip:
		return invalid("outcome %d", a.Outcome)
	case len(a.Order) > maxAnswer || len(a.Items) > maxAnswer:
		return invalid("an answer about %d items; %d are the most", max(len(a.Order), len(a.Items)), maxAnswer)
	case a.Response < 0:
		return invalid("a response time of %v", a.Response)
	case a.Question == "" && a.Key == "":
		return invalid("an answer without a question needs a key of its own, so that telling it twice counts once")
	}
	return cmp.Or(checkText("a reason", a.Reason, maxReason), checkText("a key", a.Key, maxLabel), checkText("a comment", a.Comment, MaxComment))
}

// answer turns an answer into a record, or says what is wrong with it.
func (s *Service) answer(l *live, voter string, a Answer) (store.Vote, error) {
	now := time.Now().UTC().Truncate(time.Microsecond)
	v := store.Vote{Board: l.id, Voter: voter, Outcome: a.Outcome, Reason: a.Reason, Response: a.Response, Time: now}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.about.ClosedAt(now) {
		return v, fmt.Errorf("server: %w", ErrClosed)
	}
	if l.people[voter].Excluded != "" {
		return v, fmt.Errorf("server: %w", ErrExcluded)
	}
	if a.Comment != "" && !l.about.Rules.Comments {
		return v, invalid("the board takes no comments")
	}
	if a.Question == "" {
		return v, l.free(&v, a)
	}
	var q asked
	if !s.verify(a.Question, &q) {
		return v, forbidden("this question was not asked here")
	}
	if q.Board != l.id || q.Voter != voter {
		return v, forbidden("this question was asked of somebody else")
	}
	age := now.Sub(time.UnixMilli(q.Time))
	v.Left, v.Right, v.Key, v.Policy, v.Propensity = q.Left, q.Right, q.Key, q.Policy, q.Propensity
	switch {
	case q.Set != "":
		if err := l.several(&v, store.Set(q.Set), a); err != nil {
			return v, err
		}
	case a.isSeveral():
		return v, &BadAnswer{Why: OtherWay}
	case l.space != nil && l.duelsLeft() == 0 && !l.said(voter, v.Topic()): // since it was asked
		return v, fmt.Errorf("server: %w", ErrFull)
	}
	if v.Response == 0 || v.Response > age {
		v.Response = max(0, age)
	}
	return v, nil
}

// free fills in a vote on a pair, or on several items, that was not asked for.
func (l *live) free(v *store.Vote, a Answer) error {
	v.Key = "own:" + a.Key
	if a.isSeveral() {
		if l.space != nil {
			return &BadAnswer{Why: OtherWay}
		}
		return l.freeSet(v, a)
	}
	var err error
	if v.Left, v.Right, err = l.numbers(a.Left, a.Right); err != nil {
		return invalid("%v", err)
	}
	if v.Left == v.Right {
		return invalid("%q against itself", a.Left)
	}
	return nil
}

// numbers returns those of two items by their identifiers.
func (l *live) numbers(left, right string) (i, j int, err error) {
	if i, err = l.numberOf(left); err == nil {
		j, err = l.numberOf(right)
	}
	return i, j, err
}

// numberOf returns the number of an item, by its identifier or by what an export makes
// of it.
func (l *live) numberOf(id string) (int, error) {
	k, known := l.number[id]
	if plain, found := strings.CutPrefix(id, "'"); !known && found && defused("", plain) == id {
		k, known = l.number[plain]
	}
	if !known {
		return 0, &unknownItem{id, l.number}
	}
	return k, nil
}

// unknownItem is the error of an identifier that no item has. One like it is looked for when
// somebody reads that, which may be never: a file may have a million of them.
type unknownItem struct {
	id     string
	number map[string]int // of the board's items, replaced and never changed
}

// Up to how many items, and of up to how many bytes, a name is compared with theirs.
const likeItems, likeBytes = 1000, 100

func (e *unknownItem) Error() string {
	like := ""
	if len(e.number) <= likeItems && len(e.id) <= likeBytes {
		like = wording.DidYouMean(e.id, slices.Values(slices.Sorted(maps.Keys(e.number))))
	}
	return fmt.Sprintf("there is no item %.300q on the board%s", e.id, like)
}

// Undo takes the voter's last vote or skip that stands back. What it was about is the open
// question then.
func (s *Service) Undo(ctx context.Context, board, voter string) (Receipt, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return Receipt{}, err
	}
	if err := s.known(ctx, l, voter); err != nil {
		return Receipt{}, err
	}
	for try := 0; ; try++ {
		if _, err := s.ballot(ctx, l, voter); err != nil {
			return Receipt{}, err
		}
		l.mu.RLock()
		closed, known := l.about.ClosedAt(time.Now()), l.last(voter)
		v, ok := l.standing(voter)
		l.mu.RUnlock()
		switch {
		case closed:
			return Receipt{}, fmt.Errorf("server: %w", ErrClosed)
		case !ok:
			return Receipt{}, fmt.Errorf("server: %w", ErrNothing)
		}
		again := store.Question{Key: token(10), Left: v.Left, Right: v.Right, Set: v.Set.Asked(), Policy: v.Policy, Propensity: v.Propensity, Time: now()}
		v.Board, v.Undoes, v.Key, v.Time = l.id, v.Seq, fmt.Sprintf("undo:%d", v.Seq), now()
		v.Seq = 0
		r, err := s.keep(ctx, l, store.Entry{Vote: v, Known: known, Opens: &again})
		if !errors.Is(err, ErrStale) || try == retries {
			return r, err
		}
	}
}

// standing returns the last record of a voter that stands.
func (l *live) standing(voter string) (store.Vote, bool) {
	b := l.ballots[voter]
	if b == nil {
		return store.Vote{}, false
	}
	for k := len(b.records) - 1; k >= 0; k-- {
		if v := l.vote(int(b.records[k])); l.ended[v.Seq] == 0 {
			return v, true
		}
	}
	return store.Vote{}, false
}

// Records returns a voter's votes and skips, the last first.
func (s *Service) Records(ctx context.Context, board, voter string) ([]Record, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	b := l.ballots[voter]
	if b == nil {
		return nil, nil
	}
	var all []Record
	for k := len(b.records) - 1; k >= 0; k-- {
		v := l.vote(int(b.records[k]))
		r := Record{
			Seq: v.Seq, Left: l.name(v.Left), Right: l.name(v.Right), Outcome: v.Outcome, Reason: v.Reason,
			Undone: l.undone[v.Seq], Replaced: l.ended[v.Seq] > 0 && !l.undone[v.Seq], Time: v.Time,
		}
		r.Way, r.Items, r.Places = placesOf(v.Set, l.name)
		all = append(all, r)
	}
	return all, nil
}

// VotesOf counts the votes of a voter that stand.
func (s *Service) VotesOf(ctx context.Context, board, voter string) (int, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return 0, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if b := l.ballots[voter]; b != nil {
		return b.votes, nil
	}
	return 0, nil
}

// name returns the identifier of an item; a vote may come in before the item
// does, which another process has added.
func (l *live) name(number int) string { return nameOf(l.items, number) }

func nameOf(items []store.Item, number int) string {
	if number < len(items) {
		return items[number].ID
	}
	return ""
}
