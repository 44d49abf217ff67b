package server

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"strings"
	"time"

	"palate/store"
)

// session is what a pass says.
type session struct {
	Board string `json:"b"`
	Voter string `json:"v,omitempty"`
	// Renewed is how often the voter had been given another link when they came in.
	Renewed int `json:"r,omitempty"`
	// Owner, if set, is the beginning of the hash by which the owner came in: a new
	// link or password ends the sessions of the old.
	Owner string `json:"o,omitempty"`
	// Admin, if set, is the beginning of the hash of the server's token.
	Admin string `json:"a,omitempty"`
	Until int64  `json:"u"` // seconds since 1970
}

// Role is as whom a pass lets its holder in.
type Role string

const (
	AsVoter Role = "voter"
	AsOwner Role = "owner"
	AsAdmin Role = "admin" // of the server: makes boards
)

// Roles lists the roles that there are on a board.
func Roles() []Role { return []Role{AsVoter, AsOwner} }

// Pass says who somebody is on a board, in words that only this server can have
// written: what a browser keeps, and shows again.
type Pass struct {
	Identity Identity
	Role     Role
	Text     string
	Lasts    time.Duration
}

// Shown is what a request shows of who makes it.
type Shown struct {
	// From is the address that it comes from, as a name for limits.
	From string
	// Bearer is a program's token, or the owner's secret; with one passes are not
	// looked at.
	Bearer string
	// Passes are the texts of passes, by role.
	Passes map[Role]string
}

const (
	votersStay = 180 * 24 * time.Hour
	ownersStay = 30 * 24 * time.Hour
)

// Identify finds out who makes a request to a board by what it shows. An empty
// Identity is a stranger; a forged pass is one, too. A token that is not good is
// an error.
func (s *Service) Identify(ctx context.Context, board string, shown Shown) (Identity, error) {
	if shown.Bearer != "" {
		return s.bearer(ctx, board, shown.Bearer)
	}
	id := Identity{Board: board}
	b, err := s.Board(ctx, board)
	if err != nil {
		return id, err
	}
	if c, ok := s.session(shown.Passes[AsOwner]); ok && c.Board == board && c.Owner != "" {
		if id, err = s.owns(ctx, b, func(hash []byte) bool { return c.Owner == mark(hash) }); err != nil {
			return id, err
		}
		if !id.Owner && c.Owner == mark([]byte(b.Password)) {
			id.Owner, id.Head, id.Actor = true, true, "owner"
		}
	}
	if c, ok := s.session(shown.Passes[AsVoter]); ok && c.Board == board && c.Voter != "" {
		l, err := s.board(ctx, board)
		if err != nil {
			return id, err
		}
		switch err := s.known(ctx, l, c.Voter); {
		case err == nil:
			l.mu.RLock()
			if l.people[c.Voter].Renewed == c.Renewed { // else the link was taken away since
				id.Voter = c.Voter
			}
			l.mu.RUnlock()
		case !errors.Is(err, store.ErrNotFound):
			return id, err
		}
	}
	return id, present(b, id)
}

// present says that a board is not there for anybody but its owners once it was deleted.
func present(b store.Board, id Identity) error {
	if b.Rules.Gone || !b.Rules.Deleted.IsZero() && !id.Owner {
		return fmt.Errorf("%w: board %q", store.ErrNotFound, b.ID)
	}
	return nil
}

// owns finds the owner of a board whose hash is the right one; nobody is no owner.
func (s *Service) owns(ctx context.Context, b store.Board, right func(hash []byte) bool) (Identity, error) {
	id := Identity{Board: b.ID}
	if len(b.OwnerHash) > 0 && right(b.OwnerHash) {
		id.Owner, id.Head, id.Actor = true, true, "owner"
		return id, nil
	}
	team, err := s.Owners(ctx, b.ID)
	for _, o := range team {
		if right(o.Hash) {
			id.Owner, id.Actor = true, "owner: "+o.Name
		}
	}
	return id, err
}

// bearer finds out who a token or the owner's secret belongs to.
func (s *Service) bearer(ctx context.Context, board, secret string) (Identity, error) {
	id := Identity{Board: board}
	if strings.HasPrefix(secret, "pt_") {
		t, err := s.store.Token(ctx, hashed(secret))
		switch {
		case errors.Is(err, store.ErrNotFound) || err == nil && (t.Revoked || t.Board != board):
			return id, forbidden("the token is not one of this board, or was revoked")
		case err != nil:
			return id, err
		}
		id.Actor = t.Name
		for _, scope := range t.Scopes {
			id.Scopes = append(id.Scopes, Scope(scope))
		}
		b, err := s.Board(ctx, board)
		if err != nil {
			return id, err
		}
		return id, present(b, id)
	}
	b, err := s.Board(ctx, board)
	if err != nil {
		return id, err
	}
	if id, err = s.owns(ctx, b, func(hash []byte) bool { return subtle.ConstantTimeCompare(hashed(secret), hash) == 1 }); err != nil {
		return id, err
	}
	if !id.Owner {
		return id, forbidden("this is not the owner's secret")
	}
	return id, present(b, id)
}

