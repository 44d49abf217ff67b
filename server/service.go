package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"palate/store"
)

// Service runs boards on a store. It is safe for concurrent use.
type Service struct {
	store   store.Store
	options Options
	log     *slog.Logger
	secret  []byte // signs cookies and questions
	seed    uint64
	draws   atomic.Uint64 // how often randomness was asked for
	// followed is the vote up to which, of whatever process, all are in memory;
	// heeded is that of actions.
	followed, heeded atomic.Int64
	own              spans

	mu     sync.Mutex
	boards map[string]*entry

	hub     hub
	ready   readiness
	worker  string        // names this process, where several share a database
	wake    chan struct{} // there is a file to import
	meter   meter
	herald  *herald
	voters  *limiter
	address *limiter
	tries   *limiter // of passwords
	sso     provider
	// Slots for what takes memory: hashing passwords, see turn.
	cipher, turns chan struct{}
	packing       sync.Mutex // held by the one who packs votes

	workers atomic.Int32    // that are at work, or rest from it
	ctx     context.Context // of the background work
	stop    context.CancelFunc
	done    sync.WaitGroup
}

// entry is a board that is in memory, or on its way there.
type entry struct {
	ready chan struct{}
	live  *live
	err   error
	used  time.Time // when it was asked for last; guarded by Service.mu
}

// New starts a service: it follows the store and refits boards until Close.
func New(ctx context.Context, st store.Store, o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.VotesPerMinute = cmp.Or(o.VotesPerMinute, 240)
	o.RequestsPerMinute = cmp.Or(o.RequestsPerMinute, 3000)
	o.Duty = cmp.Or(o.Duty, 0.25)
	if !(o.Duty > 0 && o.Duty <= 1) {
		return nil, fmt.Errorf("server: duty %g is not a share", o.Duty)
	}
	o.Poll = cmp.Or(o.Poll, 100*time.Millisecond)
	secret, err := signingKey(ctx, st, o.Key)
	if err != nil {
		return nil, err
	}
	s := &Service{
		store: st, options: o, log: o.Log, secret: secret, seed: o.Seed, boards: map[string]*entry{},
		voters: newLimiter(o.VotesPerMinute), address: newLimiter(o.RequestsPerMinute), tries: newLimiter(10), cipher: make(chan struct{}, 2), turns: make(chan struct{}, 1),
	}
	s.worker, s.wake = token(8), make(chan struct{}, 1)
	if s.seed == 0 {
		s.seed = randomSeed()
	}
	votes, actions, err := st.Ends(ctx)
	if err != nil {
		return nil, err
	}
	s.ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.done.Go(func() { s.follow(votes, actions) })
	s.done.Go(s.refit)
	s.done.Go(s.runImports)
	s.done.Go(s.learn)
	if s.herald = newHerald(); o.Webhooks.Send != nil {
		s.done.Go(s.tellHooks)
	}
	s.done.Go(s.tend)
	return s, nil
}

// Close ends the background work. The store stays open.
func (s *Service) Close() error {
	s.stop()
	s.done.Wait()
	s.hub.close()
	return nil
}

// board returns a board that is in memory, reading it when it is not.
func (s *Service) board(ctx context.Context, id string) (*live, error) {
	s.mu.Lock()
	e, ok := s.boards[id]
	if !ok {
		e = &entry{ready: make(chan struct{})}
		s.boards[id] = e
		// Not the request's context: others may be waiting for the board, too.
		s.done.Go(func() {
			defer close(e.ready)
			began := time.Now()
			if e.err = s.attempt(func() (err error) { e.live, err = s.load(s.ctx, id); return err }); e.err != nil {
				s.mu.Lock()
				delete(s.boards, id)
				s.mu.Unlock()
				if !errors.Is(e.err, store.ErrNotFound) {
					s.log.Error("board not loaded", "board", id, "error", e.err)
				}
				return
			}
			s.log.Info("board loaded", "board", id, "items", len(e.live.items), "votes", len(e.live.records), "seconds", time.Since(began).Seconds())
		})
	}
	e.used = time.Now()
	s.mu.Unlock()
	select {
	case <-e.ready: // as nearly always
		return e.live, e.err
	default:
	}
	defer s.spent(ctx, phaseLoad, time.Now())
	select {
	case <-e.ready:
		return e.live, e.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// loaded returns a board if it is in memory, or waits for it when it is on its
// way.
func (s *Service) loaded(id string) *live {
	s.mu.Lock()
	e := s.boards[id]
	s.mu.Unlock()
	if e == nil {
		return nil
	}
	<-e.ready
	return e.live
}

// all returns the boards in memory.
func (s *Service) all() []*live {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*live
	for _, e := range s.boards {
		select {
		case <-e.ready:
			if e.live != nil {
				all = append(all, e.live)
			}
		default:
		}
	}
	return all
}

// Board returns a board. It is closed when it takes no votes, for whatever reason.
func (s *Service) Board(ctx context.Context, board string) (store.Board, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return store.Board{}, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	b := l.about
	b.Closed = b.ClosedAt(time.Now())
	return b, nil
}

// Items returns the items of a board in order of their numbers, not to be
// modified.
func (s *Service) Items(ctx context.Context, board string) ([]store.Item, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.items, nil
}

// Media returns a picture of a board.
func (s *Service) Media(ctx context.Context, board, digest string) (store.Media, error) {
	b, err := s.store.Board(ctx, board)
	if err != nil {
		return store.Media{}, err
	}
	if !b.Rules.Deleted.IsZero() {
		return store.Media{}, fmt.Errorf("%w: board %q", store.ErrNotFound, board)
	}
	return s.store.Media(ctx, board, digest)
}

// Allow says why a request from an address is one too many.
func (s *Service) Allow(address string) error {
	if !s.address.allow(address, time.Now()) {
		return fmt.Errorf("server: %w: more than %d a minute", ErrTooMany, s.options.RequestsPerMinute)
	}
	return nil
}

// Ready says why no vote could be stored now. The store is tried at most once a
// second, however many ask.
func (s *Service) Ready(ctx context.Context) error {
	r := &s.ready
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) > time.Second {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second) // others wait for it, too
		defer cancel()
		r.err = s.store.Check(ctx)
		r.at = time.Now()
	}
	return r.err
}

// readiness is what the store said when it was tried last.
type readiness struct {
	mu  sync.Mutex
	at  time.Time
	err error
}
