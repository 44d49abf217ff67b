package server

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"palate/store"
)

// session is what a cookie says.
type session struct {
	Board string `json:"b"`
	Voter string `json:"v,omitempty"`
	// Owner, if set, is the beginning of the hash by which the owner came in: a new
	// link or password ends the sessions of the old.
	Owner string `json:"o,omitempty"`
	Until int64  `json:"u"` // seconds since 1970
}

const (
	voterCookie = "palate_voter"
	ownerCookie = "palate_owner"
	votersStay  = 180 * 24 * time.Hour
	ownersStay  = 30 * 24 * time.Hour
)

// Identify finds out who makes a request to a board, by its cookies or its
// token (Authorization: Bearer, which may also be the owner's secret). An empty
// Identity is a stranger; a forged cookie is one, too. A token that is not good
// is an error.
func (s *Service) Identify(r *http.Request, board string) (Identity, error) {
	id := Identity{Board: board}
	if h := r.Header.Get("Authorization"); h != "" {
		secret, ok := strings.CutPrefix(h, "Bearer ")
		if !ok {
			return id, forbidden("the header Authorization is not Bearer and a token")
		}
		return s.bearer(r.Context(), board, strings.TrimSpace(secret))
	}
	b, err := s.Board(r.Context(), board)
	if err != nil {
		return id, err
	}
	if c, ok := s.cookie(r, ownerCookie); ok && c.Board == board && c.Owner != "" && (c.Owner == mark(b.OwnerHash) || c.Owner == mark([]byte(b.Password))) {
		id.Owner, id.Actor = true, "owner"
	}
	if c, ok := s.cookie(r, voterCookie); ok && c.Board == board && c.Voter != "" {
		l, err := s.board(r.Context(), board)
		if err != nil {
			return id, err
		}
		switch err := s.known(r.Context(), l, c.Voter); {
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

func (s *Service) cookie(r *http.Request, name string) (c session, ok bool) {
	h, err := r.Cookie(name)
	if err != nil || !s.verify(h.Value, &c) || time.Now().Unix() > c.Until {
		return session{}, false
	}
	return c, true
}

// setCookie gives a cookie to a board's pages and interface, and to no other's.
func (s *Service) setCookie(w http.ResponseWriter, name string, c session, stay time.Duration) {
	c.Until = time.Now().Add(stay).Unix()
	for _, path := range []string{"/b/" + c.Board, "/api/boards/" + c.Board} {
		http.SetCookie(w, &http.Cookie{
			Name: name, Value: s.sign(c), Path: path, MaxAge: int(stay.Seconds()),
			HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode,
		})
	}
}

// secure reports whether people come by HTTPS.
func (s *Service) secure() bool { return strings.HasPrefix(s.options.URL, "https://") }

// Join makes a stranger a voter of an open board, by a signed cookie.
func (s *Service) Join(w http.ResponseWriter, r *http.Request, board string) (Identity, error) {
	l, err := s.board(r.Context(), board)
	if err != nil {
		return Identity{}, err
	}
	l.mu.RLock()
	access := l.about.Access
	l.mu.RUnlock()
	if access != store.Open {
		return Identity{}, forbidden("the board is not open to everybody")
	}
	return s.admit(w, r, l, store.Voter{Board: board, ID: token(8), Created: now()})
}

// admit stores a voter and gives them a cookie.
func (s *Service) admit(w http.ResponseWriter, r *http.Request, l *live, v store.Voter) (Identity, error) {
	v, err := s.store.AddVoter(r.Context(), v)
	if err != nil {
		return Identity{}, err
	}
	l.meet(v)
	s.setCookie(w, voterCookie, session{Board: l.id, Voter: v.ID}, votersStay)
	return Identity{Board: l.id, Voter: v.ID}, nil
}

// EnterPrivate makes the holder of a private link the voter it is for.
func (s *Service) EnterPrivate(w http.ResponseWriter, r *http.Request, board, secret string) (Identity, error) {
	l, err := s.board(r.Context(), board)
	if err != nil {
		return Identity{}, err
	}
	v, err := s.store.VoterBySubject(r.Context(), board, linkSubject(secret))
	if errors.Is(err, store.ErrNotFound) {
		return Identity{}, forbidden("this link is for nobody")
	}
	if err != nil {
		return Identity{}, err
	}
	l.meet(v)
	s.setCookie(w, voterCookie, session{Board: board, Voter: v.ID}, votersStay)
	return Identity{Board: board, Voter: v.ID}, nil
}

// EnterOwner makes the holder of the secret link the owner.
func (s *Service) EnterOwner(w http.ResponseWriter, r *http.Request, board, secret string) (Identity, error) {
	id, err := s.bearer(r.Context(), board, strings.TrimPrefix(secret, "pt_")) // a token is no owner
	if err != nil {
		return Identity{}, err
	}
	b, err := s.Board(r.Context(), board)
	if err != nil {
		return Identity{}, err
	}
	s.setCookie(w, ownerCookie, session{Board: board, Owner: mark(b.OwnerHash)}, ownersStay)
	return id, nil
}

// EnterPassword makes who knows the password the owner. Ten tries a minute are
// enough for a board.
func (s *Service) EnterPassword(w http.ResponseWriter, r *http.Request, board, password string) (Identity, error) {
	b, err := s.Board(r.Context(), board)
	if err != nil {
		return Identity{}, err
	}
	if !s.tries.allow(board, time.Now()) {
		return Identity{}, fmt.Errorf("server: %w: passwords", ErrTooMany)
	}
	ok, err := s.checkPassword(r.Context(), b.Password, password)
	if err != nil {
		return Identity{}, err
	}
	if !ok || b.Password == "" {
		return Identity{}, forbidden("this is not the password")
	}
	s.setCookie(w, ownerCookie, session{Board: board, Owner: mark([]byte(b.Password))}, ownersStay)
	return Identity{Board: board, Owner: true, Actor: "owner"}, nil
}

// Leave forgets who somebody is.
func (s *Service) Leave(w http.ResponseWriter, board string) {
	for _, name := range []string{voterCookie, ownerCookie} {
		for _, path := range []string{"/b/" + board, "/api/boards/" + board} {
			http.SetCookie(w, &http.Cookie{Name: name, Path: path, MaxAge: -1, HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode})
		}
	}
}
