package server

import (
	"context"
	"errors"
	"io"
	"net/http"

	"palate/store"
)

// Service runs boards on a store. It is safe for concurrent use.
type Service struct {
	store   store.Store
	options Options
}

var errToCome = errors.New("server: to come")

// New starts a service: it follows the store and refits boards until Close.
func New(ctx context.Context, st store.Store, o Options) (*Service, error) {
	return &Service{store: st, options: o}, nil
}

// Close ends the background work. The store stays open.
func (s *Service) Close() error { return nil }

// Create makes a board.
func (s *Service) Create(ctx context.Context, n NewBoard) (Created, error) {
	return Created{}, errToCome
}

// Board returns a board, Items its items in order of their numbers.
func (s *Service) Board(ctx context.Context, board string) (store.Board, error) {
	return store.Board{}, errToCome
}

func (s *Service) Items(ctx context.Context, board string) ([]store.Item, error) {
	return nil, errToCome
}

// Media returns a picture of a board.
func (s *Service) Media(ctx context.Context, board, digest string) (store.Media, error) {
	return store.Media{}, errToCome
}

// Ask chooses the next pair for a voter.
func (s *Service) Ask(ctx context.Context, board, voter string) (Question, error) {
	return Question{}, errToCome
}

// Tell takes an answer. It returns when the vote is on disk and in the posterior.
func (s *Service) Tell(ctx context.Context, board, voter string, a Answer) (Receipt, error) {
	return Receipt{}, errToCome
}

// Undo takes the voter's last vote or skip back.
func (s *Service) Undo(ctx context.Context, board, voter string) (Receipt, error) {
	return Receipt{}, errToCome
}

// Records returns a voter's votes, the last first.
func (s *Service) Records(ctx context.Context, board, voter string) ([]Record, error) {
	return nil, errToCome
}

// Leaderboard returns the ranking now.
func (s *Service) Leaderboard(ctx context.Context, board string, v View) (*Leaderboard, error) {
	return nil, errToCome
}

// Matrix returns who beat whom how often.
func (s *Service) Matrix(ctx context.Context, board string) (*Matrix, error) { return nil, errToCome }

// Predict returns the probability that left beats right, by identifier.
func (s *Service) Predict(ctx context.Context, board string, v View, left, right string) (float64, error) {
	return 0, errToCome
}

// Subscribe sends what changes on a board until cancel is called. Events that a
// slow reader has not taken are left out.
func (s *Service) Subscribe(board string) (events <-chan Event, cancel func()) {
	return nil, func() {}
}

// Groups lists the groups that voters of a board belong to.
func (s *Service) Groups(ctx context.Context, board string) ([]string, error) { return nil, errToCome }

// Trust looks at what could be wrong with a board's votes.
func (s *Service) Trust(ctx context.Context, board string) ([]Check, error) { return nil, errToCome }

// Voters returns what the owner sees of the voters.
func (s *Service) Voters(ctx context.Context, board string) ([]VoterRow, error) {
	return nil, errToCome
}

// Audit returns what was done to a board, the first first.
func (s *Service) Audit(ctx context.Context, board string) ([]store.Action, error) {
	return nil, errToCome
}

// SetClosed ends the voting on a board, or opens it again. actor is
// Identity.Actor, here and below.
func (s *Service) SetClosed(ctx context.Context, board, actor string, closed bool) error {
	return errToCome
}

// SetPublic says whether the leaderboard may be seen without voting.
func (s *Service) SetPublic(ctx context.Context, board, actor string, public bool) error {
	return errToCome
}

// ExcludeVoter makes the votes of a voter not count, for a reason; without one
// they count again. ExcludeItem does so for an item, by identifier.
func (s *Service) ExcludeVoter(ctx context.Context, board, actor, voter, reason string) error {
	return errToCome
}

func (s *Service) ExcludeItem(ctx context.Context, board, actor, item, reason string) error {
	return errToCome
}

// AddItems adds items to a board.
func (s *Service) AddItems(ctx context.Context, board, actor string, items []NewItem) ([]store.Item, error) {
	return nil, errToCome
}

// ReadItems reads items from a table (id, body, kind, url and feature columns)
// or, when the name is empty, from lines of text.
func ReadItems(name string, r io.Reader) ([]NewItem, error) { return nil, errToCome }

// Invite makes private links for voters, one a name.
func (s *Service) Invite(ctx context.Context, board, actor, group string, names []string) ([]Invitation, error) {
	return nil, errToCome
}

// NewToken makes a token for programs, shown once.
func (s *Service) NewToken(ctx context.Context, board, actor, name string, scopes []Scope) (string, error) {
	return "", errToCome
}

// Tokens lists a board's tokens.
func (s *Service) Tokens(ctx context.Context, board string) ([]store.Token, error) {
	return nil, errToCome
}

// RevokeToken ends a token.
func (s *Service) RevokeToken(ctx context.Context, board, actor, name string) error { return errToCome }

// RenewOwner makes a new owner's link; the old one is void.
func (s *Service) RenewOwner(ctx context.Context, board, actor string) (string, error) {
	return "", errToCome
}

// SetPassword sets the owner's password; an empty one takes it away.
func (s *Service) SetPassword(ctx context.Context, board, actor, password string) error {
	return errToCome
}

// Export writes the votes and skips of a board.
func (s *Service) Export(ctx context.Context, board string, w io.Writer, o ExportOptions) error {
	return errToCome
}

// Import reads a file of votes in any of ingest's forms. Reading it again adds
// nothing.
func (s *Service) Import(ctx context.Context, board, actor, name string, r io.Reader) (added int, err error) {
	return 0, errToCome
}

// Identify finds out who makes a request to a board, by its cookies or its
// token. An empty Identity is a stranger; a forged cookie is one, too.
func (s *Service) Identify(r *http.Request, board string) (Identity, error) {
	return Identity{}, errToCome
}

// Join makes a stranger a voter of an open board, by a signed cookie.
func (s *Service) Join(w http.ResponseWriter, r *http.Request, board string) (Identity, error) {
	return Identity{}, errToCome
}

// EnterPrivate makes the holder of a private link the voter it is for.
func (s *Service) EnterPrivate(w http.ResponseWriter, r *http.Request, board, secret string) (Identity, error) {
	return Identity{}, errToCome
}

// EnterOwner makes the holder of the secret link, or of the password, the owner.
func (s *Service) EnterOwner(w http.ResponseWriter, r *http.Request, board, secret string) (Identity, error) {
	return Identity{}, errToCome
}

func (s *Service) EnterPassword(w http.ResponseWriter, r *http.Request, board, password string) (Identity, error) {
	return Identity{}, errToCome
}

// BeginSSO sends a voter to the identity provider; the answer comes back to
// /sso/callback, which Handler serves, and leads on to /b/BOARD.
func (s *Service) BeginSSO(w http.ResponseWriter, r *http.Request, board string) error {
	return errToCome
}

// Leave forgets who somebody is.
func (s *Service) Leave(w http.ResponseWriter, r *http.Request, board string) {}

// Guard puts the checks that every request passes before a handler: size, rate
// by address, cross-origin requests (CSRF), and the headers of answers, a strict
// Content-Security-Policy among them.
func (s *Service) Guard(h http.Handler) http.Handler { return h }

// Handler serves the JSON interface at /api, /healthz, /metrics, pictures at
// /b/BOARD/media/DIGEST, and pages, if there are any, everywhere else; all
// behind Guard.
func (s *Service) Handler(pages http.Handler) http.Handler { return pages }
