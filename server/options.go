package server

import (
	"log/slog"
	"time"
)

// Options are the settings of a Service; the zero value is useful.
type Options struct {
	// Log takes structured records; nil: slog.Default.
	Log *slog.Logger
	// Key signs cookies, links and questions: at least MinKey bytes, the same in all
	// servers of a database. Nil: the database keeps one, so that whoever reads it can
	// sign as well.
	Key []byte
	// Admin, if set, is the token without which nobody creates boards.
	Admin string
	// SSO, if set, is the identity provider of boards with store.SSO.
	SSO *SSO
	// Webhooks says where boards may tell what happens on them.
	Webhooks Webhooks
	// VotesPerMinute is how often one voter may ask and tell; 0 stands for 240.
	// RequestsPerMinute is how many requests one address may make; 0 stands for
	// 3000. Negative: without limit.
	VotesPerMinute, RequestsPerMinute int
	// Duty is the share of one processor that fits in the background may take: those
	// of boards, of populations and of groups; 0 stands for 0.25.
	Duty float64
	// Poll is how often other processes' votes are looked for; 0 stands for 100 ms.
	Poll time.Duration
	// Seed of the choice of pairs; 0: a random one.
	Seed uint64

	begins func(task) // told of what may take long; nil: nobody
}

// SSO is an OpenID Connect provider.
type SSO struct {
	Issuer, ClientID, ClientSecret string
}

// Limits of what a board holds and a request carries.
const (
	MaxItems    = 10_000    // of a board
	MaxFeatures = 2_000_000 // of the items of a board together
	MaxText     = 20_000    // bytes of an item's body
	MaxUpload   = 10 << 20  // bytes of one image, or of a request
	MaxDecoded  = 192 << 20 // bytes that decoding one image may take
	MaxSide     = 1600      // pixels of an image as it is kept
	MaxImport   = 64 << 20  // bytes of a file of votes
	MaxVotes    = 2_000_000 // votes that a file comes to, the pairs of its answers counted
	MaxBoard    = 64 << 20  // bytes of a request that makes a board, pictures included
	MaxUnpacked = 10 << 20  // bytes of a table of items, unpacked
	MaxComment  = 2000      // bytes of why somebody answered so
	MaxProposal = 500       // bytes of an item that a voter proposes
	MaxQuota    = 1_000_000 // votes of a voter
	MaxOwners   = 50        // of a board, beside the first
	MaxJSONBody = 4 << 20   // bytes of a board, or of its items, as JSON
	// MaxParameters is how many parameters the space of a board has, every word of them
	// counted, MaxConstraints how many constraints and forbidden combinations, and MaxDuels
	// how many answers are learnt from.
	MaxParameters  = 100
	MaxConstraints = 100
	MaxDuels       = 500
)

// Scope is what a token lets a program do.
type Scope string

// The scopes of tokens. What only an owner may do no token can.
const (
	CanVote   Scope = "vote"   // ask, tell, undo, for any voter it names
	CanRead   Scope = "read"   // board, predict
	CanExport Scope = "export" // export the votes
	CanImport Scope = "import" // import votes, add items
)

// Scopes lists all scopes.
func Scopes() []Scope { return []Scope{CanVote, CanRead, CanExport, CanImport} }
