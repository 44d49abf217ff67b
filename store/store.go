package store

import (
	"context"
	"errors"
	"time"
)

var (
	// ErrNotFound says that there is no such board, item, voter, token, picture
	// or snapshot.
	ErrNotFound = errors.New("store: not found")
	// ErrExists says that the identifier is taken.
	ErrExists = errors.New("store: exists already")
	// ErrUnavailable says that the database cannot be written to just now: it is
	// away, full, damaged or read-only. Trying again later may work, and is safe.
	ErrUnavailable = errors.New("store: unavailable")
	// ErrStale says that the voter has done something else meanwhile: the question is
	// not the open one, or there are records that the writer does not know of.
	ErrStale = errors.New("store: overtaken by what the voter did since")
	// ErrClosed says that the board took no votes any more when this one was to be stored,
	// and ErrQuota that as many votes of the voter stand as may.
	ErrClosed = errors.New("store: the board is closed")
	ErrQuota  = errors.New("store: the voter has cast all votes")
)

// Store keeps boards and votes. It is safe for concurrent use. Errors wrap one
// of the above where it applies.
type Store interface {
	// CreateBoard stores a board with its items.
	CreateBoard(ctx context.Context, b Board, items []Item, a Action) error
	// Board returns one board, Boards all, oldest first.
	Board(ctx context.Context, id string) (Board, error)
	Boards(ctx context.Context) ([]Board, error)
	// UpdateBoard changes a board, but for its ID, Features, Space and Created. It is handed the
	// board as it is, and nobody else changes it meanwhile; an error of how is returned,
	// and nothing is changed.
	UpdateBoard(ctx context.Context, board string, how func(*Board) error, a Action) error
	// DropBoard removes a board that was deleted before a time, and all that is of it but
	// the record of that. It is ErrStale for one that was not.
	DropBoard(ctx context.Context, board string, before time.Time, a Action) error

	// AddOwner stores a further owner, Owners returns them, oldest first.
	AddOwner(ctx context.Context, o Owner, a Action) error
	Owners(ctx context.Context, board string) ([]Owner, error)
	RemoveOwner(ctx context.Context, board, id string, a Action) error

	// AddItems gives further items the next numbers and returns them.
	AddItems(ctx context.Context, board string, items []Item, a Action) ([]Item, error)
	// Items returns all items of a board in order of their numbers.
	Items(ctx context.Context, board string) ([]Item, error)
	// ExcludeItem takes an item out for a reason, or in again without one.
	ExcludeItem(ctx context.Context, board string, number int, reason string, a Action) error
	// PutMedia stores a picture, once.
	PutMedia(ctx context.Context, m Media) error
	Media(ctx context.Context, board, digest string) (Media, error)

	// AddVoter stores a voter; when Subject is known already it returns the one
	// that has it instead.
	AddVoter(ctx context.Context, v Voter) (Voter, error)
	// AddVoters does the same for several of one board, all of whom have a subject.
	AddVoters(ctx context.Context, voters []Voter) ([]Voter, error)
	Voter(ctx context.Context, board, id string) (Voter, error)
	// VoterBySubject finds a voter by what they are known by.
	VoterBySubject(ctx context.Context, board, subject string) (Voter, error)
	// Voters returns all voters of a board, oldest first.
	Voters(ctx context.Context, board string) ([]Voter, error)
	// ExcludeVoter makes a voter's votes not count for a reason, or count again
	// without one.
	ExcludeVoter(ctx context.Context, board, id, reason string, a Action) error
	// RenewVoter gives a voter another subject, or none when it is empty.
	RenewVoter(ctx context.Context, board, id, subject string, a Action) (Voter, error)
	// EraseVoter deletes all that a voter said: votes, comments and proposals, their open
	// question, and snapshots that know of it. Items that came from their proposals lose
	// their text, and are out for the reason of the action. The voter stays. Snapshots
	// that do not know of the action are not kept from then on.
	EraseVoter(ctx context.Context, board, id string, a Action) error

	// Append stores a vote and returns it with its Seq. It returns once the vote
	// is on disk. fresh is false when the voter has used the key before on that
	// board: then the vote is the one stored before. It is ErrStale when the entry's
	// condition does not hold, ErrClosed when the board is closed at the vote's time, and
	// ErrQuota when one vote more of the voter would stand than may.
	Append(ctx context.Context, e Entry) (stored Vote, fresh bool, err error)
	// Ballot returns a voter's last record and open question.
	Ballot(ctx context.Context, board, voter string) (Ballot, error)
	// Pose makes a question the voter's open one, if the ballot is still as it was
	// read; else it is ErrStale.
	Pose(ctx context.Context, board, voter string, read Ballot, q Question) error

	// Comments returns comments on votes after a Seq in order, at most so many.
	Comments(ctx context.Context, board string, after int64, limit int) ([]Comment, error)

	// AddProposal stores a proposal, unless the voter has proposed so many already or so
	// many of the board wait for an answer: then it is ErrQuota.
	AddProposal(ctx context.Context, p Proposal, ofVoter, waiting int) error
	// Proposals returns those of a board, or of one of its voters, oldest first.
	Proposals(ctx context.Context, board, voter string) ([]Proposal, error)
	// Decide accepts a proposal that waits, and makes it an item with the next number, or
	// refuses it when there is no item. It is ErrStale when it does not wait any more.
	Decide(ctx context.Context, board, proposal string, item *Item, a Action) (Proposal, error)

	// NewImport begins an import, whose file then comes in by parts, from 0.
	NewImport(ctx context.Context, i Import, a Action) error
	AddPart(ctx context.Context, id string, part int, bytes []byte, at time.Time) error
	Part(ctx context.Context, id string, part int) ([]byte, error)
	// Imports returns a board's imports, the last first; those of all boards that are
	// not over when board is empty.
	Imports(ctx context.Context, board string) ([]Import, error)
	// ClaimImport lets a worker do what is to be done of an import: its file is there,
	// and nobody else does it now. Else it is ErrStale.
	ClaimImport(ctx context.Context, id, worker string, now, until time.Time) (Import, error)
	// NoteImport notes how many votes and bad rows the file has, and that it is still
	// being done.
	NoteImport(ctx context.Context, id, worker string, rows, bad int, until time.Time) error
	// AppendSlice stores the next votes of an import, all or none but for those whose
	// key was used before, and returns those that were fresh. It is ErrStale when the
	// worker does not do it any more.
	AppendSlice(ctx context.Context, s Slice) (fresh []Vote, err error)
	// EndImport ends an import that is not over, and forgets its file; by whoever does
	// it, or by anybody when worker is empty. Else it is ErrStale.
	EndImport(ctx context.Context, id, worker string, end Import, a Action) error
	// Votes returns votes after a Seq in order, at most so many; of all boards when
	// board is empty.
	Votes(ctx context.Context, board string, after int64, limit int) ([]Vote, error)
	// Actions does for actions what Votes does for votes.
	Actions(ctx context.Context, board string, after int64, limit int) ([]Action, error)

	// Ends returns the Seq of the last vote and of the last action, 0 without.
	Ends(ctx context.Context) (vote, action int64, err error)

	// AddToken stores a token, Token finds one by its hash, revoked ones too.
	AddToken(ctx context.Context, t Token, a Action) error
	Token(ctx context.Context, hash []byte) (Token, error)
	Tokens(ctx context.Context, board string) ([]Token, error)
	RevokeToken(ctx context.Context, board, name string, a Action) error

	// AddWebhook stores a webhook, Webhooks returns those of a board, of all boards when
	// board is empty.
	AddWebhook(ctx context.Context, w Webhook, a Action) error
	Webhooks(ctx context.Context, board string) ([]Webhook, error)
	// ClaimWebhook lets a worker tell what is to be told, while nobody else does. Else it
	// is ErrStale.
	ClaimWebhook(ctx context.Context, id, worker string, now, until time.Time) (Webhook, error)
	// NoteWebhook notes up to where it was told, and how that went, by the worker that
	// does; it is ErrStale when another does it by now.
	NoteWebhook(ctx context.Context, w Webhook) error
	DropWebhook(ctx context.Context, board, id string, a Action) error

	// PutSnapshot keeps the newest snapshot of a kind.
	PutSnapshot(ctx context.Context, s Snapshot) error
	Snapshot(ctx context.Context, board, kind string) (Snapshot, error)

	// Secret returns the secret of a name, which is the one given when there was
	// none; when none is given either, the error is ErrNotFound.
	Secret(ctx context.Context, name string, fresh []byte) ([]byte, error)
	// DropSecret forgets the secret of a name, if there is one.
	DropSecret(ctx context.Context, name string) error
	// Check says what is wrong when a vote could not be stored now: it writes as much
	// as one does.
	Check(ctx context.Context) error
	Close() error
}
