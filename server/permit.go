package server

import (
	"context"
	"fmt"
	"slices"

	"palate/store"
)

// Identity is who makes a request to a board.
type Identity struct {
	Board string
	// Voter is the voter's ID, empty when it is none.
	Voter string
	// Owner is true for whoever holds an owner's link or the password, Head for the link
	// of who made the board and the password.
	Owner, Head bool
	// Actor names who it is in the audit log: "owner", the name of a
	// further owner behind "owner: ", or a token's.
	Actor string
	// Scopes are those of a token; nil without one.
	Scopes []Scope
}

// May reports whether the owner, or a token with this scope, is asking.
func (id Identity) May(s Scope) bool { return id.Owner || slices.Contains(id.Scopes, s) }

// Must says why somebody may not do what a scope is for.
func (id Identity) Must(s Scope) error {
	if !id.May(s) {
		return forbidden("it takes the owner, or a token with the scope %s", s)
	}
	return nil
}

// MustOwn says why somebody may not do what is the owner's.
func (id Identity) MustOwn() error {
	if !id.Owner {
		return forbidden("this is for the owner")
	}
	return nil
}

// MustHead says why somebody may not do what is for the owner who made the board, and not
// for those who were added.
func (id Identity) MustHead() error {
	if !id.Head {
		return forbidden("this is for the owner who made the board")
	}
	return nil
}

// Belongs says why somebody may not see what the board is about.
func (s *Service) Belongs(ctx context.Context, id Identity) error {
	b, err := s.Board(ctx, id.Board)
	if err != nil {
		return err
	}
	if !b.Public && id.Voter == "" && !id.May(CanRead) {
		return forbidden("the board is not public")
	}
	return nil
}

// Sees says why somebody may not see the leaderboard.
func (s *Service) Sees(ctx context.Context, id Identity) error {
	b, err := s.Board(ctx, id.Board)
	if err != nil {
		return err
	}
	if !b.Public && id.Voter == "" && !id.May(CanRead) {
		return forbidden("the leaderboard is not public")
	}
	if b.Rules.Hidden && !b.Closed && !id.May(CanRead) {
		return fmt.Errorf("server: %w", ErrHidden)
	}
	return nil
}

// ActsFor returns the voter for whom somebody asks and tells: themselves, or whom
// a token with the scope vote names. A name that is new is a new voter.
func (s *Service) ActsFor(ctx context.Context, id Identity, name string) (voter string, err error) {
	switch {
	case name == "" && id.Voter != "":
		return id.Voter, nil
	case name == "" && id.May(CanVote):
		return "", invalid("say which voter it is for")
	case name != "" && id.May(CanVote):
		l, err := s.board(ctx, id.Board)
		if err != nil {
			return "", err
		}
		return s.named(ctx, l, name)
	}
	return "", forbidden("you are no voter of this board")
}

// RecordsOf returns the votes that somebody may see: their own, or, by a token
// with the scope vote, those of the voter of a name.
func (s *Service) RecordsOf(ctx context.Context, id Identity, name string) ([]Record, error) {
	voter := id.Voter
	if name != "" {
		if !id.May(CanVote) {
			return nil, forbidden("another's votes")
		}
		v, err := s.find(ctx, id.Board, name)
		if err != nil {
			return nil, err
		}
		voter = v.ID
	}
	if voter == "" {
		return nil, forbidden("you are no voter of this board")
	}
	return s.Records(ctx, id.Board, voter)
}

// ViewFor returns the view that somebody asks for, if it is for them to see: voter
// is "me", or the name that a program gave a voter.
func (s *Service) ViewFor(ctx context.Context, id Identity, voter, group string) (View, error) {
	if err := s.Sees(ctx, id); err != nil {
		return View{}, err
	}
	switch {
	case voter == "" && group != "" && !id.Owner:
		return View{Group: group}, s.large(ctx, id.Board, group)
	case voter == "":
		return View{Group: group}, nil
	case voter == "me" && id.Voter != "":
		return View{Voter: id.Voter}, nil
	case id.May(CanRead):
		v, err := s.find(ctx, id.Board, voter)
		return View{Voter: v.ID}, err
	}
	return View{}, forbidden("another's ranking")
}

// MinGroup is the number of voters below which the ranking of a group tells too much of
// each of them, so that it is for the owner only.
const MinGroup = 5

// large says why the ranking of a group is not for everybody.
func (s *Service) large(ctx context.Context, board, group string) error {
	groups, err := s.groups(ctx, board)
	if err != nil {
		return err
	}
	if n := groups[group]; n < MinGroup {
		return forbidden("fewer than %d people of this group have voted, so that its ranking is for the owner only", MinGroup)
	}
	return nil
}

// find returns the voter that a program calls by a name.
func (s *Service) find(ctx context.Context, board, name string) (store.Voter, error) {
	return s.store.VoterBySubject(ctx, board, nameSubject(name))
}
