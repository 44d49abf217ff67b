package server

import (
	"context"
	"errors"
	"fmt"
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
	ended    map[string]time.Time // logins that came to an end, until they run out
}

// end notes that a login came to an end, and reports whether it had not before: an
// answer is taken once.
func (p *provider) end(state string, until time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s, t := range p.ended {
		if time.Now().After(t) {
			delete(p.ended, s)
		}
	}
	if _, again := p.ended[state]; again {
		return false
	}
	if p.ended == nil {
		p.ended = map[string]time.Time{}
	}
	p.ended[state] = until
	return true
}

// flow is a login under way, kept by the browser: what only it knows.
type flow struct {
	Board    string `json:"b"`
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"` // of PKCE
	Until    int64  `json:"u"`
}

const flowLasts = 10 * time.Minute

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

// Login is a login under way: where to send the voter, and what their browser is
// to keep until they are back.
type Login struct {
	Address string
	Text    string
	Lasts   time.Duration
}

// Return is what a voter brings back from the identity provider.
type Return struct {
	Login       string // the text of the Login
	State, Code string
	Error       string // what the provider said in place of a code
}

// BeginSSO sends a voter to the identity provider, who sends them back to the
// given address.
func (s *Service) BeginSSO(ctx context.Context, board, back string) (Login, error) {
	b, err := s.Board(ctx, board)
	if err != nil {
		return Login{}, err
	}
	if b.Access != store.SSO {
		return Login{}, forbidden("the board is not for members")
	}
	c, _, err := s.discover(ctx)
	if err != nil {
		return Login{}, err
	}
	own := *c
	own.RedirectURL = back
	f := flow{Board: board, State: token(16), Nonce: token(16), Verifier: oauth2.GenerateVerifier(), Until: time.Now().Add(flowLasts).Unix()}
	return Login{own.AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), s.sign(f), flowLasts}, nil
}

// EndSSO lets a voter in who is back from the identity provider, at the address
// that BeginSSO was given.
func (s *Service) EndSSO(ctx context.Context, r Return, back string) (Pass, error) {
	var f flow
	if !s.verify(r.Login, &f) || time.Now().Unix() > f.Until {
		return Pass{}, forbidden("there is no login under way, or it took too long")
	}
	if r.State != f.State {
		return Pass{}, forbidden("the answer is to another login")
	}
	if !s.sso.end(f.State, time.Unix(f.Until, 0).Add(time.Minute)) {
		return Pass{}, forbidden("this login came to an end before: sign in again")
	}
	if r.Error != "" {
		return Pass{}, forbidden("the identity provider said %q", firstLine(r.Error, 100))
	}
	c, verifier, err := s.discover(ctx)
	if err != nil {
		return Pass{}, err
	}
	own := *c
	own.RedirectURL = back
	t, err := own.Exchange(ctx, r.Code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		s.log.Warn("login refused", "board", f.Board, "error", err)
		return Pass{}, forbidden("the identity provider did not confirm the login")
	}
	raw, ok := t.Extra("id_token").(string)
	if !ok {
		return Pass{}, forbidden("the identity provider sent no identity")
	}
	who, err := verifier.Verify(ctx, raw)
	if err == nil && who.Nonce != f.Nonce {
		err = errors.New("the nonce is not ours")
	}
	if err != nil {
		s.log.Warn("login refused", "board", f.Board, "error", err)
		return Pass{}, forbidden("the identity is not genuine")
	}
	l, err := s.board(ctx, f.Board)
	if err != nil {
		return Pass{}, err
	}
	// The hash is keyed: who knows the list of members cannot find them out by it.
	subject := "sso:" + lower.EncodeToString(s.mac("subject", who.Issuer+"\n"+who.Subject))
	return s.admit(ctx, l, store.Voter{Board: f.Board, ID: token(8), Subject: subject, Created: now()})
}
