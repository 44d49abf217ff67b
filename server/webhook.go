package server

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"palate/store"
)

// Webhooks says where boards may tell what happens on them; the zero value is nowhere.
type Webhooks struct {
	// Hosts are names of machines, as hooks.example.org, *.example.org for all below it,
	// and * for all.
	Hosts []string
	// Private allows addresses of this machine and of private networks, which names may
	// stand for, too.
	Private bool
	// Send sends a message with its signature to an address, and says why it was not taken.
	// Nil: there are no webhooks.
	Send func(ctx context.Context, address, signature string, body []byte) error
}

// What webhooks tell.
const (
	HookVote    = "vote"    // a vote, a skip or an undo came in
	HookSettled = "settled" // the goal of the board is settled
	HookClosed  = "closed"  // the board was closed
)

// hookEvents lists what webhooks tell.
func hookEvents() []string { return []string{HookVote, HookSettled, HookClosed} }

// mostHooks is how many webhooks a board has at most.
const mostHooks = 10

// Allows says why nothing may be sent to an address, by its text.
func (h Webhooks) Allows(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return invalid("%q is not the address of a machine", address)
	case u.User != nil || u.Fragment != "":
		return invalid("an address of a webhook has no name, password or fragment")
	case u.Scheme == "http" && !h.Private:
		return invalid("%q does not begin with https://", address)
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	for _, allowed := range h.Hosts {
		allowed = strings.ToLower(allowed)
		if below, wide := strings.CutPrefix(allowed, "*"); allowed == host || wide && strings.HasSuffix(host, below) {
			return nil
		}
	}
	return forbidden("whoever runs this server does not allow webhooks to %s", host)
}

// AddWebhook has a board tell what happens on it from now on. The secret signs what is
// told; it is not shown again.
func (s *Service) AddWebhook(ctx context.Context, board, actor, address string, events []string) (store.Webhook, error) {
	if err := checkText("an address", address, maxReason); err != nil {
		return store.Webhook{}, err
	}
	if s.options.Webhooks.Send == nil {
		return store.Webhook{}, forbidden("whoever runs this server does not allow webhooks")
	}
	if err := s.options.Webhooks.Allows(address); err != nil {
		return store.Webhook{}, err
	}
	if len(events) == 0 {
		events = hookEvents()
	}
	for _, e := range events {
		if !slices.Contains(hookEvents(), e) {
			return store.Webhook{}, invalid("%q is not one of %v", e, hookEvents())
		}
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return store.Webhook{}, err
	}
	l.acting.Lock()
	defer l.acting.Unlock()
	there, err := s.store.Webhooks(ctx, board)
	if err != nil {
		return store.Webhook{}, err
	}
	if len(there) >= mostHooks {
		return store.Webhook{}, invalid("a board has at most %d webhooks", mostHooks)
	}
	w := store.Webhook{ID: token(8), Board: board, URL: address, Secret: []byte(token(32)), Events: events, Created: now()}
	if w.Vote, w.Action, err = s.store.Ends(ctx); err != nil {
		return w, err
	}
	return w, s.store.AddWebhook(ctx, w, store.Action{Actor: actor, Verb: "new-webhook", Object: w.ID, Reason: hostOf(address), Time: now()})
}

// hostOf is the machine of an address, whose path may be a secret.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// Webhooks returns the webhooks of a board.
func (s *Service) Webhooks(ctx context.Context, board string) ([]store.Webhook, error) {
	return s.store.Webhooks(ctx, board)
}

// DropWebhook ends a webhook. What it has not told yet is not told.
func (s *Service) DropWebhook(ctx context.Context, board, actor, id string) error {
	return s.store.DropWebhook(ctx, board, id, store.Action{Actor: actor, Verb: "drop-webhook", Object: id, Time: now()})
}

// CheckHost says why a word is not a name of machines that webhooks may be sent to.
func CheckHost(name string) error {
	plain := strings.TrimPrefix(strings.TrimPrefix(name, "*"), ".")
	if name != "*" && plain == "" || strings.ContainsAny(plain, "*/:@ ") || strings.HasPrefix(name, "*") && name != "*" && !strings.HasPrefix(name, "*.") {
		return fmt.Errorf("it is the name of a machine, *. and a name, or *")
	}
	return nil
}
