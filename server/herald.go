package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"palate/ingest"
	"palate/store"
)

// herald tells webhooks what happens. What is to be told is read from the log, so that no
// vote waits for it and nothing is lost while a receiver is away: what was not taken is
// told again, later and later, an hour apart at the most.
type herald struct {
	slots  chan struct{} // of deliveries at the same time
	mu     sync.Mutex
	busy   map[string]bool      // webhooks that are being told, by ID
	looked map[string]time.Time // when the goal of a webhook's board was looked at
	seen   map[string]int64     // the last vote then
}

const (
	heraldTick  = time.Second
	heraldLease = time.Minute // after which another process may tell
	heraldMost  = 100         // events of one message
	heraldSlots = 16
	heraldGoal  = 5 * time.Second // between two looks at a goal
)

// newHerald returns one that has told nothing yet.
func newHerald() *herald {
	return &herald{slots: make(chan struct{}, heraldSlots), busy: map[string]bool{}, looked: map[string]time.Time{}, seen: map[string]int64{}}
}

// tellHooks goes round the webhooks, as long as the service runs.
func (s *Service) tellHooks() {
	tick := time.NewTicker(heraldTick)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		hooks, err := s.store.Webhooks(s.ctx, "")
		if err != nil {
			continue // the follower says when the store is away
		}
		for _, w := range hooks {
			if time.Now().Before(w.Next) || !s.herald.take(w.ID) {
				continue
			}
			s.done.Go(func() {
				defer s.herald.leave(w.ID)
				if err := s.tellHook(w.ID); err != nil && s.ctx.Err() == nil && !errors.Is(err, store.ErrStale) {
					s.log.Warn("webhook", "board", w.Board, "webhook", w.ID, "error", err)
				}
			})
		}
	}
}

// take lets one at a time tell a webhook, while there is room for it.
func (h *herald) take(id string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.busy[id] {
		return false
	}
	select {
	case h.slots <- struct{}{}:
		h.busy[id] = true
		return true
	default:
		return false
	}
}

func (h *herald) leave(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.busy, id)
	<-h.slots
}

// forget has the goal of a webhook's board looked at again.
func (h *herald) forget(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.looked, id)
}

// HookMessage is what a webhook is sent.
type HookMessage struct {
	Board  string      `json:"board"`
	Events []HookEvent `json:"events"`
}

// HookEvent is one thing that happened. A message may come twice: its ID is the same then.
type HookEvent struct {
	ID     string    `json:"id"`
	Kind   string    `json:"kind"`
	Time   time.Time `json:"time"`
	Voter  string    `json:"voter,omitempty"`
	Left   string    `json:"left,omitempty"`
	Right  string    `json:"right,omitempty"`
	Winner string    `json:"winner,omitempty"`
	// Of several items: how they were asked about, which they were, and those of each place,
	// the best first, in place of left, right and winner.
	Ask    string     `json:"ask,omitempty"`
	Items  []string   `json:"items,omitempty"`
	Places [][]string `json:"places,omitempty"`
	Undoes int64      `json:"undoes,omitempty"` // the number of the vote that is taken back
	Says   string     `json:"says,omitempty"`
}

// tellHook tells a webhook all that there is to tell. It claims it only when there is
// something.
func (s *Service) tellHook(id string) error {
	for s.ctx.Err() == nil {
		hooks, err := s.store.Webhooks(s.ctx, "")
		if err != nil {
			return err
		}
		at := slices.IndexFunc(hooks, func(w store.Webhook) bool { return w.ID == id })
		if at < 0 {
			return nil
		}
		w := hooks[at]
		message, after, err := s.hookNews(s.ctx, w)
		if err != nil || len(message.Events) == 0 && after.Vote == w.Vote && after.Action == w.Action && after.Settled == w.Settled {
			return err
		}
		held, err := s.store.ClaimWebhook(s.ctx, id, s.worker, now(), now().Add(heraldLease))
		if err != nil {
			return err
		}
		if held.Vote != w.Vote || held.Action != w.Action || held.Settled != w.Settled {
			s.herald.forget(id)
			continue // another process has told it meanwhile
		}
		after.Worker, after.Until = held.Worker, now()
		if len(message.Events) > 0 {
			err = s.post(s.ctx, w, message)
		}
		if err != nil {
			s.meter.hooksFailed.Add(1)
			s.herald.forget(id)
			w.Worker, w.Until, w.Tries, w.Says = held.Worker, now(), held.Tries+1, err.Error()
			w.Next = now().Add(min(time.Hour, time.Second<<min(held.Tries, 12)))
			return errors.Join(err, s.store.NoteWebhook(s.ctx, w))
		}
		s.meter.hooks.Add(int64(len(message.Events)))
		after.Tries, after.Says, after.Next = 0, "", time.UnixMicro(0)
		if err := s.store.NoteWebhook(s.ctx, after); err != nil {
			return err
		}
	}
	return s.ctx.Err()
}

