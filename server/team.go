package server

import (
	"context"
	"strings"

	"palate/store"
)

// NewOwner is a further owner, with the secret of their link, shown once.
type NewOwner struct {
	store.Owner
	Secret string
}

// AddOwner makes a link for a further owner.
func (s *Service) AddOwner(ctx context.Context, board, actor, name string) (NewOwner, error) {
	name = strings.TrimSpace(name)
	if err := checkText("the name of an owner", name, maxLabel); err != nil {
		return NewOwner{}, err
	}
	if name == "" {
		return NewOwner{}, invalid("an owner has a name")
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return NewOwner{}, err
	}
	l.acting.Lock()
	defer l.acting.Unlock()
	l.mu.RLock()
	n := len(l.owners)
	l.mu.RUnlock()
	if n >= MaxOwners {
		return NewOwner{}, invalid("a board has at most %d further owners", MaxOwners)
	}
	o := NewOwner{store.Owner{Board: board, ID: token(8), Name: name, Created: now()}, token(20)}
	o.Hash = hashed(o.Secret)
	if err := s.store.AddOwner(ctx, o.Owner, store.Action{Actor: actor, Verb: "add-owner", Object: name, Time: now()}); err != nil {
		return NewOwner{}, err
	}
	return o, s.renew(ctx, l)
}

// Owners lists the owners of a board beside the one who made it.
func (s *Service) Owners(ctx context.Context, board string) ([]store.Owner, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.owners, nil
}

// RemoveOwner makes a further owner's link void, and whoever came in by it a stranger.
func (s *Service) RemoveOwner(ctx context.Context, board, actor, id string) error {
	if err := checkText("an owner", id, maxLabel); err != nil {
		return err
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	if err := s.store.RemoveOwner(ctx, board, id, store.Action{Actor: actor, Verb: "remove-owner", Object: id, Time: now()}); err != nil {
		return err
	}
	return s.renew(ctx, l)
}