// mark is a short name of a hash.
func mark(hash []byte) string {
	if len(hash) == 0 {
		return ""
	}
	return lower.EncodeToString(hashed(string(hash))[:10])
}

// session reads the text of a pass that has not run out.
func (s *Service) session(text string) (c session, ok bool) {
	if !s.verify(text, &c) || time.Now().Unix() > c.Until {
		return session{}, false
	}
	return c, true
}

// voterPass and ownerPass let somebody in.
func (s *Service) voterPass(v store.Voter) Pass {
	c := session{Board: v.Board, Voter: v.ID, Renewed: v.Renewed, Until: time.Now().Add(votersStay).Unix()}
	return Pass{Identity{Board: v.Board, Voter: v.ID}, AsVoter, s.sign(c), votersStay}
}

func (s *Service) ownerPass(id Identity, hash []byte) Pass {
	c := session{Board: id.Board, Owner: mark(hash), Until: time.Now().Add(ownersStay).Unix()}
	return Pass{id, AsOwner, s.sign(c), ownersStay}
}

// Join makes a stranger a voter of an open board.
func (s *Service) Join(ctx context.Context, board string) (Pass, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return Pass{}, err
	}
	l.mu.RLock()
	access := l.about.Access
	l.mu.RUnlock()
	if access != store.Open {
		return Pass{}, forbidden("the board is not open to everybody")
	}
	return s.admit(ctx, l, store.Voter{Board: board, ID: token(8), Created: now()})
}

// admit stores a voter and lets them in.
func (s *Service) admit(ctx context.Context, l *live, v store.Voter) (Pass, error) {
	v, err := s.store.AddVoter(ctx, v)
	if err != nil {
		return Pass{}, err
	}
	l.meet(v)
	return s.voterPass(v), nil
}

// EnterPrivate lets the holder of a private link in as the voter it is for.
func (s *Service) EnterPrivate(ctx context.Context, board, secret string) (Pass, error) {
	l, err := s.board(ctx, board)
	if err != nil {
		return Pass{}, err
	}
	v, err := s.Invited(ctx, board, secret)
	if err != nil {
		return Pass{}, err
	}
	l.meet(v)
	return s.voterPass(v), nil
}

// EnterOwner lets the holder of the secret link in as the owner.
func (s *Service) EnterOwner(ctx context.Context, board, secret string) (Pass, error) {
	id, err := s.bearer(ctx, board, strings.TrimPrefix(secret, "pt_")) // a token is no owner
	if err != nil {
		return Pass{}, err
	}
	return s.ownerPass(id, hashed(secret)), nil
}

// EnterPassword lets who knows the password in as the owner. Ten tries a minute are
// enough from one address. Whoever has been the owner in this browser before has tries
// of their own, so that strangers behind the same address cannot use them up.
func (s *Service) EnterPassword(ctx context.Context, board, password string, shown Shown) (Pass, error) {
	b, err := s.Board(ctx, board)
	if err != nil {
		return Pass{}, err
	}
	if err := s.tried(board, shown); err != nil {
		return Pass{}, err
	}
	ok, err := s.checkPassword(ctx, b.Password, password)
	if err != nil {
		return Pass{}, err
	}
	if !ok || b.Password == "" {
		return Pass{}, forbidden("this is not the password")
	}
	return s.ownerPass(Identity{Board: board, Owner: true, Head: true, Actor: "owner"}, []byte(b.Password)), nil
}

// tried counts a guess at the password of a board, or at the server's token.
func (s *Service) tried(board string, shown Shown) error {
	name := "from " + shown.From
	var c session
	if s.verify(shown.Passes[AsOwner], &c) && c.Board == board && c.Owner != "" {
		name = "again " + shown.Passes[AsOwner]
	}
	if !s.tries.allow(board+" "+name, time.Now()) {
		return fmt.Errorf("server: %w: passwords", ErrTooMany)
	}
	return nil
}

// Invited returns the voter whom a private link is for.
func (s *Service) Invited(ctx context.Context, board, secret string) (store.Voter, error) {
	v, err := s.store.VoterBySubject(ctx, board, linkSubject(secret))
	if errors.Is(err, store.ErrNotFound) {
		err = forbidden("this link is for nobody")
	}
	return v, err
}

// Enter lets the holder of a voter's pass in. It is for passes that were given to
// somebody who has still to say that they want to be that voter.
func (s *Service) Enter(ctx context.Context, board, text string) (Pass, error) {
	id, err := s.Identify(ctx, board, Shown{Passes: map[Role]string{AsVoter: text}})
	if err != nil {
		return Pass{}, err
	}
	if id.Voter == "" {
		return Pass{}, forbidden("this is for nobody, or took too long")
	}
	v, err := s.store.Voter(ctx, board, id.Voter)
	if err != nil {
		return Pass{}, err
	}
	return s.voterPass(v), nil
}
