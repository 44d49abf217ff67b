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
	if c, ok := s.session(shown.Passes[AsOwner]); ok && c.Board == board && c.Owner != "" && (c.Owner == mark(b.OwnerHash) || c.Owner == mark([]byte(b.Password))) {
		id.Owner, id.Actor = true, "owner"
	}
	if c, ok := s.session(shown.Passes[AsVoter]); ok && c.Board == board && c.Voter != "" {
		l, err := s.board(ctx, board)
		if err != nil {
			return id, err
		}
		switch err := s.known(ctx, l, c.Voter); {
		case err == nil:
			id.Voter = c.Voter
		case !errors.Is(err, store.ErrNotFound):
			return id, err
		}
	}
	return id, nil
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
		return id, nil
	}
	b, err := s.Board(ctx, board)
	if err != nil {
		return id, err
	}
	if len(b.OwnerHash) == 0 || subtle.ConstantTimeCompare(hashed(secret), b.OwnerHash) != 1 {
		return id, forbidden("this is not the owner's secret")
	}
	id.Owner, id.Actor = true, "owner"
	return id, nil
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
func (s *Service) voterPass(board, voter string) Pass {
	c := session{Board: board, Voter: voter, Until: time.Now().Add(votersStay).Unix()}
	return Pass{Identity{Board: board, Voter: voter}, AsVoter, s.sign(c), votersStay}
}

func (s *Service) ownerPass(board string, hash []byte) Pass {
	c := session{Board: board, Owner: mark(hash), Until: time.Now().Add(ownersStay).Unix()}
	return Pass{Identity{Board: board, Owner: true, Actor: "owner"}, AsOwner, s.sign(c), ownersStay}
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
	return s.voterPass(l.id, v.ID), nil
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
	return s.voterPass(board, v.ID), nil
}

// EnterOwner lets the holder of the secret link in as the owner.
func (s *Service) EnterOwner(ctx context.Context, board, secret string) (Pass, error) {
	if _, err := s.bearer(ctx, board, strings.TrimPrefix(secret, "pt_")); err != nil { // a token is no owner
		return Pass{}, err
	}
	b, err := s.Board(ctx, board)
	if err != nil {
		return Pass{}, err
	}
	return s.ownerPass(board, b.OwnerHash), nil
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
	return s.ownerPass(board, []byte(b.Password)), nil
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
	return s.voterPass(board, id.Voter), nil
}
