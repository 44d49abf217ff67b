package server

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"palate/store"
)

// Verbs of the audit log that change what counts.
const (
	excludeVoter = "exclude-voter"
	excludeItem  = "exclude-item"
	addItems     = "add-items"
	acceptItem   = "accept-proposal"
)

// SetClosed ends the voting on a board, or opens it again, then without a date. actor is
// Identity.Actor, here and below.
func (s *Service) SetClosed(ctx context.Context, board, actor string, closed bool) error {
	verb := "open"
	if closed {
		verb = "close"
	}
	return s.change(ctx, board, actor, verb, func(b *store.Board) {
		b.Closed = closed
		if !closed { // what has closed it would do so again at once
			b.Rules.Closes, b.Rules.WhenSettled = time.Time{}, false
		}
	})
}

// SetPublic says whether the leaderboard may be seen without voting.
func (s *Service) SetPublic(ctx context.Context, board, actor string, public bool) error {
	verb := "hide"
	if public {
		verb = "publish"
	}
	return s.change(ctx, board, actor, verb, func(b *store.Board) { b.Public = public })
}

// SetAsking changes how voters are asked, about how many items at a time, and over what unit
// of time utilities may move.
func (s *Service) SetAsking(ctx context.Context, board, actor string, way store.Way, size int, over string) error {
	set := store.Settings{Ask: way, Size: size, Over: over}
	if err := cmp.Or(checkAsking(&set), checkOver(over)); err != nil {
		return err
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	if l.space != nil && (set.Ask != store.Pairs || set.Over != "") {
		return in("ask", invalid("a board of a space asks in pairs, and what points are worth stays"))
	}
	return s.change(ctx, board, actor, "settings", func(b *store.Board) {
		b.Settings.Ask, b.Settings.Size, b.Settings.Over = set.Ask, set.Size, set.Over
	})
}

// SetSettings changes what is asked, and how it is chosen.
func (s *Service) SetSettings(ctx context.Context, board, actor string, set store.Settings) error {
	set, err := withDefaults(set)
	if err != nil {
		return err
	}
	return s.change(ctx, board, actor, "settings", func(b *store.Board) {
		if b.Space != nil {
			set.Goal, set.Ask, set.Size, set.Over = optimumGoal, store.Pairs, 0, ""
		}
		b.Settings = set
	})
}

func (s *Service) change(ctx context.Context, board, actor, verb string, how func(*store.Board)) error {
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	err = s.store.UpdateBoard(ctx, board, func(b *store.Board) error { how(b); return nil }, store.Action{Actor: actor, Verb: verb, Time: now()})
	if err != nil {
		return err
	}
	return s.renew(ctx, l)
}

// ExcludeVoter makes the votes of a voter not count, for a reason; without one
// they count again.
func (s *Service) ExcludeVoter(ctx context.Context, board, actor, voter, reason string) error {
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	if err := cmp.Or(checkText("a voter", voter, maxPerson), checkText("a reason", reason, maxReason)); err != nil {
		return err
	}
	a := store.Action{Actor: actor, Verb: excludeVoter, Object: voter, Reason: reason, Time: now()}
	if err := s.store.ExcludeVoter(ctx, board, voter, reason, a); err != nil {
		return err
	}
	return s.renew(ctx, l)
}

// ExcludeItem takes an item out, by identifier, for a reason; without one it is
// in again.
func (s *Service) ExcludeItem(ctx context.Context, board, actor, item, reason string) error {
	l, err := s.board(ctx, board)
	if err != nil {
		return err
	}
	l.acting.Lock()
	defer l.acting.Unlock()
	l.mu.RLock()
	k, known := l.number[item]
	left := 0
	for i, other := range l.items {
		if i != k && other.Excluded == "" {
			left++
		}
	}
	l.mu.RUnlock()
	switch {
	case !known:
		return fmt.Errorf("%w: item %q", store.ErrNotFound, item)
	case reason != "" && left < 2:
		return invalid("it takes two items to compare")
	}
	if err := checkText("a reason", reason, maxReason); err != nil {
		return err
	}
	a := store.Action{Actor: actor, Verb: excludeItem, Object: item, Reason: reason, Time: now()}
	if err := s.store.ExcludeItem(ctx, board, k, reason, a); err != nil {
		return err
	}
	return s.renew(ctx, l)
}

// Invite makes private links for voters, one a name.
func (s *Service) Invite(ctx context.Context, board, actor, group string, names []string) ([]Invitation, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 || len(names) > 1000 {
		return nil, invalid("%d names; 1 to 1000 at a time", len(names))
	}
	if err := cmp.Or(checkText("a group", group, maxLabel), checkTexts("a name", maxPerson, names...)); err != nil {
		return nil, err
	}
	for k, name := range names {
		if names[k] = strings.TrimSpace(name); names[k] == "" {
			return nil, invalid("name %d is empty", k+1)
		}
	}
	var all []Invitation
	for _, name := range names {
		secret := token(20)
		v, err := s.store.AddVoter(ctx, store.Voter{Board: board, ID: token(8), Name: name, Group: group, Subject: linkSubject(secret), Created: now()})
		if err != nil {
			return nil, err
		}
		l.meet(v)
		all = append(all, Invitation{v, secret})
	}
	return all, s.change(ctx, board, actor, fmt.Sprintf("invite %d", len(all)), func(*store.Board) {})
}

// NewToken makes a token for programs, shown once.
func (s *Service) NewToken(ctx context.Context, board, actor, name string, scopes []Scope) (string, error) {
	if err := checkText("the name of a token", name, maxLabel); err != nil {
		return "", err
	}
	if slices.Contains([]string{"", "owner", "server", "voter"}, name) || strings.HasPrefix(name, "owner: ") { // whom the log names
		return "", invalid("a token has a name, other than owner, server and voter")
	}
	if len(scopes) == 0 {
		return "", invalid("a token has scopes: %v", Scopes())
	}
	t := store.Token{Board: board, Name: name, Created: now()}
	for _, scope := range scopes {
		if !slices.Contains(Scopes(), scope) {
			return "", invalid("scope %q is not one of %v", scope, Scopes())
		}
		t.Scopes = append(t.Scopes, string(scope))
	}
	if _, err := s.board(ctx, board); err != nil {
		return "", err
	}
	secret := "pt_" + token(20)
	t.Hash = hashed(secret)
	err := s.store.AddToken(ctx, t, store.Action{Actor: actor, Verb: "new-token", Object: name, Reason: strings.Join(t.Scopes, " "), Time: now()})
	return secret, err
}

// Tokens lists a board's tokens.
func (s *Service) Tokens(ctx context.Context, board string) ([]store.Token, error) {
	return s.store.Tokens(ctx, board)
}

// RevokeToken ends a token.
func (s *Service) RevokeToken(ctx context.Context, board, actor, name string) error {
	if err := checkText("the name of a token", name, maxLabel); err != nil {
		return err
	}
	return s.store.RevokeToken(ctx, board, name, store.Action{Actor: actor, Verb: "revoke-token", Object: name, Time: now()})
}

// RenewOwner makes a new owner's link; the old one is void, and whoever came in
// by it is out.
func (s *Service) RenewOwner(ctx context.Context, board, actor string) (string, error) {
	secret := token(20)
	return secret, s.change(ctx, board, actor, "renew-owner", func(b *store.Board) { b.OwnerHash = hashed(secret) })
}

// SetPassword sets the owner's password; an empty one takes it away.
func (s *Service) SetPassword(ctx context.Context, board, actor, password string) error {
	var hash string
	if password != "" {
		var err error
		if hash, err = s.hashPassword(ctx, password); err != nil {
			return err
		}
	}
	return s.change(ctx, board, actor, "password", func(b *store.Board) { b.Password = hash })
}

// Audit returns what was done to a board, the first first; points that questions were made of
// apart.
func (s *Service) Audit(ctx context.Context, board string) ([]store.Action, error) {
	var all []store.Action
	for after := int64(0); ; {
		some, err := s.store.Actions(ctx, board, after, page)
		if err != nil {
			return nil, err
		}
		for _, a := range some {
			if after = a.Seq; a.Verb != addPoints {
				all = append(all, a)
			}
		}
		if len(some) < page {
			return all, nil
		}
	}
}