// hookNews returns what there is to tell a webhook, at most so much, and the webhook as it
// is once that was told.
func (s *Service) hookNews(ctx context.Context, w store.Webhook) (m HookMessage, after store.Webhook, err error) {
	m, after = HookMessage{Board: w.Board}, w
	votes, err := s.store.Votes(ctx, w.Board, w.Vote, heraldMost)
	if err != nil {
		return m, after, err
	}
	actions, err := s.store.Actions(ctx, w.Board, w.Action, heraldMost)
	if err != nil {
		return m, after, err
	}
	var names []store.Item
	if len(votes) > 0 && slices.Contains(w.Events, HookVote) {
		if names, err = s.Items(ctx, w.Board); err != nil {
			return m, after, err
		}
	}
	for _, v := range votes {
		after.Vote = v.Seq
		if max(v.Left, v.Right) < len(names) {
			left, right := names[v.Left].ID, names[v.Right].ID
			e := HookEvent{
				ID: fmt.Sprint("vote:", v.Seq), Kind: HookVote, Time: v.Time, Voter: v.Voter, Left: left, Right: right, Winner: ingest.Winner(v.Outcome, left, right), Undoes: v.Undoes,
			}
			if v.Set != "" {
				way, items, places := placesOf(v.Set, func(i int) string { return nameOf(names, i) })
				e.Left, e.Right, e.Winner, e.Ask, e.Items, e.Places = "", "", "", string(way), items, places
			}
			m.Events = append(m.Events, e)
		}
	}
	for _, a := range actions {
		after.Action = a.Seq
		if a.Verb == "close" && slices.Contains(w.Events, HookClosed) {
			m.Events = append(m.Events, HookEvent{ID: fmt.Sprint("closed:", a.Seq), Kind: HookClosed, Time: a.Time, Says: a.Reason})
		}
	}
	if slices.Contains(w.Events, HookSettled) && len(votes) < heraldMost {
		err = s.hookGoal(ctx, &m, &after)
	}
	return m, after, err
}

// hookGoal adds that the goal of a board is settled, where that is news. It is looked at
// when there are votes since the last time, and not too often.
func (s *Service) hookGoal(ctx context.Context, m *HookMessage, after *store.Webhook) error {
	h := s.herald
	h.mu.Lock()
	due := (after.Vote != h.seen[after.ID] || h.looked[after.ID].IsZero()) && time.Since(h.looked[after.ID]) > heraldGoal
	if due {
		h.looked[after.ID], h.seen[after.ID] = time.Now(), after.Vote
	}
	h.mu.Unlock()
	if !due {
		return nil
	}
	b, err := s.Goal(ctx, after.Board)
	if err != nil {
		return err
	}
	if done := b.Progress.Done && b.Votes > 0; done != after.Settled {
		if after.Settled = done; done {
			m.Events = append(m.Events, HookEvent{ID: fmt.Sprint("settled:", b.Seq), Kind: HookSettled, Time: now(), Says: b.Progress.Says})
		}
	}
	return nil
}

// post sends a message, signed.
func (s *Service) post(ctx context.Context, w store.Webhook, m HookMessage) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.options.Webhooks.Send(ctx, w.URL, HookSignature(w.Secret, time.Now(), body), body)
}

// HookSignature is the header Palate-Signature: the time in seconds, and by the webhook's
// secret the HMAC-SHA256 of that time, a full stop and the body.
func HookSignature(secret []byte, at time.Time, body []byte) string {
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	return "t=" + stamp + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
