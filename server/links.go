package server

import (
	"context"
	"strings"

	"palate/store"
)

// Invitation is a private link.
type Invitation struct {
	Voter  store.Voter
	Secret string // shown once
}

// RevokeLink makes a voter's private link void, and whoever came in by it a stranger. The
// votes stay.
func (s *Service) RevokeLink(ctx context.Context, board, actor, voter string) error {
	_, err := s.relink(ctx, board, actor, voter, "")
	return err
}

// RenewLink gives a voter another private link; the old one is void.
func (s *Service) RenewLink(ctx context.Context, board, actor, voter string) (Invitation, error) {
	return s.relink(ctx, board, actor, voter, token(20))
}

// relink gives a voter a link, or none without a secret.
func (s *Service) relink(ctx context.Context, board, actor, voter, secret string) (Invitation, error) {
	if err := checkText("a voter", voter, maxPerson); err != nil {
		return Invitation{}, err
	}
	l, err := s.board(ctx, board)
	if err != nil {
		return Invitation{}, err
	}
	old, err := s.store.Voter(ctx, board, voter)
	if err != nil {
		return Invitation{}, err
	}
	if !HasLink(old) {
		return Invitation{}, invalid("this voter did not come by a private link")
	}
	verb, subject := "revoke-link", ""
	if secret != "" {
		verb, subject = "renew-link", linkSubject(secret)
	}
	v, err := s.store.RenewVoter(ctx, board, voter, subject, store.Action{Actor: actor, Verb: verb, Object: voter, Time: now()})
	if err != nil {
		return Invitation{}, err
	}
	return Invitation{v, secret}, s.renew(ctx, l)
}

// HasLink reports whether a voter is one of those who come by a private link, be it void.
func HasLink(v store.Voter) bool {
	return strings.HasPrefix(v.Subject, linkPrefix) || v.Subject == "" && v.Renewed > 0
}

// linkPrefix begins the subject of a voter who comes by a private link.
const linkPrefix = "link:"

func linkSubject(secret string) string { return linkPrefix + lower.EncodeToString(hashed(secret)) }
