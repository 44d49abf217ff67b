package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"palate/store"
)

// provider is the identity provider, once it has been asked about itself.
type provider struct {
	mu       sync.Mutex
	oauth    *oauth2.Config
	verifier *oidc.IDTokenVerifier
}

// flow is a login under way, kept in a cookie: what only this browser knows.
type flow struct {
	Board    string `json:"b"`
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // of PKCE
	Until    int64  `json:"u"`
}

const (
	flowCookie = "palate_login"
	flowLasts  = 10 * time.Minute
	callback   = "/sso/callback"
)

// discover asks the provider about itself, once.
func (s *Service) discover(ctx context.Context) (*oauth2.Config, *oidc.IDTokenVerifier, error) {
	o := s.options.SSO
	if o == nil {
		return nil, nil, forbidden("the server has no identity provider")
	}
	p := &s.sso
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.oauth == nil {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		defer cancel()
		found, err := oidc.NewProvider(ctx, o.Issuer)
		if err != nil {
			return nil, nil, fmt.Errorf("server: identity provider: %w", err)
		}
		// Only who it is, neither name nor address: a pseudonym is all that is kept.
		p.oauth = &oauth2.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Endpoint: found.Endpoint(), Scopes: []string{oidc.ScopeOpenID}}
		// Keys are fetched again when they change; not under this request's context.
		p.verifier = found.VerifierContext(context.WithoutCancel(s.ctx), &oidc.Config{ClientID: o.ClientID})
	}
	return p.oauth, p.verifier, nil
}

// comeBack returns the provider's settings for a request, with the address to come
// back to.
func (s *Service) comeBack(c *oauth2.Config, r *http.Request) *oauth2.Config {
	own := *c
	own.RedirectURL = s.Address(r) + callback
	return &own
}

// BeginSSO sends a voter to the identity provider; the answer comes back to
// /sso/callback, which Handler serves, and leads on to /b/BOARD.
func (s *Service) BeginSSO(w http.ResponseWriter, r *http.Request, board string) error {
	b, err := s.Board(r.Context(), board)
	if err != nil {
		return err
	}
	if b.Access != store.SSO {
		return forbidden("the board is not for members")
	}
	c, _, err := s.discover(r.Context())
	if err != nil {
		return err
	}
	f := flow{Board: board, State: token(16), Nonce: token(16), Verifier: oauth2.GenerateVerifier(), Until: time.Now().Add(flowLasts).Unix()}
	http.SetCookie(w, &http.Cookie{
		Name: flowCookie, Value: s.sign(f), Path: callback, MaxAge: int(flowLasts.Seconds()),
		HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode,
	})
	http.Redirect(w, r, s.comeBack(c, r).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), http.StatusSeeOther)
	return nil
}

// endSSO takes the identity provider's answer.
func (s *Service) endSSO(w http.ResponseWriter, r *http.Request) (board string, err error) {
	var f flow
	h, err := r.Cookie(flowCookie)
	if err != nil || !s.verify(h.Value, &f) || time.Now().Unix() > f.Until {
		return "", forbidden("there is no login under way, or it took too long")
	}
	http.SetCookie(w, &http.Cookie{Name: flowCookie, Path: callback, MaxAge: -1, HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode})
	q := r.URL.Query()
	if q.Get("state") != f.State {
		return "", forbidden("the answer is to another login")
	}
	if said := q.Get("error"); said != "" {
		return "", forbidden("the identity provider said %q", firstLine(said, 100))
	}
	c, verifier, err := s.discover(r.Context())
	if err != nil {
		return "", err
	}
	t, err := s.comeBack(c, r).Exchange(r.Context(), q.Get("code"), oauth2.VerifierOption(f.Verifier))
	if err != nil {
		s.log.Warn("login refused", "board", f.Board, "error", err)
		return "", forbidden("the identity provider did not confirm the login")
	}
	raw, ok := t.Extra("id_token").(string)
	if !ok {
		return "", forbidden("the identity provider sent no identity")
	}
	who, err := verifier.Verify(r.Context(), raw)
	if err == nil && who.Nonce != f.Nonce {
		err = errors.New("the nonce is not ours")
	}
	if err != nil {
		s.log.Warn("login refused", "board", f.Board, "error", err)
		return "", forbidden("the identity is not genuine")
	}
	l, err := s.board(r.Context(), f.Board)
	if err != nil {
		return "", err
	}
	// The hash is keyed: who knows the list of members cannot find them out by it.
	subject := "sso:" + lower.EncodeToString(s.mac("subject", who.Issuer+"\n"+who.Subject))
	_, err = s.admit(w, r, l, store.Voter{Board: f.Board, ID: token(8), Subject: subject, Created: now()})
	return f.Board, err
}
