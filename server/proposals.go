package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"palate/store"
)

// How many items a voter may propose on a board, and how many may wait for its owner.
const (
	proposalsOfVoter = 20
	proposalsWaiting = 500
)

// Propose keeps an item that a voter proposes, for the owner to decide on.
func (s *Service) Propose(ctx context.Context, board, voter, body string) error {
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	if err := s.known(ctx, l, voter); err != nil {
		return err
	}
	if !s.voters.allow(board+"/"+voter, time.Now()) {
		return fmt.Errorf("server: %w: more than %d a minute", ErrTooMany, s.options.VotesPerMinute)
	}
	body = strings.TrimSpace(body)
	if err := checkText("a proposal", body, MaxProposal); err != nil {
		return err
	}
	l.mu.RLock()
	rules, closed, excluded := l.about.Rules, l.about.ClosedAt(time.Now()), l.people[voter].Excluded != ""
	l.mu.RUnlock()
	switch {
	case excluded:
		return fmt.Errorf("server: %w", ErrExcluded)
	case closed:
		return fmt.Errorf("server: %w", ErrClosed)
	case !rules.Proposals:
		return forbidden("the board takes no proposals")
	case body == "":
		return invalid("a proposal is a text")
	}
	err = s.store.AddProposal(ctx, store.Proposal{Board: board, ID: token(8), Voter: voter, Body: body, Created: now()}, proposalsOfVoter, proposalsWaiting)
	if errors.Is(err, store.ErrQuota) {
		return fmt.Errorf("server: %w: a voter proposes at most %d items, and at most %d wait for the owner", ErrTooMany, proposalsOfVoter, proposalsWaiting)
	}
	return err
}

// Proposals lists those of a voter, or of all when it is empty, the first first.
func (s *Service) Proposals(ctx context.Context, board, voter string) ([]store.Proposal, error) {
	return s.store.Proposals(ctx, board, voter)
}

// Decide makes a proposal an item, or refuses it for a reason, which may be empty.
func (s *Service) Decide(ctx context.Context, board, actor, proposal string, accept bool, reason string) (store.Proposal, error) {
	if err := checkText("a reason", reason, maxReason); err != nil {
		return store.Proposal{}, err
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return store.Proposal{}, err
	}
	all, err := s.store.Proposals(ctx, board, "")
	if err != nil {
		return store.Proposal{}, err
	}
	var body string
	for _, p := range all {
		if p.ID == proposal {
			body = p.Body
		}
	}
	if body == "" {
		return store.Proposal{}, fmt.Errorf("%w: proposal %.40q", store.ErrNotFound, proposal)
	}
	l.acting.Lock()
	defer l.acting.Unlock()
	var item *store.Item
	a := store.Action{Actor: actor, Verb: "refuse-proposal", Object: proposal, Reason: reason, Time: now()}
	if accept {
		l.mu.RLock()
		b, old := l.about, l.items
		l.mu.RUnlock()
		made, _, err := s.makeItems(ctx, b, old, []NewItem{{Body: body}})
		if err != nil {
			return store.Proposal{}, err
		}
		item, a.Verb, a.Reason = &made[0], acceptItem, ""
	}
	p, err := s.store.Decide(ctx, board, proposal, item, a)
	switch {
	case errors.Is(err, store.ErrStale):
		return p, invalid("the proposal was decided on before")
	case errors.Is(err, store.ErrExists):
		return p, invalid("an item is there already: %v", err)
	case err != nil:
		return p, err
	}
	return p, s.renew(ctx, l)
}
